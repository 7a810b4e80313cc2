/* Several right-hand sides: each column has the bits of its own solve, wherever it stands. */
#include "support.h"

#include "api/over_grid.h"
#include "base/random.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { N = HANDLES_N, MOST = 33 };

/* --- a system, solved column by column, and at once ------------------------------------------- */

struct alone {
    double b[N], x0[N], x[N], *history;
    int64_t rows;
    struct cgs_result result;
};

static struct alone alone[MOST];

/* Column 1 is 0, column 2 is column 0, and the last of many is not finite. */
static void draw(int64_t columns)
{
    static uint64_t state;
    if (!state)
        state = test_seed();
    for (int64_t j = 0; j < columns; j++) {
        random_vector(test_random_below(&state, 1 << 30), N, alone[j].b);
        random_vector(test_random_below(&state, 1 << 30), N, alone[j].x0);
    }
    if (columns > 2) {
        memset(alone[1].b, 0, sizeof alone[1].b);
        alone[2] = alone[0];
    }
    if (columns == MOST)
        alone[MOST - 1].b[N / 2] = NAN;
}

static void solve_alone(struct cgs_solver *solver, int64_t columns, bool starts)
{
    struct cgs_error error;
    for (int64_t j = 0; j < columns; j++) {
        struct alone *own = &alone[j];
        const double *history;
        own->result = (struct cgs_result){.size = sizeof own->result};
        expect(cgs_solve(solver, own->b, starts ? own->x0 : NULL, own->x, &own->result, &error),
               &error);
        expect(cgs_solver_history(solver, "residual", &history, &own->rows, &error), &error);
        own->history = malloc((size_t)own->rows * sizeof *history);
        memcpy(own->history, history, (size_t)own->rows * sizeof *history);
    }
}

static void forget(int64_t columns)
{
    for (int64_t j = 0; j < columns; j++)
        free(alone[j].history);
}

static bool same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static void expect_column(const struct cgs_solver *solver, int64_t j,
                          const struct cgs_result *result)
{
    struct cgs_error error;
    const struct cgs_result *wanted = &alone[j].result;
    const double *history;
    int64_t rows;
    ck_assert_int_eq(result->reason, wanted->reason);
    ck_assert_int_eq(result->iterations, wanted->iterations);
    ck_assert_int_eq(result->products, wanted->products);
    ck_assert(same(result->residual, wanted->residual));
    ck_assert(same(result->true_residual, wanted->true_residual));
    ck_assert(same(result->rhs_norm, wanted->rhs_norm));
    ck_assert(same(result->ritz_low, wanted->ritz_low));
    ck_assert(same(result->ritz_high, wanted->ritz_high));
    expect(cgs_solver_history_column(solver, j, "residual", &history, &rows, &error), &error);
    ck_assert_int_eq(rows, alone[j].rows);
    for (int64_t k = 0; k < rows; k++)
        ck_assert(same(history[k], alone[j].history[k]));
}

/* NaN of a solve that was not finite may have any bits. */
static void expect_solution(int64_t columns, const double *X, struct cgs_strides strides)
{
    int64_t others = 0;
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < N; i++)
            others += !same(X[i * strides.row + j * strides.column], alone[j].x[i]);
    ck_assert_int_eq(others, 0);
}

enum { GAP = 3 };

/* One column after the other, the same with gaps, one row after the other, the same with gaps. */
static struct cgs_strides strides_of(int way, int64_t columns)
{
    const struct cgs_strides all[] = {{1, N}, {1, N + GAP}, {columns, 1}, {2 * columns + GAP, 2}};
    return all[way];
}

enum { WAYS = 4, ROOM = (N + GAP) * (2 * MOST + GAP) };

static double B[ROOM], X0[ROOM], X[ROOM];

static void put(int64_t columns, bool start, double *array, struct cgs_strides strides)
{
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < N; i++)
            array[i * strides.row + j * strides.column] = (start ? alone[j].x0 : alone[j].b)[i];
}

