/* Multigrid: M^-1 r = one symmetric V-cycle over the levels of hierarchy.h, from x = 0:
 *
 *     on each level but the last:   x = S(0, b);  b' = P'(b - A x);  x' = the cycle for b' on the
 *                                   level below;  x = x + P x';  x = S(x, b)
 *     on the last one:              x = A^-1 b, or S several times
 *
 * S is the Chebyshev iteration of the fourth kind for D^-1 A, D the diagonal of A (Lottes, Numer.
 * Linear Algebra Appl. 30, 2023; Phillips and Fischer, SIAM J. Sci. Comput. 44, 2022), of degree m:
 *
 *     r = b - A x,  d = 4 / (3 lmax) D^-1 r,  x = x + beta_1 d,  and for k = 1 .. m-1
 *         r = r - A d,  d = (2k-1)/(2k+3) d + (8k+4)/((2k+3) lmax) D^-1 r,  x = x + beta_{k+1} d
 *
 * with Lottes' optimal beta for the degrees 2 and 4, else 1. The same polynomial before and behind
 * the correction makes M symmetric. The matrices of the levels below are scaled (rescale.h), for a
 * piecewise constant correction of smooth errors is too short. */
#include "base/memory.h"
#include "cgsolve/preconditioner.h"
#include "precondition/blocks.h"
#include "precondition/multigrid/hierarchy.h"
#include "precondition/multigrid/smooth.h"
#include "precondition/multigrid/transfer.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

enum { DEGREE_MAX = 16, LAST_SMOOTHINGS = 4 };

struct multigrid {
    struct hierarchy hierarchy;
    int64_t degree;
    double betas[DEGREE_MAX];
};

/* --- the cycle ------------------------------------------------------------------------------- */

static enum smooth_kind kind_of(const struct multigrid *m, int64_t k, bool from_zero)
{
    bool last = k + 1 == m->degree;
    if (k == 0)
        return from_zero ? SMOOTH_FIRST : SMOOTH_FIRST_LATER;
    if (from_zero && k == 1)
        return last ? SMOOTH_SECOND_LAST : SMOOTH_SECOND;
    return last ? SMOOTH_LAST : SMOOTH_MIDDLE;
}

/* The product that step k needs, if it needs one, and the step; the dot product with the last one.
 * A step in the middle writes the d that its product reads, so it waits until that is done. */
static enum status smooth_step(const struct multigrid *m, const struct level *level, int64_t k,
                               bool from_zero, const double *b, double *x, double *dot,
                               struct error *error)
{
    bool last = k + 1 == m->degree, second = from_zero && k == 1;
    const struct pass *pass = &smooth_passes[kind_of(m, k, from_zero)];
    struct smooth work = {.b = k == 0 || second ? b : level->r,
                          .q = from_zero && k == 0 ? NULL : level->q,
                          .inverse = level->inverse,
                          .d = k == 0 ? NULL : level->d,
                          .x = k == 0 || second ? NULL : x,
                          .made_r = last || (from_zero && k == 0) ? NULL : level->r,
                          .made_d = last ? NULL : level->d,
                          .made_x = k == 0 ? NULL : x,
                          .of_d = (double)(2 * k - 1) / (double)(2 * k + 3),
                          .of_r = (double)(8 * k + 4) / ((double)(2 * k + 3) * level->lmax),
                          .of_before = k == 0 ? 0 : m->betas[k - 1],
                          .beta = m->betas[k],
                          .along = b,
                          .dot = last ? dot : NULL};
    if (k == 0 && from_zero)
        return space_run(m->hierarchy.space, pass, level->n, &work, error);
    if (k == 0 || last)
        return operator_apply_then(level->spmv, k == 0 ? x : level->d, level->q, pass, &work,
                                   error);
    enum status status = operator_apply(level->spmv, level->d, level->q, error);
    return status ? status : space_run(m->hierarchy.space, pass, level->n, &work, error);
}

/* x = S(x, b), or S(0, b); *dot = b . x where dot is not NULL. */
static enum status smooth(const struct multigrid *m, const struct level *level, bool from_zero,
                          const double *b, double *x, double *dot, struct error *error)
{
    enum status status = STATUS_OK;
    for (int64_t k = 0; k < m->degree && !status; k++)
        status = smooth_step(m, level, k, from_zero, b, x, dot, error);
    return status;
}

static enum status solve_last(const struct multigrid *m, const struct level *level, const double *b,
                              double *x, double *dot, struct error *error)
{
    if (m->hierarchy.last_inverse) {
        struct blocks_work work = {.n = level->n,
                                   .block = level->n,
                                   .values = m->hierarchy.last_inverse,
                                   .r = b,
                                   .z = x,
                                   .dot = dot};
        return space_run(m->hierarchy.space, &pass_blocks, level->n, &work, error);
    }
    enum status status = STATUS_OK;
    for (int k = 0; k < LAST_SMOOTHINGS && !status; k++)
        status = smooth(m, level, k == 0, b, x, k + 1 == LAST_SMOOTHINGS ? dot : NULL, error);
    return status;
}

