/* Options, calls and handles that the C library refuses. */
#include "support.h"

#include "api/over_grid.h"
#include "base/random.h"

#include <stdlib.h>
#include <string.h>

enum { N = HANDLES_N };

static void refused(const char *const *kernel, const char *const *solver, enum cgs_status wanted,
                    const char *says)
{
    struct cgs_error error;
    struct handles handles;
    expect_error((enum status)handles_create(kernel, solver, 1, &handles, &error),
                 (enum status)wanted, (struct error *)&error, says, NULL);
    ck_assert_ptr_null(handles.solver);
    handles_destroy(&handles);
    ck_assert_int_eq(memory_live(), 0);
}

START_TEST(options_that_cannot_be)
{
    refused(LIST("kernel", "cpu_sym_bitwize"), NULL, CGS_BAD_OPTION, "cpu_sym_bitwize");
    refused(LIST("kernel.block", "3"), NULL, CGS_BAD_OPTION, "kernel.block");
    refused(LIST("kernel", "cpu_csr", "kernel.precision", "half"), NULL, CGS_BAD_OPTION, "half");
    refused(LIST("kernel", "cuda_csr_vector"), NULL, no_cuda_here(), "cuda_csr_vector");
    refused(LIST("reductions", "fast"), NULL, CGS_BAD_OPTION, "fast");
    refused(LIST("reductions"), NULL, CGS_BAD_OPTION, "'reductions' stands without a value");
    refused(LIST("tolerance", "1"), NULL, CGS_BAD_OPTION, "unknown option 'tolerance'");
    refused(NULL, LIST("tolerance", "2"), CGS_BAD_OPTION, "tolerance");
    refused(NULL, LIST("tolerance", "small"), CGS_BAD_OPTION, "small");
    refused(NULL, LIST("tolerance", "0"), CGS_BAD_OPTION,
            "tolerance = 0.0: must be above 0 where absolute_tolerance is 0");
    refused(NULL, LIST("absolute_tolerance", "-1"), CGS_BAD_OPTION, "absolute_tolerance");
    refused(NULL, LIST("absolute_tolerance", "inf"), CGS_BAD_OPTION, "absolute_tolerance");
    refused(NULL, LIST("absolute_tolerance", "nan"), CGS_BAD_OPTION, "absolute_tolerance");
    refused(NULL, LIST("method", "lanczos", "absolute_tolerance", "1"), CGS_BAD_OPTION,
            "absolute_tolerance = 1.0: this method takes none");
    refused(NULL, LIST("eigen.count", "0"), CGS_BAD_OPTION, "eigen.count");
    refused(NULL, LIST("eigen.size", "0"), CGS_BAD_OPTION, "unknown option 'eigen.size'");
    refused(NULL, LIST("method", "gmres"), CGS_BAD_OPTION, "gmres");
    refused(NULL, LIST("method", "skew"), CGS_BAD_OPTION, "symmetric");
    refused(NULL, LIST("shift", "1"), CGS_BAD_OPTION, "this method takes none");
    refused(NULL, LIST("preconditioner", "ilu"), CGS_BAD_OPTION, "ilu");
    refused(NULL, LIST("method", "lanczos", "preconditioner", "jacobi"), CGS_BAD_OPTION,
            "takes no preconditioner");
}
END_TEST

