/* Several right-hand sides: each column has the bits of its own solve, wherever it stands. */
#include "support.h"

#include "api/over_grid.h"
#include "api/strided.h"
#include "base/random.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
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
        expect(cgs_solve(solver, vec(own->b), vec(starts ? own->x0 : NULL), vec(own->x),
                         &own->result, &error),
               &error);
        expect(cgs_solver_history(solver, 0, "residual", &history, &own->rows, &error), &error);
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
    expect(cgs_solver_history(solver, j, "residual", &history, &rows, &error), &error);
    ck_assert_int_eq(rows, alone[j].rows);
    for (int64_t k = 0; k < rows; k++)
        ck_assert(same(history[k], alone[j].history[k]));
}

enum { WAYS = 4, GAP = 3, ROOM = (N + GAP) * (2 * MOST + GAP) };

static double B[ROOM], X0[ROOM], X[ROOM];

/* One column after the other, the same with gaps, one row after the other, the same with gaps. */
CGS_ADDRESS_ALONE static struct cgs_array laid(const double *array, int way, int64_t columns)
{
    const int64_t strides[][2] = {{1, N}, {1, N + GAP}, {columns, 1}, {2 * columns + GAP, 2}};
    return grid_array(array, columns, strides[way][0], strides[way][1]);
}

static double *element(const struct cgs_array *of, int64_t i, int64_t j)
{
    return (double *)of->data + i * of->row_stride + j * of->column_stride;
}

/* NaN of a solve that was not finite may have any bits. */
static void expect_solution(struct cgs_array x)
{
    int64_t others = 0;
    for (int64_t j = 0; j < x.columns; j++)
        for (int64_t i = 0; i < N; i++)
            others += !same(*element(&x, i, j), alone[j].x[i]);
    ck_assert_int_eq(others, 0);
}

static void put(bool start, struct cgs_array array)
{
    for (int64_t j = 0; j < array.columns; j++)
        for (int64_t i = 0; i < N; i++)
            *element(&array, i, j) = (start ? alone[j].x0 : alone[j].b)[i];
}

/* All of X that x does not reach is as it was: -7. */
static void expect_gaps(struct cgs_array x)
{
    int64_t others = 0;
    for (int64_t j = 0; j < x.columns; j++)
        for (int64_t i = 0; i < N; i++)
            *element(&x, i, j) = -7;
    for (int64_t k = 0; k < ROOM; k++)
        others += X[k] != -7;
    ck_assert_int_eq(others, 0);
}

/* From one pair of layouts to the next: each pair, or pairs that have each layout. */
static int layouts_step(void)
{
    return test_is_slow() ? WAYS - 1 : 1;
}

static void try_layouts(struct cgs_solver *solver, int64_t columns, bool starts)
{
    struct cgs_error error;
    struct cgs_result results[MOST];
    for (int way = 0; way < WAYS * WAYS; way += columns == MOST ? 10 : layouts_step()) {
        const struct cgs_array b = laid(B, way % WAYS, columns), x = laid(X, way / WAYS, columns);
        const struct cgs_array x0 = laid(X0, way % WAYS, columns);
        for (int64_t k = 0; k < ROOM; k++)
            X[k] = -7;
        put(false, b);
        put(true, x0);
        for (int64_t j = 0; j < columns; j++)
            results[j] = (struct cgs_result){.size = sizeof results[j]};
        expect(cgs_solve(solver, b, starts ? x0 : vec(NULL), x, results, &error), &error);
        expect_solution(x);
        for (int64_t j = 0; j < columns; j++)
            expect_column(solver, j, &results[j]);
        expect_gaps(x);
    }
}