static enum status restrict_residual(const struct multigrid *m, const struct level *level,
                                     const double *b, const double *x, struct error *error)
{
    const struct level *below = level + 1;
    struct restriction work = {.offsets = level->aggregates.offsets,
                               .members = level->aggregates.members,
                               .b = b,
                               .q = level->q,
                               .coarse = below->b};
    enum status status = operator_apply(level->spmv, x, level->q, error);
    return status ? status
                  : space_run(m->hierarchy.space, &pass_restriction, below->n, &work, error);
}

static enum status correct(const struct multigrid *m, const struct level *level, double *x,
                           struct error *error)
{
    struct prolongation work = {.map = level->aggregates.map, .coarse = level[1].x, .x = x};
    return space_run(m->hierarchy.space, &pass_prolongation, level->n, &work, error);
}

/* x = the cycle for b, which are those of levels[0] alone. */
static enum status cycle(const struct multigrid *m, const double *r, double *z, double *dot,
                         struct error *error)
{
    const struct level *levels = m->hierarchy.levels;
    int last = m->hierarchy.count - 1;
    enum status status = STATUS_OK;
    for (int k = 0; k < last && !status; k++) {
        const double *b = k == 0 ? r : levels[k].b;
        double *x = k == 0 ? z : levels[k].x;
        status = smooth(m, &levels[k], true, b, x, NULL, error);
        if (!status)
            status = restrict_residual(m, &levels[k], b, x, error);
    }
    if (!status)
        status = solve_last(m, &levels[last], last == 0 ? r : levels[last].b,
                            last == 0 ? z : levels[last].x, last == 0 ? dot : NULL, error);
    for (int k = last - 1; k >= 0 && !status; k--) {
        double *x = k == 0 ? z : levels[k].x;
        status = correct(m, &levels[k], x, error);
        if (!status)
            status = smooth(m, &levels[k], false, k == 0 ? r : levels[k].b, x, k == 0 ? dot : NULL,
                            error);
    }
    return status;
}

static enum status apply_dot(void *state, const struct operands *operands, double *dot,
                             struct error *error)
{
    return cycle(state, operands->x, operands->y, dot, error);
}

static void destroy(void *state)
{
    struct multigrid *m = state;
    if (m)
        hierarchy_free(&m->hierarchy);
    memory_free(m);
}

static const struct operator_table table = {.apply_dot = apply_dot, .destroy = destroy};

/* --- set-up ---------------------------------------------------------------------------------- */

static void take_betas(struct multigrid *m)
{
    static const double two[] = {1.02387287570313, 1.26408905371085},
                        four[] = {1.00391310427285, 1.04035811188593, 1.14863498546254,
                                  1.38268869241000};
    const double *optimal = m->degree == 2 ? two : m->degree == 4 ? four : NULL;
    for (int64_t k = 0; k < m->degree; k++)
        m->betas[k] = optimal ? optimal[k] : 1;
}

/* A step, without its product: where they are one sweep, q is neither written nor read. */
static int64_t step_bytes(const struct multigrid *m, const struct level *level, int64_t k,
                          bool from_zero)
{
    const struct pass *pass = &smooth_passes[kind_of(m, k, from_zero)];
    bool one_sweep =
        (k == 0 ? !from_zero : k + 1 == m->degree) && operator_applies_then(level->spmv, pass);
    return space_bytes(m->hierarchy.space, pass, level->n) -
           (one_sweep ? 2 * level->n * (int64_t)sizeof(double) : 0);
}

/* The lists of the transfers, and what they lead to, are read besides what the passes say. */
static int64_t level_bytes(const struct multigrid *m, const struct level *level)
{
    struct space *space = m->hierarchy.space;
    int64_t coarse = level[1].n, bytes = 2 * m->degree * level->spmv->bytes_per_apply;
    for (int64_t k = 0; k < m->degree; k++)
        bytes += step_bytes(m, level, k, true) + step_bytes(m, level, k, false);
    bytes += space_bytes(space, &pass_restriction, coarse) + coarse * (int64_t)sizeof(int32_t) +
             level->members * (int64_t)(sizeof(int32_t) + 2 * sizeof(double));
    return bytes + space_bytes(space, &pass_prolongation, level->n) +
           coarse * (int64_t)sizeof(double);
}

static int64_t last_bytes(const struct multigrid *m, const struct level *last)
{
    if (m->hierarchy.last_inverse)
        return (last->n + 2) * last->n * (int64_t)sizeof(double);
    int64_t bytes = (LAST_SMOOTHINGS * m->degree - 1) * last->spmv->bytes_per_apply;
    for (int64_t k = 0; k < LAST_SMOOTHINGS * m->degree; k++)
        bytes += step_bytes(m, last, k % m->degree, k < m->degree);
    return bytes;
}

