/* Coordinates and near-null vectors of a matrix: what set-up sees of them, wherever the matrix came
 * from and over ranks; and what is refused. */
#include "support.h"

#include "api/exchange_threads.h"
#include "api/over_grid.h"
#include "near_null_probe.h"
#include "ranks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = HANDLES_N, NODES = N / 3, COUNT = 4, ROWS = 60 };

static struct cgs_error error;
static struct error *const said = (struct error *)&error;

static void draw(uint64_t *state, int64_t count, double *values)
{
    for (int64_t k = 0; k < count; k++)
        values[k] = test_random(state) - 0.5;
}

/* rows x columns, row by row, without gaps. */
CGS_ADDRESS_ALONE static struct cgs_array table(const double *v, int64_t rows, int64_t columns)
{
    struct cgs_array array = cgs_vector(v, rows);
    array.columns = columns;
    array.row_stride = columns;
    array.column_stride = 1;
    return array;
}

static struct near_null modes_of(const double *coordinates)
{
    struct near_null made;
    expect_ok(near_null_rigid_body(NODES, 3, coordinates, &made, said), said);
    return made;
}

static struct near_null vectors_of(const double *values, int64_t n, int64_t block, int64_t count)
{
    struct near_null made;
    expect_ok(near_null_of(n, block, count, values, &made, said), said);
    return made;
}

static void solve(const struct handles *handles)
{
    double b[N], x[N];
    for (int i = 0; i < N; i++)
        b[i] = 1;
    expect(cgs_solve(handles->solver, vec(b), vec(NULL), vec(x), NULL, &error), &error);
}

/* --- one rank --------------------------------------------------------------------------------- */