/* A chain of calls, the first of which failed. */
START_TEST(null_is_refused)
{
    struct cgs_error error;
    struct error *said = (struct error *)&error;
    struct handles made = {NULL};
    double x[1];
    const double *series;
    int64_t rows;
    expect_error((enum status)cgs_matrix_create(NULL, NULL, &made.A, &error), STATUS_CONFIG, said,
                 "a context is NULL", NULL);
    expect_error((enum status)cgs_matrix_read(NULL, NULL, 0, &made.A, &error), STATUS_CONFIG, said,
                 "a context is NULL", NULL);
    expect_error((enum status)cgs_matrix_update(NULL, NULL, &error), STATUS_CONFIG, said,
                 "a matrix is NULL", NULL);
    expect_error((enum status)cgs_operator_create(NULL, NULL, &made.kernel, &error), STATUS_CONFIG,
                 said, "a matrix is NULL", NULL);
    expect_error((enum status)cgs_multiply(NULL, vec(x), vec(x), &error), STATUS_CONFIG, said,
                 "an operator is NULL", NULL);
    expect_error((enum status)cgs_solver_create(NULL, NULL, &made.solver, &error), STATUS_CONFIG,
                 said, "an operator is NULL", NULL);
    expect_error((enum status)cgs_solver_set(NULL, "tolerance", "1", &error), STATUS_CONFIG, said,
                 "a solver is NULL", NULL);
    expect_error((enum status)cgs_solve(NULL, vec(x), vec(NULL), vec(x), NULL, &error),
                 STATUS_CONFIG, said, "a solver is NULL", NULL);
    expect_error((enum status)cgs_solve_eigen(NULL, vec(NULL), x, vec(NULL), NULL, &error),
                 STATUS_CONFIG, said, "a solver is NULL", NULL);
    expect_error((enum status)cgs_solver_history(NULL, 0, "x", &series, &rows, &error),
                 STATUS_CONFIG, said, "a solver is NULL", NULL);
    expect_error((enum status)cgs_context_create(NULL, NULL, &error), STATUS_CONFIG, said,
                 "the pointer to a context is NULL", NULL);
    expect_error((enum status)cgs_matrix_create(NULL, NULL, NULL, &error), STATUS_CONFIG, said,
                 "the pointer to a matrix is NULL", NULL);
    expect_error((enum status)cgs_matrix_read(NULL, NULL, 0, NULL, &error), STATUS_CONFIG, said,
                 "the pointer to a matrix is NULL", NULL);
    expect_error((enum status)cgs_operator_create(NULL, NULL, NULL, &error), STATUS_CONFIG, said,
                 "the pointer to an operator is NULL", NULL);
    expect_error((enum status)cgs_operator_create_product(NULL, 1, CGS_SYMMETRIC, NULL, 0, NULL,
                                                          NULL, NULL, &error),
                 STATUS_CONFIG, said, "the pointer to an operator is NULL", NULL);
    expect_error((enum status)cgs_solver_create(NULL, NULL, NULL, &error), STATUS_CONFIG, said,
                 "the pointer to a solver is NULL", NULL);
    expect_error((enum status)cgs_study_create(NULL, NULL, NULL, &error), STATUS_CONFIG, said,
                 "the pointer to a study is NULL", NULL);
    expect_error((enum status)cgs_solver_history(NULL, 0, "x", NULL, &rows, &error), STATUS_CONFIG,
                 said, "the pointer to the values is NULL", NULL);
    expect_error((enum status)cgs_solver_history(NULL, 0, "x", &series, NULL, &error),
                 STATUS_CONFIG, said, "the pointer to the rows is NULL", NULL);
    ck_assert(cgs_matrix_rows(NULL) == 0 && cgs_matrix_entries(NULL) == 0);
    ck_assert(cgs_matrix_hash(NULL) == 0 && cgs_operator_guarantee(NULL) == CGS_NO_GUARANTEE);
    ck_assert(cgs_vector_hash(NULL, 3) == 0);
    ck_assert(cgs_solver_eigen_count(NULL) == 0 && cgs_study_kernels(NULL) == 0);
    cgs_solver_monitor(NULL, NULL, NULL);
    cgs_solver_poll(NULL, 0, NULL, NULL);
    cgs_solver_cancel(NULL);
    handles_destroy(&made);
}
END_TEST

START_TEST(what_a_solver_refuses)
{
    struct cgs_error error;
    struct handles handles;
    struct error *said = (struct error *)&error;
    const double *values;
    double b[N] = {0}, x[N];
    int64_t rows;
    expect(handles_create(NULL, LIST("preconditioner", "chebyshev", "preconditioner.degree", "3"),
                          1, &handles, &error),
           &error);
    struct cgs_solver *solver = handles.solver;
    expect_error((enum status)cgs_solver_history(solver, 0, "residual", &values, &rows, &error),
                 STATUS_CONFIG, said, "nothing has been solved", NULL);
    expect_error((enum status)cgs_solver_set(solver, "preconditioner", "none", &error),
                 STATUS_CONFIG, said, "keeps its preconditioner", NULL);
    expect_error((enum status)cgs_solver_set(solver, "method", "lanczos", &error), STATUS_CONFIG,
                 said, "takes no preconditioner", NULL);
    expect_error((enum status)cgs_solver_set(solver, "max_iterations", "-1", &error), STATUS_CONFIG,
                 said, "max_iterations", NULL);
    expect_error((enum status)cgs_solve_eigen(solver, vec(NULL), x, vec(NULL), NULL, &error),
                 STATUS_CONFIG, said, "the method cg is for cgs_solve", NULL);
    ck_assert_int_eq(cgs_solver_eigen_count(solver), 0);
    random_vector(3, N, b);
    expect(cgs_solve(solver, vec(b), vec(NULL), vec(x), NULL, &error),
           &error); /* as if nothing had been */
    expect_error((enum status)cgs_solver_history(solver, 0, "residue", &values, &rows, &error),
                 STATUS_CONFIG, said, "no series 'residue'", NULL);
    ck_assert_int_eq(cgs_solve(solver, vec(b), vec(b), vec(x), NULL, NULL), CGS_OK);
    handles_destroy(&handles);
}
END_TEST

