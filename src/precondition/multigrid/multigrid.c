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
#include "precondition/multigrid/direct.h"
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
    double *squared; /* in the space, of a cycle in single precision: r . r where none is given */
};

/* --- the cycle ------------------------------------------------------------------------------- */

/* One cycle on its way. In double precision the vectors of level 0 are the caller's, in single
 * precision the level has its own, and the cycle begins and ends as ends.h says. */
struct cycle {
    const struct multigrid *m;
    struct ends ends;
};

static bool is_float(const struct multigrid *m)
{
    return m->hierarchy.precision == PRECISION_FLOAT;
}

static bool is_callers(const struct multigrid *m, const struct level *level)
{
    return level == m->hierarchy.levels && !is_float(m);
}

static const void *rhs_of(const struct cycle *cycle, const struct level *level)
{
    return is_callers(cycle->m, level) ? cycle->ends.r : level->b;
}

static void *solution_of(const struct cycle *cycle, const struct level *level)
{
    return is_callers(cycle->m, level) ? cycle->ends.z : level->x;
}

/* leaves: behind it the cycle ends. */
static enum smooth_kind kind_of(const struct multigrid *m, const struct level *level, int64_t k,
                                bool from_zero, bool leaves)
{
    bool last = k + 1 == m->degree, ends = is_float(m) && level == m->hierarchy.levels;
    if (k == 0)
        return !from_zero ? SMOOTH_FIRST_LATER : ends ? SMOOTH_ENTER : SMOOTH_FIRST;
    if (from_zero && k == 1)
        return last ? SMOOTH_SECOND_LAST : SMOOTH_SECOND;
    return !last ? SMOOTH_MIDDLE : ends && leaves ? SMOOTH_LEAVE : SMOOTH_LAST;
}

static const struct pass *pass_of(const struct multigrid *m, enum smooth_kind kind)
{
    return is_float(m) ? &smooth_passes_float[kind] : &smooth_passes[kind];
}

/* Whether the step is part of its product's sweep. One in the middle writes the d that its product
 * reads, so it waits until that is done. */
static bool is_one_sweep(const struct multigrid *m, const struct level *level,
                         enum smooth_kind kind)
{
    bool waits = kind != SMOOTH_FIRST_LATER && kind != SMOOTH_SECOND_LAST && kind != SMOOTH_LAST;
    return !waits && !is_float(m) && operator_applies_then(level->spmv, pass_of(m, kind));
}

static enum status multiply(const struct multigrid *m, const struct level *level, const void *x,
                            struct error *error)
{
    return is_float(m) ? operator_apply_float(level->spmv, x, level->q, error)
                       : operator_apply(level->spmv, x, level->q, error);
}

/* The product that step k needs, if it needs one, and the step; the dot product with the last
 * one. */
static enum status smooth_step(const struct cycle *cycle, const struct level *level, int64_t k,
                               bool from_zero, bool leaves, struct error *error)
{
    const struct multigrid *m = cycle->m;
    enum smooth_kind kind = kind_of(m, level, k, from_zero, leaves);
    const struct pass *pass = pass_of(m, kind);
    const void *b = rhs_of(cycle, level);
    void *x = solution_of(cycle, level);
    bool last = k + 1 == m->degree, second = from_zero && k == 1;
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
                          .along = cycle->ends.r,
                          .dot = last && leaves && !is_float(m) ? cycle->ends.dot : NULL,
                          .ends = cycle->ends};
    if (kind == SMOOTH_ENTER)
        work.ends.b = level->b;
    if (is_one_sweep(m, level, kind))
        return operator_apply_then(level->spmv, k == 0 ? x : level->d, level->q, pass, &work,
                                   error);
    enum status status = STATUS_OK;
    if (work.q)
        status = multiply(m, level, k == 0 ? x : level->d, error);
    return status ? status : space_run(m->hierarchy.space, pass, level->n, &work, error);
}

/* x = S(x, b), or S(0, b) */
static enum status smooth(const struct cycle *cycle, const struct level *level, bool from_zero,
                          bool leaves, struct error *error)
{
    enum status status = STATUS_OK;
    for (int64_t k = 0; k < cycle->m->degree && !status; k++)
        status = smooth_step(cycle, level, k, from_zero, leaves, error);
    return status;
}

static enum status run_ends(const struct cycle *cycle, const struct level *level,
                            const struct pass *pass, struct error *error)
{
    struct ends work = cycle->ends;
    work.b = pass == &pass_enter ? level->b : NULL;
    work.x = level->x;
    return space_run(cycle->m->hierarchy.space, pass, level->n, &work, error);
}

