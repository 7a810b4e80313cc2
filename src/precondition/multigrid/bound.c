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
        for (int64_t k = A->offsets[i] + 1; k < A->offsets[i + 1]; k++)
            is = is && A->values[k] <= 0;
    return is;
}

static enum status gershgorin(const char *name, const struct csr *A, struct level *level,
                              double *lmax, struct error *error)
{
    struct space *space = level->spmv->space;
    bool there = space->operations->kind == SPACE_CPU;
    double *sums = there ? level->q : memory_array(A->n, sizeof *sums, "sums of rows", error);
    double most = 0, largest = 0;
    if (!sums)
        return STATUS_MEMORY;
    enum status status = space_fill(space, A->n, 1, level->d, error);
    if (!status)
        status = operator_apply(level->spmv, level->d, level->q, error);
    if (!status && !there)
        status = space_download(space, A->n, level->q, sums, error);
    if (!status) {
#pragma omp parallel for schedule(static) reduction(max : most, largest)
        for (int64_t i = 0; i < A->n; i++) {
            double sum = sums[i] / A->values[A->offsets[i]];
            most = fmax(most, 2 - sum);
            largest = fmax(largest, fabs(sum));
        }
    }
    if (!there)
        memory_free(sums);
    *lmax = most;
    if (status || largest > NOTHING)
        return status;
    return error_set(
        error, STATUS_CONFIG,
        "preconditioner %s: every row of the matrix sums to 0, so it is singular: give "
        "the problem a shift",
        name);
}

/* y = D^-1/2 A D^-1/2 x */
static enum status apply_scaled(void *state, const struct operands *operands, struct error *error)
{
    const struct level *level = state;
    struct space *space = level->spmv->space;
    struct scaling scaling = {.inverse = level->inverse, .x = operands->x, .y = level->d};
    enum status status = space_run(space, &pass_scaling, level->n, &scaling, error);
    if (!status)
        status = operator_apply(level->spmv, level->d, operands->y, error);
    scaling.x = scaling.y = operands->y;
    return status ? status : space_run(space, &pass_scaling, level->n, &scaling, error);
}

enum status bound_of(const char *name, const struct csr *A, const int32_t *number,
                     struct level *level, double *lmax, struct error *error)
{
    static const struct operator_table scaled = {.apply = apply_scaled};
    struct linear_operator of = {.name = "the scaled matrix",
                                 .table = &scaled,
                                 .state = level,
                                 .space = level->spmv->space,
                                 .n = level->n,
                                 .width = level->n};
    struct spectrum spectrum;
    if (is_m_matrix(A)) {
        enum status status = gershgorin(name, A, level, lmax, error);
        if (status || *lmax <= DOMINANT)
            return status;
    }
    enum status status = spectrum_estimate(&of, number, STEPS, &spectrum, error);
    if (!status)
        *lmax = SAFETY * (spectrum.high + spectrum.bound);
    return status;
}
