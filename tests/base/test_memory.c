/* Heap arrays: alignment, overflow, growth, the failing allocator and the count of live ones. */
#include "support.h"

#include "base/threads.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { ALIGNMENT = 64, LARGE_PAGE = 1 << 21 }; /* as in memory.c */

START_TEST(arrays_are_aligned)
{
    struct error error;
    static const size_t sizes[] = {1, 8, 24};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        for (int64_t count = 0; count < 200; count++) {
            unsigned char *array = memory_array(count, sizes[s], "an array", &error);
            ck_assert_ptr_nonnull(array);
            ck_assert_uint_eq((uintptr_t)array % ALIGNMENT, 0);
            memset(array, 0xa5, (size_t)count * sizes[s]);
            memory_free(array);
        }
    }
}
END_TEST

START_TEST(zeros_are_zero)
{
    struct error error;
    for (int64_t count = 1; count < 300; count += 7) {
        unsigned char *dirty = memory_array(count, 3, "a dirty array", &error);
        ck_assert_ptr_nonnull(dirty);
        memset(dirty, 0xff, (size_t)count * 3);
        memory_free(dirty);
        unsigned char *zeros = memory_zeros(count, 3, "zeros", &error);
        ck_assert_ptr_nonnull(zeros);
        for (int64_t k = 0; k < 3 * count; k++)
            ck_assert_uint_eq(zeros[k], 0);
        memory_free(zeros);
    }
}
END_TEST

START_TEST(text_is_copied)
{
    struct error error;
    char text[] = "a text";
    char *copy = memory_text(text, "a copy", &error);
    ck_assert_ptr_nonnull(copy);
    text[0] = 'X';
    ck_assert_str_eq(copy, "a text");
    memory_free(copy);
    copy = memory_text("", "a copy", &error);
    ck_assert_str_eq(copy, "");
    memory_free(copy);
    memory_fail_after(0);
    ck_assert_ptr_null(memory_text(text, "a copy", &error));
    memory_fail_after(-1);
    ck_assert_str_eq(error.text, "out of memory: a copy needs 7 bytes");
}
END_TEST

/* The largest count that fits is asked for with the failing allocator on: whether the machine would
 * give that much is not the question. */