/* All that X's strides do not reach is as it was: -7. */
static void expect_gaps(int64_t columns, struct cgs_strides strides)
{
    int64_t others = 0;
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < N; i++)
            X[i * strides.row + j * strides.column] = -7;
    for (int64_t k = 0; k < ROOM; k++)
        others += X[k] != -7;
    ck_assert_int_eq(others, 0);
}

static void try_layouts(struct cgs_solver *solver, int64_t columns, bool starts)
{
    struct cgs_error error;
    struct cgs_result results[MOST];
    for (int way = 0; way < WAYS * WAYS; way += columns == MOST ? 10 : 1) {
        struct cgs_strides of_B = strides_of(way % WAYS, columns);
        struct cgs_strides of_X = strides_of(way / WAYS, columns);
        for (int64_t k = 0; k < ROOM; k++)
            X[k] = -7;
        put(columns, false, B, of_B);
        put(columns, true, X0, of_X);
        for (int64_t j = 0; j < columns; j++)
            results[j] = (struct cgs_result){.size = sizeof results[j]};
        expect(cgs_solve_columns(solver, columns, B, of_B, starts ? X0 : NULL, X, of_X, results,
                                 &error),
               &error);
        expect_solution(columns, X, of_X);
        for (int64_t j = 0; j < columns; j++)
            expect_column(solver, j, &results[j]);
        expect_gaps(columns, of_X);
    }
}

/* X comes in the place of X0 and of B, and across them. */
static void try_places(struct cgs_solver *solver, int64_t columns, struct cgs_strides strides,
                       bool starts)
{
    struct cgs_error error;
    put(columns, true, X, strides);
    put(columns, false, B, strides);
    expect(
        cgs_solve_columns(solver, columns, B, strides, starts ? X : NULL, X, strides, NULL, &error),
        &error);
    expect_solution(columns, X, strides);
    put(columns, true, X, strides);
    expect(cgs_solve_columns(solver, columns, B, strides, starts ? X : NULL, X + 1, strides, NULL,
                             &error),
           &error);
    expect_solution(columns, X + 1, strides);
    put(columns, true, X0, strides);
    for (int64_t shift = 0; shift < 2; shift++) {
        put(columns, false, B, strides);
        expect(cgs_solve_columns(solver, columns, B, strides, starts ? X0 : NULL, B + shift,
                                 strides, NULL, &error),
               &error);
        expect_solution(columns, B + shift, strides);
    }
}

static void try_system(const char *const *kernel, const char *const *options)
{
    static const int64_t counts[] = {1, 3, MOST};
    struct cgs_error error;
    struct handles handles;
    expect(handles_create(kernel, options, 2, &handles, &error), &error);
    for (int turn = 0; turn < 5; turn++) {
        int64_t columns = counts[turn / 2];
        bool starts = turn % 2 || columns == MOST;
        draw(columns);
        solve_alone(handles.solver, columns, starts);
        ck_assert_int_eq(alone[0].result.reason, CGS_CONVERGED);
        ck_assert_int_gt(alone[0].result.iterations, 5);
        try_layouts(handles.solver, columns, starts);
        for (int way = 0; way < WAYS && columns < MOST; way++)
            try_places(handles.solver, columns, strides_of(way, columns), starts);
        forget(columns);
    }
    handles_destroy(&handles);
    ck_assert_int_eq(memory_live(), 0);
}

START_TEST(the_bits_of_each_alone)
{
    try_system(NULL, NULL);
    try_system(NULL, LIST("method", "minres"));
    try_system(LIST("kernel", "cpu_csr"), LIST("preconditioner", "jacobi", "tolerance", "1e-5"));
    try_system(NULL, LIST("method", "minres", "preconditioner", "chebyshev"));
}
END_TEST

/* --- results ---------------------------------------------------------------------------------- */

