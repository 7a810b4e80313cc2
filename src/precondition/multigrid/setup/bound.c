#include "precondition/multigrid/setup/bound.h"

#include "base/memory.h"
#include "precondition/multigrid/cycle/scaling.h"
#include "precondition/multigrid/setup/level_rows.h"
#include "precondition/spectrum.h"
#include "space/ranks/ranks.h"

#include <math.h>

static const double DOMINANT = 2.2, SAFETY = 1.1;
enum { STEPS = 12 }; /* of Lanczos' method: the great end of a spectrum is found soon */

/* Rows whose sums are all below this share of their diagonal sum to 0 but for rounding. */
static const double NOTHING = 0x1p-48;

static enum status look_at_sums(const struct csr *A, const struct level *level, double *most,
                                double *largest, struct error *error)
{
    struct space *space = level->spmv->space;
    struct found found;
    bool moves = !A->space && space->operations->kind != SPACE_CPU;
    double *sums = moves ? memory_array(A->n, sizeof *sums, "sums of rows", error) : level->q;
    enum status status = sums ? STATUS_OK : STATUS_MEMORY;
    if (!status && moves)
        status =
            ranks_download_own(space, level->n, level->q, sums - ranks_first_row(space), error);
    if (!status)
        status = space_find(A->space, &find_gershgorin, A->n,
                            &(struct level_rows){.A = *A, .sums = sums}, &found, error);
    if (!status) /* of the rows of all ranks that share the level */
        status = ranks_join_found(ranks_of(space), &found, error);
    if (moves)
        memory_free(sums);
    if (status)
        return status;
    *most = fmax(0, found.most[0]);
    *largest = fmax(0, found.most[1]);
    return STATUS_OK;
}

static enum status gershgorin(const struct csr *A, struct level *level, double *lmax,
                              bool *singular, struct error *error)
{
    double largest = 0;
    enum status status = space_fill(level->spmv->space, level->n, 1, level->d, error);
    if (!status)
        status = operator_apply(level->spmv, level->d, level->q, error);
    if (!status)
        status = look_at_sums(A, level, lmax, &largest, error);
    *singular = *singular || (!status && largest <= NOTHING);
    return status;
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

static enum status find_bound(const struct csr *A, const int32_t *number, struct level *level,
                              double *lmax, bool *singular, struct error *error)
{
    static const struct operator_table scaled = {.apply = apply_scaled};
    struct linear_operator of = {.name = "the scaled matrix",
                                 .table = &scaled,
                                 .state = level,
                                 .space = level->spmv->space,
                                 .n = level->n,
                                 .width = level->n};
    struct spectrum spectrum;
    enum status status =
        level->is_m_matrix ? gershgorin(A, level, lmax, singular, error) : STATUS_OK;
    if (status || (level->is_m_matrix && *lmax <= DOMINANT))
        return status;
    struct scaling roots = {.inverse = level->inverse, .root = level->q};
    status = space_run(of.space, &pass_roots, level->n, &roots, error);
    if (!status) {
        status = ranks_lend_sums(ranks_of(of.space), error);
        if (!status)
            status = spectrum_estimate(&of, number, STEPS, &spectrum, error);
        status = ranks_return_sums(ranks_of(of.space), status, error);
    }
    if (!status)
        *lmax = SAFETY * (spectrum.high + spectrum.bound);
    return status;
}

enum status bound_of(const struct csr *A, const int32_t *number, struct level *level, double *lmax,
                     bool *singular, struct error *error)
{
    enum status status = find_bound(A, number, level, lmax, singular, error);
    if (!status && *lmax == 0)
        *lmax = 1;
    return status;
}
