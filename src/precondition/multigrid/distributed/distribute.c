#include "precondition/multigrid/distributed/distribute.h"

#include "base/memory.h"
#include "precondition/multigrid/distributed/distribute_rows.h"
#include "precondition/multigrid/setup/builder.h"
#include "precondition/multigrid/setup/grid_rows.h"
#include "precondition/multigrid/setup/to_float.h"
#include "space/sum/sum_order.h"
#include "spmv/device_csr.h"
#include "spmv/distributed/listed_rows.h"
#include "spmv/distributed/rank_operator.h"

static const char what[] = "a level that ranks share";

/* --- who has which rows ----------------------------------------------------------------------- */

/* While the crossing behind a level is made. */
struct sharing {
    struct space *space;           /* the real one */
    const struct interpolation *P; /* of all rows: of smoothed aggregation */
    struct aggregates all;         /* there: of all rows, or of those of a slab */
    int64_t row, aggregate;        /* the first ones, of all ranks' */
    const struct cells *cells;     /* where the aggregates are a grid's; or NULL */
    const struct partition *fine;
    struct partition coarse;
    struct crossing *made;
};

static enum status allocate(struct space *space, int64_t count, size_t size, void **made,
                            struct error *error)
{
    return space->operations->allocate(space, count + 1, size, what, made, error);
}

enum { SAMPLES = 1024 };

/* About how many aggregates begin before that row: exactly where they are numbered by their first
 * rows. first[SAMPLES] is there, and here[SAMPLES] on the host. */
static enum status begin_before(const struct sharing *sharing, int64_t row, int32_t *first,
                                int32_t *here, int64_t *count, struct error *error)
{
    struct space *space = sharing->space;
    const struct aggregates *all = &sharing->all;
    int64_t begin = 0, end = all->count, step;
    do {
        int64_t before = 0;
        step = (end - begin + SAMPLES - 1) / SAMPLES;
        int64_t samples = (end - begin + step - 1) / step;
        struct sampling work = {all->offsets, all->members, begin, step, first};
        enum status status = space_run(space, &pass_sampling, samples, &work, error);
        if (!status)
            status = space->operations->download(space, samples * (int64_t)sizeof *first, first,
                                                 here, error);
        if (status)
            return status;
        for (int64_t k = 0; k < samples; k++)
            before += here[k] < row;
        end = before < samples ? begin + before * step : end;
        begin += before > 0 ? (before - 1) * step + 1 : 0;
    } while (begin < end && step > 1);
    *count = end;
    return STATUS_OK;
}

/* The same of a grid, whose aggregates are numbered by their first rows. */
static int64_t begin_before_on_grid(const struct cells *cells, int64_t row)
{
    int64_t begin = 0, end = cells_count(cells) * cells->block;
    while (begin < end) {
        int64_t middle = begin + (end - begin) / 2;
        if (aggregate_first(cells, middle) < row)
            begin = middle + 1;
        else
            end = middle;
    }
    return end;
}

/* A rank gets about as many coarse rows as there are aggregates whose first row is its own, in
 * whole tiles. Where aggregates are numbered by their first rows, it gets these. */
static enum status divide(struct sharing *sharing, struct error *error)
{
    struct partition *made = &sharing->coarse;
    const struct cells *cells = sharing->cells;
    int64_t n = cells ? cells_count(cells) * cells->block : sharing->all.count;
    int ranks = sharing->fine->exchange->count;
    int32_t here[SAMPLES], *first = NULL;
    *made = (struct partition){.exchange = sharing->fine->exchange, .n = n};
    made->begin = memory_zeros(ranks + 1, sizeof *made->begin, what, error);
    enum status status =
        made->begin ? allocate(sharing->space, SAMPLES, sizeof *first, (void **)&first, error)
                    : STATUS_MEMORY;
    for (int r = 1; r < ranks && !status; r++) {
        int64_t before = 0;
        if (cells)
            before = begin_before_on_grid(cells, sharing->fine->begin[r]);
        else
            status = begin_before(sharing, sharing->fine->begin[r], first, here, &before, error);
        int64_t row = (before + SUM_TILE / 2) / SUM_TILE * SUM_TILE;
        row = row < n ? row : n;
        made->begin[r] = row > made->begin[r - 1] ? row : made->begin[r - 1];
    }
    if (!status)
        made->begin[ranks] = n;
    space_release(sharing->space, first);
    return status;
}