/* --- while a call goes on --------------------------------------------------------------------- */

/* What is tried within a call. */
struct inside {
    struct handles *handles;
    struct cgs_operator *other; /* of the same matrix */
    struct cgs_study *study;
    int calls;
};

#define EXPECT_BUSY(call, says)                                                                    \
    expect_error((enum status)(call), STATUS_CONFIG, (struct error *)&error, says, NULL)

static int no_look(void *user, int64_t iteration, const double *x)
{
    (void)user;
    (void)iteration;
    (void)x;
    return 0;
}

static int no_product(void *user, const struct cgs_array *x, const struct cgs_array *y,
                      void *stream)
{
    (void)user, (void)x, (void)y, (void)stream;
    return 1;
}

/* Of a call that works with the operator, or of the study's run. */
static void try_everything(struct inside *inside, bool of_study)
{
    static const char operator_works[] = "goes on that works with this operator";
    static double b[N], x[N], y[N];
    const int32_t offsets[] = {0, 1}, columns[] = {0};
    const double one[] = {1};
    struct handles *own = inside->handles, made = {NULL};
    struct cgs_error error;
    struct cgs_matrix_data data = {.size = sizeof data,
                                   .n = 1,
                                   .offsets = cgs_int32(offsets, 2),
                                   .columns = cgs_int32(columns, 1),
                                   .values = cgs_vector(one, 1),
                                   .part = CGS_UPPER};
    inside->calls++;
    EXPECT_BUSY(cgs_matrix_update(own->A, &data, &error), "goes on that works with this matrix");
    cgs_matrix_destroy(own->A);
    cgs_context_destroy(own->context);
    if (of_study) {
        EXPECT_BUSY(cgs_study_add(inside->study, NULL, NULL, &error), "this study is at work");
        EXPECT_BUSY(cgs_study_run(inside->study, b, NULL, 1, NULL, NULL, &error),
                    "this study is at work");
        cgs_study_destroy(inside->study);
    } else {
        EXPECT_BUSY(cgs_multiply(own->kernel, vec(b), vec(x), &error), operator_works);
        EXPECT_BUSY(cgs_solver_create(own->kernel, NULL, &made.solver, &error), operator_works);
        EXPECT_BUSY(cgs_solver_set(own->solver, "method", "minres", &error), operator_works);
        EXPECT_BUSY(cgs_solver_precondition(own->solver, no_product, 0, NULL, &error),
                    operator_works);
        EXPECT_BUSY(cgs_solver_look(own->solver, 1, no_look, NULL, &error), operator_works);
        EXPECT_BUSY(cgs_solve(own->solver, vec(b), vec(NULL), vec(x), NULL, &error),
                    operator_works);
        EXPECT_BUSY(cgs_solve_eigen(own->solver, vec(NULL), x, vec(NULL), NULL, &error),
                    operator_works);
        cgs_solver_destroy(own->solver);
        cgs_operator_destroy(own->kernel);
    }
    /* another operator of the context is free */
    expect(cgs_multiply(inside->other, vec(b), vec(y), &error), &error);
}

static int in_monitor(void *user, int64_t column, int64_t iteration, double residual)
{
    (void)column, (void)iteration, (void)residual;
    try_everything(user, false);
    return 0;
}

static int in_poll(void *user)
{
    try_everything(user, false);
    return 0;
}

static int in_look(void *user, int64_t iteration, const double *x)
{
    (void)iteration;
    (void)x;
    try_everything(user, false);
    return 0;
}

static int in_study(void *user, const char *label, int64_t run, int64_t iteration, double residual)
{
    (void)label;
    (void)run;
    (void)iteration;
    (void)residual;
    try_everything(user, true);
    return 0;
}

static int in_product(void *user, const struct cgs_array *x, const struct cgs_array *y,
                      void *stream)
{
    (void)stream;
    try_everything(user, false);
    memcpy(y->data, x->data, N * sizeof(double)); /* M = I */
    return 0;
}

