/* Arrays in the memory of a device: the bits of those on the host; work of the caller's stream is
 * waited for; and what is elsewhere is refused. */
#include "support.h"

#include "api/any_entries.h"
#include "api/handles.h"
#include "api/over_grid.h"
#include "base/random.h"
#include "cuda_device.h"
#include "made.h"
#include "solver/solve.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = HANDLES_N, COUNT = 3 };

/* --- the caller's memory of the device -------------------------------------------------------- */

static struct space *open_device(void)
{
    struct space *device;
    struct error error;
    struct space_options options = {.threads = 1};
    expect_ok(space_create(SPACE_CUDA, &options, &device, &error), &error);
    return device;
}

static void *put(struct space *device, const void *host, int64_t bytes)
{
    struct error error;
    void *copy;
    expect_ok(device->operations->allocate(device, bytes, 1, "an array", &copy, &error), &error);
    expect_ok(device->operations->upload(device, bytes, host, copy, &error), &error);
    return copy;
}

static double *put_vector(struct space *device, const double *host, int64_t n)
{
    return put(device, host, n * (int64_t)sizeof *host);
}

static void expect_on_device(struct space *device, const double *copy, const double *wanted,
                             int64_t n)
{
    struct error error;
    double *host = malloc((size_t)n * sizeof *host);
    expect_ok(space_download(device, n, copy, host, &error), &error);
    ck_assert(memcmp(host, wanted, (size_t)n * sizeof *host) == 0);
    free(host);
}

/* --- a matrix, on host and device ---------------------------------------------------------- */

struct arrays {
    int64_t *rows;
    int32_t *narrow_offsets, *columns;
    double *values;
    float *singles;
    struct csr A;
};

static void make_arrays(struct arrays *made)
{
    struct csr *A = &made->A;
    grid(HANDLES_SIDE, 100, A);
    made->columns = A->columns;
    made->values = A->values;
    made->rows = malloc((size_t)A->nnz * sizeof *made->rows);
    made->narrow_offsets = malloc((size_t)(N + 1) * sizeof *made->narrow_offsets);
    made->singles = malloc((size_t)A->nnz * sizeof *made->singles);
    for (int i = 0; i <= N; i++)
        made->narrow_offsets[i] = (int32_t)A->offsets[i];
    for (int i = 0; i < N; i++)
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++)
            made->rows[k] = i;
    for (int64_t k = 0; k < A->nnz; k++)
        made->singles[k] = (float)A->values[k];
}

static void free_arrays(struct arrays *arrays)
{
    free(arrays->rows);
    free(arrays->narrow_offsets);
    free(arrays->singles);
    csr_free(&arrays->A);
}

/* The ways to hand over a matrix: rows of 32 bits; entries of 64 bits, values as singles. */
static struct cgs_matrix_data data_of(const struct arrays *arrays, int way, int64_t *wide)
{
    int64_t nnz = arrays->A.nnz;
    struct cgs_matrix_data data = {.size = sizeof data,
                                   .n = N,
                                   .offsets = cgs_int32(arrays->narrow_offsets, N + 1),
                                   .columns = cgs_int32(arrays->columns, nnz),
                                   .values = cgs_vector(arrays->values, nnz),
                                   .part = CGS_UPPER};
    if (way == 0)
        return data;
    for (int64_t k = 0; k < nnz; k++)
        wide[k] = arrays->columns[k];
    data.offsets.data = NULL;
    data.rows = (struct cgs_array){arrays->rows, nnz, .type = CGS_INT64};
    data.columns = (struct cgs_array){wide, nnz, .type = CGS_INT64};
    data.values = (struct cgs_array){arrays->singles, nnz, .type = CGS_FLOAT};
    return data;
}

/* The same with its arrays in the device's memory. */
static struct cgs_matrix_data device_data(struct space *device, const struct cgs_matrix_data *data)
{
    struct cgs_matrix_data made = *data;
    struct cgs_array *arrays[] = {&made.offsets, &made.rows, &made.columns, &made.values};
    for (int k = 0; k < 4; k++) {
        bool narrow = arrays[k]->type == CGS_FLOAT || arrays[k]->type == CGS_INT32;
        if (!arrays[k]->data)
            continue;
        arrays[k]->data = put(device, arrays[k]->data, arrays[k]->rows * (narrow ? 4 : 8));
        arrays[k]->place = CGS_CUDA;
    }
    return made;
}

static void release_data(struct space *device, const struct cgs_matrix_data *made)
{
    void *arrays[] = {made->offsets.data, made->rows.data, made->columns.data, made->values.data};
    for (int k = 0; k < 4; k++)
        device->operations->release(device, arrays[k]);
}

