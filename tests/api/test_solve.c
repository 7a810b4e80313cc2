/* Solves through handles: the history and the solution of the library below, bit for bit; options,
 * monitors, and what is refused. */
#include "support.h"

#include "api/over_grid.h"
#include "api/solve.h"
#include "base/random.h"
#include "rows.h"
#include "solver/cg/cg.h"
#include "solver/lanczos/lanczos.h"
#include "solver/minres/minres.h"
#include "solver/solve.h"
#include "spmv/kernel.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { N = HANDLES_N, MOST = 400 };

/* --- the same bits ---------------------------------------------------------------------------- */

struct shown {
    const struct method *method;
    int64_t rows;
    struct kept_row row[MOST];
};

static enum status keep(void *context, const struct event *event, struct error *error)
{
    struct shown *shown = context;
    (void)error;
    ck_assert_int_lt(shown->rows, MOST);
    shown->row[shown->rows++] = row_kept(shown->method, event);
    return STATUS_OK;
}

/* Without a handle, by cpu_csr. */
static void solve_below(const struct method *method, double tolerance, const double *x0,
                        struct shown *shown, double *x, struct solver_result *result)
{
    struct error error;
    struct csr A;
    struct space *space;
    struct linear_operator spmv;
    double b[N];
    struct solver_options options = {
        .method = method, .tolerance = tolerance, .max_iterations = MOST - 1};
    struct observer observer = {.wants = 1u << EVENT_ROW, .see = keep, .context = shown};
    random_vector(3, N, b);
    grid(HANDLES_SIDE, 100, &A);
    *shown = (struct shown){.method = method};
    expect_ok(space_cpu_create(&(struct space_options){.threads = 1}, &space, &error), &error);
    expect_ok(operator_create(kernel_find("cpu_csr"), &A, NULL, space, &spmv, &error), &error);
    expect_ok(solver_solve(&spmv, &A, b, x0, &options, &observer, x, result, &error), &error);
    operator_destroy(&spmv);
    space->operations->destroy(space);
    csr_free(&A);
}

static void expect_same_history(const struct cgs_solver *solver, const struct shown *shown)
{
    struct cgs_error error;
    for (int s = 0; s < method_series_count(shown->method, false); s++) {
        const double *values;
        int64_t rows;
        expect(cgs_solver_history(solver, 0, shown->method->series[s].name, &values, &rows, &error),
               &error);
        ck_assert_int_eq(rows, shown->rows);
        for (int64_t k = 0; k < rows; k++)
            ck_assert(values[k] == shown->row[k].values[s] ||
                      (isnan(values[k]) && isnan(shown->row[k].values[s])));
    }
}

static void try_method(const struct method *method, const char *kernel, int threads, bool starts)
{
    static struct shown shown;
    const char *const kernels[] = {"kernel", kernel, NULL};
    const char *const options[] = {"method", method->component.name, "tolerance", "1e-6", NULL};
    struct cgs_error error;
    struct handles handles;
    struct solver_result below;
    struct cgs_result result = {.size = sizeof result};
    double b[N], x0[N], expected[N], x[N];
    random_vector(3, N, b);
    random_vector(4, N, x0);
    for (int i = 0; i < N; i++)
        x[i] = starts ? x0[i] : NAN;
    solve_below(method, 1e-6, starts ? x0 : NULL, &shown, expected, &below);
    expect(handles_create(kernels, options, threads, &handles, &error), &error);
    expect(cgs_solve(handles.solver, vec(b), vec(starts ? x : NULL), vec(x), &result, &error),
           &error);
    ck_assert_int_eq(result.reason, CGS_CONVERGED);
    ck_assert_int_eq(result.iterations, below.iterations);
    ck_assert(result.residual == below.residual && result.true_residual == below.true_residual);
    ck_assert(result.rhs_norm == below.rhs_norm && result.products == below.products);
    ck_assert(memcmp(x, expected, sizeof x) == 0);
    expect_same_history(handles.solver, &shown);
    handles_destroy(&handles);
}

