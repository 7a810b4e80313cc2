#include "precondition/multigrid/setup/bound.h"

#include "base/atomic.h"
#include "base/memory.h"
#include "base/threads.h"
#include "precondition/multigrid/cycle/scaling.h"
#include "precondition/spectrum.h"

#include <math.h>

static const double DOMINANT = 2.2, SAFETY = 1.1;
enum { STEPS = 12 }; /* of Lanczos' method: the great end of a spectrum is found soon */

/* Rows whose sums are all below this share of their diagonal sum to 0 but for rounding. */
static const double NOTHING = 0x1p-48;

/* What the rows of A tell, on the host. */
struct rows {
    const struct csr *A;
    bool is_m_matrix;
    const double *sums;
    double most, largest;
};

static void look_for_signs(void *context, int64_t i, int64_t last)
{
    struct rows *rows = context;
    const struct csr *A = rows->A;
    bool is = true;
    for (; is && i < last; i++)
        for (int64_t k = A->offsets[i] + 1, end = A->offsets[i + 1]; is && k < end; k++)
            is = A->values[k] <= 0;
    if (!is)
        __atomic_store_n(&rows->is_m_matrix, false, __ATOMIC_RELAXED);
}

static void take_most(void *context, int64_t i, int64_t end)
{
    struct rows *rows = context;
    double most = 0, largest = 0; /* no fmax(), which is a call */
    for (; i < end; i++) {
        double sum = rows->sums[i] / rows->A->values[rows->A->offsets[i]];
        most = 2 - sum > most ? 2 - sum : most;
        largest = fabs(sum) > largest ? fabs(sum) : largest;
    }
    ATOMIC_MOST(&rows->most, most);
    ATOMIC_MOST(&rows->largest, largest);
}

static enum status look_at_sums(const struct device_setup *device_setup, const struct csr *A,
                                const struct level *level, double *most, double *largest,
                                struct error *error)
{
    struct space *space = level->spmv->space;
    if (device_setup)
        return device_setup->gershgorin(space, A, level->q, most, largest, error);
    bool is_here = space->operations->kind == SPACE_CPU;
    double *sums = is_here ? level->q : memory_array(A->n, sizeof *sums, "sums of rows", error);
    enum status status = sums ? STATUS_OK : STATUS_MEMORY;
    if (!status && !is_here)
        status = space_download(space, A->n, level->q, sums, error);
    struct rows rows = {.A = A, .sums = sums};
    if (!status)
        threads_each(threads_lent(), A->n, take_most, &rows);
    *most = rows.most;
    *largest = rows.largest;
    if (!is_here)
        memory_free(sums);
    return status;
}

static enum status gershgorin(const char *name, const struct device_setup *device_setup,
                              const struct csr *A, struct level *level, double *lmax,
                              struct error *error)
{
    double largest = 0;
    enum status status = space_fill(level->spmv->space, A->n, 1, level->d, error);
    if (!status)
        status = operator_apply(level->spmv, level->d, level->q, error);
    if (!status)
        status = look_at_sums(device_setup, A, level, lmax, &largest, error);
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

enum status bound_of(const char *name, const struct device_setup *device_setup, const struct csr *A,
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
    struct rows rows = {.A = A, .is_m_matrix = true};
    enum status status = STATUS_OK;
    if (device_setup)
        status = device_setup->is_m_matrix(of.space, A, &rows.is_m_matrix, error);
    else
        threads_each(threads_lent(), A->n, look_for_signs, &rows);
    if (!status && rows.is_m_matrix)
        status = gershgorin(name, device_setup, A, level, lmax, error);
    if (status || (rows.is_m_matrix && *lmax <= DOMINANT))
        return status;
    struct scaling roots = {.inverse = level->inverse, .root = level->q};
    status = space_run(of.space, &pass_roots, level->n, &roots, error);
    if (!status)
        status = spectrum_estimate(&of, number, STEPS, &spectrum, error);
    if (!status)
        *lmax = SAFETY * (spectrum.high + spectrum.bound);
    return status;
}
