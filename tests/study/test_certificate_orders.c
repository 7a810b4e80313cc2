/* Certified rows come out the same whoever adds them: in random orders, by every kernel, and over a
 * whole solve. */
#include "support.h"

#include "matrices.h"
#include "problem/generators.h"
#include "solver/solve.h"
#include "space/cpu/cpu.h"
#include "space/exact.h"
#include "spaces.h"
#include "spmv/cuda_twins.h"
#include "spmv/host_product.h"
#include "study/certified.h"

#include <math.h>
#include <string.h>

enum { N = CERTIFIED_ROWS };

/* a . x from 0 on: a chain of fma, a chain of products, or parts that are joined two at a time, in
 * some order. */
static double sum_somehow(int64_t n, const double *a, const double *x, uint64_t *state)
{
    double part[N], sum = 0;
    int64_t way = test_random_below(state, 3);
    int32_t *order = test_random_numbering(n, state);
    for (int64_t k = 0; k < n; k++) {
        part[k] = a[order[k]] * x[order[k]];
        sum = way == 0 ? fma(a[order[k]], x[order[k]], sum) : sum + part[k];
    }
    memory_free(order);
    for (int64_t left = n; way == 2 && left > 1; left--) {
        int64_t k = test_random_below(state, left - 1);
        part[k] += part[left - 1];
    }
    return way == 2 && n > 0 ? 0 + part[0] : sum;
}

static void expect_rows(const char *who, const struct csr *A, const unsigned char *verdicts,
                        const double *wanted, const double *y)
{
    for (int64_t i = 0; i < A->n; i++)
        ck_assert_msg(verdicts[i] != ROW_CERTIFIED || y[i] == wanted[i],
                      "%s: row %d is %a instead of %a", who, (int)i, y[i], wanted[i]);
}

/* The rows of y = A x that are certified, by every kernel of the CPU that takes A, and by twins of
 * the GPU's. */
static void expect_kernels(const struct csr *A, const double *x, const unsigned char *verdicts,
                           const double *wanted, struct space *space, uint64_t *state)
{
    int count;
    struct error error;
    const struct kernel *const *kernels = kernel_list(&count);
    double y[N];
    for (int k = 0; k < count; k++) {
        struct linear_operator spmv;
        if (kernels[k]->space != SPACE_CPU || !(kernels[k]->kinds & A->kind))
            continue;
        expect_ok(operator_create(kernels[k], A, NULL, space, &spmv, &error), &error);
        host_product(&spmv, x, y, NULL);
        expect_rows(kernels[k]->component.name, A, verdicts, wanted, y);
        operator_destroy(&spmv);
    }
    twin_csr_subwarp(A, PRECISION_DOUBLE, 4, x, y);
    expect_rows("cuda_csr_subwarp", A, verdicts, wanted, y);
    if (A->kind == CSR_GENERAL)
        return;
    twin_sym_atomic(A, PRECISION_DOUBLE, 2, *state, x, y);
    expect_rows("cuda_sym_atomic", A, verdicts, wanted, y);
    twin_sym_compensated(A, PRECISION_DOUBLE, 2, *state, x, y);
    expect_rows("cuda_sym_compensated", A, verdicts, wanted, y);
}

/* The exact y, and every certified row in many orders against it. */
static void expect_orders(const struct csr *A, const double *x, const unsigned char *verdicts,
                          double *wanted, uint64_t *state)
{
    struct csr full;
    struct error error;
    double xs[N];
    expect_ok(csr_expand(A, &full, &error), &error);
    for (int64_t i = 0; i < A->n; i++) {
        int64_t begin = full.offsets[i], length = full.offsets[i + 1] - begin;
        for (int64_t k = 0; k < length; k++)
            xs[k] = x[full.columns[begin + k]];
        wanted[i] = exact_reference(length, full.values + begin, xs);
        for (int trial = 0; verdicts[i] == ROW_CERTIFIED && trial < 30; trial++) {
            double sum = sum_somehow(length, full.values + begin, xs, state);
            ck_assert_msg(memcmp(&sum, &wanted[i], sizeof sum) == 0,
                          "row %d of %d products is %a instead of %a", (int)i, (int)length, sum,
                          wanted[i]);
        }
    }
    csr_free(&full);
}

