/* Multigrid as a preconditioner: its parameters, its set-up, and the bytes of memory and of traffic
 * that it takes. Read cycle/cycle.h first: the method; then setup/hierarchy.h and setup/builder.h:
 * the levels. */
#include "base/memory.h"
#include "matrix/implicit_rows.h"
#include "precondition/multigrid/cycle/cycle_columns.h"
#include "precondition/multigrid/cycle/transfer.h"
#include "precondition/multigrid/describe.h"
#include "precondition/multigrid/distributed/distribute.h"
#include "precondition/multigrid/distributed/slabs.h"
#include "spmv/device_csr.h"
#include "spmv/distributed/exchanged_rows.h"
#include "spmv/preconditioner.h"

#include <stdbool.h>

static enum status apply(void *state, const struct operands *operands, struct error *error)
{
    return cycle_apply(state, operands, error);
}

static enum status prepare(void *state, int columns, struct error *error)
{
    return cycle_prepare_columns(state, columns, error);
}

static void destroy(void *state)
{
    struct multigrid *m = state;
    if (m)
        cycle_free_columns(m);
    if (m && m->squared)
        space_release(m->hierarchy.space, m->squared);
    if (m)
        fused_levels_free(m->hierarchy.space, &m->fused_levels);
    if (m)
        hierarchy_free(&m->hierarchy);
    memory_free(m);
}

static const struct operator_table table = {.apply = apply, .prepare = prepare, .destroy = destroy};

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
    return cycle_is_float(m) ? (int64_t)sizeof(float) : (int64_t)sizeof(double);
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
    enum smooth_kind kind = cycle_kind(m, level, k, from_zero, leaves);
    return space_bytes(m->hierarchy.space, cycle_pass(m, kind), level->n) -
           (cycle_is_one_sweep(m, level, kind) ? 2 * level->n * element_bytes(m) : 0);
}

/* Of so many applies of G'G, in smoothings that begin with b. */
static int64_t fsai_bytes(const struct multigrid *m, const struct level *level, int64_t applies)
{
    bool enters = cycle_is_float(m) && level->number == 0;
    if (!cycle_by_fsai(level))
        return 0;
    return applies *
               (level_fsai_bytes(level) + level_fsai_bytes_per_column(level, element_bytes(m))) +
           (enters ? space_bytes(m->hierarchy.space, &pass_enter, level->n) : 0);
}

/* Of fused_smoothing.h: vectors and the lists, besides what the four products move of the matrix.
 * */
static int64_t fused_smoothing_bytes(const struct multigrid *m, const struct level *level)
{
    int64_t real = element_bytes(m), index = (int64_t)sizeof(int32_t), n = level->n;
    int64_t matrix = product_bytes(m, level) - 2 * n * real;
    int64_t before = 3 * n * real;
    int64_t down = 3 * n * real + (level->members + level[1].n) * (real + index);
    int64_t up = n * (6 * real + index) + level[1].n * real;
    int64_t last = 5 * n * real;
    if (level->number == 0) { /* r once more, for the dot product */
        last += n * (int64_t)sizeof(double);
        if (cycle_is_float(m)) { /* it enters from r, and leaves to z */
            before += n * (int64_t)sizeof(double);
            last += n * ((int64_t)sizeof(double) - real);
        }
    }
    return 4 * matrix + before + down + up + last;
}

/* Of legs.h. The codes are read of few rows. */
static int64_t legs_bytes(const struct multigrid *m, const struct level *level)
{
    int64_t real = element_bytes(m), n = level->n;
    int64_t ends = level->number == 0 ? (int64_t)sizeof(double) : real; /* of r and z */
    int64_t dot = level->number == 0 ? 2 * n * (int64_t)sizeof(double) : 0;
    return (2 * n + 2 * level[1].n) * real + 3 * n * ends + dot;
}

/* Of P by blocks, read once on the way down and once on the way up, each time by two vectors. */
static int64_t block_transfer_bytes(const struct multigrid *m, const struct level *level)
{
    int64_t element = element_bytes(m);
    return 2 * interpolation_bytes(&level->P, element) + (4 * level->n + 2 * level[1].n) * element;
}

