/* Solves A x = 1 for the matrix of a file by conjugate gradients, and prints the residual of every
 * iteration. */
#include <cgsolve/cgsolve.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    struct cgs_error error;
    struct cgs_context *context = NULL;
    struct cgs_matrix *A = NULL;
    struct cgs_operator *kernel = NULL;
    struct cgs_solver *solver = NULL;
    struct cgs_result result = {.size = sizeof result};
    const char *const options[] = {"tolerance", "1e-6", NULL};
    const double *residuals;
    int64_t rows;
    if (argc != 2 || cgs_context_create(NULL, &context, &error) ||
        cgs_matrix_read(context, argv[1], 0, &A, &error) ||
        cgs_operator_create(A, NULL, &kernel, &error) ||
        cgs_solver_create(kernel, options, &solver, &error)) {
        fprintf(stderr, "%s\n", argc != 2 ? "usage: library MATRIX" : error.text);
        return 2;
    }
    int64_t n = cgs_matrix_rows(A);
    double *b = malloc((size_t)n * sizeof *b), *x = malloc((size_t)n * sizeof *x);
    for (int64_t i = 0; b && i < n; i++)
        b[i] = 1;
    if (!b || !x ||
        cgs_solve(solver, cgs_vector(b, n), cgs_vector(NULL, n), cgs_vector(x, n), &result,
                  &error) ||
        cgs_solver_history(solver, 0, "residual", &residuals, &rows, &error)) {
        fprintf(stderr, "%s\n", b && x ? error.text : "out of memory");
        return 2;
    }
    for (int64_t k = 0; k < rows; k++)
        printf("%.17g\n", residuals[k]);
    fprintf(stderr, "%s: %g\n", cgs_reason_name(result.reason), result.true_residual);
    free(b);
    free(x);
    cgs_solver_destroy(solver);
    cgs_operator_destroy(kernel);
    cgs_matrix_destroy(A);
    cgs_context_destroy(context);
    return result.reason != CGS_CONVERGED;
}