static struct cgs_array on_device(struct cgs_array array)
{
    array.place = CGS_CUDA;
    return array;
}

static void create(const struct cgs_matrix_data *data, void *stream, const char *const *solver,
                   struct handles *made)
{
    struct cgs_error error;
    struct cgs_context_options options = {
        .size = sizeof options, .place = CGS_CUDA, .stream = stream};
    *made = (struct handles){NULL};
    expect(cgs_context_create(&options, &made->context, &error), &error);
    expect(cgs_matrix_create(made->context, data, &made->A, &error), &error);
    expect(cgs_operator_create(made->A, NULL, &made->kernel, &error), &error);
    expect(cgs_solver_create(made->kernel, solver, &made->solver, &error), &error);
}

static struct cgs_context *open_context(void)
{
    struct cgs_error error;
    struct cgs_context *context;
    struct cgs_context_options options = {.size = sizeof options, .place = CGS_CUDA};
    expect(cgs_context_create(&options, &context, &error), &error);
    return context;
}

/* --- tests ------------------------------------------------------------------------------------ */

static void multiply_both(struct space *device, const struct handles *handles, const double *x)
{
    struct cgs_error error;
    double y[N];
    double *x_device = put_vector(device, x, N), *y_local;
    memset(y, 0xff, sizeof y);
    y_local = put_vector(device, y, N);
    expect(cgs_multiply(handles->kernel, vec(x), vec(y), &error), &error);
    expect(cgs_multiply(handles->kernel, on_device(vec(x_device)), on_device(vec(y_local)), &error),
           &error);
    expect_on_device(device, y_local, y, N);
    expect_on_device(device, x_device, x, N);
    expect(
        cgs_multiply(handles->kernel, on_device(vec(x_device)), on_device(vec(x_device)), &error),
        &error); /* one */
    expect_on_device(device, x_device, y, N);
    space_release(device, x_device);
    space_release(device, y_local);
}

/* Products with columns, on the host or the device, have the bits of single products. */
static void multiply_columns(struct space *device, const struct handles *handles, const double *x)
{
    enum { COLUMNS = 3 };
    struct cgs_error error;
    double X[COLUMNS * N], Y[COLUMNS * N], column[N], y[N];
    for (int k = 0; k < COLUMNS * N; k++)
        X[k] = x[k % N];
    double *X_device = put_vector(device, X, COLUMNS * N);
    memset(Y, 0xff, sizeof Y);
    expect(cgs_multiply(handles->kernel, grid_array(X, COLUMNS, COLUMNS, 1),
                        grid_array(Y, COLUMNS, COLUMNS, 1), &error),
           &error);
    for (int j = 0; j < COLUMNS; j++) {
        for (int i = 0; i < N; i++)
            column[i] = X[i * COLUMNS + j];
        expect(cgs_multiply(handles->kernel, vec(column), vec(y), &error), &error);
        for (int i = 0; i < N; i++)
            ck_assert(Y[i * COLUMNS + j] == y[i]);
        /* with a stride, from the device to the host */
        memset(column, 0xff, sizeof column);
        expect(cgs_multiply(handles->kernel, on_device(grid_array(X_device + j, 1, COLUMNS, 1)),
                            vec(column), &error),
               &error);
        ck_assert_mem_eq(column, y, sizeof y);
    }
    space_release(device, X_device);
}

/* Columns and rows with gaps on the device: as on the host, and the gaps are unchanged. */
static void multiply_columns_on_device(struct space *device, const struct handles *handles,
                                       const double *x)
{
    enum { COLUMNS = 34, ROOM = (COLUMNS + 1) * (N + 2) };
    static double X[ROOM], Y[ROOM];
    const int64_t ways[][2] = {{1, N}, {1, N + 2}, {COLUMNS, 1}, {COLUMNS + 1, 1}};
    struct cgs_error error;
    for (int turn = 0; turn < 16; turn++) {
        const int64_t *from = ways[turn / 4], *to = ways[turn % 4];
        int64_t columns = turn % 3 ? COLUMNS : 1 + turn % 5;
        for (int k = 0; k < ROOM; k++)
            X[k] = Y[k] = x[k % N];
        double *X_device = put_vector(device, X, ROOM), *Y_device = put_vector(device, Y, ROOM);
        expect(cgs_multiply(handles->kernel, grid_array(X, columns, from[0], from[1]),
                            grid_array(Y, columns, to[0], to[1]), &error),
               &error);
        expect(cgs_multiply(handles->kernel,
                            on_device(grid_array(X_device, columns, from[0], from[1])),
                            on_device(grid_array(Y_device, columns, to[0], to[1])), &error),
               &error);
        expect_on_device(device, X_device, X, ROOM);
        expect_on_device(device, Y_device, Y, ROOM);
        space_release(device, X_device);
        space_release(device, Y_device);
    }
}