static int64_t held_bytes(const struct multigrid *m)
{
    const struct hierarchy *h = &m->hierarchy;
    int64_t bytes = 0;
    for (int k = 0; k < h->count; k++) {
        const struct level *level = &h->levels[k];
        int64_t vectors = k == 0 ? 4 : 6;
        bytes += vectors * level->n * (int64_t)sizeof(double) + level->own.memory_bytes;
        if (k > 0)
            bytes += csr_bytes(&level->coarse);
        if (level->aggregates.map)
            bytes += (level->n + level[1].n + 1 + level->members) * (int64_t)sizeof(int32_t);
    }
    int64_t last = h->levels[h->count - 1].n;
    return bytes + (h->last_inverse ? last * last * (int64_t)sizeof(double) : 0);
}

static void describe(const struct multigrid *m, struct linear_operator *made)
{
    const struct hierarchy *h = &m->hierarchy;
    int64_t entries = 0;
    for (int k = 0; k < h->count; k++) {
        made->levels.level[k].rows = h->levels[k].n;
        made->levels.level[k].entries = h->levels[k].nnz;
        entries += h->levels[k].nnz;
    }
    made->levels.count = h->count;
    made->levels.hash = h->hash;
    const struct level *last = &h->levels[h->count - 1];
    snprintf(made->description, sizeof made->description,
             "%d level%s%s, %.2f times the entries of A; %" PRId64 " rows at the end, %s", h->count,
             h->count > 1 ? "s" : "",
             h->count == 1 ? ""
             : h->on_grid  ? " of a grid"
                           : " by matching",
             (double)entries / (double)h->levels[0].nnz, last->n,
             h->last_inverse ? "solved" : "smoothed");
}

static enum status setup(const void *options, const struct csr *A, const int32_t *number,
                         struct linear_operator *spmv, struct linear_operator *made,
                         struct error *error)
{
    const struct multigrid_options *given = options;
    struct multigrid *m = made->state = memory_zeros(1, sizeof *m, "the preconditioner", error);
    if (!m)
        return STATUS_MEMORY;
    made->table = &table;
    m->hierarchy.space = made->space;
    m->degree = given->degree;
    take_betas(m);
    enum status status = hierarchy_build(made->name, given, A, number, spmv, &m->hierarchy, error);
    if (status)
        return status;
    const struct hierarchy *h = &m->hierarchy;
    bool one = h->count == 1;
    made->products = !one ? 2 * m->degree : h->last_inverse ? 0 : LAST_SMOOTHINGS * m->degree - 1;
    for (int k = 0; k + 1 < h->count; k++)
        made->bytes_per_apply += level_bytes(m, &h->levels[k]);
    made->bytes_per_apply += last_bytes(m, &h->levels[h->count - 1]);
    if (made->space->reductions == REDUCTIONS_BLAS)
        made->bytes_per_apply += space_bytes(made->space, &pass_dot, A->n);
    made->memory_bytes = held_bytes(m);
    describe(m, made);
    return STATUS_OK;
}

/* Vectors and aggregates of level 0, and for all others as much as half of level 0 takes with its
 * matrix: two rows to an aggregate would take more, a grid takes a seventh. */
static int64_t setup_bytes(const void *options, const struct csr *A)
{
    (void)options;
    int64_t level = A->n * (int64_t)(4 * sizeof(double) + 2 * sizeof(int32_t));
    return level + (level + 2 * csr_bytes(A)) / 2;
}

static const char *const aggregations[] = {"auto", "grid", "matching", NULL};

static const struct parameter parameters[] = {
    {"aggregates",
     "the rows that are one row of the next level: of a grid, by matching, or auto: of a grid "
     "where the matrix shows one",
     "auto", TAKES_CHOICE(struct multigrid_options, aggregates, aggregations)},
    {"passes", "of a matching: so many times nodes are joined in pairs", "3",
     TAKES_INTEGER(struct multigrid_options, passes, 1, 4)},
    {"correction",
     "what the couplings of a coarser matrix are divided by; left out: 2 on a grid, 1.8 by "
     "matching",
     NULL, TAKES_REAL(struct multigrid_options, correction, 0, 2), .above = true, .optional = true},
    {"degree", "of the smoother's polynomial", "2",
     TAKES_INTEGER(struct multigrid_options, degree, 2, DEGREE_MAX), .multiple_of = 2},
    {"coarsest", "rows of a matrix that is solved directly", "128",
     TAKES_INTEGER(struct multigrid_options, coarsest, 1, 2048)},
    {0}};

const struct preconditioner preconditioner_multigrid = {
    .component = {COMPONENT_PRECONDITIONER, "multigrid",
                  "a V-cycle over coarser and coarser matrices", parameters,
                  sizeof(struct multigrid_options)},
    .setup_bytes = setup_bytes,
    .setup = setup,
};