/* Those of an earlier library, which had fewer members, lie closer together. */
START_TEST(shorter_results)
{
    struct shorter {
        size_t size;
        enum cgs_reason reason;
        int64_t iterations;
    } results[3];
    struct cgs_error error;
    struct handles handles;
    expect(handles_create(NULL, NULL, 1, &handles, &error), &error);
    draw(3);
    solve_alone(handles.solver, 3, false);
    put(3, false, B, strides_of(0, 3));
    for (int j = 0; j < 3; j++)
        results[j] = (struct shorter){.size = sizeof results[j]};
    expect(cgs_solve_columns(handles.solver, 3, B, strides_of(0, 3), NULL, X, strides_of(0, 3),
                             (struct cgs_result *)results, &error),
           &error);
    for (int j = 0; j < 3; j++)
        ck_assert(results[j].size == sizeof results[j] &&
                  results[j].iterations == alone[j].result.iterations);
    results[1].size = sizeof(struct cgs_result);
    expect_error((enum status)cgs_solve_columns(handles.solver, 3, B, strides_of(0, 3), NULL, X,
                                                strides_of(0, 3), (struct cgs_result *)results,
                                                &error),
                 STATUS_CONFIG, (struct error *)&error, "result 1 says that it has", NULL);
    forget(3);
    handles_destroy(&handles);
}
END_TEST

/* Each solve has the histories of its own columns. */
START_TEST(histories)
{
    struct cgs_error error;
    struct handles handles;
    struct error *said = (struct error *)&error;
    const double *first, *other;
    int64_t rows, other_rows;
    expect(handles_create(NULL, NULL, 1, &handles, &error), &error);
    draw(3);
    solve_alone(handles.solver, 3, false);
    expect_error((enum status)cgs_solver_history_column(handles.solver, 1, "residual", &first,
                                                        &rows, &error),
                 STATUS_CONFIG, said, "the last solve has no column 1: it had 1", NULL);
    put(3, false, B, strides_of(0, 3));
    expect(cgs_solve_columns(handles.solver, 3, B, strides_of(0, 3), NULL, X, strides_of(0, 3),
                             NULL, &error),
           &error);
    expect(cgs_solver_history(handles.solver, "residual", &first, &rows, &error), &error);
    expect(cgs_solver_history_column(handles.solver, 0, "residual", &other, &other_rows, &error),
           &error);
    ck_assert(first == other && rows == other_rows);
    for (int64_t column = -1; column <= 3; column += 4)
        expect_error((enum status)cgs_solver_history_column(handles.solver, column, "residual",
                                                            &first, &rows, &error),
                     STATUS_CONFIG, said, "the last solve has no column", "it had 3", NULL);
    expect_error(
        (enum status)cgs_solver_history_column(handles.solver, 2, "residue", &first, &rows, &error),
        STATUS_CONFIG, said, "no series 'residue'", NULL);
    ck_assert(first == NULL && rows == 0);
    forget(3);
    handles_destroy(&handles);
}
END_TEST

/* --- on the way ------------------------------------------------------------------------------- */

struct watch {
    int64_t rows[MOST], calls, ends_at;
};

static int watch_column(void *user, int64_t column, int64_t iteration, double residual)
{
    struct watch *watch = user;
    ck_assert_int_eq(iteration, watch->rows[column]++);
    ck_assert(same(residual, alone[column].history[iteration]));
    watch->calls++;
    return column == 0 && iteration == watch->ends_at;
}

static int watch_any(void *user, int64_t iteration, double residual)
{
    struct watch *watch = user;
    (void)iteration;
    (void)residual;
    watch->calls++;
    return 0;
}

static void solve_three(struct cgs_solver *solver, struct cgs_result *results)
{
    struct cgs_error error;
    for (int j = 0; j < 3; j++)
        results[j] = (struct cgs_result){.size = sizeof results[j]};
    expect(cgs_solve_columns(solver, 3, B, strides_of(0, 3), NULL, X, strides_of(0, 3), results,
                             &error),
           &error);
}

