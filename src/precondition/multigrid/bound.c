#include "precondition/multigrid/bound.h"

#include "base/memory.h"
#include "precondition/multigrid/scaling.h"
#include "precondition/spectrum.h"

#include <math.h>

static const double DOMINANT = 2.2, SAFETY = 1.1;
enum { STEPS = 12 }; /* of Lanczos' method: the great end of a spectrum is found soon */

/* Rows whose sums are all below this share of their diagonal sum to 0 but for rounding. */
static const double NOTHING = 0x1p-48;

static bool is_m_matrix(const struct csr *A)
{
    bool is = true;
#pragma omp parallel for schedule(static) reduction(&& : is)
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t k = A->offsets[i] + 1, end = A->offsets[i + 1]; is && k < end; k++)
            is = A->values[k] <= 0;
    return is;
}

/* Of A and the sums of its rows, both on the host. */
static void take_most(const struct csr *A, const double *sums, double *most, double *largest)
{
    double above = 0, size = 0; /* no fmax(), which is a call */
#pragma omp parallel for schedule(static) reduction(max : above, size)
    for (int64_t i = 0; i < A->n; i++) {
        double sum = sums[i] / A->values[A->offsets[i]];
        above = 2 - sum > above ? 2 - sum : above;
        size = fabs(sum) > size ? fabs(sum) : size;
    }
    *most = above;
    *largest = size;
}

static enum status look_at_sums(const struct there *there, const struct csr *A,
                                const struct level *level, double *most, double *largest,
                                struct error *error)
{
    struct space *space = level->spmv->space;
    if (there)
        return there->gershgorin(space, A, level->q, most, largest, error);
    bool is_here = space->operations->kind == SPACE_CPU;
    double *sums = is_here ? level->q : memory_array(A->n, sizeof *sums, "sums of rows", error);
    enum status status = sums ? STATUS_OK : STATUS_MEMORY;
    if (!status && !is_here)
        status = space_download(space, A->n, level->q, sums, error);
    if (!status)
        take_most(A, sums, most, largest);
    if (!is_here)
        memory_free(sums);
    return status;
}

static enum status gershgorin(const char *name, const struct there *there, const struct csr *A,
                              struct level *level, double *lmax, struct error *error)
{
    double largest = 0;
    enum status status = space_fill(level->spmv->space, A->n, 1, level->d, error);
    if (!status)
        status = operator_apply(level->spmv, level->d, level->q, error);
    if (!status)
        status = look_at_sums(there, A, level, lmax, &largest, error);
    if (status || largest > NOTHING)
        return status;
    return error_set(
        error, STATUS_CONFIG,
        "preconditioner %s: every row of the matrix sums to 0, so it is singular: take jacobi, "
        "chebyshev or none, which solve for a b in its range, or add a small multiple of its "
        "diagonal to it",
        name);
}

/* y = D^-1/2 A D^-1/2 x; q holds D^-1/2 */
static enum status apply_scaled(void *state, const struct operands *operands, struct error *error)
{
    const struct level *level = state;
    struct space *space = level->spmv->space;
    struct scaling scaling = {.root = level->q, .x = operands->x, .y = level->d};
    enum status status = space_run(space, &pass_scaling, level->n, &scaling, error);
    if (!status)
        status = operator_apply(level->spmv, level->d, operands->y, error);
    scaling.x = scaling.y = operands->y;
    return status ? status : space_run(space, &pass_scaling, level->n, &scaling, error);
}

enum status bound_of(const char *name, const struct there *there, const struct csr *A,
                     const int32_t *number, struct level *level, double *lmax, struct error *error)
{
    static const struct operator_table scaled = {.apply = apply_scaled};
    struct linear_operator of = {.name = "the scaled matrix",
                                 .table = &scaled,
                                 .state = level,
                                 .space = level->spmv->space,
                                 .n = level->n,
                                 .width = level->n};
    struct spectrum spectrum;
    bool is = false;
    enum status status = STATUS_OK;
    if (there)
        status = there->is_m_matrix(of.space, A, &is, error);
    else
        is = is_m_matrix(A);
    if (!status && is)
        status = gershgorin(name, there, A, level, lmax, error);
    if (status || (is && *lmax <= DOMINANT))
        return status;
    struct scaling roots = {.inverse = level->inverse, .root = level->q};
    status = space_run(of.space, &pass_roots, level->n, &roots, error);
    if (!status)
        status = spectrum_estimate(&of, number, STEPS, &spectrum, error);
    if (!status)
        *lmax = SAFETY * (spectrum.high + spectrum.bound);
    return status;
}