/* The lists of the transfers, and the elements of vectors that they name, are read besides what the
 * passes say. */
static int64_t level_bytes(const struct multigrid *m, const struct level *level)
{
    struct space *space = m->hierarchy.space;
    const struct pass *down = cycle_is_float(m) ? &pass_restriction_float : &pass_restriction;
    const struct pass *up = cycle_is_float(m) ? &pass_prolongation_float : &pass_prolongation;
    int64_t coarse = level[1].n, bytes = 2 * m->degree * product_bytes(m, level);
    bool leaves = level->number == 0;
    if (level->legs.table)
        return legs_bytes(m, level);
    if (level->fused_smoothing)
        return fused_smoothing_bytes(m, level);
    for (int64_t k = 0; k < m->degree; k++)
        bytes += step_bytes(m, level, k, true, false) + step_bytes(m, level, k, false, leaves);
    bytes += fsai_bytes(m, level, 2 * m->degree);
    if (level->P.blocks > 0)
        return bytes + block_transfer_bytes(m, level);
    bytes += space_bytes(space, down, coarse) + coarse * (int64_t)sizeof(int32_t) +
             level->members * ((int64_t)sizeof(int32_t) + 2 * element_bytes(m));
    return bytes + space_bytes(space, up, level->n) + coarse * element_bytes(m);
}

static int64_t coarsest_bytes(const struct multigrid *m, const struct level *last)
{
    bool alone = last->number == 0;
    int64_t bytes = 0;
    if (m->hierarchy.coarsest_inverse) {
        if (cycle_is_float(m) && alone)
            bytes = space_bytes(m->hierarchy.space, &pass_enter, last->n) +
                    space_bytes(m->hierarchy.space, &pass_leave, last->n);
        return bytes + (last->n + 2) * last->n * element_bytes(m);
    }
    bytes = (LAST_SMOOTHINGS * m->degree - 1) * product_bytes(m, last) +
            fsai_bytes(m, last, LAST_SMOOTHINGS * m->degree);
    for (int64_t k = 0; k < LAST_SMOOTHINGS * m->degree; k++)
        bytes += step_bytes(m, last, k % m->degree, k < m->degree,
                            alone && k / m->degree + 1 == LAST_SMOOTHINGS);
    return bytes;
}

static int64_t passes_bytes(const struct joining *joining)
{
    int64_t count = 0;
    for (int p = 0; p < joining->passes.count; p++) {
        const struct aggregates *pass = &joining->passes.of[p];
        count +=
            joining->on_device ? pass->n : pass->n + pass->count + 1 + pass->offsets[pass->count];
    }
    return count * (int64_t)sizeof(int32_t);
}

static int64_t held_bytes(const struct multigrid *m)
{
    const struct hierarchy *h = &m->hierarchy;
    int64_t bytes = 0;
    for (int k = 0; k < h->count; k++) {
        const struct level *level = &h->levels[k];
        int64_t vectors = cycle_is_callers(m, level) ? 4 : 6;
        bytes += vectors * level->n * element_bytes(m) + level->own.memory_bytes;
        if (level->coarse.values)
            bytes += csr_bytes(&level->coarse);
        bytes += interpolation_bytes(&level->P, element_bytes(m)) + level->legs.bytes;
        if (cycle_by_fsai(level))
            bytes += level_fsai_bytes(level) + 2 * level->n * element_bytes(m);
        if (level->aggregates.map)
            bytes += (level->aggregates.n + level->aggregates.count + 1 + level->members) *
                     (int64_t)sizeof(int32_t);
        bytes += passes_bytes(&level->joining);
    }
    if (h->scaled.values)
        bytes += h->scaled.nnz * (int64_t)sizeof(double);
    int64_t last = h->levels[h->count - 1].n;
    bytes += m->fused_levels.count * (int64_t)sizeof *m->fused_levels.steps;
    return bytes + (h->coarsest_inverse ? last * last * element_bytes(m) : 0);
}

