/* The set-up of cuda_segscan, and the product made of it by its twin. test_segscan_cuda.c holds the
 * kernel to the twin. */
#include "support.h"

#include "spmv/baseline/segscan.h"
#include "spmv/full_trials.h"
#include "spmv/host_product.h"
#include "spmv/segscan_twin.h"

#include <string.h>

static const struct full_twin segscan = {.kernel = "cuda_segscan",
                                         .multiply = twin_segscan,
                                         .count = 7,
                                         .values = {0, 4, 6, 8, 10, 12, 16}};

/* ---- set-up ---------------------------------------------------------------------------------- */

/* The row of every entry. */
static int32_t *rows_of(const struct csr *full)
{
    struct error error;
    int32_t *rows = memory_array(full->nnz, sizeof *rows, "the rows", &error);
    ck_assert_ptr_nonnull(rows);
    for (int64_t i = 0; i < full->n; i++)
        for (int64_t k = full->offsets[i]; k < full->offsets[i + 1]; k++)
            rows[k] = (int32_t)i;
    return rows;
}

static double value_at(const struct segscan *scan, int64_t place)
{
    return scan->narrow ? (double)((const float *)scan->values)[place]
                        : ((const double *)scan->values)[place];
}

/* Whether entry k of the matrix is what is there; behind the block's last one nothing is. *ended
 * counts the ends of rows. */
static bool is_entry(const struct csr *full, const int32_t *rows, const struct segscan *scan,
                     int64_t share, int64_t k, uint32_t word, double value, int *ended)
{
    if (k >= scan->begins[share / SEGSCAN_WARPS + 1])
        return segscan_column(word) == 0 && !segscan_ends(word) && value == 0;
    bool last = k + 1 == full->offsets[rows[k] + 1];
    return segscan_column(word) == (uint32_t)full->columns[k] && segscan_ends(word) == last &&
           value == (scan->narrow ? (double)(float)full->values[k] : full->values[k]) &&
           (!last || segscan_row(scan->first[share], scan->rows, (*ended)++) == rows[k]);
}

/* Every place of the share is met once, with the right entry; and the lanes' offsets are right. */
static void expect_share(const struct csr *full, const int32_t *rows, const struct segscan *scan,
                         int64_t share)
{
    int V = scan->values_per_thread, ended = 0, wrong = 0;
    int64_t begin = share * segscan_share(V);
    int64_t k = scan->begins[share / SEGSCAN_WARPS] + share % SEGSCAN_WARPS * segscan_share(V);
    bool met[SEGSCAN_LANES * SEGSCAN_VALUES_MAX] = {false};
    for (int lane = 0; lane < SEGSCAN_LANES; lane++) {
        uint32_t words[SEGSCAN_VALUES_MAX] = {0};
        for (int v = 0; v < V; v++)
            words[v] = scan->words[begin + segscan_place(SEGSCAN_GROUP(V, 4), lane, v)];
        wrong += segscan_offset(words) != ended;
        for (int v = 0; v < V; v++, k++) {
            int place = segscan_place(SEGSCAN_GROUP(V, scan->narrow ? 4 : 8), lane, v);
            wrong += place >= segscan_share(V) || met[place] ||
                     !is_entry(full, rows, scan, share, k, words[v], value_at(scan, begin + place),
                               &ended);
            met[place] = true;
        }
    }
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_le(ended, scan->ends_max);
}

/* The block that has entry k. */
static int64_t block_of(const struct segscan *scan, int64_t k)
{
    int64_t block = 0;
    while (scan->begins[block + 1] <= k)
        block++;
    return block;
}

/* Every block ends with the last row that ends in it, if then at most an eighth of it is free, and
 * else it is full; the last one has what is left. */
static void expect_blocks(const struct csr *full, const struct segscan *scan)
{
    int64_t places = segscan_block(scan->values_per_thread), row = 0;
    ck_assert_int_eq(scan->begins[0], 0);
    ck_assert_int_eq(scan->begins[scan->blocks], full->nnz);
    for (int64_t b = 0; b + 1 < scan->blocks; b++) {
        int64_t full_end = scan->begins[b] + places;
        ck_assert_int_lt(full_end, full->nnz);
        while (full->offsets[row + 1] <= full_end)
            row++;
        ck_assert_int_eq(scan->begins[b + 1], 8 * (full_end - full->offsets[row]) <= places
                                                  ? full->offsets[row]
                                                  : full_end);
    }
    ck_assert_int_le(full->nnz - scan->begins[scan->blocks - 1], places);
    ck_assert(full->nnz == 0 || full->nnz > scan->begins[scan->blocks - 1]);
}

