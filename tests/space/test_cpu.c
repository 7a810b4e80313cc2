/* The space of the CPU: vectors, copies and dot products, with every kind of reduction and number
 * of threads. Passes are the matter of test_pass. */
#include "support.h"

#include "base/threads.h"
#include "space/trials.h"
#include "spaces.h"

#include <math.h>
#include <string.h>

START_TEST(copies_are_complete)
{
    struct error error;
    struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 1);
    const struct space_operations *operations = space->operations;
    uint64_t state = test_seed();
    double *host = vector(LONGEST), *back = vector(LONGEST), *v, *w;
    randomise(host, LONGEST, &state);
    expect_ok(space_vector(space, LONGEST, "v", &v, &error), &error);
    expect_ok(space_vector(space, LONGEST, "w", &w, &error), &error);
    for (int k = 0; k < LENGTHS; k++) {
        int64_t n = lengths[k], rest = LONGEST - n;
        size_t bytes = (size_t)n * sizeof *v;
        test_space_threads(&space, thread_counts[k % THREAD_COUNTS]);
        poison(back, LONGEST);
        expect_ok(space_fill(space, LONGEST, 0.5, v, &error), &error);
        expect_ok(space_fill(space, LONGEST, 0.5, w, &error), &error);
        expect_ok(space_fill(space, n, NAN, v, &error), &error);
        expect_ok(space_upload(space, n, host, v, &error), &error);
        expect_ok(space_fill(space, n, NAN, w, &error), &error);
        expect_ok(space_copy(space, n, v, w, &error), &error);
        expect_ok(space_download(space, n, w, back, &error), &error);
        ck_assert_mem_eq(back, host, bytes);
        ck_assert(rest == 0 || isnan(back[n]));
        expect_ok(space_fill(space, n, -0.25, v, &error), &error);
        expect_ok(space_download(space, LONGEST, v, back, &error), &error);
        bool wrong = false;
        for (int64_t i = 0; i < LONGEST; i++)
            wrong |= back[i] != (i < n ? -0.25 : 0.5);
        ck_assert_msg(!wrong, "fill of %d elements", (int)n);
        expect_ok(space_download(space, LONGEST, w, back, &error), &error);
        ck_assert(rest == 0 || (back[n] == 0.5 && back[LONGEST - 1] == 0.5));
    }
    space_release(space, v);
    space_release(space, w);
    space_release(space, NULL);
    operations->destroy(space);
    operations->destroy(NULL);
    memory_free(host);
    memory_free(back);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(dots_are_right)
{
    uint64_t state = test_seed();
    double *x = vector(LONGEST), *y = vector(LONGEST);
    randomise(x, LONGEST, &state);
    randomise(y, LONGEST, &state);
    for (int r = 0; r < KINDS; r++) {
        struct space *space = test_space(SPACE_CPU, all_reductions[r], 1);
        ck_assert_int_eq(space->reductions, all_reductions[r]);
        ck_assert_int_eq(space->operations->kind, SPACE_CPU);
        ck_assert_str_eq(space->operations->name, "cpu");
        for (int k = 0; k < LENGTHS; k++) {
            for (int t = 0; t < THREAD_COUNTS; t++) {
                test_space_threads(&space, thread_counts[t]);
                ck_assert_int_eq(threads_count(space->threads), thread_counts[t]);
                expect_near(all_reductions[r], lengths[k], x, y, dot(space, lengths[k], x, y));
            }
            expect_near(all_reductions[r], lengths[k], y, y, dot(space, lengths[k], y, y));
        }
        space->operations->destroy(space);
    }
    memory_free(x);
    memory_free(y);
}
END_TEST

START_TEST(reproducible_dots_follow_the_order)
{
    uint64_t state = test_seed();
    double *x = vector(LONGEST), *y = vector(LONGEST);
    randomise(x, LONGEST, &state);
    randomise(y, LONGEST, &state);
    struct space *plain = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 1),
                 *twice = test_space(SPACE_CPU, REDUCTIONS_COMPENSATED, 1);
    for (int k = 0; k < LENGTHS; k++) {
        int64_t n = lengths[k];
        double wanted = tile_by_tile(n, x, y), first = 0;
        for (int t = 0; t < THREAD_COUNTS; t++) {
            test_space_threads(&plain, thread_counts[t]);
            test_space_threads(&twice, thread_counts[t]);
            expect_bits(dot(plain, n, x, y), wanted, "dot", n, thread_counts[t]);
            double compensated = dot(twice, n, x, y);
            if (t == 0)
                first = compensated;
            expect_bits(compensated, first, "compensated dot", n, thread_counts[t]);
        }
    }
    plain->operations->destroy(plain);
    twice->operations->destroy(twice);
    memory_free(x);
    memory_free(y);
}
END_TEST

/* The inputs and results of test_cpu_sum, through the space. */
START_TEST(the_bits_are_pinned)
{
    uint64_t state = 20240229;
    double *x = vector(LONGEST), *y = vector(LONGEST);
    randomise(x, LONGEST, &state);
    randomise(y, LONGEST, &state);
    struct space *plain = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 3),
                 *twice = test_space(SPACE_CPU, REDUCTIONS_COMPENSATED, 3);
    expect_bits(dot(plain, LONGEST, x, y), 0x1.e382079b6f389p+44, "dot", LONGEST, 3);
    expect_bits(dot(twice, LONGEST, x, y), 0x1.e382079b6f386p+44, "compensated", LONGEST, 3);
    plain->operations->destroy(plain);
    twice->operations->destroy(twice);
    memory_free(x);
    memory_free(y);
}
END_TEST