/* By bytes_per_apply, which is there. */
static void count_columns(const struct multigrid *m, struct linear_operator *made)
{
    int64_t once, each;
    cycle_columns_bytes(m, &once, &each);
    made->bytes_per_column = each - 2 * made->n * (int64_t)sizeof(double);
    made->columns_bytes = once + each - made->bytes_per_apply;
    if (made->space->operations->kind == SPACE_CUDA)
        made->columns_bytes += LAUNCH_BYTES * cycle_columns_launches(m);
}

/* Completes the operator of a hierarchy: fused launches, costs, description. */
static enum status finish(struct multigrid *m, const struct multigrid_options *options,
                          struct linear_operator *made, struct error *error)
{
    enum status status = fused_levels_create(m, error);
    if (!status)
        status = cycle_find_smoothing(m, options->legs, error);
    if (status)
        return status;
    const struct hierarchy *h = &m->hierarchy;
    bool one = h->count == 1;
    made->products = !one                  ? 2 * m->degree
                     : h->coarsest_inverse ? 0
                                           : LAST_SMOOTHINGS * m->degree - 1;
    for (int k = 0; k + 1 < h->count; k++)
        made->bytes_per_apply += level_bytes(m, &h->levels[k]);
    made->bytes_per_apply += coarsest_bytes(m, &h->levels[h->count - 1]);
    if (made->space->reductions == REDUCTIONS_BLAS)
        made->bytes_per_apply += space_bytes(made->space, &pass_dot, made->n);
    made->can = cycle_takes_columns(m) ? OPERATOR_COLUMNS : 0;
    count_columns(m, made);
    made->memory_bytes = held_bytes(m);
    made->singular = h->singular;
    hierarchy_describe(h, options, made);
    return STATUS_OK;
}

/* If a rank has fewer rows of a level, waiting for other ranks costs more than computing all rows.
 * */
static int64_t shared_rows(const struct space *space, const struct multigrid_options *options)
{
    enum { ON_CPU = 2048, ON_CUDA = 65536 };
    int64_t usual = space->operations->kind == SPACE_CPU ? ON_CPU : ON_CUDA;
    return options->shared > 0 ? options->shared : usual;
}

/* Each rank builds all levels. Then it keeps its own rows. */
static enum status build_and_share(const char *name, const struct multigrid_options *options,
                                   const struct csr *A, const int32_t *number,
                                   struct linear_operator *spmv, struct hierarchy *hierarchy,
                                   struct error *error)
{
    struct linear_operator whole; /* for the set-up of level 0 */
    struct space *real = hierarchy->space;
    struct csr rows;
    const struct csr *from = device_csr_share(real, A, &rows);
    hierarchy->keeps_matrices = true;
    const struct distribution by = {name, spmv, from, shared_rows(real, options)};
    enum status status = operator_create(spmv->kernel, from, &spmv->options, real, &whole, error);
    if (!status)
        status = hierarchy_build(name, options, from, number, &whole, hierarchy, error);
    operator_destroy(&whole);
    if (!status)
        status = distribute_levels(hierarchy, &by, error);
    device_csr_free(&rows);
    return status;
}

/* Ranks use slabs, if A is on a grid. Otherwise each rank builds all levels. */
static enum status build_for_ranks(const char *name, const struct multigrid_options *options,
                                   const struct csr *A, const int32_t *number,
                                   struct linear_operator *spmv, struct hierarchy *hierarchy,
                                   struct error *error)
{
    struct space *real = hierarchy->space = ranks_enter(ranks_of(spmv->space));
    struct csr stored = *A;
    enum status status =
        slabs_build(name, options, A, number, spmv, shared_rows(real, options), hierarchy, error);
    if (!status && hierarchy->count == 0)
        status = csr_check_rows(A->n, error);
    bool stores = !status && hierarchy->count == 0 && A->maker && !A->offsets;
    if (stores)
        status = A->maker->kept ? exchange_all_rows(ranks_partition(spmv->space), A, &stored, error)
                                : csr_store(&stored, error);
    stored.null_space = A->null_space;
    if (!status && hierarchy->count == 0)
        status =
            build_and_share(name, options, stores ? &stored : A, number, spmv, hierarchy, error);
    if (stores)
        csr_free(&stored);
    return ranks_barrier(ranks_of(spmv->space), status, error);
}

