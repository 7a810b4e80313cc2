#include "spmv/exchange_trials.h"

#include "csr_check.h"
#include "support.h"

#include "cuda_device.h"
#include "matrix/implicit_rows.h"
#include "ranks.h"
#include "spaces.h"
#include "spmv/device_csr.h"
#include "spmv/distributed/exchanged_rows.h"

#include <string.h>

enum { RANKS = 5, ROWS = 700, LENGTH = 6 };

struct trial {
    enum place place;
    int64_t shift; /* rows before those of A, of none of these ranks */
    struct csr A;
    struct partial_csr kept;
    int64_t begin[RANKS + 1];
    struct wanted_rows wanted[RANKS];
};

struct rank {
    struct exchange *exchange; /* first */
    const struct trial *trial;
    int device;
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

/* As all rows are counted. */
static struct partition shifted(const struct trial *trial, struct exchange *exchange,
                                int64_t begin[RANKS + 1], struct wanted_rows wanted[RANKS])
{
    for (int r = 0; r <= RANKS; r++)
        begin[r] = trial->shift + trial->begin[r];
    for (int r = 0; r < RANKS; r++)
        wanted[r] = (struct wanted_rows){trial->shift + trial->wanted[r].base,
                                         trial->shift + trial->wanted[r].first,
                                         trial->shift + trial->wanted[r].last};
    return (struct partition){.exchange = exchange, .n = begin[RANKS], .begin = begin};
}

/* Of rows that are in the memory of a space. */
static enum status exchange_there(struct space *space, const struct partition *partition,
                                  const struct wanted_rows *wanted, const struct csr *own,
                                  struct csr *made, struct error *error)
{
    struct csr there, brought = {0};
    enum status status = device_csr_bring(space, own, &there, error);
    if (!status)
        status = exchange_rows(partition, wanted, &there, &brought, error);
    ck_assert(status || brought.space == space);
    if (!status)
        status = device_csr_fetch(&brought, made, error);
    device_csr_free(&brought);
    device_csr_free(&there);
    return status;
}

static void *run(void *context)
{
    struct rank *rank = context;
    const struct trial *trial = rank->trial;
    int r = rank->exchange->rank;
    int64_t begin[RANKS + 1];
    struct wanted_rows wanted[RANKS];
    struct partition partition = shifted(trial, rank->exchange, begin, wanted);
    struct space_options options = {.threads = 1, .device = rank->device};
    struct space *space = NULL;
    struct csr own = {0};
    if (trial->place != ON_HOST)
        rank->status = space_create(trial->place == IN_CUDA_SPACE ? SPACE_CUDA : SPACE_CPU,
                                    &options, &space, &rank->error);
    if (!rank->status)
        rank->status = csr_make_rows(&trial->A, trial->wanted[r].base, trial->begin[r + 1], &own,
                                     &rank->error);
    if (!rank->status)
        rank->status =
            space ? exchange_there(space, &partition, wanted, &own, &rank->made, &rank->error)
                  : exchange_rows(&partition, wanted, &own, &rank->made, &rank->error);
    if (rank->status)
        rank->exchange->operations->abandon(rank->exchange, 1, rank->error.text);
    csr_free(&own);
    if (space)
        space->operations->destroy(space);
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

void exchange_trial(enum place place, uint64_t *state)
{
    int devices = place == IN_CUDA_SPACE ? cuda_devices(RANKS) : 1;
    struct trial trial = {.place = place,
                          .shift = test_random_below(state, 2) * INT64_C(5000000000)};
    struct rank all[RANKS];
    make_matrix(state, &trial);
    divide(state, &trial);
    for (int r = 0; r < RANKS; r++)
        all[r] = (struct rank){.trial = &trial, .device = r % devices};
    test_ranks(RANKS, run, all, sizeof *all);
    for (int r = 0; r < RANKS; r++) {
        expect_ok(all[r].status, &all[r].error);
        expect_rows(&trial.kept.A, &trial.wanted[r], &all[r].made);
        csr_free(&all[r].made);
    }
    partial_csr_free(&trial.kept);
}

/* Whether all ranks had enough. */
static bool try_with(struct trial *trial, int64_t allowed)
{
    struct rank all[RANKS];
    bool enough = true;
    int64_t live = memory_live();
    for (int r = 0; r < RANKS; r++)
        all[r] = (struct rank){.trial = trial};
    memory_fail_after(allowed);
    test_ranks(RANKS, run, all, sizeof *all);
    memory_fail_after(-1);
    for (int r = 0; r < RANKS; r++) {
        ck_assert(!all[r].status || all[r].status == STATUS_MEMORY || all[r].status == STATUS_RANK);
        enough = enough && !all[r].status;
        csr_free(&all[r].made);
    }
    ck_assert_int_eq(memory_live(), live);
    return enough;
}

void exchange_trial_without_memory(enum place place, uint64_t *state)
{
    struct trial trial = {.place = place};
    make_matrix(state, &trial);
    divide(state, &trial);
    for (int64_t allowed = 100; !try_with(&trial, allowed);)
        allowed++;
    partial_csr_free(&trial.kept);
}
