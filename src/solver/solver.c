#include "cgsolve/solver.h"

#include "base/memory.h"
#include "cgsolve/cg.h"
#include "cgsolve/lanczos.h"
#include "cgsolve/minres.h"

#include <inttypes.h>

const char *const solver_methods[] = {[SOLVER_CG] = "cg",
                                      [SOLVER_MINRES] = "minres",
                                      [SOLVER_SKEW] = "skew",
                                      [SOLVER_LANCZOS] = "lanczos",
                                      NULL};

const char *const history_column_names[] = {[HISTORY_RITZ_LOW] = "ritz_low",
                                            [HISTORY_RITZ_HIGH] = "ritz_high",
                                            [HISTORY_CONDITION] = "condition",
                                            [HISTORY_ERROR_NORM] = "error_norm",
                                            [HISTORY_BOUND_LOW] = "bound_low",
                                            [HISTORY_BOUND_HIGH] = "bound_high",
                                            [HISTORY_ORTHOGONALITY] = "orthogonality",
                                            [HISTORY_CONVERGED] = "converged",
                                            [HISTORY_GHOSTS] = "ghosts"};

const enum history_column *solver_history_columns(enum solver_method method, int *count)
{
    static const enum history_column cg[] = {HISTORY_RITZ_LOW, HISTORY_RITZ_HIGH, HISTORY_CONDITION,
                                             HISTORY_ERROR_NORM};
    static const enum history_column lanczos[] = {
        HISTORY_RITZ_LOW,      HISTORY_RITZ_HIGH, HISTORY_BOUND_LOW, HISTORY_BOUND_HIGH,
        HISTORY_ORTHOGONALITY, HISTORY_CONVERGED, HISTORY_GHOSTS};
    switch (method) {
    case SOLVER_CG:
        *count = (int)(sizeof cg / sizeof *cg);
        return cg;
    case SOLVER_LANCZOS:
        *count = (int)(sizeof lanczos / sizeof *lanczos);
        return lanczos;
    case SOLVER_MINRES:
    case SOLVER_SKEW:
        break;
    }
    *count = 0;
    return NULL;
}

const char *reason_name(enum reason reason)
{
    switch (reason) {
    case REASON_CONVERGED:
        return "converged";
    case REASON_RESIDUAL_GAP:
        return "residual gap";
    case REASON_ITERATION_LIMIT:
        return "iteration limit";
    case REASON_NOT_POSITIVE:
        return "not positive definite";
    case REASON_NOT_FINITE:
        return "not finite";
    case REASON_STAGNATION:
        return "stagnation";
    case REASON_SINGULAR:
        return "singular";
    case REASON_LEAST_SQUARES:
        return "least squares solution";
    case REASON_INTERRUPTED:
        return "interrupted";
    }
    return "unknown";
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
    return options->method == SOLVER_LANCZOS ? options->eigen.tolerance : options->tolerance;
}

bool solver_finds_vector(const struct solver_options *options)
{
    return options->method != SOLVER_LANCZOS;
}

int64_t solver_solution_length(const struct solver_options *options, int64_t n)
{
    if (solver_finds_vector(options))
        return n;
    int64_t wanted = options->eigen.count * (options->eigen.which == EIGEN_BOTH ? 2 : 1);
    return wanted < n ? wanted : n;
}

/* In which words a message goes on behind "this one is ". */
static const char *kind_met(enum solver_method method, enum csr_kind kind)
{
    if (kind == CSR_GENERAL)
        return "general, which is for products alone";
    if (kind == CSR_SYMMETRIC)
        return "symmetric: solver.method = \"minres\" takes it";
    if (method == SOLVER_LANCZOS)
        return "skew-symmetric: its eigenvalues are not real";
    return method == SOLVER_CG
               ? "skew-symmetric: p . A p = 0 for every p; solver.method = \"skew\" takes it"
               : "skew-symmetric: solver.method = \"skew\" takes it";
}

enum status solver_takes(const struct solver_options *options, const struct csr *A,
                         struct error *error)
{
    static const char *const names[] = {[SOLVER_CG] = "conjugate gradients need",
                                        [SOLVER_MINRES] = "MINRES needs",
                                        [SOLVER_SKEW] = "the method skew needs",
                                        [SOLVER_LANCZOS] = "the Lanczos method needs"};
    bool skew = options->method == SOLVER_SKEW;
    if (A->kind != (skew ? CSR_SKEW : CSR_SYMMETRIC))
        return error_set(error, STATUS_CONFIG, "%s a %s matrix, and this one is %s",
                         names[options->method], skew ? "skew-symmetric" : "symmetric",
                         kind_met(options->method, A->kind));
    if (options->preconditioner && options->method != SOLVER_CG)
        return error_set(error, STATUS_CONFIG, "a preconditioner is for the method cg, not for %s",
                         solver_methods[options->method]);
    if (skew && options->shift == 0 && A->n % 2 == 1)
        return error_set(error, STATUS_CONFIG,
                         "solver.shift = 0: a skew-symmetric matrix of odd order is singular, and "
                         "this one has %" PRId64 " rows",
                         A->n);
    return STATUS_OK;
}

enum status solver_solve(struct linear_operator *spmv, const struct csr *A, const double *b,
                         const struct solver_options *options,
                         const struct solver_observer *observer, double *solution,
                         struct solver_result *result, struct error *error)
{
    switch (options->method) {
    case SOLVER_CG:
        return cg_solve(spmv, A, b, options, observer, solution, result, error);
    case SOLVER_LANCZOS:
        return lanczos_solve(spmv, A, b, options, observer, solution, result, error);
    case SOLVER_MINRES:
    case SOLVER_SKEW:
        return minres_solve(spmv, A, b, options, observer, solution, result, error);
    }
    return error_set(error, STATUS_CONFIG, "solver.method: unknown");
}

static bool is_minres(const struct solver_options *options)
{
    return options->method == SOLVER_MINRES || options->method == SOLVER_SKEW;
}

int64_t solver_memory_bytes(const struct solver_options *options, int64_t n)
{
    if (options->method == SOLVER_LANCZOS)
        return lanczos_memory_bytes(options, n);
    if (is_minres(options))
        return minres_memory_bytes(n);
    int64_t z = options->preconditioner ? n * (int64_t)sizeof(double) : 0;
    return cg_memory_bytes(n) + z;
}

int64_t solver_bytes_per_iteration(const struct solver_options *options,
                                   const struct linear_operator *spmv)
{
    if (options->method == SOLVER_LANCZOS)
        return lanczos_bytes_per_iteration(options, spmv);
    if (is_minres(options))
        return minres_bytes_per_iteration(options, spmv);
    const struct linear_operator *M = options->preconditioner;
    return cg_bytes_per_iteration(spmv) + (M ? M->bytes_per_apply : 0);
}