/* Evenly, in whole tiles and nodes of so many rows. */
static enum status divide_evenly(struct sharing *sharing, int64_t n, int64_t width,
                                 struct error *error)
{
    struct partition *made = &sharing->coarse;
    int ranks = sharing->fine->exchange->count;
    int64_t step = SUM_TILE;
    while (step % width != 0)
        step += SUM_TILE;
    *made = (struct partition){.exchange = sharing->fine->exchange, .n = n};
    made->begin = memory_zeros(ranks + 1, sizeof *made->begin, what, error);
    for (int r = 1; r <= ranks && made->begin; r++) {
        int64_t row = (int64_t)((double)n / ranks * r + (double)step / 2) / step * step;
        made->begin[r] = r == ranks || row > n ? n : row;
    }
    return made->begin ? STATUS_OK : STATUS_MEMORY;
}

enum status distribute_divide(struct ranks *ranks, const struct cells *cells,
                              struct partition *made, struct error *error)
{
    struct sharing sharing = {.space = ranks->real, .cells = cells, .fine = &ranks->partition};
    enum status status = divide(&sharing, error);
    *made = sharing.coarse;
    return status;
}

static int64_t least_rows(const struct partition *partition)
{
    int64_t least = partition->n;
    for (int r = 0; r < partition->exchange->count; r++) {
        int64_t rows = partition->begin[r + 1] - partition->begin[r];
        least = rows < least ? rows : least;
    }
    return least;
}

/* --- what is read of other ranks -------------------------------------------------------------- */

/* The residual of the members of the own coarse rows, and these by their places. */
static enum status cross_down(struct sharing *sharing, struct error *error)
{
    const struct aggregates *all = &sharing->all;
    struct crossing *made = sharing->made;
    struct space *space = sharing->space;
    struct rank_places places = {0};
    int64_t count = made->coarse_own;
    const int32_t *offsets =
        all->offsets + (partition_first(&sharing->coarse) - sharing->aggregate);
    int32_t begin = 0, end = 0;
    enum status status = space->operations->download(space, sizeof begin, offsets, &begin, error);
    if (!status)
        status = space->operations->download(space, sizeof end, offsets + count, &end, error);
    struct listed_rows members = {all->members + begin, end - begin, sharing->row};
    if (!status)
        status = listed_rows_reach(made->ranks, sharing->fine, &members, &places, &made->residual,
                                   &made->bring_residual, error);
    if (!status)
        status = listed_rows_place(space, &places, &members, &made->members, error);
    if (!status)
        status = allocate(space, count + 1, sizeof *made->offsets, (void **)&made->offsets, error);
    rank_places_free(&places);
    struct shifting work = {offsets, begin, made->offsets};
    return status ? status : space_run(space, &pass_shifting, count + 1, &work, error);
}

/* *gathered = the coarse rows of the local rows of this level, in the order of these. */
static enum status gather(const struct sharing *sharing, const struct local_matrix *rows,
                          int32_t **gathered, struct error *error)
{
    struct space *space = sharing->space;
    struct gathering work = {.list = sharing->all.map - sharing->row, .own = rows->reach.own};
    enum status status = rank_places_bring(space, &rows->places, &work.places, error);
    if (!status)
        status =
            allocate(space, local_matrix_count(rows), sizeof *work.list, (void **)gathered, error);
    work.gathered = *gathered;
    if (!status && local_matrix_count(rows) > 0)
        status = space_run(space, &pass_gathering, local_matrix_count(rows), &work, error);
    rank_places_release(space, &work.places);
    return status;
}

