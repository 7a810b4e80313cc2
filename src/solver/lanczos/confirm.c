/* The eigenpairs that are wanted, looked at on the host. */
#include "base/memory.h"
#include "matrix/implicit_rows.h"
#include "matrix/statistics.h"
#include "solver/lanczos/work.h"
#include "solver/true_residual.h"
#include "space/vector_norm.h"

#include <math.h>

/* How far a true residual may lie above the tolerance. */
static const double GAP = 1.1;

/* Entries of the longest row; 0 where they are not known. */
static enum status find_longest(const struct csr *A, int64_t *longest, struct error *error)
{
    *longest = 0;
    enum status status = csr_check_stored(A, error);
    if (status || !A->offsets)
        return status;
    int64_t *lengths = memory_array(A->n, sizeof *lengths, "the row lengths", error);
    if (!lengths)
        return STATUS_MEMORY;
    csr_row_lengths(A, lengths);
    for (int64_t i = 0; i < A->n; i++)
        *longest = lengths[i] > *longest ? lengths[i] : *longest;
    memory_free(lengths);
    return STATUS_OK;
}

/* What rounding may leave of a residual: solver/lanczos/lanczos.h says by what reasons. */
static enum status find_rounding(const struct lanczos *lanczos, const struct csr *A, double *bound,
                                 struct error *error)
{
    int64_t longest;
    enum status status = find_longest(A, &longest, error);
    if (status)
        return status;
    *bound = (double)(longest + lanczos->ritz.most + 2) * sqrt((double)(lanczos->restarts + 1)) *
                 0x1p-53 * lanczos->ritz.norm +
             lanczos->dropped;
    return STATUS_OK;
}

/* The wanted eigenpairs, each looked at on the host: their residuals are computed, not believed. */
static enum status take_eigenpairs(struct lanczos *lanczos, const struct csr *A, double *v,
                                   struct error *error)
{
    struct ritz *ritz = &lanczos->ritz;
    struct solver_result *result = &lanczos->base.result;
    int64_t size = ritz->size, count = 0;
    struct threads *threads = lanczos->basis.space->threads;
    bool open = false;
    enum status status = find_rounding(lanczos, A, &result->eigen_rounding, error);
    if (!status)
        status = ritz_vectors(ritz, error);
    if (status)
        return status;
    for (int64_t i = 0; i < size; i++)
        if (ritz_is_wanted(ritz, i)) {
            for (int64_t k = 0; k < size; k++)
                ritz->S[k + size * count] = ritz->S[k + size * i];
            result->eigenvalues[count++] = ritz->theta[i];
        }
    result->eigen_count = count;
    result->true_residual = 0;
    status = basis_multiply(&lanczos->basis, size, ritz->S, count, error);
    for (int64_t k = 0; k < count && !status; k++) {
        double theta = result->eigenvalues[k], norm, residual, scale = ritz_scale(ritz, theta);
        status = basis_download(&lanczos->basis, k, v, error);
        if (status)
            break;
        norm = vector_norm(threads, A->n, v);
        for (int64_t i = 0; i < A->n; i++)
            v[i] = v[i] / norm;
        status = solver_true_residual(lanczos->base.spmv, A, -theta, NULL, v, &residual, error);
        if (status)
            break;
        double relative = residual == 0 ? 0 : residual / scale;
        result->eigen_residuals[k] = residual;
        result->eigen_met[k] = residual <= GAP * ritz->tolerance * scale ? EIGEN_MET_TOLERANCE
                               : residual <= result->eigen_rounding      ? EIGEN_MET_ROUNDING
                                                                         : EIGEN_MET_NO;
        open = open || result->eigen_met[k] == EIGEN_MET_NO;
        if (!(relative <= result->true_residual) && !isnan(result->true_residual))
            result->true_residual = relative;
        status = observer_see(
            lanczos->base.observer,
            &(struct event){
                .kind = EVENT_EIGENVECTOR, .place = k, .eigenvalue = theta, .values = v},
            error);
    }
    if (!status && result->reason == REASON_CONVERGED && open)
        result->reason = REASON_RESIDUAL_GAP;
    if (!status && result->reason == REASON_CONVERGED)
        result->eigen_list = lanczos_list(lanczos);
    return status;
}

enum status lanczos_confirm(struct lanczos *lanczos, const struct csr *A, double *eigenvalues,
                            struct error *error)
{
    struct solver_result *result = &lanczos->base.result;
    struct ritz *ritz = &lanczos->ritz;
    int64_t wanted = ritz->low + ritz->high;
    result->eigenvalues = memory_array(wanted, sizeof(double), "the eigenvalues", error);
    result->eigen_residuals = memory_array(wanted, sizeof(double), "the eigenvalues", error);
    result->eigen_met = memory_array(wanted, sizeof *result->eigen_met, "the eigenvalues", error);
    double *v = memory_array(A->n, sizeof *v, "an eigenvector", error);
    enum status status = STATUS_MEMORY;
    if (result->eigenvalues && result->eigen_residuals && result->eigen_met && v)
        status = result->reason == REASON_NOT_FINITE || ritz->size == 0
                     ? STATUS_OK
                     : take_eigenpairs(lanczos, A, v, error);
    for (int64_t k = 0; k < wanted; k++)
        eigenvalues[k] = !status && k < result->eigen_count ? result->eigenvalues[k] : NAN;
    memory_free(v);
    return status;
}