/* x = B b by the inverse, in single precision. */
static enum status solve_directly_float(const struct cycle *cycle, const struct level *level,
                                        bool alone, struct error *error)
{
    struct direct work = {
        .n = level->n, .values = cycle->m->hierarchy.last_inverse, .b = level->b, .x = level->x};
    enum status status = alone ? run_ends(cycle, level, &pass_enter, error) : STATUS_OK;
    if (!status)
        status = space_run(cycle->m->hierarchy.space, &pass_direct, level->n, &work, error);
    return status || !alone ? status : run_ends(cycle, level, &pass_leave, error);
}

static enum status solve_directly(const struct cycle *cycle, const struct level *level, bool alone,
                                  struct error *error)
{
    struct blocks_work work = {.n = level->n,
                               .block = level->n,
                               .values = cycle->m->hierarchy.last_inverse,
                               .r = rhs_of(cycle, level),
                               .z = solution_of(cycle, level),
                               .dot = alone ? cycle->ends.dot : NULL};
    return space_run(cycle->m->hierarchy.space, &pass_blocks, level->n, &work, error);
}

/* alone: there is no other level. */
static enum status solve_last(const struct cycle *cycle, const struct level *level, bool alone,
                              struct error *error)
{
    if (cycle->m->hierarchy.last_inverse)
        return is_float(cycle->m) ? solve_directly_float(cycle, level, alone, error)
                                  : solve_directly(cycle, level, alone, error);
    enum status status = STATUS_OK;
    for (int k = 0; k < LAST_SMOOTHINGS && !status; k++)
        status = smooth(cycle, level, k == 0, alone && k + 1 == LAST_SMOOTHINGS, error);
    return status;
}

static enum status restrict_residual(const struct cycle *cycle, const struct level *level,
                                     struct error *error)
{
    const struct multigrid *m = cycle->m;
    const struct level *below = level + 1;
    struct restriction work = {.offsets = level->aggregates.offsets,
                               .members = level->aggregates.members,
                               .b = rhs_of(cycle, level),
                               .q = level->q,
                               .coarse = below->b};
    const struct pass *pass = is_float(m) ? &pass_restriction_float : &pass_restriction;
    enum status status = multiply(m, level, solution_of(cycle, level), error);
    return status ? status : space_run(m->hierarchy.space, pass, below->n, &work, error);
}

static enum status correct(const struct cycle *cycle, const struct level *level,
                           struct error *error)
{
    struct prolongation work = {
        .map = level->aggregates.map, .coarse = level[1].x, .x = solution_of(cycle, level)};
    const struct pass *pass = is_float(cycle->m) ? &pass_prolongation_float : &pass_prolongation;
    return space_run(cycle->m->hierarchy.space, pass, level->n, &work, error);
}

static enum status run_cycle(const struct cycle *cycle, struct error *error)
{
    const struct level *levels = cycle->m->hierarchy.levels;
    int last = cycle->m->hierarchy.count - 1;
    enum status status = STATUS_OK;
    for (int k = 0; k < last && !status; k++) {
        status = smooth(cycle, &levels[k], true, false, error);
        if (!status)
            status = restrict_residual(cycle, &levels[k], error);
    }
    if (!status)
        status = solve_last(cycle, &levels[last], last == 0, error);
    for (int k = last - 1; k >= 0 && !status; k--) {
        status = correct(cycle, &levels[k], error);
        if (!status)
            status = smooth(cycle, &levels[k], false, k == 0, error);
    }
    return status;
}

static enum status apply_dot(void *state, const struct operands *operands, double *dot,
                             struct error *error)
{
    const struct multigrid *m = state;
    struct cycle cycle = {.m = m,
                          .ends = {.r = operands->x,
                                   .squared = operands->squared ? operands->squared : m->squared,
                                   .exponent = m->hierarchy.exponent,
                                   .z = operands->y,
                                   .dot = dot}};
    enum status status = STATUS_OK;
    if (is_float(m) && !operands->squared)
        status = space_dot(m->hierarchy.space, m->hierarchy.levels[0].n, operands->x, operands->x,
                           m->squared, error);
    return status ? status : run_cycle(&cycle, error);
}