/* The correction of the local rows, by the places of what they lie in. */
static enum status cross_up(struct sharing *sharing, const struct local_matrix *rows,
                            struct error *error)
{
    struct crossing *made = sharing->made;
    struct rank_places places = {0};
    int32_t *gathered = NULL;
    enum status status = gather(sharing, rows, &gathered, error);
    struct listed_rows list = {gathered, local_matrix_count(rows), sharing->aggregate};
    if (!status)
        status = listed_rows_reach(made->ranks, &sharing->coarse, made->gathers ? NULL : &list,
                                   &places, &made->coarse, &made->bring_coarse, error);
    if (!status)
        status = listed_rows_place(sharing->space, &places, &list, &made->map, error);
    made->below = rows->reach.below;
    space_release(sharing->space, gathered);
    rank_places_free(&places);
    return status;
}

/* --- by smoothed aggregation ------------------------------------------------------------------ */

/* Nodes of so many rows, which a rank reads; all: of all rows. *local: these by local nodes. */
static enum status reach_nodes(const struct sharing *sharing, const struct partition *partition,
                               const int32_t *nodes, int64_t count, int64_t block, bool all,
                               struct ghost_rows *reach, struct rank_halo **halo, int32_t **local,
                               struct error *error)
{
    struct space *space = sharing->space;
    struct rank_places places = {0};
    int32_t *rows = NULL, *placed = NULL;
    int64_t elements = count * block;
    enum status status = allocate(space, elements, sizeof *rows, (void **)&rows, error);
    struct blocking unfolding = {nodes, block, rows};
    if (!status && count > 0)
        status = space_run(space, &pass_unfolding, elements, &unfolding, error);
    struct listed_rows list = {rows, elements, 0};
    if (!status)
        status = listed_rows_reach(sharing->made->ranks, partition, all ? NULL : &list, &places,
                                   reach, halo, error);
    if (!status)
        status = listed_rows_place(space, &places, &list, &placed, error);
    if (!status)
        status = allocate(space, count, sizeof **local, (void **)local, error);
    struct blocking folding = {placed, block, *local};
    if (!status && count > 0)
        status = space_run(space, &pass_folding, count, &folding, error);
    rank_places_free(&places);
    space_release(space, rows);
    space_release(space, placed);
    return status;
}

/* The residual of the rows of P that the own coarse nodes have entries in. */
static enum status cross_down_by_blocks(struct sharing *sharing, struct error *error)
{
    const struct interpolation *P = sharing->P;
    struct crossing *made = sharing->made;
    struct space *space = sharing->space;
    const uint32_t *begins = P->begins + partition_first(&sharing->coarse) / P->width;
    uint32_t begin = 0, end = 0;
    made->P.begins = (uint32_t *)begins;
    made->P.coarse = made->coarse_own / P->width;
    enum status status = space->operations->download(space, sizeof begin, begins, &begin, error);
    if (!status)
        status =
            space->operations->download(space, sizeof end, begins + made->P.coarse, &end, error);
    if (!status)
        status = reach_nodes(sharing, sharing->fine, P->nodes + begin, end - begin, P->block, false,
                             &made->residual, &made->bring_residual, &made->nodes, error);
    if (!status)
        made->P.nodes = made->nodes - begin;
    return status;
}

/* The coarse nodes of the rows of P of the own nodes. */
static enum status cross_up_by_blocks(struct sharing *sharing, struct error *error)
{
    const struct interpolation *P = sharing->P;
    struct crossing *made = sharing->made;
    struct space *space = sharing->space;
    const int64_t *offsets = P->offsets + partition_first(sharing->fine) / P->block;
    int64_t begin = 0, end = 0;
    made->P.offsets = (int64_t *)offsets;
    made->P.fine = partition_rows(sharing->fine) / P->block;
    enum status status = space->operations->download(space, sizeof begin, offsets, &begin, error);
    if (!status)
        status =
            space->operations->download(space, sizeof end, offsets + made->P.fine, &end, error);
    if (!status)
        status =
            reach_nodes(sharing, &sharing->coarse, P->columns + begin, end - begin, P->width,
                        made->gathers, &made->coarse, &made->bring_coarse, &made->columns, error);
    if (!status)
        made->P.columns = made->columns - begin;
    return status;
}