START_TEST(certified_rows_know_no_order)
{
    static const int bits[] = {1, 3, 10, 20, 26, 52}, ranges[] = {0, 6, 30, 60, 700};
    static const enum csr_kind kinds[] = {CSR_SYMMETRIC, CSR_SKEW, CSR_GENERAL};
    uint64_t state = test_seed();
    struct space *space;
    test_threads(3);
    space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 0);
    for (int b = 0; b < 6; b++)
        for (int r = 0; r < 5; r++)
            for (int trial = 0; trial < 6; trial++) {
                struct csr A;
                double x[N], wanted[N];
                unsigned char verdicts[N];
                few_bits_matrix(kinds[trial % 3], bits[b], ranges[r], &state, &A);
                for (int64_t j = 0; j < A.width; j++)
                    x[j] = few_bits(bits[b], ranges[r], &state);
                struct certificate made = certificate_of(&A, x, verdicts);
                /* products below 2^(2 bits + 2 range) units, and fewer than 2^5 of them */
                if (2 * bits[b] + 2 * ranges[r] + 5 <= 53)
                    ck_assert_int_eq(made.rows[ROW_CERTIFIED], A.n);
                expect_orders(&A, x, verdicts, wanted, &state);
                expect_kernels(&A, x, verdicts, wanted, space, &state);
                csr_free(&A);
            }
    space->operations->destroy(space);
}
END_TEST

/* Rows with at most one mirrored entry, full of roundings, by atomics that arrive in a random order
 * each time. */
START_TEST(two_additions_have_no_order)
{
    uint64_t state = test_seed();
    for (int trial = 0; trial < 40; trial++) {
        struct csr A;
        double upper[N * (N + 1) / 2], x[N], y[N], wanted[N];
        int64_t n = 2 + test_random_below(&state, N - 1), k = 0, many = 0, mirrored[N] = {0};
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = i; j < n; j++) {
                bool there = i == j || test_random(&state) < 0.1;
                upper[k++] = there ? test_random(&state) + 0x1p-54 : 0;
                mirrored[j] += there && i != j;
            }
        for (int64_t i = 0; i < n; i++) {
            x[i] = test_random(&state) * 3 + 0x1p-3;
            many += mirrored[i] > 1;
        }
        test_matrix_from_dense(n, upper, CSR_SYMMETRIC, &A);
        unsigned char verdicts[N];
        struct certificate made = certificate_of(&A, x, verdicts);
        int64_t expected = 0;
        for (int64_t i = 0; i < n; i++)
            expected += verdicts[i] != ROW_CERTIFIED && mirrored[i] <= 1;
        ck_assert_int_eq(made.added_twice, expected);
        ck_assert_int_ge(made.added_twice + made.rows[ROW_CERTIFIED], n - many);
        for (int again = 0; again < 20; again++) {
            twin_sym_atomic(&A, PRECISION_DOUBLE, 1, test_random_below(&state, INT64_MAX), x, y);
            for (int64_t i = 0; i < n; i++)
                ck_assert(again == 0 || mirrored[i] > 1 || y[i] == wanted[i]);
            memcpy(wanted, y, (size_t)n * sizeof *y);
        }
        csr_free(&A);
    }
}
END_TEST

struct directions {
    const struct csr *A;
    unsigned char *verdicts;
    int64_t count;
};

static enum status certify_direction(void *context, const struct event *p, struct error *error)
{
    struct directions *directions = context;
    (void)error;
    struct certificate made = certificate_of(directions->A, p->values, directions->verdicts);
    ck_assert_int_eq(made.rows[ROW_CERTIFIED], directions->A->n);
    directions->count++;
    return STATUS_OK;
}

/* What src/problem/layers.c says, with the numbers of configs/small-integers.cfg: no product of the
 * solve rounds anything, from the first to the last. */
START_TEST(small_integers_are_certified_to_the_end)
{
    struct layers layers = {{30, 512}, 16};
    struct csr A;
    struct error error;
    struct solver_result result;
    expect_ok(problem_create(&problem_layers, &layers, &A, &error), &error);
    double *b = host_vector(A.n), *x = host_vector(A.n);
    for (int64_t i = 0; i < A.n; i++)
        b[i] = i == 0;
    struct directions directions = {&A, memory_zeros(A.n, 1, "verdicts", &error), 0};
    ck_assert_ptr_nonnull(directions.verdicts);
    const struct observer observer = {.wants = 1u << EVENT_VECTOR,
                                      .trace = {1, 1u << VECTOR_P},
                                      .see = certify_direction,
                                      .context = &directions};
    struct choice choice = standard;
    choice.tolerance = 1e-9;
    expect_ok(try_solve(choice, &A, b, &observer, x, &result, &error), &error);
    ck_assert_int_eq(directions.count, result.iterations);
    ck_assert_int_eq(result.iterations, 26);
    memory_free(directions.verdicts);
    memory_free(b);
    memory_free(x);
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {certified_rows_know_no_order, two_additions_have_no_order,
                            small_integers_are_certified_to_the_end, NULL};
    return suite_of("study/certificate_orders", tests);
}