START_TEST(the_bits_of_the_library_below)
{
    try_method(&method_cg, "cpu_sym_bitwise", 1, false);
    try_method(&method_cg, "cpu_sym_bitwise", 3, true);
    try_method(&method_cg, "cpu_csr", 2, false);
    try_method(&method_minres, "cpu_sym_bitwise", 2, true);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Again and again with one solver, and with another option in between. */
START_TEST(solves_with_one_solver)
{
    struct cgs_error error;
    struct handles handles;
    double b[N], first[N], x[N];
    struct cgs_result result = {.size = sizeof result}, before;
    random_vector(3, N, b);
    expect(handles_create(NULL, NULL, 2, &handles, &error), &error);
    expect(cgs_solve(handles.solver, vec(b), vec(NULL), vec(first), &result, &error), &error);
    for (int turn = 0; turn < 3; turn++) {
        memset(x, 0xff, sizeof x);
        expect(cgs_solve(handles.solver, vec(b), vec(NULL), vec(x), NULL, &error), &error);
        ck_assert(memcmp(x, first, sizeof x) == 0);
    }
    before = result;
    expect(cgs_solver_set(handles.solver, "tolerance", "1e-2", &error), &error);
    expect(cgs_solve(handles.solver, vec(b), vec(NULL), vec(x), &result, &error), &error);
    ck_assert_int_lt(result.iterations, before.iterations);
    expect(cgs_solver_set(handles.solver, "method", "minres", &error), &error);
    expect(cgs_solve(handles.solver, vec(b), vec(NULL), vec(x), &result, &error), &error);
    ck_assert_int_eq(result.reason, CGS_CONVERGED);
    handles_destroy(&handles);
}
END_TEST

/* The larger tolerance ends a solve, which may be at x_0. */
START_TEST(an_absolute_tolerance)
{
    static const char *const options[] = {"absolute_tolerance", "1e-3", "tolerance", "0", NULL};
    uint64_t state = test_seed();
    struct cgs_error error;
    struct handles handles;
    double b[N], first[N], x[N];
    struct cgs_result result = {.size = sizeof result};
    random_vector(test_random_below(&state, 1 << 30), N, b);
    expect(handles_create(NULL, options, 2, &handles, &error), &error);
    expect(cgs_solve(handles.solver, vec(b), vec(NULL), vec(first), &result, &error), &error);
    ck_assert_int_eq(result.reason, CGS_CONVERGED);
    ck_assert(result.residual <= 1e-3 && result.true_residual <= 1.1e-3);
    ck_assert(result.iterations > 1);
    expect(cgs_solver_set(handles.solver, "absolute_tolerance", "2e-3", &error), &error);
    memset(x, 0xff, sizeof x);
    expect(cgs_solve(handles.solver, vec(b), vec(first), vec(x), &result, &error), &error);
    ck_assert(result.reason == CGS_CONVERGED && result.iterations == 0);
    ck_assert(memcmp(x, first, sizeof x) == 0);
    ck_assert_int_eq(cgs_solver_set(handles.solver, "absolute_tolerance", "0", &error),
                     CGS_BAD_OPTION); /* both would be 0 */
    for (int i = 0; i < N; i++) {     /* ||r_0|| is above ||b||, and small enough */
        b[i] *= 1e-9;
        first[i] *= 1e-9 * 3;
    }
    expect(cgs_solve(handles.solver, vec(b), vec(first), vec(x), &result, &error), &error);
    ck_assert(result.reason == CGS_CONVERGED && result.iterations == 0);
    ck_assert(result.residual > result.rhs_norm);
    ck_assert(memcmp(x, first, sizeof x) == 0);
    handles_destroy(&handles);
}
END_TEST

/* A result of an earlier library, which had fewer members. */
START_TEST(a_shorter_result)
{
    struct cgs_error error;
    struct handles handles;
    double b[N], x[N];
    struct cgs_result result = {.size = offsetof(struct cgs_result, residual), .residual = -7};
    random_vector(3, N, b);
    expect(handles_create(NULL, NULL, 1, &handles, &error), &error);
    expect(cgs_solve(handles.solver, vec(b), vec(NULL), vec(x), &result, &error), &error);
    ck_assert_int_gt(result.iterations, 0);
    ck_assert(result.residual == -7);
    result.size = 0;
    x[0] = -7;
    ck_assert_int_eq(cgs_solve(handles.solver, vec(b), vec(NULL), vec(x), &result, &error),
                     CGS_BAD_OPTION);
    ck_assert(x[0] == -7);
    handles_destroy(&handles);
}
END_TEST

/* In the place of b, and across it. */
START_TEST(x_where_b_is)
{
    struct cgs_error error;
    struct handles handles;
    double b[N], x[N], both[N + 1];
    struct cgs_result result = {.size = sizeof result};
    random_vector(3, N, b);
    expect(handles_create(NULL, NULL, 2, &handles, &error), &error);
    expect(cgs_solve(handles.solver, vec(b), vec(NULL), vec(x), &result, &error), &error);
    double residual = result.true_residual;
    for (int shift = 0; shift < 2; shift++) {
        memcpy(both, b, sizeof b);
        expect(cgs_solve(handles.solver, vec(both), vec(NULL), vec(both + shift), &result, &error),
               &error);
        ck_assert_int_eq(result.reason, CGS_CONVERGED);
        ck_assert(result.true_residual == residual);
        ck_assert(memcmp(both + shift, x, sizeof x) == 0);
    }
    handles_destroy(&handles);
}
END_TEST

enum { COLUMNS = 3 };

/* From X0 into X, which may be X0, together or column by column. */
static void solve_from(struct cgs_solver *solver, const double *B, const double *X0, double *X,
                       bool together, struct cgs_result *results)
{
    struct cgs_error error;
    for (int j = 0; j < COLUMNS; j++)
        results[j] = (struct cgs_result){.size = sizeof *results};
    for (int j = 0; j < COLUMNS && !together; j++)
        expect(
            cgs_solve(solver, vec(B + j * N), vec(X0 + j * N), vec(X + j * N), &results[j], &error),
            &error);
    if (together)
        expect(cgs_solve(solver, grid_array(B, COLUMNS, 1, N), grid_array(X0, COLUMNS, 1, N),
                         grid_array(X, COLUMNS, 1, N), results, &error),
               &error);
}

static void try_in_place(struct cgs_solver *solver, const double *B, const double *X0)
{
    double apart[COLUMNS * N], X[COLUMNS * N];
    struct cgs_result wanted[COLUMNS], results[COLUMNS];
    solve_from(solver, B, X0, apart, false, wanted);
    for (int together = 0; together < 2; together++) {
        memcpy(X, X0, sizeof X);
        solve_from(solver, B, X, X, together, results);
        for (int j = 0; j < COLUMNS; j++) {
            ck_assert_int_eq(results[j].reason, wanted[j].reason);
            ck_assert_int_eq(results[j].iterations, wanted[j].iterations);
        }
        ck_assert_mem_eq(X, apart, sizeof X);
    }
}

/* From so far away that a solve begins anew, where x_0 is asked for once more. */
START_TEST(x_where_x0_is)
{
    static const char *const methods[] = {"cg", "minres", "richardson"};
    static const double sizes[] = {1e17, 1e60, 1e100};
    uint64_t state = test_seed();
    double B[COLUMNS * N], X0[COLUMNS * N];
    for (int k = 0; k < (test_is_slow() ? 3 : 9); k++) {
        struct cgs_error error;
        struct handles handles;
        random_vector(test_random_below(&state, 1 << 30), COLUMNS * N, B);
        random_vector(test_random_below(&state, 1 << 30), COLUMNS * N, X0);
        for (int i = 0; i < COLUMNS * N; i++)
            X0[i] *= sizes[k / 3];
        expect(handles_create(NULL,
                              LIST("method", methods[k % 3], "preconditioner",
                                   k % 3 == 2 ? "jacobi" : "none", "max_iterations", "3000"),
                              2, &handles, &error),
               &error);
        try_in_place(handles.solver, B, X0);
        handles_destroy(&handles);
    }
}
END_TEST

/* From whatever x_0. */
START_TEST(a_b_without_a_norm)
{
    struct cgs_error error;
    struct handles handles;
    double b[N] = {0}, x[N], x0[N];
    struct cgs_result result = {.size = sizeof result};
    random_vector(3, N, x0);
    expect(handles_create(NULL, NULL, 1, &handles, &error), &error);
    expect(cgs_solve(handles.solver, vec(b), vec(x0), vec(x), &result, &error), &error);
    ck_assert(result.reason == CGS_CONVERGED && result.iterations == 0);
    for (int i = 0; i < N; i++)
        ck_assert(x[i] == 0);
    b[N / 2] = NAN;
    for (int turn = 0; turn < 2; turn++) {
        expect(cgs_solve(handles.solver, vec(b), vec(turn ? x0 : NULL), vec(x), &result, &error),
               &error);
        ck_assert_int_eq(result.reason, CGS_NOT_FINITE);
    }
    handles_destroy(&handles);
}
END_TEST

START_TEST(names_of_reasons)
{
    ck_assert_str_eq(cgs_reason_name(CGS_NOT_SOLVED), "not solved");
    ck_assert_str_eq(cgs_reason_name(CGS_CONVERGED), "converged");
    ck_assert_str_eq(cgs_reason_name(CGS_LEAST_SQUARES), "least squares solution");
    ck_assert_str_eq(cgs_reason_name((enum cgs_reason) - 1), "unknown");
    ck_assert_str_eq(cgs_reason_name((enum cgs_reason)(CGS_CANCELLED + 1)), "unknown");
}
END_TEST

/* --- on the way ------------------------------------------------------------------------------- */

struct watch {
    int64_t calls, ends_at;
    double residual[MOST];
};

static int look(void *user, int64_t column, int64_t iteration, double residual)
{
    struct watch *watch = user;
    ck_assert_int_eq(column, 0);
    ck_assert_int_eq(iteration, watch->calls);
    watch->residual[watch->calls++] = residual;
    return iteration == watch->ends_at;
}

START_TEST(a_monitor_sees_every_row_and_may_end_it)
{
    struct cgs_error error;
    struct handles handles;
    struct watch whole = {.ends_at = -1}, part = {.ends_at = 5};
    double b[N], x[N];
    const double *residuals;
    int64_t rows;
    struct cgs_result result = {.size = sizeof result};
    random_vector(3, N, b);
    expect(handles_create(NULL, NULL, 2, &handles, &error), &error);
    cgs_solver_monitor(handles.solver, look, &whole);
    expect(cgs_solve(handles.solver, vec(b), vec(NULL), vec(x), &result, &error), &error);
    expect(cgs_solver_history(handles.solver, 0, "residual", &residuals, &rows, &error), &error);
    ck_assert_int_eq(whole.calls, rows);
    ck_assert(memcmp(whole.residual, residuals, (size_t)rows * sizeof *residuals) == 0);
    cgs_solver_monitor(handles.solver, look, &part);
    expect(cgs_solve(handles.solver, vec(b), vec(NULL), vec(x), &result, &error), &error);
    ck_assert_int_eq(result.reason, CGS_CANCELLED);
    ck_assert_str_eq(cgs_reason_name(result.reason), "cancelled");
    ck_assert_int_eq(result.iterations, 5);
    ck_assert(result.true_residual < whole.residual[0]);
    cgs_solver_monitor(handles.solver, NULL, NULL);
    expect(cgs_solve(handles.solver, vec(b), vec(NULL), vec(x), &result, &error), &error);
    ck_assert_int_eq(result.reason, CGS_CONVERGED);
    ck_assert_int_eq(part.calls, 6);
    handles_destroy(&handles);
}
END_TEST

static int count(void *user)
{
    return ++*(int *)user == 5;
}

START_TEST(a_poll_may_end_a_solve)
{
    struct cgs_error error;
    struct handles handles;
    int polls = 0;
    double b[N], x[N];
    struct cgs_result result = {.size = sizeof result};
    random_vector(3, N, b);
    expect(handles_create(NULL, NULL, 2, &handles, &error), &error);
    cgs_solver_poll(handles.solver, 0, count, &polls);
    expect(cgs_solve(handles.solver, vec(b), vec(NULL), vec(x), &result, &error), &error);
    ck_assert_int_eq(result.reason, CGS_CANCELLED);
    ck_assert_int_eq(result.iterations, 4);
    cgs_solver_poll(handles.solver, 1e9, count, &polls); /* the solve will not take that long */
    expect(cgs_solve(handles.solver, vec(b), vec(NULL), vec(x), &result, &error), &error);
    ck_assert_int_eq(result.reason, CGS_CONVERGED);
    ck_assert_int_eq(polls, 5);
    handles_destroy(&handles);
}
END_TEST

/* From the monitor, as a signal handler would. */
static int cancel(void *user, int64_t column, int64_t iteration, double residual)
{
    (void)column, (void)residual;
    if (iteration == 5)
        cgs_solver_cancel(user);
    return 0;
}

START_TEST(a_solve_is_cancelled_and_the_next_is_not)
{
    struct cgs_error error;
    struct handles handles;
    double b[N], x[N];
    struct cgs_result result = {.size = sizeof result};
    random_vector(3, N, b);
    expect(handles_create(NULL, NULL, 2, &handles, &error), &error);
    cgs_solver_monitor(handles.solver, cancel, handles.solver);
    expect(cgs_solve(handles.solver, vec(b), vec(NULL), vec(x), &result, &error), &error);
    ck_assert_int_eq(result.reason, CGS_CANCELLED);
    ck_assert_int_eq(result.iterations, 5);
    cgs_solver_monitor(handles.solver, NULL, NULL);
    cgs_solver_cancel(handles.solver); /* nothing is under way */
    expect(cgs_solve(handles.solver, vec(b), vec(NULL), vec(x), &result, &error), &error);
    ck_assert_int_eq(result.reason, CGS_CONVERGED);
    handles_destroy(&handles);
}
END_TEST

/* As it comes while a solve sets up, before its first row. */
START_TEST(a_solve_is_cancelled_in_its_set_up)
{
    struct cgs_error error;
    struct handles handles;
    double b[N], x[N];
    struct cgs_result result = {.size = sizeof result};
    random_vector(3, N, b);
    expect(handles_create(NULL, NULL, 2, &handles, &error), &error);
    ck_assert(api_solve_begin(handles.solver, &error));
    cgs_solver_cancel(handles.solver);
    const struct cgs_array of_b = vec(b), of_x0 = vec(NULL), of_x = vec(x);
    enum status status =
        api_solve_arrays(handles.solver, &of_b, &of_x0, &of_x, &result, (struct error *)&error);
    expect(api_end(handles.kernel, status), &error);
    ck_assert_int_eq(result.reason, CGS_CANCELLED);
    ck_assert_int_eq(result.iterations, 0);
    expect(cgs_solve(handles.solver, vec(b), vec(NULL), vec(x), &result, &error), &error);
    ck_assert_int_eq(result.reason, CGS_CONVERGED);
    handles_destroy(&handles);
}
END_TEST

/* Another thread, which cancels again and again. */
struct canceller {
    struct cgs_solver *solver;
    atomic_bool called, ended;
};

static void *cancel_until_it_ends(void *context)
{
    struct canceller *canceller = context;
    while (!atomic_load(&canceller->ended)) {
        cgs_solver_cancel(canceller->solver);
        atomic_store(&canceller->called, true);
        sched_yield();
    }
    return NULL;
}

/* Every row waits for another call: one of the first two comes after the solve began. */
static int wait_for_a_call(void *user, int64_t column, int64_t iteration, double residual)
{
    struct canceller *canceller = user;
    (void)column, (void)iteration, (void)residual;
    atomic_store(&canceller->called, false);
    while (!atomic_load(&canceller->called))
        sched_yield();
    return 0;
}

START_TEST(another_thread_cancels)
{
    struct cgs_error error;
    struct handles handles;
    struct canceller canceller = {NULL};
    double b[N], x[N];
    pthread_t thread;
    struct cgs_result result = {.size = sizeof result};
    random_vector(3, N, b);
    expect(handles_create(NULL, NULL, 2, &handles, &error), &error);
    cgs_solver_monitor(handles.solver, wait_for_a_call, &canceller);
    canceller.solver = handles.solver;
    ck_assert_int_eq(pthread_create(&thread, NULL, cancel_until_it_ends, &canceller), 0);
    expect(cgs_solve(handles.solver, vec(b), vec(NULL), vec(x), &result, &error), &error);
    atomic_store(&canceller.ended, true);
    pthread_join(thread, NULL);
    ck_assert_int_eq(result.reason, CGS_CANCELLED);
    ck_assert_int_le(result.iterations, 1);
    handles_destroy(&handles);
}
END_TEST

/* --- eigenvalues, products -------------------------------------------------------------------- */

START_TEST(eigenvalues_and_vectors)
{
    enum { COUNT = 3 };
    static const char *const options[] = {"method",      "lanczos", "eigen.count", "3",
                                          "eigen.which", "largest", NULL};
    static double vectors[COUNT * N];
    struct cgs_error error;
    struct handles handles;
    double values[COUNT], again[COUNT], start[N], y[N];
    struct cgs_result result = {.size = sizeof result};
    expect(handles_create(NULL, options, 2, &handles, &error), &error);
    ck_assert_int_eq(cgs_solver_eigen_count(handles.solver), COUNT);
    expect(cgs_solve_eigen(handles.solver, vec(NULL), values, grid_array(vectors, COUNT, 1, N),
                           &result, &error),
           &error);
    ck_assert_int_eq(result.reason, CGS_CONVERGED);
    ck_assert_int_eq(result.eigen_list, CGS_LIST_SEARCHED);
    for (int k = 0; k < COUNT; k++) {
        double *v = vectors + k * N, norm = 0, residual = 0;
        expect(cgs_multiply(handles.kernel, vec(v), vec(y), &error), &error);
        for (int i = 0; i < N; i++) {
            norm += v[i] * v[i];
            residual += (y[i] - values[k] * v[i]) * (y[i] - values[k] * v[i]);
        }
        ck_assert(fabs(norm - 1) < 1e-12 && sqrt(residual) < 1e-9 * values[k]);
    }
    random_vector(1, N, start); /* what NULL stands for */
    expect(cgs_solve_eigen(handles.solver, vec(start), again, vec(NULL), NULL, &error), &error);
    ck_assert(memcmp(values, again, sizeof values) == 0);
    char most[24]; /* the search for others is cut off */
    snprintf(most, sizeof most, "%d", (int)result.iterations - 1);
    expect(cgs_solver_set(handles.solver, "max_iterations", most, &error), &error);
    expect(cgs_solve_eigen(handles.solver, vec(NULL), again, vec(NULL), &result, &error), &error);
    ck_assert_int_eq(result.reason, CGS_CONVERGED);
    ck_assert_int_eq(result.eigen_list, CGS_LIST_OPEN);
    handles_destroy(&handles);
}
END_TEST

START_TEST(a_product)
{
    struct cgs_error error;
    struct handles handles;
    struct csr A;
    double x[N], y[N], expected[N];
    random_vector(5, N, x);
    grid(HANDLES_SIDE, 100, &A);
    csr_multiply(&A, x, expected);
    csr_free(&A);
    expect(handles_create(NULL, NULL, 3, &handles, &error), &error);
    ck_assert_int_eq(cgs_operator_guarantee(handles.kernel), CGS_EQUAL_BITS);
    for (int turn = 0; turn < 2; turn++) {
        memset(y, 0xff, sizeof y);
        expect(cgs_multiply(handles.kernel, vec(x), vec(y), &error), &error);
        ck_assert(memcmp(y, expected, sizeof y) == 0);
    }
    handles_destroy(&handles);
}
END_TEST

/* --- memory, threads -------------------------------------------------------------------------- */

static enum status attempt(void *options, struct error *said)
{
    struct cgs_error *error = (struct cgs_error *)said;
    struct handles handles;
    double b[N], x[N];
    random_vector(3, N, b);
    enum cgs_status status = handles_create(NULL, options, 2, &handles, error);
    if (!status)
        status = cgs_solver_set(handles.solver, "max_iterations", "7", error);
    if (!status)
        status = cgs_multiply(handles.kernel, vec(b), vec(x), error);
    if (!status)
        status = cgs_solve(handles.solver, vec(b), vec(NULL), vec(x), NULL, error);
    handles_destroy(&handles);
    return (enum status)status;
}

START_TEST(without_memory)
{
    static const char *options[] = {"preconditioner", "jacobi", NULL};
    handles_prepare();
    walk_allocation_failures(attempt, options);
}
END_TEST

/* A thread of a program with a context of its own. */
static void *work(void *context)
{
    double *x = context, b[N];
    struct cgs_error error;
    struct handles handles;
    random_vector(3, N, b);
    expect(handles_create(NULL, LIST("preconditioner", "jacobi"), 2, &handles, &error), &error);
    for (int turn = 0; turn < 3; turn++)
        expect(cgs_solve(handles.solver, vec(b), vec(NULL), vec(x), NULL, &error), &error);
    handles_destroy(&handles);
    return NULL;
}

START_TEST(contexts_in_several_threads)
{
    enum { THREADS = 4 };
    static double x[THREADS + 1][N];
    pthread_t threads[THREADS];
    handles_prepare();
    for (int t = 0; t < THREADS; t++)
        ck_assert_int_eq(pthread_create(&threads[t], NULL, work, x[t]), 0);
    work(x[THREADS]);
    for (int t = 0; t < THREADS; t++) {
        pthread_join(threads[t], NULL);
        ck_assert(memcmp(x[t], x[THREADS], sizeof x[t]) == 0);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* The set-up and the solve are then done by the caller's thread, with the same bits. */
START_TEST(the_system_may_refuse_threads)
{
    static double b[N], x[2][N];
    struct cgs_error error;
    random_vector(test_seed() % 1000, N, b);
    for (int refused = 0; refused < 2; refused++) {
        struct handles handles;
        if (!test_refuse_threads(refused))
            return;
        handles_prepare();
        expect(handles_create(NULL, LIST("preconditioner", "multigrid"), 3, &handles, &error),
               &error);
        expect(cgs_solve(handles.solver, vec(b), vec(NULL), vec(x[refused]), NULL, &error), &error);
        handles_destroy(&handles);
    }
    test_refuse_threads(false);
    ck_assert_mem_eq(x[1], x[0], sizeof x[0]);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *const tests[] = {the_bits_of_the_library_below,
                                  solves_with_one_solver,
                                  an_absolute_tolerance,
                                  a_shorter_result,
                                  x_where_b_is,
                                  x_where_x0_is,
                                  a_b_without_a_norm,
                                  names_of_reasons,
                                  a_monitor_sees_every_row_and_may_end_it,
                                  a_poll_may_end_a_solve,
                                  a_solve_is_cancelled_and_the_next_is_not,
                                  a_solve_is_cancelled_in_its_set_up,
                                  another_thread_cancels,
                                  eigenvalues_and_vectors,
                                  a_product,
                                  without_memory,
                                  contexts_in_several_threads,
                                  the_system_may_refuse_threads,
                                  NULL};
    return suite_of("api/solve", tests);
}