/* From x0, into x, into x0 and into b; and with b on the host. */
static void solve_both(struct space *device, const struct handles *handles, const double *b,
                       const double *x0)
{
    struct cgs_error error;
    struct cgs_result host = {.size = sizeof host}, gpu = {.size = sizeof gpu};
    double x[N], poison[N];
    memset(poison, 0xff, sizeof poison);
    expect(cgs_solve(handles->solver, vec(b), vec(x0), vec(x), &host, &error), &error);
    for (int way = 0; way < 4; way++) {
        double *b_device = put_vector(device, b, N), *x0_device = put_vector(device, x0, N);
        double *apart = put_vector(device, poison, N);
        double *to = way == 1 ? x0_device : way == 2 ? b_device : apart;
        expect(cgs_solve(handles->solver, way == 3 ? vec(b) : on_device(vec(b_device)),
                         on_device(vec(x0_device)), on_device(vec(to)), &gpu, &error),
               &error);
        expect_on_device(device, to, x, N);
        ck_assert(gpu.reason == CGS_CONVERGED && gpu.iterations == host.iterations);
        ck_assert(gpu.residual == host.residual && gpu.true_residual == host.true_residual);
        space_release(device, b_device);
        space_release(device, x0_device);
        space_release(device, apart);
    }
}

/* From x0 or from 0; one column after the other, with a gap, and one row after the other, with one.
 * What lies in the gap stays. A column of zeros ends at once. */
static void solve_columns_both(struct space *device, const struct handles *handles, const double *b)
{
    enum { COLUMNS = 4, ROOM = (COLUMNS + 1) * (N + 2) };
    const int64_t ways[][2] = {{1, N}, {1, N + 2}, {COLUMNS, 1}, {COLUMNS + 1, 1}};
    struct cgs_error error;
    struct cgs_result host[COLUMNS], gpu[COLUMNS];
    double x[ROOM], B[ROOM];
    for (int turn = 0; turn < 8; turn++) {
        int64_t row = ways[turn / 2][0], column = ways[turn / 2][1];
        for (int k = 0; k < ROOM; k++)
            B[k] = x[k] = b[k % N];
        for (int i = 0; i < N; i++)
            B[i * row + column] = 0;
        double *B_device = put_vector(device, B, ROOM), *x_device = put_vector(device, x, ROOM);
        for (int j = 0; j < COLUMNS; j++)
            host[j] = gpu[j] = (struct cgs_result){.size = sizeof gpu[j]};
        expect(cgs_solve(handles->solver, grid_array(B, COLUMNS, row, column),
                         grid_array(turn % 2 ? x : NULL, COLUMNS, row, column),
                         grid_array(x, COLUMNS, row, column), host, &error),
               &error);
        expect(cgs_solve(handles->solver, on_device(grid_array(B_device, COLUMNS, row, column)),
                         on_device(grid_array(turn % 2 ? x_device : NULL, COLUMNS, row, column)),
                         on_device(grid_array(x_device, COLUMNS, row, column)), gpu, &error),
               &error);
        expect_on_device(device, x_device, x, ROOM);
        expect_on_device(device, B_device, B, ROOM);
        for (int j = 0; j < COLUMNS; j++) {
            ck_assert_int_eq(gpu[j].reason, CGS_CONVERGED);
            ck_assert_int_eq(gpu[j].iterations, host[j].iterations);
            ck_assert_mem_eq(&gpu[j].true_residual, &host[j].true_residual, sizeof(double));
        }
        expect_error((enum status)cgs_solve(
                         handles->solver, grid_array(B, COLUMNS - 1, COLUMNS, 1),
                         on_device(grid_array(NULL, COLUMNS - 1, COLUMNS, 1)),
                         on_device(grid_array(x_device, COLUMNS - 1, COLUMNS, 1)), NULL, &error),
                     STATUS_CONFIG, (struct error *)&error, "without gaps", NULL);
        space_release(device, B_device);
        space_release(device, x_device);
    }
}

