#include "study/method_trials.h"

#include "study/test_matrices.h"

bool method_has_trials(const struct method *method)
{
    return (method->traits & METHOD_FINDS_VECTOR) != 0 &&
           (method->kind == CSR_SYMMETRIC || method->traits & METHOD_TAKES_SHIFT);
}

static enum status try_matrix(struct trial_case *of, const struct test_matrix *matrix,
                              enum reductions reductions, struct error *error)
{
    struct csr A;
    enum csr_kind kind = ((const struct method *)of->component)->kind;
    enum status status = test_matrix_make_easy(matrix, kind, &of->random, &A, error);
    if (status)
        return status;
    of->matrix = matrix->name;
    of->A = &A;
    status = trial_spaces_create(of->kernel->space, reductions, &of->spaces, error);
    if (!status)
        status = trials_run(method_trial_list, of, error);
    of->found->matrices++;
    trial_spaces_destroy(&of->spaces);
    csr_free(&A);
    return status;
}

enum status method_try(const struct method *method, const struct kernel *kernel,
                       const struct trials_options *options, struct trials_found *found,
                       struct error *error)
{
    static const enum reductions promised[] = {REDUCTIONS_REPRODUCIBLE, REDUCTIONS_COMPENSATED,
                                               REDUCTIONS_EXACT};
    struct trial_case of = trial_case_of(&method->component, kernel, options, found);
    enum status status = STATUS_OK;
    found->trial = "solves";
    int step = of.quick ? TRIALS_QUICK : 1; /* the seed decides which of them */
    int turn = (int)trial_below(&of, 3);
    for (int m = (int)trial_below(&of, step);
         m < test_matrices_count && !status && trial_holds(&of); m += step)
        status = try_matrix(&of, &test_matrices[m], promised[(m + turn) % 3], error);
    return status;
}