/* --- from a level to the next one ------------------------------------------------------------- */

/* Level k is shared; whether the next one is, where each rank has `least` rows of it. */
static enum status cross(struct hierarchy *hierarchy, int k, struct ranks *ranks, int64_t least,
                         struct sharing *sharing, struct error *error)
{
    struct level *level = &hierarchy->levels[k];
    bool is_solved = hierarchy->coarsest_inverse && k + 2 == hierarchy->count;
    struct crossing *made = level->crossing = memory_zeros(1, sizeof *made, what, error);
    if (!made)
        return STATUS_MEMORY;
    made->ranks = ranks;
    sharing->made = made;
    sharing->all = level->aggregates;
    sharing->all.count = level[1].n;
    if (level->P.blocks > 0) {
        sharing->P = &level->P;
        made->P = level->P;
    } else {
        made->cells = sharing->cells ? *sharing->cells : level->joining.cells;
    }
    enum status status = sharing->P ? divide_evenly(sharing, level[1].n, level->P.width, error)
                                    : divide(sharing, error);
    if (!status) {
        made->coarse_first = partition_first(&sharing->coarse);
        made->coarse_own = partition_rows(&sharing->coarse);
        made->gathers = is_solved || least_rows(&sharing->coarse) < least;
        status = sharing->P ? cross_down_by_blocks(sharing, error) : cross_down(sharing, error);
    }
    if (!status)
        status = sharing->P ? cross_up_by_blocks(sharing, error)
                            : cross_up(sharing, rank_operator_rows(level->spmv), error);
    return status;
}

/* 1 / a_ii of the own rows, and around them of the rows of other ranks, for fused smoothing.
 * `inverse`: of rows from row `base` on. */
static enum status share_diagonal(struct hierarchy *hierarchy, struct level *level, bool singles,
                                  const void *inverse, int64_t base, struct error *error)
{
    const struct local_matrix *rows = rank_operator_rows(level->spmv);
    int64_t element = distribute_element(singles);
    struct surrounding work = {.values = (const char *)inverse - base * element,
                               .own = rows->reach.own,
                               .made = (char *)level->inverse - rows->places.below * element,
                               .singles = singles};
    enum status status = rank_places_bring(hierarchy->space, &rows->places, &work.places, error);
    if (!status && local_matrix_count(rows) > 0)
        status =
            space_run(hierarchy->space, &pass_surrounding, local_matrix_count(rows), &work, error);
    rank_places_release(hierarchy->space, &work.places);
    return status;
}

/* The first `count` vectors of the own rows in the place of those of all rows, from row `base`
 * on. */
static enum status share_vectors(struct hierarchy *hierarchy, struct level *level, int count,
                                 bool singles, int64_t base, struct error *error)
{
    enum { ALL = 6 };
    void **vectors[ALL] = {&level->inverse, &level->q, &level->d, &level->r, &level->b, &level->x};
    void *inverse = level->inverse;
    enum status status = STATUS_OK;
    for (int v = 0; v < ALL; v++) {
        if (v > 0)
            space_release(level->space, *vectors[v]);
        *vectors[v] = NULL;
    }
    for (int v = 0; v < count && !status; v++)
        status = ranks_multivector(level->space, level->n, 1, (size_t)distribute_element(singles),
                                   what, vectors[v], error);
    if (!status)
        status = share_diagonal(hierarchy, level, singles, inverse, base, error);
    space_release(hierarchy->space, inverse);
    return status;
}

