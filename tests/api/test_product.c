/* An A, and an M^-1, that are known by the caller's products alone. */
#include "support.h"

#include "api/over_grid.h"
#include "base/random.h"

#include <math.h>
#include <string.h>

enum { N = HANDLES_N };

static struct cgs_error error;
static struct error *const said = (struct error *)&error;

/* A product by a kernel, counted; the fails_at-th call fails, or the fails_at-th sweep. */
struct counted {
    struct cgs_operator *kernel;
    int64_t calls, fails_at, sweeps; /* sweeps: calls with several columns */
};

static int multiply(void *user, const struct cgs_array *x, const struct cgs_array *y, void *stream)
{
    struct counted *counted = user;
    struct cgs_error own;
    bool several = x->columns > 1;
    ck_assert_ptr_null(stream);
    ck_assert(x->rows == N && y->rows == N && y->columns == x->columns);
    ck_assert(x->columns <= x->row_stride && x->row_stride <= 32 && y->row_stride == x->row_stride);
    ck_assert(several ? x->column_stride == 1 : x->row_stride == 1);
    if (++*(several ? &counted->sweeps : &counted->calls) == counted->fails_at)
        return several ? 19 : 17;
    expect(cgs_multiply(counted->kernel, *x, *y, &own), &own);
    return 0;
}

/* The inverse of a diagonal of 1 and 4. */
static int scale(void *user, const struct cgs_array *r, const struct cgs_array *z, void *stream)
{
    const double *in = r->data;
    double *out = z->data;
    (void)user, (void)stream;
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < r->columns; j++) {
            int64_t k = i * r->row_stride + j;
            out[k] = i % 2 ? in[k] : in[k] / 4;
        }
    return 0;
}

static void expect_same_history(struct cgs_solver *one, struct cgs_solver *two)
{
    const double *of_one, *of_two;
    int64_t rows, rows_of_two;
    expect(cgs_solver_history(one, 0, "residual", &of_one, &rows, &error), &error);
    expect(cgs_solver_history(two, 0, "residual", &of_two, &rows_of_two, &error), &error);
    ck_assert_int_eq(rows, rows_of_two);
    ck_assert(memcmp(of_one, of_two, (size_t)rows * sizeof *of_one) == 0);
}

/* By a kernel, and by the product of another: the same bits. */
static void try_options(const char *const *options)
{
    struct handles handles, inner;
    struct counted counted = {.fails_at = -1};
    struct cgs_operator *product;
    struct cgs_solver *solver;
    struct cgs_result result = {.size = sizeof result}, found = {.size = sizeof found};
    double b[N], expected[N], x[N];
    random_vector(3, N, b);
    expect(handles_create(NULL, options, 2, &handles, &error), &error);
    expect(handles_create(NULL, NULL, 2, &inner, &error), &error);
    counted.kernel = inner.kernel;
    expect(cgs_operator_create_product(handles.context, N, CGS_SYMMETRIC, multiply, 0, &counted,
                                       NULL, &product, &error),
           &error);
    ck_assert_int_eq(cgs_operator_guarantee(product), CGS_NO_GUARANTEE);
    expect(cgs_solver_create(product, options, &solver, &error), &error);
    if (cgs_solver_eigen_count(solver) > 0) {
        expect(cgs_solve_eigen(handles.solver, vec(NULL), expected, vec(NULL), &result, &error),
               &error);
        expect(cgs_solve_eigen(solver, vec(NULL), x, vec(NULL), &found, &error), &error);
    } else {
        memset(x, 0xff, sizeof x);
        expect(cgs_solve(handles.solver, vec(b), vec(NULL), vec(expected), &result, &error),
               &error);
        expect(cgs_solve(solver, vec(b), vec(NULL), vec(x), &found, &error), &error);
        ck_assert(memcmp(x, expected, sizeof x) == 0);
    }
    ck_assert_int_eq(found.reason, CGS_CONVERGED);
    ck_assert_int_eq(found.iterations, result.iterations);
    ck_assert(fabs(found.true_residual - result.true_residual) <= 1e-9 * result.rhs_norm);
    ck_assert_int_gt(counted.calls, found.iterations);
    expect_same_history(handles.solver, solver);
    cgs_solver_destroy(solver);
    cgs_operator_destroy(product);
    handles_destroy(&inner);
    handles_destroy(&handles);
    ck_assert_int_eq(memory_live(), 0);
}

