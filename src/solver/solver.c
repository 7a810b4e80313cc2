/* The calls that every user of a method goes through. */
#include "base/memory.h"
#include "cgsolve/method.h"

#include <stdio.h>

const struct method *method_find(const char *name)
{
    return (const struct method *)component_find(COMPONENT_METHOD, name);
}

const char *method_for(enum csr_kind kind)
{
    int count;
    const struct component *const *list = component_list(COMPONENT_METHOD, &count);
    for (int k = 0; k < count; k++) {
        const struct method *method = (const struct method *)list[k];
        unsigned wanted = METHOD_FINDS_VECTOR | METHOD_TAKES_INDEFINITE;
        if (method->kind == kind && (method->traits & wanted) == wanted)
            return method->component.name;
    }
    return "";
}

const char *const history_column_names[] = {[HISTORY_RITZ_LOW] = "ritz_low",
                                            [HISTORY_RITZ_HIGH] = "ritz_high",
                                            [HISTORY_CONDITION] = "condition",
                                            [HISTORY_ERROR_NORM] = "error_norm",
                                            [HISTORY_BOUND_LOW] = "bound_low",
                                            [HISTORY_BOUND_HIGH] = "bound_high",
                                            [HISTORY_ORTHOGONALITY] = "orthogonality",
                                            [HISTORY_CONVERGED] = "converged",
                                            [HISTORY_GHOSTS] = "ghosts"};

const char *reason_name(enum reason reason)
{
    static const char *const names[] = {[REASON_CONVERGED] = "converged",
                                        [REASON_RESIDUAL_GAP] = "residual gap",
                                        [REASON_ITERATION_LIMIT] = "iteration limit",
                                        [REASON_NOT_POSITIVE] = "not positive definite",
                                        [REASON_NOT_FINITE] = "not finite",
                                        [REASON_STAGNATION] = "stagnation",
                                        [REASON_SINGULAR] = "singular",
                                        [REASON_LEAST_SQUARES] = "least squares solution",
                                        [REASON_INTERRUPTED] = "interrupted"};
    return names[reason];
}

const char *eigen_met_name(enum eigen_met met)
{
    static const char *const names[] = {[EIGEN_MET_NO] = "no",
                                        [EIGEN_MET_TOLERANCE] = "tolerance",
                                        [EIGEN_MET_ROUNDING] = "rounding"};
    return names[met];
}

void solver_result_free(struct solver_result *result)
{
    memory_free(result->eigenvalues);
    memory_free(result->eigen_residuals);
    memory_free(result->eigen_met);
    *result = (struct solver_result){0};
}

double solver_result_condition(const struct solver_result *result)
{
    double low = result->ritz_low, high = result->ritz_high;
    return low > 0 && high > 0 ? high / low : NAN;
}

double solver_tolerance(const struct solver_options *options)
{
    return solver_finds_vector(options) ? options->tolerance : options->eigen.tolerance;
}

bool solver_finds_vector(const struct solver_options *options)
{
    return options->method->traits & METHOD_FINDS_VECTOR;
}

int64_t solver_solution_length(const struct solver_options *options, int64_t n)
{
    if (solver_finds_vector(options))
        return n;
    int64_t wanted = options->eigen.count * (options->eigen.which == EIGEN_BOTH ? 2 : 1);
    return wanted < n ? wanted : n;
}

enum status solver_takes(const struct solver_options *options, const struct csr *A,
                         struct error *error)
{
    const struct method *method = options->method;
    char other[128] = "";
    if (A->kind != CSR_GENERAL && solver_finds_vector(options))
        snprintf(other, sizeof other, "%s solver.method = \"%s\" takes it",
                 method->refusal ? ";" : ":", method_for(A->kind));
    if (A->kind == CSR_GENERAL)
        return error_set(error, STATUS_CONFIG,
                         "%s a %s matrix, and this one is general, which is for products alone",
                         method->needs, csr_kind_name(method->kind));
    if (A->kind != method->kind)
        return error_set(error, STATUS_CONFIG, "%s a %s matrix, and this one is %s%s%s%s",
                         method->needs, csr_kind_name(method->kind), csr_kind_name(A->kind),
                         method->refusal ? ": " : "", method->refusal ? method->refusal : "",
                         other);
    if (options->preconditioner && !(method->traits & METHOD_TAKES_PRECONDITIONER))
        return error_set(error, STATUS_CONFIG, "the method %s takes no preconditioner",
                         method->component.name);
    return method->check ? method->check(options, A, error) : STATUS_OK;
}

enum status solver_solve(struct linear_operator *spmv, const struct csr *A, const double *b,
                         const struct solver_options *options,
                         const struct solver_observer *observer, double *solution,
                         struct solver_result *result, struct error *error)
{
    *result = (struct solver_result){0};
    enum status status = solver_takes(options, A, error);
    return status ? status
                  : options->method->solve(spmv, A, b, options, observer, solution, result, error);
}