/* What was made before follows, and forgets. */
START_TEST(solvers_follow)
{
    uint64_t state = test_seed();
    double coordinates[N], values[N * COUNT];
    struct handles handles;
    near_null_probe_add();
    for (int p = 0; p < 2; p++) {
        draw(&state, N, coordinates);
        draw(&state, N * COUNT, values);
        struct near_null modes = modes_of(coordinates), vectors = vectors_of(values, N, 3, COUNT);
        near_null_probe_expect(NULL);
        expect(handles_create(NULL, LIST("preconditioner", p ? "probe_own" : "probe_all"), 2,
                              &handles, &error),
               &error);
        ck_assert_int_eq(near_null_probe_met(), 1);
        near_null_probe_expect(&modes);
        expect(cgs_matrix_coordinates(handles.A, table(coordinates, NODES, 3), &error), &error);
        solve(&handles);
        solve(&handles);
        ck_assert_int_eq(near_null_probe_met(), 1);
        near_null_probe_expect(&vectors);
        expect(cgs_matrix_near_null(handles.A, table(values, N, COUNT), 3, &error), &error);
        memset(values, 0, sizeof values); /* copied */
        solve(&handles);
        ck_assert_int_eq(near_null_probe_met(), 1);
        near_null_probe_expect(NULL);
        expect(cgs_matrix_near_null(handles.A, vec(NULL), 0, &error), &error);
        solve(&handles);
        ck_assert_int_eq(near_null_probe_met(), 1);
        handles_destroy(&handles);
        near_null_free(&modes);
        near_null_free(&vectors);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(arrays_of_any_strides)
{
    uint64_t state = test_seed();
    double spread[5 * N], values[N * COUNT];
    struct handles handles;
    near_null_probe_add();
    near_null_probe_expect(NULL);
    expect(handles_create(NULL, LIST("preconditioner", "probe_all"), 2, &handles, &error), &error);
    static const int64_t strides[][2] = {{COUNT, 1}, {1, N}, {1, N + 7}, {COUNT + 1, 1}};
    for (size_t s = 0; s < sizeof strides / sizeof *strides; s++) {
        draw(&state, N * COUNT, values);
        memset(spread, -1, sizeof spread); /* NaN */
        for (int64_t i = 0; i < N; i++)
            for (int64_t v = 0; v < COUNT; v++)
                spread[i * strides[s][0] + v * strides[s][1]] = values[i * COUNT + v];
        struct near_null vectors = vectors_of(values, N, 1, COUNT);
        near_null_probe_expect(&vectors);
        expect(cgs_matrix_near_null(
                   handles.A, grid_array(spread, COUNT, strides[s][0], strides[s][1]), 0, &error),
               &error);
        solve(&handles);
        ck_assert_int_eq(near_null_probe_met(), 1);
        near_null_free(&vectors);
    }
    handles_destroy(&handles);
}
END_TEST

/* A chain, which is to be borrowed, updated and read from a file. */
static int32_t offsets[ROWS + 1], columns[2 * ROWS];
static double entries[2 * ROWS];

static struct cgs_matrix_data chain(double heavy, int borrow)
{
    int32_t k = 0;
    for (int32_t i = 0; i < ROWS; i++) {
        offsets[i] = k;
        columns[k] = i;
        entries[k++] = heavy;
        columns[k] = i + 1;
        entries[k] = -1;
        k += i + 1 < ROWS;
    }
    offsets[ROWS] = k;
    return (struct cgs_matrix_data){.size = sizeof(struct cgs_matrix_data),
                                    .n = ROWS,
                                    .offsets = cgs_int32(offsets, ROWS + 1),
                                    .columns = cgs_int32(columns, k),
                                    .values = cgs_vector(entries, k),
                                    .part = CGS_UPPER,
                                    .borrow = borrow};
}

/* Values given before anything is made of the matrix stay when it gets others, also such that are
 * scaled; a study has them too. */
static void use(struct handles *made, const char *name, const double *values, int borrow)
{
    double b[ROWS], x[ROWS];
    struct cgs_study *study;
    struct near_null vectors = vectors_of(values, ROWS, 2, COUNT);
    memcpy(b, values, sizeof b);
    near_null_probe_expect(&vectors);
    expect(cgs_matrix_near_null(made->A, table(values, ROWS, COUNT), 2, &error), &error);
    expect(cgs_operator_create(made->A, NULL, &made->kernel, &error), &error);
    expect(cgs_solver_create(made->kernel, LIST("preconditioner", name), &made->solver, &error),
           &error);
    for (int turn = 0; turn < 3; turn++) {
        struct cgs_matrix_data data = chain(turn == 2 ? 1e300 : 4 + turn, borrow);
        if (turn > 0)
            expect(cgs_matrix_update(made->A, &data, &error), &error);
        expect(cgs_solve(made->solver, cgs_vector(b, ROWS), vec(NULL), cgs_vector(x, ROWS), NULL,
                         &error),
               &error);
        ck_assert_int_eq(near_null_probe_met(), 1 + turn);
    }
    expect(cgs_study_create(made->A, LIST("preconditioner", name), &study, &error), &error);
    expect(cgs_study_add(study, NULL, NULL, &error), &error);
    expect(cgs_study_run(study, b, NULL, 1, NULL, NULL, &error), &error);
    ck_assert_int_eq(near_null_probe_met(), 4);
    cgs_study_destroy(study);
    handles_destroy(made);
    near_null_free(&vectors);
}

START_TEST(matrices_of_every_source)
{
    uint64_t state = test_seed();
    double values[ROWS * COUNT];
    char text[4096] = "%%MatrixMarket matrix coordinate real symmetric\n60 60 119\n";
    int at = (int)strlen(text);
    for (int i = 1; i <= ROWS; i++)
        at += snprintf(text + at, sizeof text - (size_t)at,
                       i < ROWS ? "%d %d 4\n%d %d -1\n" : "%d %d 4\n", i, i, i + 1, i);
    const char *file = temporary_file("chain.mtx", text, -1);
    near_null_probe_add();
    for (int k = 0; k < 6; k++) {
        struct handles made = {NULL};
        struct cgs_matrix_data data = chain(4, k % 3 == 1);
        draw(&state, ROWS * COUNT, values);
        expect(cgs_context_create(NULL, &made.context, &error), &error);
        if (k % 3 == 2)
            expect(cgs_matrix_read(made.context, file, 0, &made.A, &error), &error);
        else
            expect(cgs_matrix_create(made.context, &data, &made.A, &error), &error);
        use(&made, k < 3 ? "probe_all" : "probe_own", values, k % 3 == 1);
        ck_assert_int_eq(memory_live(), 0);
    }
}
END_TEST

/* --- refused ---------------------------------------------------------------------------------- */

static void refused(struct cgs_matrix *A, bool nodes, struct cgs_array array, int64_t block,
                    const char *says)
{
    enum cgs_status status = nodes ? cgs_matrix_coordinates(A, array, &error)
                                   : cgs_matrix_near_null(A, array, block, &error);
    expect_error((enum status)status, STATUS_CONFIG, said, says, NULL);
}

static int give_again(void *user, int64_t column, int64_t iteration, double residual)
{
    (void)column, (void)iteration, (void)residual;
    refused(user, false, vec(NULL), 0, "a call goes on");
    return 1;
}

/* What was known stays. */
START_TEST(what_does_not_fit)
{
    uint64_t state = test_seed();
    static double values[N * 13];
    struct handles handles;
    struct cgs_array floats = table(values, NODES, 3);
    draw(&state, N * 13, values);
    near_null_probe_add();
    near_null_probe_expect(NULL);
    expect(handles_create(NULL, LIST("preconditioner", "probe_all"), 1, &handles, &error), &error);
    struct near_null modes = modes_of(values);
    near_null_probe_expect(&modes);
    expect(cgs_matrix_coordinates(handles.A, table(values, NODES, 3), &error), &error);
    floats.type = CGS_FLOAT;
    refused(NULL, true, vec(NULL), 0, "a matrix is NULL");
    refused(NULL, false, vec(NULL), 0, "a matrix is NULL");
    refused(handles.A, true, table(values, NODES - 1, 3), 0,
            "coordinates is 242 x 3: it must be 243 x 3");
    refused(handles.A, true, table(values, NODES, 4), 0, "4 columns: they must have 2 or 3");
    refused(handles.A, true, vec(values), 0, "1 columns: they must have 2 or 3");
    refused(handles.A, true, table(values, N / 2, 2), 0, "the 729 rows from 0 on are not as many");
    refused(handles.A, true, floats, 0, "CGS_FLOAT");
    refused(handles.A, false, table(values, N - 1, 2), 0, "it must be 729 x 2");
    refused(handles.A, false, table(values, N, 13), 0, "13 vectors: must have 1 to 12");
    refused(handles.A, false, table(values, N, 2), 2, "blocks of 2");
    refused(handles.A, false, table(values, N, 2), -1, "blocks of -1");
    values[7] = NAN;
    refused(handles.A, true, table(values, NODES, 3), 0, "coordinate 2 of node 3 is not finite");
    refused(handles.A, false, table(values, N, 2), 0, "row 4 of near-null vector 2 is not finite");
    for (int i = 0; i < N; i++)
        values[i] = 0;
    refused(handles.A, false, vec(values), 0, "near-null vector 1 is 0");
    cgs_solver_monitor(handles.solver, give_again, handles.A);
    solve(&handles);
    ck_assert_int_eq(near_null_probe_met(), 1);
    handles_destroy(&handles);
    near_null_free(&modes);
}
END_TEST

/* A library reads no file by the way, and coordinates that are wanted must be there. */
START_TEST(options_that_want_more)
{
    static const char *const cases[][3] = {
        {"coordinates", "c.npy", "preconditioner.coordinates = c.npy: the library reads no"},
        {"vectors", "v.npy", "preconditioner.vectors = v.npy: the library reads no"},
        {"near_null", "rigid_body", "near_null = \"rigid_body\": neither coordinates nor vectors"},
        {"near_null", "file", "vectors must name the file"},
    };
    struct handles handles;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char key[64];
        snprintf(key, sizeof key, "preconditioner.%s", cases[k][0]);
        expect_error(
            (enum status)handles_create(NULL, LIST("preconditioner", "multigrid", key, cases[k][1]),
                                        1, &handles, &error),
            STATUS_CONFIG, said, cases[k][2], NULL);
        handles_destroy(&handles);
    }
}
END_TEST

static enum status attempt(void *context, struct error *why)
{
    static double values[N];
    struct cgs_error *own = (struct cgs_error *)why;
    struct handles *handles = context;
    for (int i = 0; i < N; i++)
        values[i] = i % 7;
    enum cgs_status status = cgs_matrix_coordinates(handles->A, table(values, NODES, 3), own);
    if (!status)
        status = cgs_matrix_near_null(handles->A, grid_array(values, 1, 1, N), 3, own);
    cgs_matrix_near_null(handles->A, vec(NULL), 0, NULL);
    return (enum status)status;
}

START_TEST(every_allocation_may_fail)
{
    struct handles handles;
    expect(handles_create(NULL, NULL, 1, &handles, &error), &error);
    walk_allocation_failures(attempt, &handles);
    handles_destroy(&handles);
}
END_TEST

/* --- ranks ------------------------------------------------------------------------------------ */

enum fault { FAULT_NONE, FAULT_MISSING, FAULT_OTHER_COLUMNS, FAULT_NAN, FAULT_BLOCK, FAULT_TORN };

static const char *const faults[] = {
    [FAULT_MISSING] = "0 columns: those of the first rows have",
    [FAULT_OTHER_COLUMNS] = "2 columns: those of the first rows have",
    [FAULT_NAN] = "is not finite",
    [FAULT_BLOCK] = "block of a near-null space",
    [FAULT_TORN] = "are not as many for each node",
};

struct rank {
    struct exchange *exchange; /* first */
    const double *coordinates, *vectors;
    int64_t first, rows;
    enum fault fault; /* of this rank, and what all get */
    const char *name, *kernel, *says;
    struct cgs_error error;
};

/* The own rows of a chain of N. */
static enum cgs_status create(struct rank *rank, struct handles *made)
{
    static const struct cgs_context_options alone = {.size = sizeof alone, .threads = 1};
    struct cgs_context_options options = alone;
    struct cgs_exchange exchange = exchange_of_team(rank->exchange);
    int32_t begins[N + 1], places[2 * N], k = 0;
    double numbers[2 * N];
    for (int32_t i = 0; i < (int32_t)rank->rows; i++) {
        begins[i] = k;
        places[k] = (int32_t)rank->first + i;
        numbers[k++] = 4;
        places[k] = (int32_t)rank->first + i + 1;
        numbers[k] = -1;
        k += rank->first + i + 1 < N;
    }
    begins[rank->rows] = k;
    struct cgs_matrix_data data = {.size = sizeof data,
                                   .n = N,
                                   .offsets = cgs_int32(begins, rank->rows + 1),
                                   .columns = cgs_int32(places, k),
                                   .values = cgs_vector(numbers, k),
                                   .part = CGS_UPPER,
                                   .first_row = rank->first,
                                   .own_rows = rank->rows};
    options.exchange = &exchange;
    enum cgs_status status = cgs_context_create(&options, &made->context, &rank->error);
    return status ? status : cgs_matrix_create(made->context, &data, &made->A, &rank->error);
}

static enum cgs_status give(const struct rank *rank, const struct handles *made, bool nodes,
                            struct cgs_error *why)
{
    int64_t count = nodes ? 3 : COUNT, rows = rank->rows / (nodes ? 3 : 1);
    const double *from =
        nodes ? rank->coordinates + rank->first : rank->vectors + rank->first * COUNT;
    double own[COUNT * N];
    memcpy(own, from, (size_t)(rows * count) * sizeof *own);
    if (rank->fault == FAULT_NAN)
        own[rows * count - 1] = NAN;
    struct cgs_array array = table(rows > 0 && rank->fault != FAULT_MISSING ? own : NULL, rows,
                                   rank->fault == FAULT_OTHER_COLUMNS ? 2 : count);
    return nodes ? cgs_matrix_coordinates(made->A, array, why)
                 : cgs_matrix_near_null(made->A, array, rank->fault == FAULT_BLOCK ? 3 : 0, why);
}

static void *work(void *context)
{
    struct rank *rank = context;
    struct handles made = {NULL};
    double b[N], x[N];
    const char *solver[] = {"preconditioner", rank->name, NULL},
               *kernel[] = {"kernel", "cpu_csr", "kernel.precision", rank->kernel, NULL};
    expect(create(rank, &made), &rank->error);
    if (rank->says) {
        struct cgs_error own;
        bool nodes = rank->says != faults[FAULT_BLOCK];
        expect_error((enum status)give(rank, &made, nodes, &own), STATUS_CONFIG,
                     (struct error *)&own, rank->says, NULL);
        rank->fault = FAULT_NONE;
    }
    if (rank->says != faults[FAULT_TORN])
        expect(give(rank, &made, true, &rank->error), &rank->error); /* which the next replaces */
    expect(give(rank, &made, false, &rank->error), &rank->error);
    for (int64_t i = 0; i < rank->rows; i++)
        b[i] = 1;
    expect(cgs_operator_create(made.A, kernel, &made.kernel, &rank->error), &rank->error);
    expect(cgs_solver_create(made.kernel, solver, &made.solver, &rank->error), &rank->error);
    const struct cgs_array all = cgs_vector(rank->rows ? b : NULL, rank->rows);
    expect(cgs_solve(made.solver, all, cgs_vector(NULL, 0),
                     cgs_vector(rank->rows ? x : NULL, rank->rows), NULL, &rank->error),
           &rank->error);
    handles_destroy(&made);
    return NULL;
}

/* Whole nodes each, some none; a torn one in the rows of rank 0. */
static void divide(struct rank *rank, int ranks, enum fault fault, uint64_t *state)
{
    int64_t begin = 0;
    for (int r = 0; r < ranks; r++) {
        int64_t left = (N - begin) / 3, rows = 3 * (2 + test_random_below(state, left / 2));
        rank[r].first = begin;
        rank[r].rows = r == ranks - 1 ? N - begin : r == 1 ? 0 : rows;
        if (fault == FAULT_TORN && r == 0)
            rank[r].rows--;
        begin += rank[r].rows;
    }
}

START_TEST(ranks_give_their_rows)
{
    enum { RANKS = 4 };
    static const char *const kernels[] = {"double", "float"}, *const names[] = {"probe_all",
                                                                                "probe_own"};
    uint64_t state = test_seed();
    double coordinates[N], vectors[COUNT * N];
    draw(&state, N, coordinates);
    draw(&state, COUNT * N, vectors);
    struct near_null wanted = vectors_of(vectors, N, 1, COUNT);
    near_null_probe_add();
    for (int way = 0; way < 4; way++)
        for (enum fault fault = FAULT_NONE; fault <= FAULT_TORN; fault++) {
            struct rank rank[RANKS];
            int ranks = way == 0 ? 3 : RANKS;
            for (int r = 0; r < ranks; r++)
                rank[r] = (struct rank){.coordinates = coordinates,
                                        .vectors = vectors,
                                        .fault = r == 2 ? fault : FAULT_NONE,
                                        .name = names[way % 2],
                                        .kernel = kernels[way / 2],
                                        .says = faults[fault]};
            divide(rank, ranks, fault, &state);
            near_null_probe_expect(&wanted);
            test_ranks(ranks, work, rank, sizeof *rank);
            ck_assert_int_eq(near_null_probe_met(), ranks);
        }
    near_null_free(&wanted);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {solvers_follow,           arrays_of_any_strides,
                            matrices_of_every_source, what_does_not_fit,
                            options_that_want_more,   every_allocation_may_fail,
                            ranks_give_their_rows,    NULL};
    return suite_of("api/near_null", tests);
}