START_TEST(the_bits_of_what_multiplies)
{
    try_options(NULL);
    try_options(LIST("method", "minres"));
    try_options(LIST("method", "lanczos", "eigen.count", "2", "eigen.which", "largest"));
}
END_TEST

START_TEST(a_preconditioner_of_the_caller)
{
    struct handles handles;
    struct cgs_result plain = {.size = sizeof plain}, scaled = plain, again = plain;
    double b[N], x[N], y[N];
    random_vector(3, N, b);
    expect(handles_create(NULL, NULL, 2, &handles, &error), &error);
    expect(cgs_solve(handles.solver, vec(b), vec(NULL), vec(x), &plain, &error), &error);
    expect(cgs_solver_precondition(handles.solver, scale, 0, NULL, &error), &error);
    expect(cgs_solve(handles.solver, vec(b), vec(NULL), vec(y), &scaled, &error), &error);
    ck_assert_int_eq(scaled.reason, CGS_CONVERGED);
    ck_assert_int_gt(scaled.iterations, plain.iterations); /* it is a bad one */
    expect_error((enum status)cgs_solver_set(handles.solver, "method", "lanczos", &error),
                 STATUS_CONFIG, said, "takes no preconditioner", NULL);
    expect(cgs_solver_precondition(handles.solver, NULL, 0, NULL, &error), &error);
    expect(cgs_solve(handles.solver, vec(b), vec(NULL), vec(y), &again, &error), &error);
    ck_assert_int_eq(again.iterations, plain.iterations);
    ck_assert(memcmp(x, y, sizeof x) == 0);
    expect(cgs_solver_set(handles.solver, "method", "lanczos", &error), &error);
    expect_error((enum status)cgs_solver_precondition(handles.solver, scale, 0, NULL, &error),
                 STATUS_CONFIG, said, "takes no preconditioner", NULL);
    handles_destroy(&handles);
    expect(handles_create(NULL, LIST("preconditioner", "jacobi"), 2, &handles, &error), &error);
    expect_error((enum status)cgs_solver_precondition(handles.solver, scale, 0, NULL, &error),
                 STATUS_CONFIG, said, "keeps its preconditioner, jacobi", NULL);
    handles_destroy(&handles);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* Each column has the bits of its own solve, as the products have. */
static void solve_columns(struct cgs_solver *solver, struct counted *counted, int64_t columns)
{
    enum { MOST = 40 };
    static double B[MOST * N], X[MOST * N], x[N];
    struct cgs_result found[MOST], alone = {.size = sizeof alone};
    int64_t longest = 0;
    random_vector(5, columns * N, B);
    memset(B + N, 0, N * sizeof *B); /* which ends at once */
    for (int64_t j = 0; j < columns; j++)
        found[j].size = sizeof *found;
    counted->calls = counted->sweeps = 0;
    expect(cgs_solve(solver, grid_array(B, columns, 1, N), vec(NULL), grid_array(X, columns, 1, N),
                     found, &error),
           &error);
    int64_t calls = counted->calls, sweeps = counted->sweeps;
    for (int64_t j = 0; j < columns; j++) {
        expect(cgs_solve(solver, vec(B + j * N), vec(NULL), vec(x), &alone, &error), &error);
        ck_assert_int_eq(found[j].reason, CGS_CONVERGED);
        ck_assert_int_eq(found[j].iterations, alone.iterations);
        ck_assert(memcmp(x, X + j * N, sizeof x) == 0);
        longest = alone.iterations > longest ? alone.iterations : longest;
    }
    ck_assert_int_gt(longest, 5);
    ck_assert_int_ge(sweeps + calls, longest);
    ck_assert_int_gt(sweeps, 5);
    ck_assert_int_lt(calls, columns * longest / 2);
}

START_TEST(products_of_several_columns)
{
    static const char *const methods[] = {"cg", "minres"};
    struct handles handles;
    struct counted counted = {.fails_at = -1};
    struct cgs_operator *product;
    struct cgs_solver *solver;
    double B[3 * N], X[3 * N], Y[3 * N];
    expect(handles_create(NULL, NULL, 1, &handles, &error), &error);
    counted.kernel = handles.kernel;
    expect(cgs_operator_create_product(handles.context, N, CGS_SYMMETRIC, multiply, 1, &counted,
                                       NULL, &product, &error),
           &error);
    random_vector(6, 3 * N, B);
    expect(cgs_multiply(product, grid_array(B, 3, 3, 1), grid_array(X, 3, 1, N), &error), &error);
    ck_assert(counted.sweeps == 1 && counted.calls == 0);
    expect(cgs_multiply(handles.kernel, grid_array(B, 3, 3, 1), grid_array(Y, 3, 1, N), &error),
           &error);
    ck_assert(memcmp(X, Y, sizeof X) == 0);
    for (int k = 0; k < 4; k++) {
        expect(cgs_solver_create(product, LIST("method", methods[k % 2]), &solver, &error), &error);
        if (k >= 2)
            expect(cgs_solver_precondition(solver, scale, 1, NULL, &error), &error);
        solve_columns(solver, &counted, 3);
        solve_columns(solver, &counted, 40);
        random_vector(5, 3 * N, B);
        counted = (struct counted){.kernel = handles.kernel, .fails_at = 4};
        expect_error((enum status)cgs_solve(solver, grid_array(B, 3, 3, 1), vec(NULL),
                                            grid_array(X, 3, 3, 1), NULL, &error),
                     STATUS_INPUT, said, "a product of the caller's failed: 1", NULL);
        counted.fails_at = -1;
        cgs_solver_destroy(solver);
    }
    cgs_operator_destroy(product);
    expect(cgs_operator_create_product(handles.context, N, CGS_SYMMETRIC, multiply, 0, &counted,
                                       NULL, &product, &error),
           &error);
    expect(cgs_solver_create(product, NULL, &solver, &error), &error);
    counted.sweeps = 0;
    expect(
        cgs_solve(solver, grid_array(B, 3, 3, 1), vec(NULL), grid_array(X, 3, 3, 1), NULL, &error),
        &error);
    ck_assert_int_eq(counted.sweeps, 0);
    cgs_solver_destroy(solver);
    cgs_operator_destroy(product);
    handles_destroy(&handles);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* In the first product, one of the loop, and that of the confirmation. */
START_TEST(a_product_that_fails)
{
    struct handles handles;
    struct counted counted = {.fails_at = -1};
    struct cgs_operator *product;
    struct cgs_solver *solver;
    double b[N], x[N];
    random_vector(3, N, b);
    expect(handles_create(NULL, NULL, 1, &handles, &error), &error);
    counted.kernel = handles.kernel;
    expect(cgs_operator_create_product(handles.context, N, CGS_SYMMETRIC, multiply, 0, &counted,
                                       NULL, &product, &error),
           &error);
    expect(cgs_solver_create(product, NULL, &solver, &error), &error);
    expect(cgs_solve(solver, vec(b), vec(NULL), vec(x), NULL, &error), &error);
    int64_t calls = counted.calls, at[] = {1, 7, calls};
    for (int k = 0; k < 3; k++) {
        counted = (struct counted){handles.kernel, 0, at[k], 0};
        expect_error((enum status)cgs_solve(solver, vec(b), vec(NULL), vec(x), NULL, &error),
                     STATUS_INPUT, said, "a product of the caller's failed: 17", NULL);
        ck_assert_int_eq(counted.calls, at[k]);
    }
    struct cgs_result result = {.size = sizeof result, .reason = CGS_CONVERGED};
    counted = (struct counted){handles.kernel, 0, 2, 0};
    ck_assert_int_eq(cgs_solve(solver, vec(b), vec(NULL), vec(x), &result, &error), CGS_BAD_INPUT);
    ck_assert(result.reason == CGS_NOT_SOLVED && isnan(result.true_residual));
    counted.fails_at = -1;
    expect(cgs_solve(solver, vec(b), vec(NULL), vec(x), NULL, &error), &error);
    cgs_solver_destroy(solver);
    cgs_operator_destroy(product);
    handles_destroy(&handles);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(what_is_refused)
{
    struct handles handles;
    struct counted counted = {.fails_at = -1};
    struct cgs_operator *product;
    struct cgs_solver *solver;
    expect(handles_create(NULL, NULL, 1, &handles, &error), &error);
    struct cgs_context *context = handles.context;
    expect_error((enum status)cgs_operator_create_product(context, 0, CGS_SYMMETRIC, multiply, 0,
                                                          &counted, NULL, &product, &error),
                 STATUS_CONFIG, said, "n = 0 rows", NULL);
    ck_assert_ptr_null(product);
    expect_error((enum status)cgs_operator_create_product(context, N, CGS_SYMMETRIC, NULL, 0,
                                                          &counted, NULL, &product, &error),
                 STATUS_CONFIG, said, "a product is NULL", NULL);
    expect_error((enum status)cgs_operator_create_product(context, N, (enum cgs_kind)7, multiply, 0,
                                                          &counted, NULL, &product, &error),
                 STATUS_CONFIG, said, "the kind 7", NULL);
    expect_error((enum status)cgs_operator_create_product(context, N, CGS_SYMMETRIC, multiply, 0,
                                                          &counted, LIST("kernel", "cpu_csr"),
                                                          &product, &error),
                 STATUS_CONFIG, said, "unknown option 'kernel'", NULL);
    expect(cgs_operator_create_product(context, N, CGS_SYMMETRIC, multiply, 0, &counted, NULL,
                                       &product, &error),
           &error);
    expect_error(
        (enum status)cgs_solver_create(product, LIST("preconditioner", "jacobi"), &solver, &error),
        STATUS_CONFIG, said, "jacobi: needs the entries of A", NULL);
    ck_assert_ptr_null(solver);
    cgs_operator_destroy(product);
    handles_destroy(&handles);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* The norm of M^-1 is a series where there is an M. */
START_TEST(a_preconditioner_of_the_caller_for_minres)
{
    const char norm[] = "preconditioned_residual";
    struct handles handles;
    struct cgs_result plain = {.size = sizeof plain}, scaled = plain;
    double b[N], x[N];
    const double *values;
    int64_t rows;
    random_vector(3, N, b);
    expect(handles_create(NULL, LIST("method", "minres"), 2, &handles, &error), &error);
    expect(cgs_solve(handles.solver, vec(b), vec(NULL), vec(x), &plain, &error), &error);
    expect_error((enum status)cgs_solver_history(handles.solver, 0, norm, &values, &rows, &error),
                 STATUS_CONFIG, said, "the history of minres has no series", NULL);
    expect(cgs_solver_precondition(handles.solver, scale, 0, NULL, &error), &error);
    expect(cgs_solve(handles.solver, vec(b), vec(NULL), vec(x), &scaled, &error), &error);
    ck_assert_int_eq(scaled.reason, CGS_CONVERGED);
    ck_assert_int_gt(scaled.iterations, plain.iterations); /* it is a bad one */
    expect(cgs_solver_history(handles.solver, 0, norm, &values, &rows, &error), &error);
    ck_assert_int_eq(rows, scaled.iterations + 1);
    for (int64_t k = 1; k < rows; k++)
        ck_assert(values[k] <= (1 + 1e-15) * values[k - 1]);
    handles_destroy(&handles);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *const tests[] = {the_bits_of_what_multiplies,
                                  a_preconditioner_of_the_caller,
                                  a_preconditioner_of_the_caller_for_minres,
                                  products_of_several_columns,
                                  a_product_that_fails,
                                  what_is_refused,
                                  NULL};
    return suite_of("api/product", tests);
}
