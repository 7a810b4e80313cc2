#include "precondition/multigrid/renewed.h"

#include "support.h"

#include "base/hash.h"
#include "base/threads.h"
#include "spaces.h"
#include "spmv/kernel.h"

#include <math.h>
#include <string.h>

static void make_operator(struct renewing *made)
{
    struct error error;
    expect_ok(operator_create(made->kernel, made->A, NULL, made->space, &made->spmv, &error),
              &error);
}

void renewing_build(struct renewing *made)
{
    struct error error;
    struct threads *before = threads_lend(made->space->threads);
    expect_ok(hierarchy_build("multigrid", &made->options, made->A, NULL, &made->spmv,
                              &made->hierarchy, &error),
              &error);
    threads_lend(before);
}

void renewing_begin(const struct csr *A, const struct multigrid_options *options,
                    const char *kernel, int threads, struct renewing *made)
{
    *made = (struct renewing){.A = A, .kernel = kernel_find(kernel), .options = *options};
    made->space = test_space(made->kernel->space, REDUCTIONS_REPRODUCIBLE, threads);
    make_operator(made);
    renewing_build(made);
}

void renewing_again(struct renewing *made)
{
    struct error error;
    operator_destroy(&made->spmv);
    make_operator(made);
    struct threads *before = threads_lend(made->space->threads);
    expect_ok(hierarchy_renew("multigrid", &made->options, made->A, NULL, &made->spmv,
                              &made->hierarchy, &error),
              &error);
    threads_lend(before);
}

void renewing_end(struct renewing *made)
{
    hierarchy_free(&made->hierarchy);
    operator_destroy(&made->spmv);
    made->space->operations->destroy(made->space);
}

/* Of what lies in the space. */
static uint64_t hash_there(const struct renewing *made, const void *device_setup, int64_t count)
{
    struct error error;
    size_t size = made->hierarchy.precision == PRECISION_FLOAT ? sizeof(float) : sizeof(double);
    int64_t words = count * (int64_t)(size / sizeof(uint32_t));
    uint32_t *here = memory_array(words, sizeof *here, "elements", &error);
    uint64_t hash = HASH_START;
    expect_ok(made->space->operations->download(made->space, words * (int64_t)sizeof *here,
                                                device_setup, here, &error),
              &error);
    for (int64_t k = 0; k < words; k++)
        hash = hash_word(hash, here[k]);
    memory_free(here);
    return hash;
}

struct renewed renewed_print(const struct renewing *made)
{
    const struct hierarchy *h = &made->hierarchy;
    struct renewed print = {.stalled = h->stalled,
                            .on_grid = h->on_grid,
                            .count = h->count,
                            .exponent = h->exponent,
                            .hash = h->hash};
    for (int k = 0; k < h->count; k++) {
        print.n[k] = h->levels[k].n;
        print.nnz[k] = h->levels[k].nnz;
        print.members[k] = h->levels[k].members;
        print.lmax[k] = h->levels[k].lmax;
        print.inverse[k] = hash_there(made, h->levels[k].inverse, h->levels[k].n);
    }
    int64_t last = h->levels[h->count - 1].n;
    if (h->coarsest_inverse)
        print.inverse[h->count] = hash_there(made, h->coarsest_inverse, last * last);
    return print;
}

void renewed_expect(const struct renewed *one, const struct renewed *other, const char *what)
{
    ck_assert_msg(one->hash == other->hash && one->on_grid == other->on_grid &&
                      one->stalled == other->stalled && one->count == other->count &&
                      one->exponent == other->exponent,
                  "%s: other levels", what);
    ck_assert_mem_eq(one->n, other->n, sizeof one->n);
    ck_assert_mem_eq(one->nnz, other->nnz, sizeof one->nnz);
    ck_assert_mem_eq(one->members, other->members, sizeof one->members);
    ck_assert_mem_eq(one->lmax, other->lmax, sizeof one->lmax);
    ck_assert_mem_eq(one->inverse, other->inverse, sizeof one->inverse);
}

double *values_copy(const struct csr *A)
{
    struct error error;
    double *values = memory_array(A->nnz, sizeof *values, "values", &error);
    ck_assert_ptr_nonnull(values);
    return memcpy(values, A->values, (size_t)A->nnz * sizeof *values);
}

void values_set(struct csr *A, const double *values)
{
    memcpy(A->values, values, (size_t)A->nnz * sizeof *values);
}

void values_change(struct csr *A, uint64_t *state)
{
    struct error error;
    double *more = memory_zeros(A->n, sizeof *more, "the sums of rows", &error);
    ck_assert_ptr_nonnull(more);
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t k = A->offsets[i] + 1; k < A->offsets[i + 1]; k++) {
            A->values[k] *= ldexp(1 + test_random(state), (int)test_random_below(state, 6) - 3);
            more[i] += fabs(A->values[k]);
            more[A->columns[k]] += fabs(A->values[k]);
        }
    for (int64_t i = 0; i < A->n; i++) {
        double *a = &A->values[A->offsets[i]];
        *a = fmax(*a, more[i]) * (1 + 0x1p-6);
    }
    memory_free(more);
}

void csr_times(struct csr *A, int exponent)
{
    for (int64_t k = 0; k < A->nnz; k++)
        A->values[k] = ldexp(A->values[k], exponent);
}

void make_weak(struct csr *A, int64_t apart, double weak)
{
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t k = A->offsets[i] + 1; k < A->offsets[i + 1]; k++)
            if (A->columns[k] - i == apart) {
                double less = A->values[k] * (1 - weak);
                A->values[k] -= less;
                A->values[A->offsets[i]] += less;
                A->values[A->offsets[A->columns[k]]] += less;
            }
}