START_TEST(a_monitor_is_told_the_column)
{
    struct cgs_error error;
    struct handles handles;
    struct cgs_result results[3];
    struct watch whole = {.ends_at = -1}, any = {.ends_at = -1}, part = {.ends_at = 5};
    expect(handles_create(NULL, NULL, 2, &handles, &error), &error);
    draw(3);
    solve_alone(handles.solver, 3, false);
    put(3, false, B, strides_of(0, 3));
    cgs_solver_monitor(handles.solver, watch_any, &any);
    cgs_solver_monitor_columns(handles.solver, watch_column, &whole);
    solve_three(handles.solver, results);
    ck_assert_int_eq(any.calls, 0);
    for (int j = 0; j < 3; j++)
        ck_assert_int_eq(whole.rows[j], alone[j].rows);
    cgs_solver_monitor(handles.solver, watch_any, &any);
    solve_three(handles.solver, results);
    ck_assert_int_eq(any.calls, whole.calls);
    cgs_solver_monitor_columns(handles.solver, watch_column, &part);
    solve_three(handles.solver, results);
    ck_assert_int_eq(results[0].reason, CGS_CANCELLED);
    ck_assert_int_eq(results[0].iterations, 5);
    ck_assert_int_eq(results[1].reason, CGS_CONVERGED); /* x = 0, with row 0 */
    ck_assert_int_eq(results[2].reason, CGS_CANCELLED);
    cgs_solver_monitor_columns(handles.solver, NULL, NULL);
    solve_three(handles.solver, results);
    ck_assert_int_eq(results[2].reason, CGS_CONVERGED);
    forget(3);
    handles_destroy(&handles);
}
END_TEST

static int at_once(void *user)
{
    ++*(int *)user;
    return 1;
}

static int cancel(void *user, int64_t column, int64_t iteration, double residual)
{
    (void)residual;
    if (column == 0 && iteration == 3)
        cgs_solver_cancel(user);
    return 0;
}

/* What ends one ends all, also those that begin from X0 beside one that cannot. */
START_TEST(all_columns_end)
{
    struct cgs_error error;
    struct handles handles;
    struct cgs_result results[3];
    int polls = 0;
    expect(handles_create(NULL, NULL, 2, &handles, &error), &error);
    draw(3);
    put(3, false, B, strides_of(0, 3));
    cgs_solver_poll(handles.solver, 0, at_once, &polls);
    solve_three(handles.solver, results);
    ck_assert(results[0].reason == CGS_CANCELLED && results[2].reason == CGS_CANCELLED);
    ck_assert_int_ge(polls, 1);
    cgs_solver_poll(handles.solver, 0, NULL, NULL);
    cgs_solver_monitor_columns(handles.solver, cancel, handles.solver);
    put(3, true, X0, strides_of(0, 3));
    expect(cgs_solve_columns(handles.solver, 3, B, strides_of(0, 3), X0, X, strides_of(0, 3),
                             results, &error),
           &error);
    ck_assert(results[0].reason == CGS_CANCELLED && results[2].reason == CGS_CANCELLED);
    ck_assert_int_eq(results[2].iterations, 0);
    handles_destroy(&handles);
}
END_TEST

/* --- what is refused -------------------------------------------------------------------------- */

static int look(void *user, int64_t iteration, const double *x)
{
    (void)iteration;
    (void)x;
    ++*(int *)user;
    return 0;
}

static void refuse(struct cgs_solver *solver, int64_t columns, struct cgs_strides of_B,
                   struct cgs_strides of_X, enum status wanted, const char *says)
{
    struct cgs_error error;
    X[0] = -7;
    expect_error(
        (enum status)cgs_solve_columns(solver, columns, B, of_B, NULL, X, of_X, NULL, &error),
        wanted, (struct error *)&error, says, NULL);
    ck_assert(X[0] == -7);
}

