/* Richardson's iteration: against its loop, one operation a line; whatever the reductions; how fast
 * it converges, and that it diverges where it must; and multigrid by itself. */
#include "support.h"

#include "base/random.h"
#include "matrices.h"
#include "options.h"
#include "precondition/preconditioned.h"
#include "solver/richardson/richardson.h"
#include "solver/solve.h"
#include "spaces.h"
#include "spmv/preconditioner.h"

#include <math.h>
#include <string.h>

enum { MOST = 1000 };

/* A solve. */
struct run {
    const char *kernel;
    enum reductions reductions;
    double relaxation, tolerance;
    int64_t max_iterations;
    int threads;
    const struct options *preconditioner; /* NULL: none */
};

static struct outcome outcome, other;

static enum status keep(void *context, const struct event *event, struct error *error)
{
    (void)error;
    struct outcome *kept = context;
    ck_assert_int_lt(kept->count, SOLVE_ROWS);
    kept->rows[kept->count++] = row_kept(&method_richardson, event);
    return STATUS_OK;
}

static enum status try_run(const struct run *run, const struct csr *A, const double *b,
                           struct outcome *made, struct error *error)
{
    struct space *space;
    struct linear_operator spmv = {0}, M = {0};
    struct space_options wanted = {.reductions = run->reductions, .threads = run->threads};
    struct observer observer = {.wants = 1u << EVENT_ROW, .see = keep, .context = made};
    struct solver_options options = {.method = &method_richardson,
                                     .tolerance = run->tolerance,
                                     .max_iterations = run->max_iterations,
                                     .relaxation = run->relaxation};
    made->count = 0;
    memset(made->x, 0xff, sizeof made->x);
    enum status status = space_create(SPACE_CPU, &wanted, &space, error);
    if (status)
        return status;
    status = operator_create(kernel_find(run->kernel), A, NULL, space, &spmv, error);
    if (!status && run->preconditioner) {
        status = preconditioner_create(run->preconditioner, A, NULL, &spmv, &M, error);
        options.preconditioner = &M;
    }
    if (!status)
        status =
            solver_solve(&spmv, A, b, NULL, &options, &observer, made->x, &made->result, error);
    operator_destroy(&M);
    operator_destroy(&spmv);
    space->operations->destroy(space);
    return status;
}

static void solve_run(const struct run *run, const struct csr *A, const double *b,
                      struct outcome *made)
{
    struct error error;
    expect_ok(try_run(run, A, b, made, &error), &error);
    ck_assert_int_eq(made->count, made->result.iterations + 1);
}

/* z is M^-1 r of another M. */
static void by_the_loop(const struct run *run, const struct csr *A, const double *b,
                        int64_t iterations, struct outcome *made)
{
    static double r[SOLVE_N], z[SOLVE_N], q[SOLVE_N];
    struct error error;
    struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 1);
    struct linear_operator spmv = {0}, M = {0};
    double before = NAN, dot;
    expect_ok(operator_create(kernel_find("cpu_csr"), A, NULL, space, &spmv, &error), &error);
    if (run->preconditioner)
        expect_ok(preconditioner_create(run->preconditioner, A, NULL, &spmv, &M, &error), &error);
    memset(made->x, 0, sizeof made->x);
    memcpy(r, b, (size_t)A->n * sizeof *r);
    made->count = 0;
    for (int64_t k = 0; k <= iterations; k++) {
        double residual = sqrt(ordered_dot(A->n, r, r));
        made->rows[made->count++] = row_of(k, residual, k > 0 ? residual / before : NAN, NAN);
        before = residual;
        memset(z, 0xff, (size_t)A->n * sizeof *z);
        if (run->preconditioner)
            expect_ok(operator_apply_dot(&M, r, z, &dot, &error), &error);
        else
            memcpy(z, r, (size_t)A->n * sizeof *z);
        csr_multiply(A, z, q);
        for (int64_t i = 0; i < A->n && k < iterations; i++)
            made->x[i] = fma(run->relaxation, z[i], made->x[i]);
        for (int64_t i = 0; i < A->n; i++)
            r[i] = fma(-run->relaxation, q[i], r[i]);
    }
    operator_destroy(&M);
    operator_destroy(&spmv);
    space->operations->destroy(space);
}

static void expect_same(const struct outcome *one, const struct outcome *two, int64_t n)
{
    ck_assert_int_eq(one->count, two->count);
    for (int64_t k = 0; k < one->count; k++) {
        ck_assert_int_eq(one->rows[k].iteration, k);
        ck_assert_mem_eq(one->rows[k].values, two->rows[k].values, sizeof one->rows[k].values);
    }
    ck_assert_mem_eq(one->x, two->x, (size_t)n * sizeof *one->x);
}

