/* Rows that travel between ranks: those that a rank wants are those of the whole matrix. */
#include "csr_check.h"
#include "support.h"

#include "matrix/implicit_rows.h"
#include "ranks.h"
#include "spmv/distributed/exchanged_rows.h"

#include <string.h>

enum { RANKS = 5, ROWS = 700, LENGTH = 6 };

struct trial {
    struct csr A;
    struct partial_csr kept;
    int64_t begin[RANKS + 1];
    struct wanted_rows wanted[RANKS];
};

struct rank {
    struct exchange *exchange; /* first */
    const struct trial *trial;
    struct csr made;
    enum status status;
    struct error error;
};

/* Rows anywhere, which the maker copies. */
static void make_matrix(uint64_t *state, struct trial *trial)
{
    struct csr *A = &trial->A;
    struct error error;
    int64_t at = 0;
    expect_ok(csr_create(A, CSR_SYMMETRIC, ROWS, ROWS * LENGTH, &error), &error);
    for (int64_t i = 0; i < ROWS; i++) {
        A->offsets[i] = at;
        for (int64_t k = 0, j = i; k < LENGTH && j < ROWS; k++) {
            A->columns[at] = (int32_t)j;
            A->values[at++] = test_random(state);
            j += 1 + test_random_below(state, 40);
        }
    }
    A->offsets[ROWS] = A->nnz = at;
    expect_ok(csr_check(A, &error), &error);
    partial_csr_create(A, &trial->kept);
}

/* Some ranks have no rows, and some want none. */
static void divide(uint64_t *state, struct trial *trial)
{
    trial->begin[RANKS] = ROWS;
    for (int r = 1; r < RANKS; r++)
        trial->begin[r] =
            test_random_below(state, 4) == 0
                ? trial->begin[r - 1]
                : trial->begin[r - 1] + test_random_below(state, ROWS + 1 - trial->begin[r - 1]);
    for (int r = 0; r < RANKS; r++) {
        struct wanted_rows *wanted = &trial->wanted[r];
        wanted->base = test_random_below(state, trial->begin[r] + 1);
        wanted->first = test_random_below(state, ROWS + 1);
        wanted->last = wanted->first + test_random_below(state, ROWS + 1 - wanted->first);
        if (test_random_below(state, 4) == 0)
            wanted->last = wanted->first;
    }
}

static void *run(void *context)
{
    struct rank *rank = context;
    const struct trial *trial = rank->trial;
    int r = rank->exchange->rank;
    struct partition partition = {
        .exchange = rank->exchange, .n = ROWS, .begin = (int64_t *)trial->begin};
    struct csr own;
    rank->status =
        csr_make_rows(&trial->A, trial->wanted[r].base, trial->begin[r + 1], &own, &rank->error);
    if (!rank->status)
        rank->status = exchange_rows(&partition, trial->wanted, &own, &rank->made, &rank->error);
    if (rank->status)
        rank->exchange->operations->abandon(rank->exchange, 1, rank->error.text);
    csr_free(&own);
    return NULL;
}

/* Row by row, of the whole matrix. */
static void expect_rows(const struct csr *A, const struct wanted_rows *wanted,
                        const struct csr *made)
{
    ck_assert_int_eq(made->n, wanted->last - wanted->first);
    ck_assert_int_eq(made->width, made->n);
    int64_t at = 0;
    for (int64_t i = 0; i < made->n; i++) {
        ck_assert_int_eq(made->offsets[i], at);
        for (int64_t k = A->offsets[wanted->first + i]; k < A->offsets[wanted->first + i + 1]; k++)
            if (A->columns[k] < wanted->last) {
                ck_assert_int_eq(made->columns[at], A->columns[k] - wanted->first);
                ck_assert(memcmp(&made->values[at++], &A->values[k], sizeof *A->values) == 0);
            }
    }
    ck_assert_int_eq(made->offsets[made->n], at);
    ck_assert_int_eq(made->nnz, at);
}

START_TEST(each_rank_gets_the_rows_that_it_wants)
{
    enum { TRIALS = 50 };
    uint64_t state = test_seed();
    for (int t = 0; t < TRIALS; t++) {
        struct trial trial = {.begin = {0}};
        struct rank all[RANKS];
        make_matrix(&state, &trial);
        divide(&state, &trial);
        for (int r = 0; r < RANKS; r++)
            all[r] = (struct rank){.trial = &trial};
        test_ranks(RANKS, run, all, sizeof *all);
        for (int r = 0; r < RANKS; r++) {
            expect_ok(all[r].status, &all[r].error);
            expect_rows(&trial.kept.A, &trial.wanted[r], &all[r].made);
            csr_free(&all[r].made);
        }
        partial_csr_free(&trial.kept);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("spmv/exchanged_rows");
    TCase *tests = tcase_of("all");
    tcase_add_test(tests, each_rank_gets_the_rows_that_it_wants);
    suite_add_tcase(made, tests);
    return made;
}