/* The blocks with parts of a row other than the one it ends in put them into their slots, and that
 * one takes these. */
static void expect_joins(const struct csr *full, const struct segscan *scan)
{
    struct error error;
    uint32_t *wanted = memory_zeros(scan->blocks, sizeof *wanted, "joins", &error);
    ck_assert_ptr_nonnull(wanted);
    for (int64_t i = 0; i < full->n; i++) {
        if (full->offsets[i] == full->offsets[i + 1])
            continue;
        int64_t first = block_of(scan, full->offsets[i]);
        int64_t last = block_of(scan, full->offsets[i + 1] - 1);
        for (int64_t b = first; b < last; b++)
            wanted[b] |= SEGSCAN_CONTINUES;
        wanted[last] += (uint32_t)(last - first);
    }
    ck_assert_mem_eq(wanted, scan->joins, (size_t)scan->blocks * sizeof *wanted);
    memory_free(wanted);
}

static void expect_empty_rows(const struct csr *full, const struct segscan *scan)
{
    int64_t e = 0;
    for (int64_t i = 0; i < full->n; i++) {
        if (full->offsets[i] < full->offsets[i + 1])
            continue;
        ck_assert_int_lt(e, scan->empties);
        ck_assert_int_eq(scan->empty[e++], i);
    }
    ck_assert_int_eq(e, scan->empties);
}

static void expect_scan(const struct csr *full, const struct segscan *scan)
{
    int V = scan->values_per_thread;
    int32_t *rows = rows_of(full);
    expect_blocks(full, scan);
    for (int64_t share = 0; share < scan->blocks * SEGSCAN_WARPS; share++)
        expect_share(full, rows, scan, share);
    expect_joins(full, scan);
    expect_empty_rows(full, scan);
    int64_t places = scan->blocks * segscan_block(V);
    ck_assert_int_eq(segscan_bytes(scan), places * (scan->narrow ? 8 : 12) +
                                              4 * scan->blocks * (SEGSCAN_WARPS + 1) +
                                              4 * (scan->empties + scan->listed));
    ck_assert_int_le(segscan_bytes_of(full->nnz, V, scan->narrow), segscan_bytes(scan));
    memory_free(rows);
}

static void set_up(void *context, const char *name, const struct csr *A)
{
    (void)context;
    (void)name;
    struct error error;
    struct csr full;
    expect_ok(csr_expand(A, &full, &error), &error);
    for (int v = 1; v < segscan.count; v++) {
        struct segscan scan;
        test_threads(1 + v % 3);
        expect_ok(segscan_create(&full, segscan.values[v], v % 2, &scan, &error), &error);
        expect_scan(&full, &scan);
        segscan_free(&scan);
        ck_assert_ptr_null(scan.words);
    }
    csr_free(&full);
}

START_TEST(every_entry_is_there_once)
{
    full_matrices(set_up, NULL);
}
END_TEST

/* The most that a word has to hold. */
START_TEST(words_hold_what_is_put_in)
{
    int32_t last = (INT32_C(1) << SEGSCAN_COLUMN_BITS) - 1;
    for (int offset = 0; offset <= (SEGSCAN_LANES - 1) * SEGSCAN_VALUES_MAX; offset++) {
        uint32_t words[SEGSCAN_VALUES_MAX];
        bool right = true;
        for (int v = 0; v < SEGSCAN_VALUES_MAX; v++) {
            words[v] = segscan_word(last - v, (offset + v) % 2, offset, v);
            right = right && segscan_column(words[v]) == (uint32_t)(last - v) &&
                    segscan_ends(words[v]) == (offset + v) % 2;
        }
        ck_assert(right);
        ck_assert_int_eq(segscan_offset(words), offset);
    }
}
END_TEST