START_TEST(the_history_is_the_loop_s)
{
    static double b[2000];
    uint64_t state = test_seed();
    for (int m = 0; m < test_matrices_count; m++) {
        struct csr A;
        test_matrix_build_positive(&test_matrices[m], &state, &A);
        random_vector(test_random_below(&state, 1 << 30), A.n, b);
        for (int k = 0; k < PRECONDITIONERS_TRIED; k++) {
            struct options options = preconditioner_tried(k);
            struct run run = {.kernel = k % 2 ? "cpu_csr" : "cpu_sym_bitwise",
                              .relaxation = 0.25 + test_random(&state),
                              .tolerance = 1e-4,
                              .max_iterations = 12,
                              .threads = 1 + k % 3,
                              .preconditioner = preconditioner_is_set(&options) ? &options : NULL};
            solve_run(&run, &A, b, &outcome);
            by_the_loop(&run, &A, b, outcome.result.iterations, &other);
            expect_same(&outcome, &other, A.n);
            options_free(&options);
        }
        csr_free(&A);
    }
}
END_TEST

/* ||r|| is no part of the loop. */
START_TEST(x_is_the_same_for_all_reductions)
{
    static double b[512];
    uint64_t state = test_seed();
    struct csr A;
    struct options options = test_options(COMPONENT_PRECONDITIONER, "jacobi", NULL);
    grid(8, 100, &A);
    random_vector(test_random_below(&state, 1 << 30), A.n, b);
    for (int k = 0; reductions_names[k]; k++) {
        struct run run = {.kernel = "cpu_sym_bitwise",
                          .reductions = (enum reductions)k,
                          .relaxation = 1,
                          .tolerance = 1e-300,
                          .max_iterations = 30,
                          .threads = 1 + k,
                          .preconditioner = &options};
        solve_run(&run, &A, b, k ? &other : &outcome);
        ck_assert_int_eq((k ? &other : &outcome)->result.reason, REASON_ITERATION_LIMIT);
        if (k > 0)
            ck_assert_mem_eq(outcome.x, other.x, (size_t)A.n * sizeof *outcome.x);
    }
    options_free(&options);
    csr_free(&A);
}
END_TEST

/* A diagonal matrix with eigenvalues from l to L: each step multiplies component i of r by
 * 1 - omega lambda_i, whose size is at most (L - l) / (L + l) for the best omega. */
START_TEST(it_contracts_as_it_should)
{
    enum { N = 50 };
    const double low = 1, high = 9, rate = (high - low) / (high + low);
    double values[N], b[N];
    struct csr A;
    for (int i = 0; i < N; i++) {
        values[i] = low + (high - low) * i / (N - 1);
        b[i] = 1;
    }
    diagonal(N, values, &A);
    struct run run = {.kernel = "cpu_csr",
                      .relaxation = 2 / (low + high),
                      .tolerance = 1e-10,
                      .max_iterations = MOST};
    solve_run(&run, &A, b, &outcome);
    ck_assert_int_eq(outcome.result.reason, REASON_CONVERGED);
    ck_assert_int_le(outcome.result.iterations, (int64_t)ceil(log(1e-10) / log(rate)));
    for (int64_t k = 1; k < outcome.count; k++)
        ck_assert(outcome.rows[k].values[RICHARDSON_CONTRACTION] <= rate * (1 + 1e-14));
    run.relaxation = 2.5 / high; /* 1 - omega L = -1.5 */
    run.max_iterations = 100;
    solve_run(&run, &A, b, &outcome);
    ck_assert_int_eq(outcome.result.reason, REASON_ITERATION_LIMIT);
    ck_assert(outcome.result.residual > outcome.result.rhs_norm);
    run.max_iterations = 4000;
    solve_run(&run, &A, b, &outcome);
    ck_assert_int_eq(outcome.result.reason, REASON_NOT_FINITE);
    csr_free(&A);
}
END_TEST

START_TEST(multigrid_by_itself)
{
    static const int threads[] = {1, 2, 3, 7};
    static double b[SOLVE_N];
    uint64_t state = test_seed();
    struct csr A;
    struct options options = test_options(COMPONENT_PRECONDITIONER, "multigrid", NULL);
    grid(24, 1, &A);
    random_vector(test_random_below(&state, 1 << 30), A.n, b);
    for (int k = 0; k < 4; k++) {
        struct run run = {.kernel = k % 2 ? "cpu_csr" : "cpu_sym_bitwise",
                          .relaxation = 1,
                          .tolerance = 1e-8,
                          .max_iterations = MOST,
                          .threads = threads[k],
                          .preconditioner = &options};
        solve_run(&run, &A, b, k ? &other : &outcome);
        ck_assert_int_eq(outcome.result.reason, REASON_CONVERGED);
        ck_assert_int_le(outcome.result.iterations, 16);
        if (k > 0)
            expect_same(&outcome, &other, A.n);
    }
    options_free(&options);
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    const TTest *const tests[] = {the_history_is_the_loop_s, x_is_the_same_for_all_reductions,
                                  it_contracts_as_it_should, multigrid_by_itself, NULL};
    return suite_of("solver/richardson", tests);
}