START_TEST(the_bits_of_the_host)
{
    if (!cuda_device_is_there())
        return;
    struct cgs_error error;
    struct arrays arrays;
    struct handles host, gpu;
    struct space *device = open_device();
    uint64_t state = test_seed() + (uint64_t)_i;
    double b[N], x0[N];
    make_arrays(&arrays);
    int64_t *wide = malloc((size_t)arrays.A.nnz * sizeof *wide);
    struct cgs_matrix_data data = data_of(&arrays, _i, wide);
    struct cgs_matrix_data data_on_device = device_data(device, &data);
    create(&data, NULL, LIST("tolerance", "1e-10"), &host);
    create(&data_on_device, NULL, LIST("tolerance", "1e-10"), &gpu);
    ck_assert(cgs_matrix_hash(gpu.A) == cgs_matrix_hash(host.A));
    expect(cgs_matrix_update(gpu.A, &data_on_device, &error), &error);
    ck_assert(cgs_matrix_hash(gpu.A) == cgs_matrix_hash(host.A));
    random_vector(test_random_below(&state, 1 << 30), N, b);
    random_vector(test_random_below(&state, 1 << 30), N, x0);
    multiply_both(device, &gpu, b);
    multiply_columns(device, &gpu, b);
    multiply_columns_on_device(device, &gpu, b);
    solve_both(device, &gpu, b, x0);
    solve_columns_both(device, &gpu, b);
    handles_destroy(&host);
    handles_destroy(&gpu);
    release_data(device, &data_on_device);
    device->operations->destroy(device);
    free(wide);
    free_arrays(&arrays);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(a_preconditioner_alone)
{
    if (!cuda_device_is_there())
        return;
    struct cgs_error error;
    struct arrays arrays;
    struct handles handles;
    struct space *device = open_device();
    double r[N], z[N];
    make_arrays(&arrays);
    struct cgs_matrix_data data = data_of(&arrays, 0, NULL);
    create(&data, NULL, LIST("preconditioner", "multigrid"), &handles);
    random_vector((int64_t)(test_seed() >> 33), N, r);
    double *r_device = put_vector(device, r, N), *z_device = put_vector(device, r, N);
    expect(cgs_precondition(handles.solver, vec(r), vec(z), &error), &error);
    expect(cgs_precondition(handles.solver, on_device(vec(r_device)), on_device(vec(z_device)),
                            &error),
           &error);
    expect_on_device(device, z_device, z, N);
    expect_on_device(device, r_device, r, N);
    space_release(device, r_device);
    space_release(device, z_device);
    handles_destroy(&handles);
    device->operations->destroy(device);
    free_arrays(&arrays);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Coordinates and vectors of the device are those of the host. */
START_TEST(near_null_vectors)
{
    if (!cuda_device_is_there())
        return;
    struct cgs_error error;
    struct arrays arrays;
    struct handles handles;
    struct space *device = open_device();
    double values[N * COUNT], r[N], z[2][N];
    make_arrays(&arrays);
    struct cgs_matrix_data data = data_of(&arrays, 0, NULL);
    create(&data, NULL, LIST("preconditioner", "multigrid"), &handles);
    random_vector((int64_t)(test_seed() >> 33), N, r);
    random_vector((int64_t)(test_seed() >> 34), N * COUNT, values);
    double *copy = put_vector(device, values, N * COUNT);
    for (int way = 0; way < 3; way++) { /* row by row, of nodes too; column by column */
        struct cgs_array given = grid_array(values, COUNT, way < 2 ? COUNT : 1, way < 2 ? 1 : N);
        if (way == 0)
            given.rows = N / COUNT;
        for (int k = 0; k < 2; k++) {
            given.data = k ? copy : values;
            given.place = k ? CGS_CUDA : CGS_CPU;
            expect(way == 0 ? cgs_matrix_coordinates(handles.A, given, &error)
                            : cgs_matrix_near_null(handles.A, given, 0, &error),
                   &error);
            memset(z[k], -1, sizeof z[k]);
            cgs_solver_destroy(handles.solver);
            expect(cgs_solver_create(handles.kernel, LIST("preconditioner", "multigrid"),
                                     &handles.solver, &error),
                   &error);
            expect(cgs_precondition(handles.solver, vec(r), vec(z[k]), &error), &error);
        }
        ck_assert_mem_eq(z[0], z[1], sizeof z[0]);
    }
    space_release(device, copy);
    handles_destroy(&handles);
    device->operations->destroy(device);
    free_arrays(&arrays);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(eigenvectors)
{
    if (!cuda_device_is_there())
        return;
    struct cgs_error error;
    struct arrays arrays;
    struct handles handles;
    struct space *device = open_device();
    double start[N], values[COUNT], values_device[COUNT], *vectors, *vectors_device, *start_device;
    make_arrays(&arrays);
    struct cgs_matrix_data data = data_of(&arrays, 0, NULL);
    create(&data, NULL, LIST("method", "lanczos", "eigen.count", "3"), &handles);
    random_vector(5, N, start);
    vectors = malloc(COUNT * sizeof start);
    memset(vectors, 0xff, COUNT * sizeof start);
    start_device = put_vector(device, start, N);
    vectors_device = put_vector(device, vectors, COUNT * N);
    expect(cgs_solve_eigen(handles.solver, vec(start), values, grid_array(vectors, COUNT, 1, N),
                           NULL, &error),
           &error);
    expect(cgs_solve_eigen(handles.solver, on_device(vec(start_device)), values_device,
                           on_device(grid_array(vectors_device, COUNT, 1, N)), NULL, &error),
           &error);
    ck_assert(memcmp(values, values_device, sizeof values) == 0);
    expect_on_device(device, vectors_device, vectors, COUNT * N);
    expect(cgs_solve_eigen(handles.solver, on_device(vec(start_device)), values_device, vec(NULL),
                           NULL, &error),
           &error);
    ck_assert(memcmp(values, values_device, sizeof values) == 0);
    space_release(device, start_device);
    space_release(device, vectors_device);
    handles_destroy(&handles);
    free(vectors);
    free_arrays(&arrays);
    device->operations->destroy(device);
}
END_TEST

/* b is made on the caller's stream, by work that takes longer than a call takes to begin. */
START_TEST(the_stream_is_waited_for)
{
    enum { LENGTH = 1 << 26, PASSES = 200 };
    if (!cuda_device_is_there())
        return;
    struct cgs_error error;
    struct error own;
    struct arrays arrays;
    struct handles handles;
    struct space *device = open_device();
    double b[N], x[N], *b_device, *made, *x_device, *slow;
    make_arrays(&arrays);
    struct cgs_matrix_data data = data_of(&arrays, 0, NULL);
    create(&data, device->stream, NULL, &handles);
    random_vector(7, N, b);
    expect(cgs_solve(handles.solver, vec(b), vec(NULL), vec(x), NULL, &error), &error);
    made = put_vector(device, b, N);
    memset(b, 0, sizeof b);
    b_device = put_vector(device, b, N);
    x_device = put_vector(device, b, N);
    expect_ok(space_vector(device, LENGTH, "a long vector", &slow, &own), &own);
    for (int k = 0; k < PASSES; k++)
        expect_ok(space_fill(device, LENGTH, k, slow, &own), &own);
    expect_ok(space_copy(device, N, made, b_device, &own), &own);
    expect(cgs_solve(handles.solver, on_device(vec(b_device)), on_device(vec(NULL)),
                     on_device(vec(x_device)), NULL, &error),
           &error);
    expect_on_device(device, x_device, x, N);
    double *vectors[] = {made, b_device, x_device, slow};
    for (int k = 0; k < 4; k++)
        space_release(device, vectors[k]);
    handles_destroy(&handles);
    free_arrays(&arrays);
    device->operations->destroy(device);
}
END_TEST

/* A product that allocates and waits: a kernel of another context makes it. */
struct outer {
    const struct cgs_matrix_data *data;
    struct handles inner;
    int64_t calls;
};

static int multiply_by_inner(void *user, const struct cgs_array *x, const struct cgs_array *y,
                             void *stream)
{
    struct outer *outer = user;
    struct cgs_error error;
    if (outer->calls++ == 0)
        create(outer->data, stream, NULL, &outer->inner);
    ck_assert(x->place == CGS_CUDA && y->place == CGS_CUDA);
    expect(cgs_multiply(outer->inner.kernel, *x, *y, &error), &error);
    return 0;
}

START_TEST(products_that_are_called)
{
    static const char *const methods[] = {"cg", "minres"};
    if (!cuda_device_is_there())
        return;
    struct cgs_error error;
    struct arrays arrays;
    struct handles handles, calling = {NULL};
    struct space *device = open_device();
    double b[N], x[N];
    make_arrays(&arrays);
    struct cgs_matrix_data data = data_of(&arrays, 0, NULL);
    const char *const *options = LIST("method", methods[_i]);
    struct outer outer = {.data = &data};
    struct cgs_context_options called = {.size = sizeof called, .place = CGS_CUDA, .called = 1};
    create(&data, NULL, options, &handles);
    expect(cgs_context_create(&called, &calling.context, &error), &error);
    expect(cgs_operator_create_product(calling.context, N, CGS_SYMMETRIC, multiply_by_inner, 0,
                                       &outer, NULL, &calling.kernel, &error),
           &error);
    expect(cgs_solver_create(calling.kernel, options, &calling.solver, &error), &error);
    random_vector(11, N, b);
    double *b_device = put_vector(device, b, N), *x_device = put_vector(device, b, N);
    for (int times = 0; times < 2; times++) {
        struct cgs_result found[2] = {{.size = sizeof *found}, {.size = sizeof *found}};
        int64_t before = outer.calls;
        expect(cgs_solve(handles.solver, vec(b), vec(NULL), vec(x), &found[0], &error), &error);
        expect(cgs_solve(calling.solver, on_device(vec(b_device)), vec(NULL),
                         on_device(vec(x_device)), &found[1], &error),
               &error);
        expect_on_device(device, x_device, x, N);
        ck_assert_int_eq(found[0].reason, CGS_CONVERGED);
        ck_assert_int_eq(found[0].iterations, found[1].iterations);
        ck_assert_int_gt(outer.calls - before, found[1].iterations);
    }
    handles_destroy(&calling);
    handles_destroy(&outer.inner);
    handles_destroy(&handles);
    space_release(device, b_device);
    space_release(device, x_device);
    free_arrays(&arrays);
    device->operations->destroy(device);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(what_is_elsewhere)
{
    if (!cuda_device_is_there())
        return;
    struct cgs_error error;
    struct error *said = (struct error *)&error;
    struct arrays arrays;
    struct handles handles;
    struct space *device = open_device();
    double x[N] = {1}, *x_device = put_vector(device, x, N);
    make_arrays(&arrays);
    struct cgs_matrix_data data = data_of(&arrays, 0, NULL);
    create(&data, NULL, NULL, &handles);
    expect_error((enum status)cgs_multiply(handles.kernel, on_device(vec(x)),
                                           on_device(vec(x_device)), &error),
                 STATUS_CONFIG, said, "x is not in the memory of CUDA device 0", NULL);
    expect_error((enum status)cgs_multiply(handles.kernel, on_device(vec(x_device)),
                                           on_device(vec(x)), &error),
                 STATUS_CONFIG, said, "y is not in the memory of CUDA device 0", NULL);
    expect_error((enum status)cgs_solve(handles.solver, on_device(vec(x_device)), on_device(vec(x)),
                                        on_device(vec(x_device)), NULL, &error),
                 STATUS_CONFIG, said, "x0 is not in the memory of CUDA device 0", NULL);
    struct cgs_array other = on_device(vec(x_device));
    other.device = 1;
    expect_error((enum status)cgs_multiply(handles.kernel, other, vec(x), &error), STATUS_CONFIG,
                 said, "x is in the memory of CUDA device 1: this context is on device 0", NULL);
    struct cgs_matrix *made;
    data.columns.place = CGS_CUDA;
    expect_error((enum status)cgs_matrix_create(handles.context, &data, &made, &error),
                 STATUS_CONFIG, said, "the array columns is not in the memory", NULL);
    ck_assert_ptr_null(made);
    space_release(device, x_device);
    handles_destroy(&handles);
    free_arrays(&arrays);
    device->operations->destroy(device);
}
END_TEST

/* A solve with arrays on the host and one with arrays on the device, of matrices given on the
 * device. */
static void compare_solves(struct space *device, struct cgs_matrix *matrices[2], int64_t n,
                           uint64_t *state)
{
    struct cgs_error error;
    struct cgs_operator *kernel[2];
    struct cgs_solver *solver[2];
    struct cgs_result result[2] = {{.size = sizeof *result}, {.size = sizeof *result}};
    double b[ANY_ROWS], x0[ANY_ROWS], x[ANY_ROWS];
    bool from_x0 = test_random_below(state, 2), minres = test_random_below(state, 2);
    random_vector(test_random_below(state, 1 << 30), n, b);
    random_vector(test_random_below(state, 1 << 30), n, x0);
    if (test_random_below(state, 4) == 0)
        for (int64_t i = 0; i < n; i++)
            b[i] = ldexp(b[i], test_random_below(state, 2) ? -600 : 600);
    double *b_device = put_vector(device, b, n), *x0_device = put_vector(device, x0, n);
    double *x_device = put_vector(device, b, n);
    for (int k = 0; k < 2; k++) {
        expect(cgs_operator_create(matrices[k], NULL, &kernel[k], &error), &error);
        expect(cgs_solver_create(kernel[k],
                                 LIST("method", minres ? "minres" : "cg", "tolerance", "1e-10",
                                      "preconditioner", minres ? "jacobi" : "multigrid"),
                                 &solver[k], &error),
               &error);
    }
    for (int times = 0; times < 2; times++) {
        expect(cgs_solve(solver[0], cgs_vector(b, n), cgs_vector(from_x0 ? x0 : NULL, n),
                         cgs_vector(x, n), &result[0], &error),
               &error);
        expect(cgs_solve(solver[1], on_device(cgs_vector(b_device, n)),
                         on_device(cgs_vector(from_x0 ? x0_device : NULL, n)),
                         on_device(cgs_vector(x_device, n)), &result[1], &error),
               &error);
        expect_on_device(device, x_device, x, n);
        ck_assert_int_eq(result[0].reason, result[1].reason);
        ck_assert_int_eq(result[0].iterations, result[1].iterations);
        ck_assert_mem_eq(&result[0].residual, &result[1].residual, sizeof(double));
        ck_assert_mem_eq(&result[0].true_residual, &result[1].true_residual, sizeof(double));
        ck_assert_mem_eq(&result[0].rhs_norm, &result[1].rhs_norm, sizeof(double));
    }
    for (int k = 0; k < 2; k++) {
        cgs_solver_destroy(solver[k]);
        cgs_operator_destroy(kernel[k]);
    }
    space_release(device, b_device);
    space_release(device, x0_device);
    space_release(device, x_device);
}

/* Set-ups from A on the host, and from both its triangles on the device, solve the same. */
static void compare_set_up(struct space *device, const struct csr *A, const char *const *options)
{
    struct cgs_error error;
    struct error own;
    struct csr full;
    struct handles handles[2];
    struct cgs_result result[2] = {{.size = sizeof *result}, {.size = sizeof *result}};
    const double *history[2];
    int64_t n = A->n, rows[2];
    double *b = malloc((size_t)n * sizeof *b), *x = malloc((size_t)n * sizeof *x);
    expect_ok(csr_expand(A, &full, &own), &own);
    struct cgs_matrix_data upper = {.size = sizeof upper,
                                    .n = n,
                                    .offsets = {A->offsets, n + 1, .type = CGS_INT64},
                                    .columns = cgs_int32(A->columns, A->nnz),
                                    .values = cgs_vector(A->values, A->nnz),
                                    .part = CGS_UPPER};
    struct cgs_matrix_data both = {.size = sizeof both,
                                   .n = n,
                                   .offsets = {full.offsets, n + 1, .type = CGS_INT64},
                                   .columns = cgs_int32(full.columns, full.nnz),
                                   .values = cgs_vector(full.values, full.nnz),
                                   .part = CGS_FULL};
    struct cgs_matrix_data gpu = device_data(device, &both);
    random_vector((int64_t)(test_seed() >> 33), n, b);
    double *b_device = put_vector(device, b, n), *x_device = put_vector(device, b, n);
    create(&upper, NULL, options, &handles[0]);
    create(&gpu, NULL, options, &handles[1]);
    ck_assert(handles[1].A->A.space);
    for (int times = 0; times < 3; times++) {
        expect(cgs_solve(handles[0].solver, cgs_vector(b, n), vec(NULL), cgs_vector(x, n),
                         &result[0], &error),
               &error);
        expect(cgs_solve(handles[1].solver, on_device(cgs_vector(b_device, n)), vec(NULL),
                         on_device(cgs_vector(x_device, n)), &result[1], &error),
               &error);
        expect_on_device(device, x_device, x, n);
        ck_assert_int_eq(result[0].reason, CGS_CONVERGED);
        ck_assert_mem_eq(&result[0].true_residual, &result[1].true_residual, sizeof(double));
        for (int k = 0; k < 2; k++)
            expect(
                cgs_solver_history(handles[k].solver, 0, "residual", &history[k], &rows[k], &error),
                &error);
        ck_assert_int_eq(rows[0], rows[1]);
        ck_assert_mem_eq(history[0], history[1], (size_t)rows[0] * sizeof(double));
        if (times == 1) /* set up anew by other values, which are the same */
            expect(cgs_matrix_update(handles[1].A, &gpu, &error), &error);
    }
    for (int k = 0; k < 2; k++)
        handles_destroy(&handles[k]);
    space_release(device, b_device);
    space_release(device, x_device);
    release_data(device, &gpu);
    csr_free(&full);
    free(b);
    free(x);
}

/* A grid; one of several unknowns; a body without an order; one with hardly a coupling. */
static void make_system(int which, struct csr *A)
{
    struct error error;
    struct fe_mesh mesh = {.n = {9, 8, 7}, .unknowns = 3, .shift = 1e-3, .seed = 5};
    if (which == 0) {
        grid(21, 100, A);
        for (int64_t k = 0; k < A->nnz; k++) /* so that multigrid in single precision scales it */
            A->values[k] *= 0x1p50;
    } else if (which == 1)
        expect_ok(fe_mesh_create(&mesh, A, &error), &error);
    else {
        mesh.n[2] = which == 2 ? 7 : 0;
        mesh.unknowns = 1;
        mesh.numbering = FE_MESH_RANDOM_NUMBERING;
        expect_ok(fe_mesh_create(&mesh, A, &error), &error);
    }
}

START_TEST(set_up_from_device)
{
    static const char *const options[][6] = {
        {"tolerance", "1e-9"},
        {"preconditioner", "jacobi"},
        {"preconditioner", "block_jacobi", "preconditioner.block", "3"},
        {"preconditioner", "chebyshev"},
        {"preconditioner", "multigrid"},
        {"preconditioner", "multigrid", "preconditioner.reuse", "aggregates"},
        {"preconditioner", "multigrid", "preconditioner.precision", "float"},
        {"preconditioner", "multigrid", "method", "minres"}};
    enum { OPTIONS = sizeof options / sizeof *options };
    if (!cuda_device_is_there())
        return;
    struct csr A;
    struct space *device = open_device();
    make_system(_i, &A);
    for (int k = 0; k < OPTIONS; k++)
        if (test_case_runs(k + 2 * _i, 8))
            compare_set_up(device, &A, options[k]);
    csr_free(&A);
    device->operations->destroy(device);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

static void expect_same_matrices(struct cgs_matrix *const made[2])
{
    double asymmetry[2];
    ck_assert(cgs_matrix_hash(made[0]) == cgs_matrix_hash(made[1]));
    ck_assert_int_eq(cgs_matrix_entries(made[0]), cgs_matrix_entries(made[1]));
    ck_assert_int_eq(cgs_matrix_averaged(made[0], &asymmetry[0]),
                     cgs_matrix_averaged(made[1], &asymmetry[1]));
    ck_assert_mem_eq(&asymmetry[0], &asymmetry[1], sizeof(double));
}

/* Entries in any order, of any types: the matrix, or the refusal, of arrays on the host. */
START_TEST(entries_of_any_kind)
{
    static struct any_entries first, second;
    if (!test_case_runs(_i, 25) || !cuda_device_is_there())
        return;
    struct space *device = open_device();
    struct cgs_context *context = open_context();
    uint64_t state = test_seed() + (uint64_t)_i, shape = state + 1000;
    enum any_fault fault = _i % 2 ? FAULT_NONE : (enum any_fault)test_random_below(&state, FAULTS);
    double scale = test_random_below(&state, 8)   ? 1
                   : test_random_below(&state, 2) ? 0x1p300
                                                  : 0x1p-300;
    struct cgs_matrix *made[2];
    struct cgs_error error[2];
    any_entries_make(test_random(&state) < 0.5, scale, fault, shape, &first);
    any_entries_make(2, scale, FAULT_NONE, shape, &second);
    struct cgs_matrix_data gpu = device_data(device, &first.data);
    struct cgs_matrix_data next_device = device_data(device, &second.data);
    enum cgs_status here = cgs_matrix_create(context, &first.data, &made[0], &error[0]);
    ck_assert_int_eq(cgs_matrix_create(context, &gpu, &made[1], &error[1]), here);
    if (here) {
        ck_assert_str_eq(error[0].text, error[1].text);
        ck_assert(fault != FAULT_NONE || first.data.values.type == CGS_FLOAT);
    } else {
        ck_assert(made[1]->A.space);
        expect_same_matrices(made);
        if (first.positive)
            compare_solves(device, made, first.n, &state);
        if (fault == FAULT_NONE) { /* the same pattern */
            here = cgs_matrix_update(made[0], &second.data, &error[0]);
            ck_assert_int_eq(cgs_matrix_update(made[1], &next_device, &error[1]), here);
            expect_same_matrices(made);
            expect(cgs_matrix_update(made[1], &second.data, &error[1]), &error[1]);
            ck_assert(cgs_matrix_hash(made[0]) == cgs_matrix_hash(made[1]));
            if (first.positive)
                compare_solves(device, made, first.n, &state);
        }
    }
    for (int k = 0; k < 2; k++)
        cgs_matrix_destroy(made[k]);
    cgs_context_destroy(context);
    release_data(device, &gpu);
    release_data(device, &next_device);
    device->operations->destroy(device);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("api/device_cuda");
    TCase *tests = tcase_of("all");
    tcase_add_loop_test(tests, the_bits_of_the_host, 0, 2);
    tcase_add_loop_test(tests, entries_of_any_kind, 0, 100);
    tcase_add_loop_test(tests, set_up_from_device, 0, 4);
    tcase_add_test(tests, a_preconditioner_alone);
    tcase_add_test(tests, near_null_vectors);
    tcase_add_test(tests, eigenvectors);
    tcase_add_test(tests, the_stream_is_waited_for);
    tcase_add_loop_test(tests, products_that_are_called, 0, 2);
    tcase_add_test(tests, what_is_elsewhere);
    suite_add_tcase(made, tests);
    return made;
}