static void destroy(void *state)
{
    struct multigrid *m = state;
    if (m && m->squared)
        space_release(m->hierarchy.space, m->squared);
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

static int64_t element_bytes(const struct multigrid *m)
{
    return is_float(m) ? (int64_t)sizeof(float) : (int64_t)sizeof(double);
}

/* A kernel counts vectors of doubles. */
static int64_t product_bytes(const struct multigrid *m, const struct level *level)
{
    const struct linear_operator *spmv = level->spmv;
    return spmv->bytes_per_apply -
           (spmv->n + spmv->width) * ((int64_t)sizeof(double) - element_bytes(m));
}

/* A step, without its product: where they are one sweep, q is neither written nor read. */
static int64_t step_bytes(const struct multigrid *m, const struct level *level, int64_t k,
                          bool from_zero, bool leaves)
{
    enum smooth_kind kind = kind_of(m, level, k, from_zero, leaves);
    return space_bytes(m->hierarchy.space, pass_of(m, kind), level->n) -
           (is_one_sweep(m, level, kind) ? 2 * level->n * (int64_t)sizeof(double) : 0);
}

/* The lists of the transfers, and what they lead to, are read besides what the passes say. */
static int64_t level_bytes(const struct multigrid *m, const struct level *level)
{
    struct space *space = m->hierarchy.space;
    const struct pass *down = is_float(m) ? &pass_restriction_float : &pass_restriction;
    const struct pass *up = is_float(m) ? &pass_prolongation_float : &pass_prolongation;
    int64_t coarse = level[1].n, bytes = 2 * m->degree * product_bytes(m, level);
    bool leaves = level == m->hierarchy.levels;
    for (int64_t k = 0; k < m->degree; k++)
        bytes += step_bytes(m, level, k, true, false) + step_bytes(m, level, k, false, leaves);
    bytes += space_bytes(space, down, coarse) + coarse * (int64_t)sizeof(int32_t) +
             level->members * ((int64_t)sizeof(int32_t) + 2 * element_bytes(m));
    return bytes + space_bytes(space, up, level->n) + coarse * element_bytes(m);
}

static int64_t last_bytes(const struct multigrid *m, const struct level *last)
{
    bool alone = last == m->hierarchy.levels;
    int64_t bytes = 0;
    if (m->hierarchy.last_inverse) {
        if (is_float(m) && alone)
            bytes = space_bytes(m->hierarchy.space, &pass_enter, last->n) +
                    space_bytes(m->hierarchy.space, &pass_leave, last->n);
        return bytes + (last->n + 2) * last->n * element_bytes(m);
    }
    bytes = (LAST_SMOOTHINGS * m->degree - 1) * product_bytes(m, last);
    for (int64_t k = 0; k < LAST_SMOOTHINGS * m->degree; k++)
        bytes += step_bytes(m, last, k % m->degree, k < m->degree,
                            alone && k / m->degree + 1 == LAST_SMOOTHINGS);
    return bytes;
}

static int64_t held_bytes(const struct multigrid *m)
{
    const struct hierarchy *h = &m->hierarchy;
    int64_t bytes = 0;
    for (int k = 0; k < h->count; k++) {
        const struct level *level = &h->levels[k];
        int64_t vectors = is_callers(m, level) ? 4 : 6;
        bytes += vectors * level->n * element_bytes(m) + level->own.memory_bytes;
        if (k > 0)
            bytes += csr_bytes(&level->coarse);
        if (level->aggregates.map)
            bytes += (level->n + level[1].n + 1 + level->members) * (int64_t)sizeof(int32_t);
    }
    if (h->scaled.values)
        bytes += h->scaled.nnz * (int64_t)sizeof(double);
    int64_t last = h->levels[h->count - 1].n;
    return bytes + (h->last_inverse ? last * last * element_bytes(m) : 0);
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
             "%d level%s%s%s, %.2f times the entries of A; %" PRId64 " rows at the end, %s",
             h->count, h->count > 1 ? "s" : "",
             h->count == 1 ? ""
             : h->on_grid  ? " of a grid"
                           : " by matching",
             is_float(m) ? " in single precision" : "", (double)entries / (double)h->levels[0].nnz,
             last->n, h->last_inverse ? "solved" : "smoothed");
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
    if (!status && is_float(m))
        status = space_vector(made->space, 1, "r . r", &m->squared, error);
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

/* Vectors and aggregates of level 0, in single precision a matrix too, and for all others as much
 * as half of level 0 takes with its matrix: two rows to an aggregate would take more, a grid takes
 * a seventh. */
static int64_t setup_bytes(const void *options, const struct csr *A)
{
    const struct multigrid_options *given = options;
    bool narrow = given->precision == PRECISION_FLOAT;
    int64_t vectors = narrow ? 6 * (int64_t)sizeof(float) : 4 * (int64_t)sizeof(double);
    int64_t level = A->n * (vectors + 2 * (int64_t)sizeof(int32_t));
    return level + (level + 2 * csr_bytes(A)) / 2 + (narrow ? csr_bytes(A) : 0);
}

static const char *const aggregations[] = {"auto", "grid", "matching", NULL};

/* The first two of enum precision. */
static const char *const precisions[] = {"double", "float", NULL};

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
    {"precision", "of the matrices, vectors and sums of a cycle; set-up is in double precision",
     "double", TAKES_CHOICE(struct multigrid_options, precision, precisions)},
    {0}};

const struct preconditioner preconditioner_multigrid = {
    .component = {COMPONENT_PRECONDITIONER, "multigrid",
                  "a V-cycle over coarser and coarser matrices", parameters,
                  sizeof(struct multigrid_options)},
    .setup_bytes = setup_bytes,
    .setup = setup,
};