START_TEST(a_reach_ends_where_a_row_does)
{
    uint64_t state = test_seed();
    for (int trial = 0; trial < 1000; trial++) {
        uint32_t ends = 0;
        int density = (int)test_random_below(&state, 6);
        for (int lane = 0; lane < SEGSCAN_LANES; lane++)
            ends |= (uint32_t)(test_random_below(&state, 6) < density) << lane;
        for (int lane = 0; lane < SEGSCAN_LANES; lane++) {
            int from = lane;
            while (from > 0 && !(ends >> from & 1))
                from--;
            ck_assert_int_eq(segscan_reach(ends, lane), lane - from);
        }
    }
}
END_TEST

START_TEST(what_does_not_fit_is_refused)
{
    struct error error;
    struct segscan scan;
    struct csr A;
    int64_t most = INT64_C(1) << SEGSCAN_COLUMN_BITS;
    expect_ok(csr_create(&A, CSR_GENERAL, 1, 1, &error), &error);
    A.width = most;
    A.offsets[0] = 0;
    A.offsets[1] = 1;
    A.columns[0] = (int32_t)(most - 1);
    A.values[0] = 2;
    expect_ok(segscan_create(&A, 4, false, &scan, &error), &error);
    expect_scan(&A, &scan);
    segscan_free(&scan);
    static const int wrong[] = {-4, 2, 5, 7, 14, 18, 20};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        expect_error(segscan_check(&A, wrong[k], &error), STATUS_CONFIG, &error,
                     "values_per_thread", "is not 4, 6, 8, 10, 12 or 16", NULL);
    A.width++;
    expect_error(segscan_check(&A, 4, &error), STATUS_CONFIG, &error, "268435457 columns", "2^28",
                 NULL);
    csr_free(&A);
}
END_TEST

static enum status attempt(void *context, struct error *error)
{
    struct segscan scan;
    enum status status = segscan_create(context, 6, true, &scan, error);
    segscan_free(&scan);
    return status;
}

START_TEST(every_failed_allocation_is_survived)
{
    uint64_t state = test_seed();
    struct csr A;
    static const int64_t lengths[] = {0, 3, 0, 0, 5, 2000, 1, 0};
    full_matrix(8, 2000, lengths, &state, &A);
    walk_allocation_failures(attempt, &A);
    csr_free(&A);
}
END_TEST

/* ---- products -------------------------------------------------------------------------------- */

START_TEST(products_are_right)
{
    full_trial_bounds(&segscan);
}
END_TEST

START_TEST(one_row_does_not_reach_another)
{
    full_trial_not_a_number(&segscan);
}
END_TEST

static void multiply_lengths(int64_t n, int64_t length, int V, double *y, double *chain)
{
    uint64_t state = test_seed();
    struct csr A;
    int64_t lengths[300];
    double *x = host_vector(500);
    ck_assert_int_le(n, 300);
    for (int64_t i = 0; i < n; i++)
        lengths[i] = length;
    full_matrix(n, 500, lengths, &state, &A);
    host_randomise(x, 500, &state);
    twin_segscan(&A, V, PRECISION_DOUBLE, x, y);
    csr_multiply(&A, x, chain);
    csr_free(&A);
    memory_free(x);
}

/* A row that begins and ends with a thread's entries is one chain, and so the reference's bits;
 * longer ones are not. */
START_TEST(rows_of_one_thread_are_chains)
{
    double y[300], chain[300];
    for (int v = 1; v < segscan.count; v++) {
        multiply_lengths(300, segscan.values[v], segscan.values[v], y, chain);
        expect_same_bits("the twin of cuda_segscan", "rows of V", segscan.values[v], 300, chain, y);
        multiply_lengths(300, segscan.values[v] / 2, segscan.values[v], y, chain);
        expect_same_bits("the twin of cuda_segscan", "rows of V / 2", segscan.values[v], 300, chain,
                         y);
        multiply_lengths(300, 100, segscan.values[v], y, chain);
        ck_assert_mem_ne(y, chain, sizeof y);
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {every_entry_is_there_once,
                            words_hold_what_is_put_in,
                            a_reach_ends_where_a_row_does,
                            what_does_not_fit_is_refused,
                            every_failed_allocation_is_survived,
                            products_are_right,
                            one_row_does_not_reach_another,
                            rows_of_one_thread_are_chains,
                            NULL};
    return suite_of("spmv/segscan", tests);
}