static const char *const near_nulls[] = {"auto", "constant", "rigid_body", "file", NULL};

static struct near_null_wanted near_null(const void *options)
{
    const struct multigrid_options *given = options;
    return (struct near_null_wanted){given->near_null, given->coordinates, given->vectors};
}

/* A must have what the options say of it. */
static enum status check_near_null(const char *name, const struct multigrid_options *options,
                                   const struct csr *A, struct error *error)
{
    bool wanted = options->near_null == NEAR_NULL_RIGID_BODY ||
                  options->near_null == NEAR_NULL_FILE || options->coordinates || options->vectors;
    if (!wanted || A->near_null)
        return STATUS_OK;
    return error_set(error, STATUS_CONFIG,
                     "preconditioner %s: near_null = \"%s\": neither coordinates nor vectors came "
                     "with the matrix",
                     name, near_nulls[options->near_null]);
}

static enum status setup(const void *options, const struct csr *A, const int32_t *number,
                         struct linear_operator *spmv, struct linear_operator *made,
                         struct error *error)
{
    const struct multigrid_options *given = options;
    if (check_near_null(made->name, given, A, error))
        return STATUS_CONFIG;
    struct multigrid *m = made->state = memory_zeros(1, sizeof *m, "the preconditioner", error);
    if (!m)
        return STATUS_MEMORY;
    made->table = &table;
    m->hierarchy.space = made->space;
    m->degree = given->degree;
    take_betas(m);
    enum status status = (ranks_of(made->space) ? build_for_ranks : hierarchy_build)(
        made->name, given, A, number, spmv, &m->hierarchy, error);
    if (!status && cycle_is_float(m))
        status = space_scalars(made->space, (1 + 3) * COLUMNS_AT_ONCE, "r . r", &m->squared, error);
    if (!status)
        status = finish(m, options, made, error);
    return status;
}

static enum status renew(const void *options, const struct csr *A, const int32_t *number,
                         struct linear_operator *spmv, struct linear_operator *made,
                         struct error *error)
{
    struct multigrid *m = made->state;
    cycle_free_columns(m);
    fused_levels_free(made->space, &m->fused_levels);
    enum status status =
        hierarchy_renew(made->name, options, A, number, spmv, &m->hierarchy, error);
    return status ? status : finish(m, options, made, error);
}

/* A lower bound: vectors and aggregates of level 0, in single precision its codes too. All other
 * levels count as a seventh of level 0 with its matrix, as on a grid. */
static int64_t setup_bytes(const void *options, const struct csr *A)
{
    const struct multigrid_options *given = options;
    bool narrow = given->precision == PRECISION_FLOAT;
    int64_t vectors = narrow ? 6 * (int64_t)sizeof(float) : 4 * (int64_t)sizeof(double);
    int64_t level = A->n * (vectors + 2 * (int64_t)sizeof(int32_t));
    return level + (level + csr_bytes(A)) / 7 + (narrow ? A->n : 0);
}

/* Ranks share the levels, unless A is solved directly. Levels that fsai smooths are replicated. */
static bool by_rows(const void *options, const struct csr *A)
{
    const struct multigrid_options *given = options;
    return given->smoother == SMOOTHER_JACOBI && A->n > hierarchy_coarsest(given, A);
}

/* What contradicts near_null, or the other file. */
static const char *complaint(const void *options, const char **parameter)
{
    const struct multigrid_options *given = options;
    enum near_null_choice choice = given->near_null;
    *parameter = "coordinates";
    if (given->coordinates && given->vectors)
        return "vectors are given too: one of the two says what a level keeps";
    if (given->coordinates && choice != NEAR_NULL_AUTO && choice != NEAR_NULL_RIGID_BODY)
        return "only near_null = \"rigid_body\", or \"auto\", is made of coordinates";
    *parameter = "vectors";
    if (given->vectors && choice != NEAR_NULL_AUTO && choice != NEAR_NULL_FILE)
        return "only near_null = \"file\", or \"auto\", takes them";
    *parameter = "near_null";
    return choice == NEAR_NULL_FILE && !given->vectors ? "vectors must name the file" : NULL;
}

