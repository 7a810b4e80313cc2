/* A look at vectors on the way: the solve's bits are those without it, and the vectors are those
 * that a solve has which ends there. Also where the kernel makes p, and x lags behind. */
#include "support.h"

#include "base/memory.h"
#include "solver/cg/cg.h"
#include "solver/solve.h"

#include <math.h>
#include <string.h>

enum { SIDE = 5, N = SIDE * SIDE * SIDE, LOOKS = 400 };
enum { ALL = 1u << VECTOR_R | 1u << VECTOR_X | 1u << VECTOR_P | 1u << VECTOR_Q };

/* What was looked at, in order. */
struct looks {
    int64_t count, fail_at; /* the look that fails; -1: none */
    struct {
        int64_t iteration;
        enum solver_vector vector;
        double values[N];
    } look[LOOKS];
    int64_t rows;
    struct kept_row row[LOOKS];
};

static struct csr A;
static double b[N];
static struct looks plain_looks, other_looks;

static enum status look(struct looks *looks, const struct event *vector, struct error *error)
{
    ck_assert_int_lt(looks->count, LOOKS);
    ck_assert_int_eq(looks->rows, vector->iteration + 1); /* behind its row, before the next */
    if (looks->count == looks->fail_at)
        return error_set(error, STATUS_OUTPUT, "seen enough");
    looks->look[looks->count].iteration = vector->iteration;
    looks->look[looks->count].vector = (enum solver_vector)vector->place;
    memcpy(looks->look[looks->count].values, vector->values, sizeof looks->look[0].values);
    looks->count++;
    return STATUS_OK;
}

static enum status see(void *context, const struct event *event, struct error *error)
{
    struct looks *looks = context;
    if (event->kind == EVENT_VECTOR)
        return look(looks, event, error);
    ck_assert_int_lt(looks->rows, LOOKS);
    looks->row[looks->rows++] = row_kept(&method_cg, event);
    return STATUS_OK;
}

/* A solve by the kernel; trace = NULL: without. */
static enum status try_traced(const struct kernel *kernel, const struct solver_options *options,
                              const struct trace_wish *trace, struct looks *looks, double *x,
                              struct solver_result *result, struct error *error)
{
    struct space *space;
    struct linear_operator spmv;
    looks->count = looks->rows = 0;
    struct observer observer = {
        .wants = 1u << EVENT_ROW | (trace ? 1u << EVENT_VECTOR : 0), .see = see, .context = looks};
    observer.trace = trace ? *trace : (struct trace_wish){1, ALL}; /* which nobody wants then */
    enum status status = space_cpu_create(
        &(struct space_options){.reductions = REDUCTIONS_REPRODUCIBLE}, &space, error);
    if (status)
        return status;
    status = operator_create(kernel, &A, NULL, space, &spmv, error);
    if (!status)
        status = solver_solve(&spmv, &A, b, NULL, options, &observer, x, result, error);
    operator_destroy(&spmv);
    space->operations->destroy(space);
    return status;
}

static struct solver_result traced(const struct kernel *kernel, int64_t limit,
                                   const struct trace_wish *trace, struct looks *looks, double *x)
{
    struct error error;
    struct solver_result result;
    struct solver_options options = {
        .method = &method_cg, .tolerance = 1e-10, .max_iterations = limit};
    looks->fail_at = -1;
    expect_ok(try_traced(kernel, &options, trace, looks, x, &result, &error), &error);
    return result;
}

static void given(void)
{
    grid(SIDE, 100, &A);
    for (int i = 0; i < N; i++)
        b[i] = 1 + 0.1 * (i % 7);
}

START_TEST(vectors_are_those_of_the_iteration)
{
    given();
    const struct kernel *kernel = kernel_find("cpu_csr");
    double x[N], x_then[N], y[N];
    struct trace_wish trace = {1, ALL};
    struct solver_result result = traced(kernel, 60, &trace, &plain_looks, x);
    ck_assert_int_eq(result.reason, REASON_CONVERGED);
    ck_assert_int_eq(plain_looks.count, 4 * result.iterations + 2);
    for (int64_t k = 0; k < plain_looks.count; k++) {
        int64_t iteration = plain_looks.look[k].iteration;
        const double *values = plain_looks.look[k].values;
        ck_assert_int_eq(iteration, k / 4);
        ck_assert_int_eq(plain_looks.look[k].vector, k % 4); /* r, x, p, q */
        double norm = sqrt(ordered_dot(N, values, values));
        if (k % 4 == VECTOR_R)
            ck_assert_mem_eq(&norm, &plain_looks.row[iteration].residual, sizeof norm);
        if (k % 4 == VECTOR_X) {
            traced(kernel, iteration, NULL, &other_looks, x_then);
            ck_assert_mem_eq(values, x_then, sizeof x_then);
        }
        if (k % 4 == VECTOR_Q) {
            csr_multiply(&A, plain_looks.look[k - 1].values, y); /* q = A p */
            ck_assert_mem_eq(values, y, sizeof y);
        }
        if (k % 4 == VECTOR_P && iteration > 0) { /* p_k = r_k + beta p_{k-1} */
            double beta = plain_looks.row[iteration + 1].beta;
            for (int i = 0; i < N; i++)
                ck_assert(values[i] == fma(beta, plain_looks.look[k - 4].values[i],
                                           plain_looks.look[k - 2].values[i]));
        }
    }
    ck_assert_mem_eq(plain_looks.look[plain_looks.count - 1].values, x, sizeof x);
    csr_free(&A);
}
END_TEST