/* Those of the cycle; b and x of level 0 are the caller's in double precision. */
static int vectors_of(const struct hierarchy *hierarchy, const struct level *level)
{
    return level->number == 0 && hierarchy->precision == PRECISION_DOUBLE ? 4 : 6;
}

static struct to_float to_float_of(const struct distribution *by, const struct level *level,
                                   struct space *space)
{
    return (struct to_float){by->name, by->spmv, space, level->number};
}

/* A, in the scale of the cycle, in single precision. */
static enum status narrow_matrix(struct level *level, const struct csr *A,
                                 const struct distribution *by, struct error *error)
{
    struct to_float to = to_float_of(by, level, level->space);
    operator_destroy(&level->own);
    level->spmv = &level->own;
    return to_float_operator(&to, A, &level->own, error);
}

/* That of level 0, of all rows. */
static enum status narrow_first(struct hierarchy *hierarchy, const struct distribution *by,
                                struct error *error)
{
    struct csr scaled = {0};
    const struct csr *A = by->A;
    enum status status = STATUS_OK;
    if (hierarchy->exponent != 0) {
        status = to_float_scaled(A, hierarchy->exponent, &scaled, error);
        A = &scaled;
    }
    if (!status)
        status = narrow_matrix(&hierarchy->levels[0], A, by, error);
    to_float_free(&scaled);
    return status;
}

/* The matrix of a level by ranks: for the cycle, or for set-up, which is in double precision. */
static enum status share_matrix(struct hierarchy *hierarchy, struct level *level,
                                const struct csr *A, bool for_cycle, const struct distribution *by,
                                struct error *error)
{
    const struct linear_operator *spmv = by->spmv;
    const struct kernel_options *options = &spmv->options;
    bool narrow = for_cycle && hierarchy->precision == PRECISION_FLOAT;
    struct error ignored;
    if (level->number == 0)
        return narrow ? narrow_first(hierarchy, by, error) : STATUS_OK;
    operator_destroy(&level->own);
    if (kernel_check(spmv->kernel, A, options, &ignored))
        options = NULL; /* as for one alone */
    enum status status =
        narrow ? narrow_matrix(level, A, by, error)
               : operator_create(spmv->kernel, A, options, level->space, &level->own, error);
    device_csr_free(&level->kept);
    csr_free(&level->coarse);
    return status;
}

enum status distribute_level(struct hierarchy *hierarchy, int k, const struct slab *slab,
                             const struct distribution *by, struct error *error)
{
    enum { OF_SETUP = 3 }; /* vectors, where the cycle gets others */
    struct level *level = &hierarchy->levels[k], *next = level + 1;
    struct ranks *ranks = ranks_of(by->spmv->space), *own = ranks_of(level->space), *of_next;
    struct sharing sharing = {.space = hierarchy->space,
                              .fine = &own->partition,
                              .row = slab ? slab->fine.base : 0,
                              .aggregate = slab ? slab->coarse.base : 0,
                              .cells = slab ? &slab->all : NULL};
    bool is_float = hierarchy->precision == PRECISION_FLOAT;
    const struct csr *A = slab ? slab->A : level->kept.space ? &level->kept : &level->coarse;
    enum status status = share_matrix(hierarchy, level, A, !slab, by, error);
    if (!status && (slab || k + 1 < hierarchy->count))
        status = cross(hierarchy, k, ranks, by->least, &sharing, error);
    if (!status && level->crossing) {
        const struct ghost_rows *residual = &level->crossing->residual;
        const struct ghost_rows *coarse = &level->crossing->coarse;
        level->crossing->singles = is_float;
        aggregates_free(&level->aggregates);
        passes_free(&level->joining.passes);
        ranks_make_room(own, residual->below, residual->above);
        if (!level->crossing->gathers) {
            status = ranks_subspace(ranks, &sharing.coarse, &of_next, error);
            next->space = status ? next->space : &of_next->base;
        }
        if (!status && !level->crossing->gathers)
            ranks_make_room(of_next, coarse->below, coarse->above);
    }
    partition_free(&sharing.coarse);
    if (status)
        return status;
    return share_vectors(hierarchy, level,
                         slab && is_float ? OF_SETUP : vectors_of(hierarchy, level),
                         !slab && is_float, slab ? slab->fine.base : 0, error);
}