START_TEST(sizes_that_overflow_are_refused)
{
    struct error error;
    static const size_t sizes[] = {1, 8, 24, 4096};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int64_t most = (int64_t)((SIZE_MAX / 2 - LARGE_PAGE) / sizes[s]);
        const int64_t refused[] = {most + 1, INT64_MAX, -1, INT64_MIN};
        for (int k = 0; k < 4; k++) {
            char count[32];
            snprintf(count, sizeof count, " %" PRId64 " elements", refused[k]);
            error.text[0] = 0;
            ck_assert_ptr_null(memory_array(refused[k], sizes[s], "the matrix", &error));
            expect_error(STATUS_MEMORY, STATUS_MEMORY, &error, "out of memory: the matrix needs",
                         count, "more than can be addressed", NULL);
            error.text[0] = 0;
            ck_assert_ptr_null(memory_zeros(refused[k], sizes[s], "the matrix", &error));
            expect_error(STATUS_MEMORY, STATUS_MEMORY, &error, count, NULL);
        }
        char bytes[64];
        snprintf(bytes, sizeof bytes, "out of memory: the matrix needs %zu bytes",
                 (size_t)most * sizes[s]);
        memory_fail_after(0);
        ck_assert_ptr_null(memory_array(most, sizes[s], "the matrix", &error));
        memory_fail_after(-1);
        ck_assert_str_eq(error.text, bytes);
    }
    ck_assert_ptr_null(memory_array(INT64_MAX, 8, "the matrix", NULL));
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(growing_keeps_the_contents)
{
    struct error error;
    int64_t *array = NULL;
    int64_t capacity = 0, moves = 0;
    for (int64_t count = 0; count < 100000; count++) {
        int64_t *before = array, held = capacity;
        expect_ok(memory_grow((void **)&array, &capacity, count + 1, sizeof *array, "it", &error),
                  &error);
        ck_assert_int_ge(capacity, count + 1);
        if (count + 1 <= held) {
            ck_assert_ptr_eq(array, before);
            ck_assert_int_eq(capacity, held);
        } else {
            ck_assert_int_ge(capacity, held + held / 2);
            moves++;
        }
        array[count] = 3 * count + 1;
    }
    for (int64_t k = 0; k < 100000; k++)
        ck_assert_int_eq(array[k], 3 * k + 1);
    ck_assert_int_le(moves, 30);
    expect_ok(memory_grow((void **)&array, &capacity, 5 * capacity, sizeof *array, "it", &error),
              &error);
    array[capacity - 1] = 1;
    for (int64_t k = 0; k < 100000; k++)
        ck_assert_int_eq(array[k], 3 * k + 1);
    memory_free(array);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(failed_growth_changes_nothing)
{
    struct error error;
    int64_t *array = NULL, capacity = 0;
    expect_ok(memory_grow((void **)&array, &capacity, 20, sizeof *array, "it", &error), &error);
    for (int64_t k = 0; k < capacity; k++)
        array[k] = k;
    int64_t *before = array, held = capacity;
    memory_fail_after(0);
    expect_ok(memory_grow((void **)&array, &capacity, held, sizeof *array, "it", &error), &error);
    expect_error(memory_grow((void **)&array, &capacity, held + 1, sizeof *array, "it", &error),
                 STATUS_MEMORY, &error, "out of memory: it needs", NULL);
    memory_fail_after(-1);
    expect_error(memory_grow((void **)&array, &capacity, INT64_MAX, sizeof *array, "it", &error),
                 STATUS_MEMORY, &error, "more than can be addressed", NULL);
    ck_assert_ptr_eq(array, before);
    ck_assert_int_eq(capacity, held);
    for (int64_t k = 0; k < capacity; k++)
        ck_assert_int_eq(array[k], k);
    memory_free(array);
}
END_TEST

START_TEST(allocator_fails_when_told)
{
    struct error error;
    ck_assert_int_eq(memory_live(), 0);
    memory_fail_after(2);
    void *first = memory_array(1, 1, "one", &error), *second = memory_zeros(1, 1, "two", &error);
    ck_assert(first && second);
    ck_assert_int_eq(memory_live(), 2);
    ck_assert_ptr_null(memory_array(5, 8, "three", &error));
    ck_assert_str_eq(error.text, "out of memory: three needs 40 bytes");
    ck_assert_ptr_null(memory_array(1, 1, "four", &error));
    ck_assert_int_eq(memory_live(), 2);
    memory_fail_after(-1);
    void *third = memory_array(0, 8, "none", &error);
    ck_assert_ptr_nonnull(third);
    ck_assert_int_eq(memory_live(), 3);
    memory_free(NULL);
    ck_assert_int_eq(memory_live(), 3);
    memory_free(first);
    memory_free(second);
    memory_free(third);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

static void allocate(void *context, int64_t begin, int64_t end)
{
    for (void **arrays = context; begin < end; begin++)
        arrays[begin] = memory_array(1, 1, "a byte", NULL);
}

static void free_each(void *context, int64_t begin, int64_t end)
{
    for (void **arrays = context; begin < end; begin++)
        memory_free(arrays[begin]);
}

START_TEST(threads_share_the_counts)
{
    enum { TRIES = 20000, ALLOWED = 12345 };
    static void *arrays[TRIES];
    test_threads(7);
    memory_fail_after(ALLOWED);
    threads_take(threads_lent(), TRIES, 1, allocate, arrays);
    memory_fail_after(-1);
    int64_t got = 0;
    for (int k = 0; k < TRIES; k++)
        got += arrays[k] != NULL;
    ck_assert_int_eq(got, ALLOWED);
    ck_assert_int_eq(memory_live(), ALLOWED);
    threads_take(threads_lent(), TRIES, 1, free_each, arrays);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {arrays_are_aligned,
                            zeros_are_zero,
                            text_is_copied,
                            sizes_that_overflow_are_refused,
                            growing_keeps_the_contents,
                            failed_growth_changes_nothing,
                            allocator_fails_when_told,
                            threads_share_the_counts,
                            NULL};
    return suite_of("base/memory", tests);
}