START_TEST(no_bit_of_the_solve_changes)
{
    given();
    const struct kernel *kernels[] = {kernel_find("cpu_csr"), kernel_find("cpu_sym_bitwise"),
                                      &directing};
    for (int k = 0; k < 3; k++)
        for (int64_t every = 1; every <= 7; every += 2) {
            double x[N], x_traced[N];
            struct trace_wish trace = {every, ALL};
            struct solver_result result = traced(kernels[k], 60, NULL, &plain_looks, x);
            ck_assert_int_eq(plain_looks.count, 0);
            struct solver_result same = traced(kernels[k], 60, &trace, &other_looks, x_traced);
            ck_assert_int_eq(result.iterations, same.iterations);
            ck_assert_int_eq(result.reason, same.reason);
            ck_assert_mem_eq(x, x_traced, sizeof x);
            for (int64_t row = 0; row < plain_looks.rows; row++)
                ck_assert_mem_eq(&plain_looks.row[row].residual, &other_looks.row[row].residual,
                                 sizeof(double));
        }
    csr_free(&A);
}
END_TEST

/* Where the kernel makes p, at every number of iterations and every step between looks. */
START_TEST(x_does_not_lag_behind)
{
    given();
    double x[N], x_fused[N];
    for (int64_t every = 1; every <= 3; every++)
        for (int64_t limit = 0; limit <= 9; limit++) {
            struct trace_wish trace = {every, ALL};
            traced(kernel_find("cpu_csr"), limit, &trace, &plain_looks, x);
            traced(&directing, limit, &trace, &other_looks, x_fused);
            ck_assert_int_eq(plain_looks.count, other_looks.count);
            for (int64_t k = 0; k < plain_looks.count; k++) {
                ck_assert_int_eq(plain_looks.look[k].iteration, other_looks.look[k].iteration);
                ck_assert_int_eq(plain_looks.look[k].vector, other_looks.look[k].vector);
                ck_assert_mem_eq(plain_looks.look[k].values, other_looks.look[k].values, sizeof x);
            }
        }
    csr_free(&A);
}
END_TEST

/* Every 4th of 10 iterations, and only what is wanted; p and q of the last are not made; an
 * iteration that ends by a p . A p that is not positive has all four. */
START_TEST(only_what_is_wanted)
{
    given();
    double x[N];
    const struct kernel *kernel = kernel_find("cpu_sym");
    struct trace_wish trace = {4, 1u << VECTOR_X | 1u << VECTOR_Q};
    traced(kernel, 10, &trace, &plain_looks, x);
    static const int64_t iterations[] = {0, 0, 4, 4, 8, 8};
    ck_assert_int_eq(plain_looks.count, 6);
    for (int k = 0; k < 6; k++) {
        ck_assert_int_eq(plain_looks.look[k].iteration, iterations[k]);
        ck_assert_int_eq(plain_looks.look[k].vector, k % 2 ? VECTOR_Q : VECTOR_X);
    }
    traced(kernel, 8, &trace, &plain_looks, x);
    ck_assert_int_eq(plain_looks.count, 5);
    trace.every = INT64_MAX;
    traced(kernel, 10, &trace, &plain_looks, x);
    ck_assert_int_eq(plain_looks.count, 2);
    csr_free(&A);

    double values[N];
    for (int i = 0; i < N; i++) {
        values[i] = i == 3 ? -1e-3 : 1 + i;
        b[i] = 1;
    }
    diagonal(N, values, &A);
    trace = (struct trace_wish){1, ALL};
    struct solver_result result = traced(kernel, 60, &trace, &plain_looks, x);
    ck_assert_int_eq(result.reason, REASON_NOT_POSITIVE);
    ck_assert_int_eq(plain_looks.count, 4 * (result.iterations + 1));
    csr_free(&A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

static enum status attempt(void *kernel, struct error *error)
{
    static double x[N];
    struct solver_result result;
    struct solver_options options = {.method = &method_cg, .tolerance = 1e-10, .max_iterations = 5};
    struct trace_wish trace = {1, ALL};
    plain_looks.fail_at = -1;
    return try_traced(kernel, &options, &trace, &plain_looks, x, &result, error);
}

START_TEST(failures_end_the_solve)
{
    given();
    double x[N];
    struct solver_options options = {
        .method = &method_cg, .tolerance = 1e-10, .max_iterations = 60};
    struct trace_wish trace = {2, ALL};
    for (int64_t fail_at = 0; fail_at < 9; fail_at++) {
        struct error error;
        struct solver_result result;
        int64_t live = memory_live();
        plain_looks.fail_at = fail_at;
        expect_error(try_traced(&directing, &options, &trace, &plain_looks, x, &result, &error),
                     STATUS_OUTPUT, &error, "seen enough", NULL);
        ck_assert_int_eq(plain_looks.count, fail_at);
        ck_assert_int_eq(memory_live(), live);
    }
    walk_allocation_failures(attempt, (void *)&directing);
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {vectors_are_those_of_the_iteration,
                            no_bit_of_the_solve_changes,
                            x_does_not_lag_behind,
                            only_what_is_wanted,
                            failures_end_the_solve,
                            NULL};
    return suite_of("solver/cg_trace", tests);
}