/* The second half takes the first one back; what is left is the last term, 3. The inputs are always
 * the same ones, because others may be lucky with a plain sum. */
START_TEST(compensated_dots_survive_cancellation)
{
    enum { HALF = 100000, N = 2 * HALF + 1 };
    uint64_t state = 5;
    double *x = vector(N), *y = vector(N);
    randomise(x, HALF, &state);
    randomise(y, HALF, &state);
    for (int64_t i = 0; i < HALF; i++) {
        x[HALF + (i + 11) % HALF] = x[i] * 0x1p10;
        y[HALF + (i + 11) % HALF] = -y[i] * 0x1p-10;
    }
    x[N - 1] = 3;
    y[N - 1] = 1;
    struct space *plain = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 1),
                 *twice = test_space(SPACE_CPU, REDUCTIONS_COMPENSATED, 1);
    for (int t = 0; t < THREAD_COUNTS; t++) {
        test_space_threads(&plain, thread_counts[t]);
        test_space_threads(&twice, thread_counts[t]);
        double error = fabs(dot(twice, N, x, y) - 3), plain_error = fabs(dot(plain, N, x, y) - 3);
        ck_assert_msg(error < 1e-12, "compensated is off by %g", error);
        ck_assert_msg(plain_error > 1e-6, "the case is not ill-conditioned: %g", plain_error);
    }
    plain->operations->destroy(plain);
    twice->operations->destroy(twice);
    memory_free(x);
    memory_free(y);
}
END_TEST

START_TEST(a_multiple_is_added_by_fused_operations)
{
    struct error error;
    uint64_t state = test_seed();
    struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 1);
    for (int k = 0; k < LENGTHS; k++) {
        int64_t n = lengths[k];
        double *x = vector(n), *y = vector(n), *wanted = vector(n);
        randomise(x, n, &state);
        randomise(y, n, &state);
        for (int64_t i = 0; i < n; i++)
            wanted[i] = fma(-0.3, x[i], y[i]);
        test_space_threads(&space, thread_counts[k % THREAD_COUNTS]);
        expect_ok(space_axpy(space, n, -0.3, x, y, &error), &error);
        ck_assert_mem_eq(y, wanted, (size_t)n * sizeof *y);
        memory_free(x);
        memory_free(y);
        memory_free(wanted);
    }
    space->operations->destroy(space);
}
END_TEST

/* Wherever it stands, in a whole tile or in the rest. */
START_TEST(not_a_number_is_not_lost)
{
    enum { N = 1000 };
    double ones[N], v[N];
    for (int i = 0; i < N; i++)
        ones[i] = v[i] = 1;
    for (int r = 0; r < KINDS; r++) {
        struct space *space = test_space(SPACE_CPU, all_reductions[r], 1);
        for (int i = 0; i < N; i += 37) {
            v[i] = NAN;
            ck_assert(isnan(dot(space, N, ones, v)) && isnan(dot(space, N, v, v)));
            v[i] = 1e200;
            ck_assert(!isfinite(dot(space, N, v, v)));
            v[i] = 1;
        }
        ck_assert(dot(space, N, ones, v) == N);
        space->operations->destroy(space);
    }
}
END_TEST

static enum status attempt(void *context, struct error *error)
{
    struct space *space;
    enum status status = space_cpu_create(
        &(struct space_options){.reductions = *(enum reductions *)context, .threads = 3}, &space,
        error);
    if (status) {
        ck_assert_ptr_null(space);
        return status;
    }
    double one = 1, result, *v, *w = NULL;
    status = space_vector(space, 3, "the vector v", &v, error);
    if (!status)
        status = space_vector(space, 2000, "the vector w", &w, error);
    if (!status)
        status = space_dot(space, 1, &one, &one, &result, error);
    if (!status) /* more tiles than the first dot made room for */
        status = space_fill(space, 2000, 1, w, error);
    if (!status)
        status = space_dot(space, 2000, w, w, &result, error);
    if (!status)
        ck_assert(result == 2000);
    space_release(space, v);
    space_release(space, w);
    space->operations->destroy(space);
    return status;
}

START_TEST(every_failed_allocation_is_survived)
{
    for (int r = 0; r < KINDS; r++)
        walk_allocation_failures(attempt, (void *)&all_reductions[r]);
    struct error error;
    struct space *space = test_space(SPACE_CPU, REDUCTIONS_BLAS, 1);
    double *v;
    expect_error(space_vector(space, INT64_MAX, "the vector r", &v, &error), STATUS_MEMORY, &error,
                 "the vector r", NULL);
    ck_assert_ptr_null(v);
    space->operations->destroy(space);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {copies_are_complete,
                            dots_are_right,
                            reproducible_dots_follow_the_order,
                            the_bits_are_pinned,
                            compensated_dots_survive_cancellation,
                            a_multiple_is_added_by_fused_operations,
                            not_a_number_is_not_lost,
                            every_failed_allocation_is_survived,
                            NULL};
    return suite_of("space/cpu", tests);
}