START_TEST(what_is_refused)
{
    const struct cgs_strides one = {1, N};
    struct cgs_error error;
    struct handles handles;
    int looks = 0;
    expect(handles_create(NULL, NULL, 1, &handles, &error), &error);
    struct cgs_solver *solver = handles.solver;
    draw(2);
    put(2, false, B, one);
    refuse(NULL, 2, one, one, STATUS_CONFIG, "a solver is NULL");
    refuse(solver, 0, one, one, STATUS_CONFIG, "columns = 0 must be at least 1");
    refuse(solver, 2, (struct cgs_strides){1, 0}, one, STATUS_CONFIG,
           "the strides of B are 1 and 0: each is at least 1");
    refuse(solver, 2, one, (struct cgs_strides){-1, N}, STATUS_CONFIG, "the strides of X are -1");
    refuse(solver, 2, one, (struct cgs_strides){1, N - 1}, STATUS_CONFIG,
           "with the strides 1 and 728 of X its 729 rows and 2 columns overlap");
    refuse(solver, 3, one, (struct cgs_strides){2, 1}, STATUS_CONFIG,
           "with the strides 2 and 1 of X its 729 rows and 3 columns overlap");
    refuse(solver, 2, one, (struct cgs_strides){INT64_MAX / 2, 1}, STATUS_MEMORY,
           "the size of X overflows");
    refuse(solver, INT64_MAX / 2, one, one, STATUS_MEMORY, "the size of B overflows");
    expect(cgs_solver_look(solver, 1, look, &looks, &error), &error);
    refuse(solver, 2, one, one, STATUS_CONFIG,
           "cgs_solver_look shows the x of one column, and there are 2");
    /* the strides of one column are nobody's affair */
    expect(cgs_solve_columns(solver, 1, B, (struct cgs_strides){1, -5}, NULL, X, one, NULL, &error),
           &error);
    ck_assert_int_gt(looks, 1);
    expect(cgs_solver_look(solver, 1, NULL, NULL, &error), &error);
    expect(cgs_solver_set(solver, "method", "lanczos", &error), &error);
    refuse(solver, 2, one, one, STATUS_CONFIG, "the method lanczos is for cgs_solve_eigen");
    expect_error(
        (enum status)cgs_solve_columns_device(solver, 2, B, one, NULL, X, one, NULL, &error),
        STATUS_CONFIG, (struct error *)&error, "B is not", "this context is on the CPU", NULL);
    expect_error((enum status)cgs_solve_columns_device(solver, 2, B, one, NULL, X,
                                                       (struct cgs_strides){5, 2}, NULL, &error),
                 STATUS_CONFIG, (struct error *)&error, "with the strides 5 and 2", NULL);
    cgs_solver_monitor_columns(NULL, NULL, NULL);
    handles_destroy(&handles);
}
END_TEST

/* --- products --------------------------------------------------------------------------------- */

static int twice(void *user, const double *x, double *y, void *stream)
{
    (void)stream;
    for (int i = 0; i < N; i++)
        y[i] = 2 * x[i];
    return ++*(int *)user > 40; /* one for each of 33 columns */
}

static void multiply_columns(struct cgs_operator *kernel, int64_t columns, int way)
{
    struct cgs_error error;
    struct cgs_strides of_X = strides_of(way % WAYS, columns),
                       of_Y = strides_of(way / WAYS, columns);
    for (int64_t k = 0; k < ROOM; k++)
        X[k] = -7;
    put(columns, false, B, of_X);
    expect(cgs_multiply_columns(kernel, columns, B, of_X, X, of_Y, &error), &error);
    expect_solution(columns, X, of_Y);
    expect_gaps(columns, of_Y);
    expect(cgs_multiply_columns(kernel, columns, B, of_X, B, of_X, &error), &error); /* one */
    expect_solution(columns, B, of_X);
}

static void multiply_by(const char *const *kernel, int threads)
{
    static const int64_t counts[] = {1, 2, 3, MOST};
    struct cgs_error error;
    struct handles handles;
    expect(handles_create(kernel, NULL, threads, &handles, &error), &error);
    draw(MOST);
    for (int j = 0; j < MOST; j++)
        expect(cgs_multiply(handles.kernel, alone[j].b, alone[j].x, &error), &error);
    for (int k = 0; k < 4; k++)
        for (int way = 0; way < WAYS * WAYS; way++)
            multiply_columns(handles.kernel, counts[k], way);
    handles_destroy(&handles);
}