/* Whether a rank has a row of its own whose fl(1 / a_ii) is too large; then all refuse. */
static enum status judge_diagonal(const struct to_float *to, const struct slab *slab,
                                  const struct csr *rows, const struct diagonal_nothing *nothing,
                                  float *inverse, struct error *error)
{
    struct csr own = *rows;
    bool fits;
    own.n = slab->fine.end - slab->fine.begin;
    own.offsets += slab->fine.begin;
    enum status status =
        to_float_invert(to, &own, nothing, inverse + slab->fine.begin, &fits, error);
    int64_t wrong = !fits;
    if (!status)
        status = ranks_sum(slab->ranks, 1, &wrong, error);
    return status || wrong == 0 ? status : to_float_refuse_diagonal(to, error);
}

enum status distribute_narrow(struct hierarchy *hierarchy, int k, const struct slab *slab,
                              const struct csr *rows, const struct distribution *by,
                              struct error *error)
{
    struct level *level = &hierarchy->levels[k];
    struct to_float to = to_float_of(by, level, hierarchy->space);
    struct diagonal_nothing nothing = level_nothing(hierarchy);
    bool ignored; /* of rows of other ranks, which may have not all entries here */
    void *made = NULL;
    enum status status = narrow_matrix(level, slab->A, by, error);
    space_release(level->space, level->inverse);
    level->inverse = NULL;
    if (!status)
        status = allocate(hierarchy->space, rows->n, sizeof(float), &made, error);
    level->inverse = made; /* not yet one of the space of a rank */
    if (!status)
        status = to_float_invert(&to, rows, &nothing, made, &ignored, error);
    if (!status)
        status = judge_diagonal(&to, slab, rows, &nothing, made, error);
    return status ? status
                  : share_vectors(hierarchy, level, vectors_of(hierarchy, level), true,
                                  slab->fine.base, error);
}

enum status distribute_levels(struct hierarchy *hierarchy, const struct distribution *by,
                              struct error *error)
{
    enum status status = STATUS_OK;
    struct level *first = hierarchy->levels;
    int k = 0;
    while (hierarchy->levels[k].crossing)
        k++;
    first->spmv = hierarchy->precision == PRECISION_DOUBLE ? by->spmv : first->spmv;
    first->space = by->spmv->space;
    for (; k < hierarchy->count && hierarchy->levels[k].space != hierarchy->space && !status; k++)
        status = distribute_level(hierarchy, k, NULL, by, error);
    for (k = 0; k < hierarchy->count; k++)
        device_csr_free(&hierarchy->levels[k].kept);
    return status;
}

void distribute_free(struct level *level)
{
    struct crossing *crossing = level->crossing;
    if (!crossing)
        return;
    struct space *real = crossing->ranks->real;
    struct rank_halo *halos[] = {crossing->bring_residual, crossing->bring_coarse,
                                 crossing->bring_leg_b, crossing->bring_leg_coarse};
    for (size_t h = 0; h < sizeof halos / sizeof *halos; h++)
        if (halos[h])
            halos[h]->table->destroy(halos[h]);
    ghost_rows_free(&crossing->residual);
    ghost_rows_free(&crossing->coarse);
    ghost_rows_free(&crossing->leg_b);
    ghost_rows_free(&crossing->leg_coarse);
    space_release(real, crossing->offsets);
    space_release(real, crossing->members);
    space_release(real, crossing->map);
    space_release(real, crossing->columns);
    space_release(real, crossing->nodes);
    memory_free(crossing);
    level->crossing = NULL;
}