/* Every function of the caller's tries every call, and the solve is what it is without. */
START_TEST(calls_from_within_are_refused)
{
    struct cgs_error error;
    struct handles handles;
    struct cgs_result result = {.size = sizeof result}, other = {.size = sizeof other};
    double b[N], x[N], y[N];
    expect(handles_create(NULL, NULL, 2, &handles, &error), &error);
    struct inside inside = {.handles = &handles};
    expect(cgs_operator_create(handles.A, NULL, &inside.other, &error), &error);
    expect(cgs_study_create(handles.A, NULL, &inside.study, &error), &error);
    random_vector(3, N, b);
    expect(cgs_solver_precondition(handles.solver, in_product, 0, &inside, &error), &error);
    cgs_solver_monitor(handles.solver, in_monitor, &inside);
    cgs_solver_poll(handles.solver, 0, in_poll, &inside);
    expect(cgs_solver_look(handles.solver, 1, in_look, &inside, &error), &error);
    expect(cgs_solve(handles.solver, vec(b), vec(NULL), vec(x), &result, &error), &error);
    int64_t rows = result.iterations + 1;
    ck_assert_int_ge(inside.calls, 4 * rows - 1);
    expect(cgs_study_add(inside.study, NULL, NULL, &error), &error);
    expect(cgs_study_run(inside.study, b, NULL, 1, in_study, &inside, &error), &error);
    ck_assert_int_ge(inside.calls, 5 * rows - 1);

    expect(cgs_solver_precondition(handles.solver, NULL, 0, NULL, &error), &error);
    cgs_solver_monitor(handles.solver, NULL, NULL);
    cgs_solver_poll(handles.solver, 0, NULL, NULL);
    expect(cgs_solver_look(handles.solver, 1, NULL, NULL, &error), &error);
    expect(cgs_solve(handles.solver, vec(b), vec(NULL), vec(y), &other, &error), &error);
    ck_assert_int_eq(result.reason, CGS_CONVERGED);
    ck_assert_int_eq(result.iterations, other.iterations);
    ck_assert(memcmp(x, y, sizeof x) == 0);
    cgs_study_destroy(inside.study);
    cgs_operator_destroy(inside.other);
    handles_destroy(&handles);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* A call that fails leaves the operator free. */
START_TEST(a_failure_leaves_the_operator_free)
{
    struct cgs_error error;
    struct handles handles;
    double b[N], x[N];
    random_vector(3, N, b);
    expect(handles_create(NULL, NULL, 1, &handles, &error), &error);
    expect(cgs_solver_precondition(handles.solver, no_product, 0, NULL, &error), &error);
    expect_error((enum status)cgs_solve(handles.solver, vec(b), vec(NULL), vec(x), NULL, &error),
                 STATUS_INPUT, (struct error *)&error, "a product of the caller's failed: 1", NULL);
    expect(cgs_solver_precondition(handles.solver, NULL, 0, NULL, &error), &error);
    expect(cgs_solve(handles.solver, vec(b), vec(NULL), vec(x), NULL, &error), &error);
    handles_destroy(&handles);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* An array of them has a multiple of their alignment. */
START_TEST(results_of_an_odd_size)
{
    struct cgs_error error;
    struct handles handles;
    struct cgs_result results[2] = {{.size = 20}};
    double *b = calloc(2 * N, sizeof *b), *x = calloc(2 * N, sizeof *x);
    ck_assert(b && x);
    expect(handles_create(NULL, NULL, 1, &handles, &error), &error);
    expect_error((enum status)cgs_solve(handles.solver, grid_array(b, 2, 1, N), vec(NULL),
                                        grid_array(x, 2, 1, N), results, &error),
                 STATUS_CONFIG, (struct error *)&error,
                 "result 0 says that it has 20 bytes: of several it is a multiple of 8", NULL);
    expect(cgs_solve(handles.solver, grid_array(b, 1, 1, N), vec(NULL), grid_array(x, 1, 1, N),
                     results, &error),
           &error);
    ck_assert_int_eq(results[0].reason, CGS_CONVERGED);
    handles_destroy(&handles);
    free(b);
    free(x);
}
END_TEST

Suite *suite(void)
{
    const TTest *const tests[] = {options_that_cannot_be,
                                  null_is_refused,
                                  what_a_solver_refuses,
                                  calls_from_within_are_refused,
                                  a_failure_leaves_the_operator_free,
                                  results_of_an_odd_size,
                                  NULL};
    return suite_of("api/refused", tests);
}