static const char *const aggregations[] = {"auto", "grid", "matching", NULL};

static const char *const smoothers[] = {"jacobi", "fsai", NULL};

static const char *const transfers[] = {"auto", "constant", "smoothed", NULL};

/* The first two of enum precision. */
static const char *const precisions[] = {"double", "float", NULL};

static const char *const legs_choices[] = {"auto", "never", "always", NULL};
static const char *const reuses[] = {"none", "aggregates", NULL};

static const struct parameter parameters[] = {
    {"aggregates",
     "the rows that are one row of the next level: of a grid, by matching, or auto: of a grid "
     "where the matrix shows one that its couplings do not tear",
     "auto", TAKES_CHOICE(struct multigrid_options, aggregates, aggregations)},
    {"transfer",
     "from a level to the next: constant in each aggregate, or smoothed, which keeps a near-null "
     "space; auto: smoothed where there is one",
     "auto", TAKES_CHOICE(struct multigrid_options, transfer, transfers)},
    {"passes", "how many times a matching joins nodes in pairs", "3",
     TAKES_INTEGER(struct multigrid_options, passes, 1, 4)},
    {"correction",
     "what the couplings of a coarser matrix are divided by; left out: 2 on a grid, 1.8 by "
     "matching",
     NULL, TAKES_REAL(struct multigrid_options, correction, 0, 2), .above = true, .optional = true},
    {"smoother",
     "what a smoother multiplies residuals by: the inverse of the diagonal, or the approximate "
     "inverse of the preconditioner fsai",
     "jacobi", TAKES_CHOICE(struct multigrid_options, smoother, smoothers)},
    {"degree", "degree of the smoother's polynomial", "2",
     TAKES_INTEGER(struct multigrid_options, degree, 2, DEGREE_MAX), .multiple_of = 2},
    {"coarsest", "rows of a matrix that is solved directly; left out: 128, with P smoothed 256",
     NULL, TAKES_INTEGER(struct multigrid_options, coarsest, 1, 2048), .optional = true},
    {"precision",
     "precision of the matrices, vectors and sums of a cycle; set-up is in double precision",
     "double", TAKES_CHOICE(struct multigrid_options, precision, precisions)},
    {"reuse", "what stays when A gets other values on the same pattern: the aggregates, or none",
     "none", TAKES_CHOICE(struct multigrid_options, reuse, reuses)},
    {"legs",
     "whether on a GPU one kernel makes the cycle down to the next level, and one the cycle up, on "
     "a grid of even sizes: auto: where the level gains by it; the bits are the same",
     "auto", TAKES_CHOICE(struct multigrid_options, legs, legs_choices)},
    {"near_null",
     "which vectors a coarser level keeps: constants; the rigid body modes of an elastic body; "
     "those of a file; or auto: what coordinates or vectors say, or the problem knows, else "
     "constants",
     "auto", TAKES_CHOICE(struct multigrid_options, near_null, near_nulls)},
    {"coordinates",
     "a file of the nodes' coordinates, of which rigid body modes are made: a row for each node, 2 "
     "or 3 columns; the unknowns of a node are as many consecutive rows of the matrix",
     NULL, TAKES_FILE(struct multigrid_options, coordinates), .optional = true},
    {"vectors", "a file of the vectors, a column for each, at most 12", NULL,
     TAKES_FILE(struct multigrid_options, vectors), .optional = true},
    {0}};

const struct preconditioner preconditioner_multigrid = {
    .component = {COMPONENT_PRECONDITIONER, "multigrid",
                  "a V-cycle over coarser and coarser matrices", parameters,
                  sizeof(struct multigrid_options), complaint},
    .setup_bytes = setup_bytes,
    .setup = setup,
    .device_rows = true,
    .ranks_leave_rows = true,
    .takes_codes = true,
    .renew = renew,
    .by_rows = by_rows,
    .near_null = near_null,
};
