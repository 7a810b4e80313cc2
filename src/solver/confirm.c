#include "solver/confirm.h"

#include "solver/residual.h"

/* How far the true residual may lie above the tolerance. */
static const double GAP = 1.1;

enum status solver_confirm(struct threads *threads, const struct csr *A, const double *b,
                           const double *x, const struct solver_options *options,
                           struct solver_result *result, struct error *error)
{
    enum status status =
        residual_norm(threads, A, options->shift, b, x, &result->true_residual, error);
    if (status)
        return status;
    double allowed = GAP * options->tolerance * result->rhs_norm;
    if (result->reason == REASON_CONVERGED && !(result->true_residual <= allowed))
        result->reason = REASON_RESIDUAL_GAP;
    return STATUS_OK;
}