START_TEST(products)
{
    const struct cgs_strides one = {1, N};
    struct cgs_error error;
    struct error *said = (struct error *)&error;
    struct cgs_context *context;
    struct cgs_operator *own;
    int calls = 0;
    multiply_by(NULL, 3);
    multiply_by(LIST("kernel", "cpu_csr"), 1);
    expect(cgs_context_create(NULL, &context, &error), &error);
    expect(
        cgs_operator_create_product(context, N, CGS_SYMMETRIC, twice, &calls, NULL, &own, &error),
        &error);
    for (int j = 0; j < MOST; j++)
        for (int i = 0; i < N; i++)
            alone[j].x[i] = 2 * alone[j].b[i];
    put(MOST, false, B, one);
    expect(cgs_multiply_columns(own, MOST, B, one, X, one, &error), &error);
    expect_solution(MOST, X, one);
    ck_assert_int_eq(calls, MOST);
    expect_error((enum status)cgs_multiply_columns(own, MOST, B, one, X, one, &error), STATUS_INPUT,
                 said, "a product of the caller's failed: 1", NULL);
    expect_error(
        (enum status)cgs_multiply_columns(own, 2, B, (struct cgs_strides){2, 2}, X, one, &error),
        STATUS_CONFIG, said, "with the strides 2 and 2 of X", NULL);
    expect_error(
        (enum status)cgs_multiply_columns(own, 2, B, one, X, (struct cgs_strides){0, 2}, &error),
        STATUS_CONFIG, said, "the strides of Y are 0 and 2", NULL);
    expect_error((enum status)cgs_multiply_columns(NULL, 2, B, one, X, one, &error), STATUS_CONFIG,
                 said, "an operator is NULL", NULL);
    cgs_operator_destroy(own);
    cgs_context_destroy(context);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* --- memory, threads -------------------------------------------------------------------------- */

static enum status attempt(void *options, struct error *said)
{
    struct cgs_error *error = (struct cgs_error *)said;
    struct handles handles;
    enum cgs_status status = handles_create(NULL, options, 2, &handles, error);
    if (!status)
        status = cgs_solver_set(handles.solver, "max_iterations", "7", error);
    if (!status)
        status = cgs_multiply_columns(handles.kernel, 3, B, strides_of(2, 3), X, strides_of(2, 3),
                                      error);
    if (!status)
        status = cgs_solve_columns(handles.solver, 3, B, strides_of(2, 3), X0, X, strides_of(2, 3),
                                   NULL, error);
    handles_destroy(&handles);
    return (enum status)status;
}

START_TEST(without_memory)
{
    static const char *options[] = {"preconditioner", "jacobi", NULL};
    handles_prepare();
    draw(3);
    put(3, false, B, strides_of(2, 3));
    put(3, true, X0, strides_of(2, 3));
    walk_allocation_failures(attempt, options);
}
END_TEST

/* A thread of a program with a context of its own. */
static void *work(void *context)
{
    double *x = context;
    struct cgs_error error;
    struct handles handles;
    expect(handles_create(NULL, LIST("preconditioner", "jacobi"), 2, &handles, &error), &error);
    for (int turn = 0; turn < 3; turn++)
        expect(cgs_solve_columns(handles.solver, 3, B, strides_of(2, 3), NULL, x, strides_of(0, 3),
                                 NULL, &error),
               &error);
    handles_destroy(&handles);
    return NULL;
}

START_TEST(contexts_in_several_threads)
{
    enum { THREADS = 4 };
    static double x[THREADS + 1][3 * N];
    pthread_t threads[THREADS];
    handles_prepare();
    draw(3);
    put(3, false, B, strides_of(2, 3));
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

Suite *suite(void)
{
    const TTest *const tests[] = {the_bits_of_each_alone,
                                  shorter_results,
                                  histories,
                                  a_monitor_is_told_the_column,
                                  all_columns_end,
                                  what_is_refused,
                                  products,
                                  without_memory,
                                  contexts_in_several_threads,
                                  NULL};
    return suite_of("api/columns", tests);
}