/* X comes in the place of X0 and of B, and across them. */
static void try_places(struct cgs_solver *solver, int64_t columns, int way, bool starts)
{
    struct cgs_error error;
    const struct cgs_array b = laid(B, way, columns), x0 = laid(X0, way, columns);
    put(false, b);
    for (int64_t shift = 0; shift < 2; shift++) {
        const struct cgs_array x = laid(X, way, columns), across = laid(X + shift, way, columns);
        put(true, x);
        expect(cgs_solve(solver, b, starts ? x : vec(NULL), across, NULL, &error), &error);
        expect_solution(across);
    }
    put(true, x0);
    for (int64_t shift = 0; shift < 2; shift++) {
        const struct cgs_array across = laid(B + shift, way, columns);
        put(false, b);
        expect(cgs_solve(solver, b, starts ? x0 : vec(NULL), across, NULL, &error), &error);
        expect_solution(across);
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
        if (test_is_slow() && (turn == 1 || turn == 2)) /* 1 from 0, 3 and MOST from x0 */
            continue;
        draw(columns);
        solve_alone(handles.solver, columns, starts);
        ck_assert_int_eq(alone[0].result.reason, CGS_CONVERGED);
        ck_assert_int_gt(alone[0].result.iterations, 5);
        try_layouts(handles.solver, columns, starts);
        for (int way = 0; way < WAYS && columns < MOST; way++)
            try_places(handles.solver, columns, way, starts);
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
    put(false, laid(B, 0, 3));
    for (int j = 0; j < 3; j++)
        results[j] = (struct shorter){.size = sizeof results[j]};
    expect(cgs_solve(handles.solver, laid(B, 0, 3), vec(NULL), laid(X, 0, 3),
                     (struct cgs_result *)results, &error),
           &error);
    for (int j = 0; j < 3; j++)
        ck_assert(results[j].size == sizeof results[j] &&
                  results[j].iterations == alone[j].result.iterations);
    results[1].size = sizeof(struct cgs_result);
    expect_error((enum status)cgs_solve(handles.solver, laid(B, 0, 3), vec(NULL), laid(X, 0, 3),
                                        (struct cgs_result *)results, &error),
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
    const double *first;
    int64_t rows;
    expect(handles_create(NULL, NULL, 1, &handles, &error), &error);
    draw(3);
    solve_alone(handles.solver, 3, false);
    expect_error(
        (enum status)cgs_solver_history(handles.solver, 1, "residual", &first, &rows, &error),
        STATUS_CONFIG, said, "the last solve has no column 1: it had 1", NULL);
    put(false, laid(B, 0, 3));
    expect(cgs_solve(handles.solver, laid(B, 0, 3), vec(NULL), laid(X, 0, 3), NULL, &error),
           &error);
    expect(cgs_solver_history(handles.solver, 0, "residual", &first, &rows, &error), &error);
    ck_assert_int_eq(rows, alone[0].rows);
    for (int64_t column = -1; column <= 3; column += 4)
        expect_error((enum status)cgs_solver_history(handles.solver, column, "residual", &first,
                                                     &rows, &error),
                     STATUS_CONFIG, said, "the last solve has no column", "it had 3", NULL);
    expect_error(
        (enum status)cgs_solver_history(handles.solver, 2, "residue", &first, &rows, &error),
        STATUS_CONFIG, said, "no series 'residue'", NULL);
    ck_assert(first == NULL && rows == 0);
    forget(3);
    handles_destroy(&handles);
}
END_TEST

/* --- on the way ------------------------------------------------------------------------------- */

struct watch {
    int64_t rows[MOST], ends_at;
};

static int watch_column(void *user, int64_t column, int64_t iteration, double residual)
{
    struct watch *watch = user;
    ck_assert_int_eq(iteration, watch->rows[column]++);
    ck_assert(same(residual, alone[column].history[iteration]));
    return column == 0 && iteration == watch->ends_at;
}

static void solve_three(struct cgs_solver *solver, struct cgs_result *results)
{
    struct cgs_error error;
    for (int j = 0; j < 3; j++)
        results[j] = (struct cgs_result){.size = sizeof results[j]};
    expect(cgs_solve(solver, laid(B, 0, 3), vec(NULL), laid(X, 0, 3), results, &error), &error);
}

START_TEST(a_monitor_is_told_the_column)
{
    struct cgs_error error;
    struct handles handles;
    struct cgs_result results[3];
    struct watch whole = {.ends_at = -1}, part = {.ends_at = 5};
    expect(handles_create(NULL, NULL, 2, &handles, &error), &error);
    draw(3);
    solve_alone(handles.solver, 3, false);
    put(false, laid(B, 0, 3));
    cgs_solver_monitor(handles.solver, watch_column, &whole);
    solve_three(handles.solver, results);
    for (int j = 0; j < 3; j++)
        ck_assert_int_eq(whole.rows[j], alone[j].rows);
    cgs_solver_monitor(handles.solver, watch_column, &part);
    solve_three(handles.solver, results);
    ck_assert_int_eq(results[0].reason, CGS_CANCELLED);
    ck_assert_int_eq(results[0].iterations, 5);
    ck_assert_int_eq(results[1].reason, CGS_CONVERGED); /* x = 0, with row 0 */
    ck_assert_int_eq(results[2].reason, CGS_CANCELLED);
    cgs_solver_monitor(handles.solver, NULL, NULL);
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
    put(false, laid(B, 0, 3));
    cgs_solver_poll(handles.solver, 0, at_once, &polls);
    solve_three(handles.solver, results);
    ck_assert(results[0].reason == CGS_CANCELLED && results[2].reason == CGS_CANCELLED);
    ck_assert_int_ge(polls, 1);
    cgs_solver_poll(handles.solver, 0, NULL, NULL);
    cgs_solver_monitor(handles.solver, cancel, handles.solver);
    put(true, laid(X0, 0, 3));
    expect(cgs_solve(handles.solver, laid(B, 0, 3), laid(X0, 0, 3), laid(X, 0, 3), results, &error),
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

static void refuse(struct cgs_solver *solver, struct cgs_array b, struct cgs_array x,
                   enum status wanted, const char *says)
{
    struct cgs_error error;
    X[0] = -7;
    expect_error((enum status)cgs_solve(solver, b, vec(NULL), x, NULL, &error), wanted,
                 (struct error *)&error, says, NULL);
    ck_assert(X[0] == -7);
}

START_TEST(what_is_refused)
{
    struct cgs_error error;
    struct handles handles;
    int looks = 0;
    expect(handles_create(NULL, NULL, 1, &handles, &error), &error);
    struct cgs_solver *solver = handles.solver;
    draw(2);
    put(false, laid(B, 0, 2));
    refuse(NULL, laid(B, 0, 2), laid(X, 0, 2), STATUS_CONFIG, "a solver is NULL");
    refuse(solver, laid(B, 0, -1), laid(X, 0, -1), STATUS_CONFIG,
           "b is 729 x -1: it must be 729 x 1");
    refuse(solver, grid_array(B, 2, 2, 0), laid(X, 0, 2), STATUS_CONFIG,
           "the strides of b are 2 and 0: each is at least 1");
    refuse(solver, laid(B, 0, 2), grid_array(X, 2, -1, N), STATUS_CONFIG,
           "the strides of x are -1");
    refuse(solver, laid(B, 0, 2), grid_array(X, 2, 1, N - 1), STATUS_CONFIG,
           "with the strides 1 and 728 of x its 729 rows and 2 columns overlap");
    refuse(solver, laid(B, 0, 3), grid_array(X, 3, 2, 1), STATUS_CONFIG,
           "with the strides 2 and 1 of x its 729 rows and 3 columns overlap");
    refuse(solver, laid(B, 0, 2), grid_array(X, 2, INT64_MAX / 2, 1), STATUS_MEMORY,
           "the size of x overflows");
    refuse(solver, grid_array(B, INT64_MAX / 2, 1, N), grid_array(X, INT64_MAX / 2, 1, N),
           STATUS_MEMORY, "the size of b overflows");
    expect(cgs_solver_look(solver, 1, look, &looks, &error), &error);
    refuse(solver, laid(B, 0, 2), laid(X, 0, 2), STATUS_CONFIG,
           "cgs_solver_look shows the x of one column, and there are 2");
    /* the strides of one column are nobody's affair */
    expect(cgs_solve(solver, grid_array(B, 1, 1, -5), vec(NULL), laid(X, 0, 1), NULL, &error),
           &error);
    ck_assert_int_gt(looks, 1);
    expect(cgs_solver_look(solver, 1, NULL, NULL, &error), &error);
    expect(cgs_solver_set(solver, "method", "lanczos", &error), &error);
    refuse(solver, laid(B, 0, 2), laid(X, 0, 2), STATUS_CONFIG,
           "the method lanczos is for cgs_solve_eigen");
    handles_destroy(&handles);
}
END_TEST

/* Each array by its name: shape, type, place, and what a later library may know. */
START_TEST(arrays_that_do_not_fit)
{
    enum { WRONGS = 7, NAMES = 7 };
    static const char *const names[] = {"b", "x0", "x", "x", "y", "start", "vectors"};
    const struct cgs_array wrong[] = {{.data = B, .rows = N - 1},
                                      {.data = B, .rows = N, .columns = 5},
                                      {.data = B, .rows = N, .type = CGS_FLOAT},
                                      {.data = B, .rows = N, .type = (enum cgs_type) - 1},
                                      {.data = B, .rows = N, .place = (enum cgs_place)2},
                                      {.data = B, .rows = N, .place = CGS_CUDA, .device = 3},
                                      {.data = B, .rows = N, .reserved = {0, 0, 0, 0, 1}}};
    static const char *const says[] = {
        " is 728 x 1: it must be 729 x 1",
        " is 729 x 5: it must be 729 x 1",
        " has the type CGS_FLOAT: it must be CGS_DOUBLE",
        " has the type -1, which is none",
        " has the place 2, which is none",
        " is in the memory of CUDA device 3: this context is on the CPU",
        " has something that this version of the library"};
    struct cgs_error error;
    struct handles handles;
    double values[1];
    char sentence[80];
    expect(handles_create(NULL, LIST("eigen.count", "1"), 1, &handles, &error), &error);
    for (int k = 0; k < NAMES * WRONGS; k++) {
        int name = k / WRONGS;
        struct cgs_array of[NAMES] = {vec(B), vec(X0), vec(X), vec(B), vec(X), vec(B), vec(X)};
        if (k % WRONGS == 1 && (name == 0 || name == 3))
            continue; /* they say how many there are */
        of[name] = wrong[k % WRONGS];
        X[0] = -7;
        expect(cgs_solver_set(handles.solver, "method", name < 5 ? "cg" : "lanczos", &error),
               &error);
        enum cgs_status status =
            name < 3   ? cgs_solve(handles.solver, of[0], of[1], of[2], NULL, &error)
            : name < 5 ? cgs_multiply(handles.kernel, of[3], of[4], &error)
                       : cgs_solve_eigen(handles.solver, of[5], values, of[6], NULL, &error);
        snprintf(sentence, sizeof sentence, "%s%s", names[name], says[k % WRONGS]);
        expect_error((enum status)status, STATUS_CONFIG, (struct error *)&error, sentence, NULL);
        ck_assert(strncmp(error.text, sentence, strlen(sentence)) == 0 && X[0] == -7);
    }
    handles_destroy(&handles);
}
END_TEST

/* Strides of 0, and columns of 0. */
START_TEST(what_is_left_open)
{
    struct cgs_error error;
    struct handles handles;
    expect(handles_create(NULL, NULL, 1, &handles, &error), &error);
    draw(3);
    solve_alone(handles.solver, 3, false);
    put(false, laid(B, 1, 3));
    struct cgs_array b = {.data = B, .rows = N, .columns = 3, .column_stride = N + GAP},
                     x = {.data = X, .rows = N, .columns = 3}, none = {.data = NULL},
                     first = {.data = B, .rows = N}, one = {.data = X, .rows = N};
    memset(X, 0xff, sizeof X);
    expect(cgs_solve(handles.solver, b, none, x, NULL, &error), &error);
    expect_solution(laid(X, 0, 3));
    ck_assert(isnan(X[3 * N]));
    memset(X, 0xff, sizeof X);
    expect(cgs_solve(handles.solver, first, none, one, NULL, &error), &error);
    expect_solution(laid(X, 0, 1));
    ck_assert(isnan(X[N]));
    forget(3);
    handles_destroy(&handles);
}
END_TEST

/* Memory of the CPU's space in the place of a device's: what is read, what is written, and that the
 * gap between two columns is not, nor one within a column or a row. */
START_TEST(arrays_on_a_device)
{
    static const int64_t ways[][2] = {{1, N}, {1, N + GAP}, {3, 1}, {2 * 3 + GAP, 2}, {4, 1}};
    const struct strided_wanted wanted = {"x", N, 3, STRIDED_DOUBLES};
    struct error error;
    struct space *space;
    draw(3);
    expect_ok(space_cpu_create(&(struct space_options){.threads = 1}, &space, &error), &error);
    for (int k = 0; k < 5; k++) {
        const struct cgs_array b = grid_array(B, 3, ways[k][0], ways[k][1]);
        const struct cgs_array x = grid_array(X, 3, ways[k][0], ways[k][1]);
        struct strided read, written;
        put(false, b);
        for (int64_t i = 0; i < ROOM; i++)
            X[i] = -7;
        expect_ok(strided_check(NULL, space, &b, &wanted, &read, &error), &error);
        expect_ok(strided_check(NULL, space, &x, &wanted, &written, &error), &error);
        read.at.place = written.at.place = CGS_CUDA;
        expect_ok(strided_read(space, &read, NULL, &error), &error);
        ck_assert(read.host != B);
        for (int j = 0; j < 3; j++) {
            memcpy(alone[j].x, (double *)read.host + j * N, sizeof alone[j].x);
            ck_assert_mem_eq(alone[j].x, alone[j].b, sizeof alone[j].x);
        }
        enum status status = strided_reserve(&written, &error);
        if (k < 3) {
            expect_ok(status, &error);
            memcpy(written.host, read.host, 3 * sizeof alone[0].x);
            expect_ok(strided_write(space, &written, &error), &error);
            expect_solution(x);
            expect_gaps(x);
        } else
            expect_error(status, STATUS_CONFIG, &error,
                         "the columns of x, or all its rows, are without gaps", NULL);
        strided_free(&read);
        strided_free(&written);
    }
    space->operations->destroy(space);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* --- products --------------------------------------------------------------------------------- */

static int twice(void *user, const struct cgs_array *x, const struct cgs_array *y, void *stream)
{
    (void)stream;
    for (int i = 0; i < N; i++)
        ((double *)y->data)[i] = 2 * ((const double *)x->data)[i];
    return ++*(int *)user > 40; /* one for each of 33 columns */
}

static void multiply_columns(struct cgs_operator *kernel, int64_t columns, int way)
{
    struct cgs_error error;
    const struct cgs_array x = laid(B, way % WAYS, columns), y = laid(X, way / WAYS, columns);
    for (int64_t k = 0; k < ROOM; k++)
        X[k] = -7;
    put(false, x);
    expect(cgs_multiply(kernel, x, y, &error), &error);
    expect_solution(y);
    expect_gaps(y);
    expect(cgs_multiply(kernel, x, x, &error), &error); /* one */
    expect_solution(x);
}

static void multiply_by(const char *const *kernel, int threads)
{
    static const int64_t counts[] = {1, 2, 3, MOST};
    struct cgs_error error;
    struct handles handles;
    expect(handles_create(kernel, NULL, threads, &handles, &error), &error);
    draw(MOST);
    for (int j = 0; j < MOST; j++)
        expect(cgs_multiply(handles.kernel, vec(alone[j].b), vec(alone[j].x), &error), &error);
    for (int k = 0; k < 4; k++)
        for (int way = 0; way < WAYS * WAYS; way += layouts_step())
            multiply_columns(handles.kernel, counts[k], way);
    handles_destroy(&handles);
}

START_TEST(products)
{
    struct cgs_error error;
    struct error *said = (struct error *)&error;
    struct cgs_context *context;
    struct cgs_operator *own;
    int calls = 0;
    multiply_by(NULL, 3);
    multiply_by(LIST("kernel", "cpu_csr"), 1);
    expect(cgs_context_create(NULL, &context, &error), &error);
    expect(cgs_operator_create_product(context, N, CGS_SYMMETRIC, twice, 0, &calls, NULL, &own,
                                       &error),
           &error);
    for (int j = 0; j < MOST; j++)
        for (int i = 0; i < N; i++)
            alone[j].x[i] = 2 * alone[j].b[i];
    put(false, laid(B, 0, MOST));
    expect(cgs_multiply(own, laid(B, 0, MOST), laid(X, 0, MOST), &error), &error);
    expect_solution(laid(X, 0, MOST));
    ck_assert_int_eq(calls, MOST);
    expect_error((enum status)cgs_multiply(own, laid(B, 0, MOST), laid(X, 0, MOST), &error),
                 STATUS_INPUT, said, "a product of the caller's failed: 1", NULL);
    expect_error((enum status)cgs_multiply(own, grid_array(B, 2, 2, 2), laid(X, 0, 2), &error),
                 STATUS_CONFIG, said, "with the strides 2 and 2 of x", NULL);
    expect_error((enum status)cgs_multiply(own, laid(B, 0, 2), grid_array(X, 2, 3, -2), &error),
                 STATUS_CONFIG, said, "the strides of y are 3 and -2", NULL);
    expect_error((enum status)cgs_multiply(NULL, laid(B, 0, 2), laid(X, 0, 2), &error),
                 STATUS_CONFIG, said, "an operator is NULL", NULL);
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
        status = cgs_multiply(handles.kernel, laid(B, 2, 3), laid(X, 2, 3), error);
    if (!status)
        status =
            cgs_solve(handles.solver, laid(B, 2, 3), laid(X0, 2, 3), laid(X, 2, 3), NULL, error);
    handles_destroy(&handles);
    return (enum status)status;
}

START_TEST(without_memory)
{
    static const char *options[] = {"preconditioner", "jacobi", NULL};
    handles_prepare();
    draw(3);
    put(false, laid(B, 2, 3));
    put(true, laid(X0, 2, 3));
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
        expect(cgs_solve(handles.solver, laid(B, 2, 3), vec(NULL), laid(x, 0, 3), NULL, &error),
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
    put(false, laid(B, 2, 3));
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
                                  arrays_that_do_not_fit,
                                  what_is_left_open,
                                  arrays_on_a_device,
                                  products,
                                  without_memory,
                                  contexts_in_several_threads,
                                  NULL};
    return suite_of("api/columns", tests);
}
