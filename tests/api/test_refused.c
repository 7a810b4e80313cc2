/* Options, calls and handles that the C library refuses. */
#include "support.h"

#include "api/over_grid.h"
#include "base/random.h"

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
    expect_error((enum status)cgs_multiply(NULL, x, x, &error), STATUS_CONFIG, said,
                 "an operator is NULL", NULL);
    expect_error((enum status)cgs_solver_create(NULL, NULL, &made.solver, &error), STATUS_CONFIG,
                 said, "an operator is NULL", NULL);
    expect_error((enum status)cgs_solver_set(NULL, "tolerance", "1", &error), STATUS_CONFIG, said,
                 "a solver is NULL", NULL);
    expect_error((enum status)cgs_solve(NULL, x, NULL, x, NULL, &error), STATUS_CONFIG, said,
                 "a solver is NULL", NULL);
    expect_error((enum status)cgs_solve_eigen(NULL, NULL, x, NULL, NULL, &error), STATUS_CONFIG,
                 said, "a solver is NULL", NULL);
    expect_error((enum status)cgs_solver_history(NULL, "x", &series, &rows, &error), STATUS_CONFIG,
                 said, "a solver is NULL", NULL);
    ck_assert(cgs_matrix_rows(NULL) == 0 && cgs_matrix_entries(NULL) == 0);
    ck_assert(cgs_matrix_hash(NULL) == 0 && cgs_operator_guarantee(NULL) == CGS_NO_GUARANTEE);
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
    expect_error((enum status)cgs_solver_history(solver, "residual", &values, &rows, &error),
                 STATUS_CONFIG, said, "nothing has been solved", NULL);
    expect_error((enum status)cgs_solver_set(solver, "preconditioner", "none", &error),
                 STATUS_CONFIG, said, "keeps its preconditioner", NULL);
    expect_error((enum status)cgs_solver_set(solver, "method", "lanczos", &error), STATUS_CONFIG,
                 said, "takes no preconditioner", NULL);
    expect_error((enum status)cgs_solver_set(solver, "max_iterations", "-1", &error), STATUS_CONFIG,
                 said, "max_iterations", NULL);
    expect_error((enum status)cgs_solve_eigen(solver, NULL, x, NULL, NULL, &error), STATUS_CONFIG,
                 said, "the method cg is for cgs_solve", NULL);
    ck_assert_int_eq(cgs_solver_eigen_count(solver), 0);
    random_vector(3, N, b);
    expect(cgs_solve(solver, b, NULL, x, NULL, &error), &error); /* as if nothing had been */
    expect_error((enum status)cgs_solver_history(solver, "residue", &values, &rows, &error),
                 STATUS_CONFIG, said, "no series 'residue'", NULL);
    ck_assert_int_eq(cgs_solve(solver, b, b, x, NULL, NULL), CGS_OK);
    handles_destroy(&handles);
}
END_TEST

/* A context on the CPU has none. */
START_TEST(memory_of_a_device)
{
    struct cgs_error error;
    struct error *said = (struct error *)&error;
    struct handles handles;
    struct cgs_matrix *A;
    const int32_t offsets[] = {0, 1}, columns[] = {0};
    double x[N] = {0}, one[] = {1};
    struct cgs_matrix_data data = {.size = sizeof data,
                                   .n = 1,
                                   .nnz = 1,
                                   .offsets = offsets,
                                   .columns = columns,
                                   .values = one,
                                   .part = CGS_UPPER,
                                   .place = CGS_CUDA};
    expect(handles_create(NULL, NULL, 1, &handles, &error), &error);
    expect_error((enum status)cgs_matrix_create(handles.context, &data, &A, &error), STATUS_CONFIG,
                 said, "the array offsets", "this context is on the CPU", NULL);
    data.borrow = 1;
    expect_error((enum status)cgs_matrix_create(handles.context, &data, &A, &error), STATUS_CONFIG,
                 said, "cannot be borrowed", NULL);
    data.place = (enum cgs_place)7;
    expect_error((enum status)cgs_matrix_create(handles.context, &data, &A, &error), STATUS_CONFIG,
                 said, "place must be", NULL);
    expect_error((enum status)cgs_multiply_device(handles.kernel, x, x, &error), STATUS_CONFIG,
                 said, "x is not", "this context is on the CPU", NULL);
    expect_error((enum status)cgs_solve_device(handles.solver, x, NULL, x, NULL, &error),
                 STATUS_CONFIG, said, "b is not", "this context is on the CPU", NULL);
    expect_error((enum status)cgs_solve_eigen_device(handles.solver, x, x, NULL, NULL, &error),
                 STATUS_CONFIG, said, "start is not", "this context is on the CPU", NULL);
    expect_error((enum status)cgs_multiply_device(NULL, x, x, &error), STATUS_CONFIG, said,
                 "an operator is NULL", NULL);
    expect_error((enum status)cgs_solve_device(NULL, x, NULL, x, NULL, &error), STATUS_CONFIG, said,
                 "a solver is NULL", NULL);
    expect_error((enum status)cgs_solve_eigen_device(NULL, x, x, NULL, NULL, &error), STATUS_CONFIG,
                 said, "a solver is NULL", NULL);
    handles_destroy(&handles);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *const tests[] = {options_that_cannot_be, null_is_refused, what_a_solver_refuses,
                                  memory_of_a_device, NULL};
    return suite_of("api/refused", tests);
}
