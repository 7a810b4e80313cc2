#include "spmv/exact_trials.h"

#include "support.h"

#include "matrices.h"
#include "matrix/permute.h"
#include "solver/solve.h"
#include "spaces.h"
#include "spmv/host_product.h"
#include "spmv/precision.h"

#include <string.h>

static const int thread_counts[] = {1, 2, 3, 7};
enum { THREAD_COUNTS = sizeof thread_counts / sizeof *thread_counts };

static const char *const names[] = {[SPACE_CPU] = "cpu_sym_exact", [SPACE_CUDA] = "cuda_sym_exact"};

struct space *exact_space(enum space_kind kind)
{
    struct space *space = test_space(kind, REDUCTIONS_REPRODUCIBLE, 0);
    return space;
}

struct linear_operator exact_spmv(const struct csr *A, enum precision precision,
                                  struct space *space)
{
    struct error error;
    struct linear_operator spmv;
    const struct kernel *kernel = kernel_find(names[space->operations->kind]);
    struct kernel_options options = kernel_defaults(kernel);
    ck_assert(choose_precision(kernel, precision, &options));
    expect_ok(operator_create(kernel, A, &options, space, &spmv, &error), &error);
    return spmv;
}

void every_exact_product(enum space_kind space_kind, exact_check *check)
{
    uint64_t state = test_seed();
    struct space *space = exact_space(space_kind);
    static const enum precision precisions[] = {PRECISION_DOUBLE, PRECISION_FLOAT_DOUBLE};
    for (int k = 0; products_kinds[k] >= 0; k++)
        for (enum csr_kind kind = CSR_SYMMETRIC; kind <= CSR_SKEW; kind *= 2)
            for (int p = 0; p < 2; p++) {
                if (!test_case_runs(k + kind + p, 2))
                    continue;
                struct exact_product product;
                exact_product_create(products_kinds[k], kind, precisions[p], &state, &product);
                check(&product, products_kinds[k], space, &state);
                exact_product_free(&product);
            }
    space->operations->destroy(space);
}

static void rounded_once(const struct exact_product *product, int kind, struct space *space,
                         uint64_t *state)
{
    (void)state;
    double *y = host_vector(product->A.n), dot;
    /* a device does not know the host's threads */
    for (int t = 0; t < (space->operations->kind == SPACE_CPU ? THREAD_COUNTS : 1); t++) {
        struct space *its =
            test_space(space->operations->kind, REDUCTIONS_REPRODUCIBLE, thread_counts[t]);
        struct linear_operator spmv = exact_spmv(&product->A, product->precision, its);
        host_product(&spmv, product->x, y, NULL);
        expect_exact(product, spmv.name, kind, y);
        host_product(&spmv, product->x, y, &dot);
        expect_exact(product, "with x . y", kind, y);
        operator_destroy(&spmv);
        its->operations->destroy(its);
    }
    memory_free(y);
}

static void permuted(const struct exact_product *product, int kind, struct space *space,
                     uint64_t *state)
{
    struct error error;
    struct csr A;
    int64_t n = product->A.n;
    int32_t *number = test_random_numbering(n, state);
    double *x = host_vector(n), *there = host_vector(n), *y = host_vector(n);
    expect_ok(csr_permute(&product->A, number, &A, &error), &error);
    vector_permute(n, number, product->x, x);
    struct linear_operator spmv = exact_spmv(&A, product->precision, space);
    host_product(&spmv, x, there, NULL);
    vector_permute_back(n, number, there, y);
    expect_exact(product, "permuted", kind, y);
    operator_destroy(&spmv);
    csr_free(&A);
    memory_free(number);
    memory_free(x);
    memory_free(there);
    memory_free(y);
}

void trial_exact_products(enum space_kind kind)
{
    every_exact_product(kind, rounded_once);
}

void trial_exact_numbering(enum space_kind kind)
{
    every_exact_product(kind, permuted);
}

static void expect_same_outcome(const char *matrix, const struct outcome *wanted,
                                const struct outcome *made)
{
    ck_assert_int_eq(made->count, wanted->count);
    ck_assert_msg(memcmp(made->rows, wanted->rows, (size_t)wanted->count * sizeof *wanted->rows) ==
                      0,
                  "%s: another history", matrix);
}

static void solves(enum space_kind kind, const char *matrix, const struct csr *A, uint64_t *state)
{
    static struct outcome wanted, made;
    struct choice choice = standard;
    choice.reductions = REDUCTIONS_EXACT;
    int64_t n = A->n;
    double *b = host_vector(n), *there = host_vector(n), *x = host_vector(n);
    host_randomise(b, n, state);
    choice.threads = 1;
    choice.kernel = names[SPACE_CPU];
    solve(choice, A, b, &wanted);
    choice.kernel = names[kind];
    for (int t = 0; t < THREAD_COUNTS; t++) {
        choice.threads = thread_counts[t];
        solve(choice, A, b, &made);
        expect_same_outcome(matrix, &wanted, &made);
        expect_same_bits("x", matrix, thread_counts[t], n, wanted.x, made.x);

        struct error error;
        struct csr permuted_A;
        int32_t *number = test_random_numbering(n, state);
        expect_ok(csr_permute(A, number, &permuted_A, &error), &error);
        vector_permute(n, number, b, there);
        solve(choice, &permuted_A, there, &made);
        expect_same_outcome(matrix, &wanted, &made);
        vector_permute_back(n, number, made.x, x);
        expect_same_bits("x, permuted", matrix, thread_counts[t], n, wanted.x, x);
        memory_free(number);
        csr_free(&permuted_A);
    }
    memory_free(b);
    memory_free(there);
    memory_free(x);
}

void trial_exact_solves(enum space_kind kind)
{
    uint64_t state = test_seed();
    for (int m = 0; m < test_matrices_count; m++) {
        struct csr A;
        test_matrix_build_positive(&test_matrices[m], &state, &A);
        solves(kind, test_matrices[m].name, &A, &state);
        csr_free(&A);
    }
}
