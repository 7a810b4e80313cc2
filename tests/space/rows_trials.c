#include "space/rows_trials.h"

#include "space/rows.h"
#include "support.h"

#include <string.h>

/* A copy in the space; NULL: poison. The caller calls rows_release. */
static void *put(struct space *space, int64_t count, size_t size, const void *host)
{
    struct error error;
    void *made, *poison = memory_array(count, size, "poison", &error);
    memset(poison, 0xa5, (size_t)count * size);
    expect_ok(rows_array(space, count, size, "a trial", &made, &error), &error);
    if (space)
        expect_ok(space->operations->upload(space, count * (int64_t)size, host ? host : poison,
                                            made, &error),
                  &error);
    else
        memcpy(made, host ? host : poison, (size_t)count * size);
    memory_free(poison);
    return made;
}

static void get(struct space *space, int64_t count, size_t size, const void *array, void *host)
{
    struct error error;
    expect_ok(rows_download(space, count * (int64_t)size, array, host, &error), &error);
}

static int64_t some(uint64_t *state)
{
    return 1 + test_random_below(state, test_random_below(state, 2) ? 40 : 5000);
}

static void try_scan(struct space *space, uint64_t *state)
{
    struct error error;
    int64_t n = some(state), sum = 0;
    int64_t *lengths = memory_zeros(n + 1, sizeof *lengths, "lengths", &error);
    int64_t *made = memory_zeros(n + 1, sizeof *made, "ends", &error);
    for (int64_t i = 1; i <= n; i++)
        lengths[i] = test_random_below(state, INT64_C(1) << 40);
    int64_t *ends = put(space, n + 1, sizeof *ends, lengths);
    expect_ok(rows_scan(space, n, ends, &error), &error);
    get(space, n + 1, sizeof *ends, ends, made);
    for (int64_t i = 0; i <= n; i++) {
        sum += lengths[i];
        ck_assert_int_eq(made[i], sum);
    }
    rows_release(space, ends);
    memory_free(lengths);
    memory_free(made);
}

/* The elements of key j stand from offsets[j] on, all of them, ascending. */
static void expect_sorted(int64_t count, const int32_t *keys, int64_t most, const uint32_t *order,
                          const uint32_t *offsets)
{
    int64_t counted = 0;
    for (int64_t k = 0; k < count; k++)
        counted += keys[k] >= 0;
    ck_assert_int_eq(offsets[0], 0);
    ck_assert_int_eq(offsets[most], counted);
    for (int64_t j = 0; j < most; j++)
        for (uint32_t p = offsets[j]; p < offsets[j + 1]; p++) {
            ck_assert(order[p] < count);
            ck_assert_int_eq(keys[order[p]], j);
            ck_assert(p == offsets[j] || order[p - 1] < order[p]);
        }
}

/* A power of two of keys too: then -1 has more bits than the greatest one. */
static void try_sort(struct space *space, uint64_t *state)
{
    struct error error;
    int64_t count = some(state);
    int64_t most =
        test_random_below(state, 2) ? some(state) : INT64_C(1) << test_random_below(state, 12);
    int32_t *keys = memory_array(count, sizeof *keys, "keys", &error);
    uint32_t *order = memory_array(count, sizeof *order, "an order", &error);
    uint32_t *offsets = memory_array(most + 2, sizeof *offsets, "offsets", &error);
    double none = test_random(state) < 0.2 ? 1 : test_random(state) * 0.5;
    for (int64_t k = 0; k < count; k++)
        keys[k] = test_random(state) < none ? -1 : (int32_t)test_random_below(state, most);
    int32_t *given = put(space, count, sizeof *keys, keys);
    uint32_t *sorted = put(space, count, sizeof *order, NULL);
    uint32_t *begins = put(space, most + 2, sizeof *offsets, NULL);
    expect_ok(rows_sort(space, count, given, most, sorted, begins, &error), &error);
    get(space, count, sizeof *order, sorted, order);
    get(space, most + 1, sizeof *offsets, begins, offsets);
    expect_sorted(count, keys, most, order, offsets);
    rows_release(space, given);
    rows_release(space, sorted);
    rows_release(space, begins);
    memory_free(keys);
    memory_free(order);
    memory_free(offsets);
}

/* First by `first`, then by `second`, and where both are equal by their numbers. */
static void expect_pairs(int64_t count, const int32_t *first, const int32_t *second, int64_t most,
                         const uint32_t *order, const uint32_t *offsets)
{
    int64_t counted = 0;
    for (int64_t k = 0; k < count; k++)
        counted += first[k] >= 0 && second[k] >= 0;
    ck_assert_int_eq(offsets[0], 0);
    ck_assert_int_eq(offsets[most], counted);
    for (int64_t j = 0; j < most; j++)
        for (uint32_t p = offsets[j]; p < offsets[j + 1]; p++) {
            uint32_t k = order[p], before = p == offsets[j] ? k : order[p - 1];
            ck_assert(k < count);
            ck_assert_int_eq(first[k], j);
            ck_assert_int_ge(second[before], 0);
            ck_assert_int_le(second[before], second[k]);
            ck_assert(p == offsets[j] || second[before] < second[k] || before < k);
        }
}

static void try_pairs(struct space *space, uint64_t *state)
{
    struct error error;
    int64_t count = some(state), most = some(state);
    int32_t *keys[2];
    void *given[2];
    uint32_t *order = memory_array(count, sizeof *order, "an order", &error);
    uint32_t *offsets = memory_array(most + 2, sizeof *offsets, "offsets", &error);
    double none = test_random_below(state, 2) ? 0 : test_random(state) * 0.5;
    for (int of = 0; of < 2; of++) {
        keys[of] = memory_array(count, sizeof **keys, "keys", &error);
        for (int64_t k = 0; k < count; k++)
            keys[of][k] = test_random(state) < none ? -1 : (int32_t)test_random_below(state, most);
        given[of] = put(space, count, sizeof **keys, keys[of]);
    }
    uint32_t *sorted = put(space, count, sizeof *order, NULL);
    uint32_t *begins = put(space, most + 2, sizeof *offsets, NULL);
    expect_ok(rows_sort_pairs(space, count, given[0], given[1], most, sorted, begins, &error),
              &error);
    get(space, count, sizeof *order, sorted, order);
    get(space, most + 1, sizeof *offsets, begins, offsets);
    expect_pairs(count, keys[0], keys[1], most, order, offsets);
    for (int of = 0; of < 2; of++) {
        rows_release(space, given[of]);
        memory_free(keys[of]);
    }
    rows_release(space, sorted);
    rows_release(space, begins);
    memory_free(order);
    memory_free(offsets);
}

void try_rows(struct space *space, uint64_t *state)
{
    for (int trial = 0; trial < 50; trial++) {
        try_scan(space, state);
        try_sort(space, state);
        try_pairs(space, state);
    }
}
