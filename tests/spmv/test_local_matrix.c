/* The local matrix of a rank from rows that it keeps, also behind more rows than 32 bits count, is
 * that from the matrix of all rows. */
#include "csr_check.h"
#include "support.h"

#include "matrix/implicit_rows.h"
#include "ranks.h"
#include "spmv/distributed/local_matrix.h"
#include "spmv/distributed/moved_rows.h"

#include <string.h>

enum { RANKS = 3, ROWS = 1500, REACH = 60 };

static const int64_t begin[RANKS + 1] = {0, 480, 960, ROWS};

struct rank {
    struct exchange *exchange; /* first */
    const struct csr *A;       /* with a maker */
    int64_t shift, more;       /* rows before those of A; kept ones around the own ones */
    enum status status;
    struct error error;
};

static void make_matrix(uint64_t *state, struct csr *A)
{
    struct error error;
    int64_t at = 0;
    expect_ok(csr_create(A, CSR_SYMMETRIC, ROWS, ROWS * (REACH + 1), &error), &error);
    for (int64_t i = 0; i < ROWS; i++) {
        A->offsets[i] = at;
        for (int64_t j = i; j < ROWS && j <= i + REACH; j++)
            if (j == i || test_random_below(state, 8) == 0) {
                A->columns[at] = (int32_t)j;
                A->values[at++] = test_random(state);
            }
    }
    A->offsets[ROWS] = A->nnz = at;
    expect_ok(csr_check(A, &error), &error);
}

static enum status make(struct rank *rank, int64_t shift, const struct csr *rows, int64_t base,
                        struct local_matrix *made)
{
    int64_t shifted[RANKS + 1];
    int r = rank->exchange->rank;
    for (int k = 0; k <= RANKS; k++)
        shifted[k] = shift + begin[k];
    struct partition partition = {
        .exchange = rank->exchange, .n = shifted[RANKS], .begin = shifted};
    struct rank_strip strip = {*rows, shift + base};
    struct rank_source from = {NULL, strip, strip, shifted[r], shifted[r + 1]};
    return local_matrix_create(NULL, &from, &partition, made, &rank->error);
}

static void expect_same(const struct local_matrix *all, const struct local_matrix *kept,
                        int64_t shift)
{
    const struct csr *one = &all->local, *two = &kept->local;
    ck_assert_int_eq(one->n, two->n);
    ck_assert_int_eq(one->nnz, two->nnz);
    ck_assert_mem_eq(one->offsets, two->offsets, (size_t)(one->n + 1) * sizeof *one->offsets);
    ck_assert_mem_eq(one->columns, two->columns, (size_t)one->nnz * sizeof *one->columns);
    ck_assert_mem_eq(one->values, two->values, (size_t)one->nnz * sizeof *one->values);
    ck_assert_int_eq(all->places.count, kept->places.count);
    for (int64_t k = 0; k < all->places.count; k++)
        ck_assert_int_eq(all->places.others[k] + shift, kept->places.others[k]);
}

static void *run(void *context)
{
    struct rank *rank = context;
    struct local_matrix all = {.reach = {0}}, kept = {.reach = {0}};
    int64_t first = begin[rank->exchange->rank] - rank->more;
    int64_t last = begin[rank->exchange->rank + 1] + rank->more;
    struct csr whole, rows = {0};
    first = first > 0 ? first : 0;
    last = last < ROWS ? last : ROWS;
    rank->status = csr_make_rows(rank->A, 0, ROWS, &whole, &rank->error);
    if (!rank->status)
        rank->status = csr_make_rows(rank->A, first, last, &rows, &rank->error);
    if (!rank->status)
        rank->status = rows_cut(&rows, &rank->error);
    if (!rank->status)
        rank->status = make(rank, 0, &whole, 0, &all);
    if (!rank->status)
        rank->status = make(rank, rank->shift, &rows, first, &kept);
    if (rank->status)
        rank->exchange->operations->abandon(rank->exchange, 1, rank->error.text);
    else
        expect_same(&all, &kept, rank->shift);
    local_matrix_free(&all);
    local_matrix_free(&kept);
    csr_free(&whole);
    csr_free(&rows);
    return NULL;
}

START_TEST(kept_rows_make_the_same)
{
    enum { TRIALS = 20 };
    uint64_t state = test_seed();
    for (int t = 0; t < TRIALS; t++) {
        struct rank all[RANKS];
        struct partial_csr kept;
        struct csr A;
        make_matrix(&state, &A);
        partial_csr_create(&A, &kept);
        int64_t shift = test_random_below(&state, 2) * INT64_C(4800000000); /* whole tiles */
        for (int r = 0; r < RANKS; r++)
            all[r] = (struct rank){.A = &A, .shift = shift, .more = REACH + t};
        test_ranks(RANKS, run, all, sizeof *all);
        for (int r = 0; r < RANKS; r++)
            expect_ok(all[r].status, &all[r].error);
        partial_csr_free(&kept);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {kept_rows_make_the_same, NULL};
    return suite_of("spmv/local_matrix", tests);
}
