#include "precondition/multigrid/share.h"

#include "base/memory.h"
#include "cgsolve/sum_order.h"
#include "precondition/multigrid/builder.h"
#include "precondition/multigrid/transfer.h"

#include <string.h>

static const char what[] = "a level that ranks share";

/* --- a cycle over them ------------------------------------------------------------------------ */

enum status share_restrict(const struct level *level, const double *b, struct error *error)
{
    const struct crossing *crossing = level->crossing;
    struct rank_halo *halo = crossing->bring_residual;
    struct remainder remainder = {.b = b, .q = level->q};
    double *residual = (double *)level->q - crossing->residual.below;
    double *coarse = level[1].b;
    double *local = crossing->gathers ? coarse : coarse - crossing->coarse.below;
    struct restriction restriction = {.offsets = crossing->offsets,
                                      .members = crossing->members,
                                      .b = residual,
                                      .coarse = local + crossing->coarse.below};
    enum status status = space_run(level->space, &pass_remainder, level->n, &remainder, error);
    if (!status)
        status = halo->table->bring(halo, 1, 1, &residual, error);
    if (!status && crossing->coarse_own > 0) /* no launch has no blocks */
        status = space_run(ranks_enter(crossing->ranks), &pass_restriction, crossing->coarse_own,
                           &restriction, error);
    halo = crossing->bring_coarse;
    return status || !crossing->gathers ? status : halo->table->bring(halo, 1, 1, &local, error);
}

enum status share_correct(const struct level *level, double *x, struct error *error)
{
    const struct crossing *crossing = level->crossing;
    struct rank_halo *halo = crossing->bring_coarse;
    double *coarse = level[1].x;
    if (!crossing->gathers)
        coarse -= crossing->coarse.below;
    struct prolongation prolongation = {.map = crossing->map, .coarse = coarse, .x = x};
    enum status status =
        crossing->gathers ? STATUS_OK : halo->table->bring(halo, 1, 1, &coarse, error);
    return status ? status
                  : space_run(level->space, &pass_prolongation, level->n, &prolongation, error);
}

/* --- who has which rows ----------------------------------------------------------------------- */

/* While the crossing behind a level is made; rows are those of all ranks. */
struct sharing {
    const struct aggregates *all; /* on the host */
    const struct partition *fine;
    struct partition coarse;
    struct crossing *made;
};

/* A rank gets about as many coarse rows as there are aggregates whose first row is its own, in
 * whole tiles. Where aggregates are numbered by their first rows, it gets these. */
static enum status divide(struct sharing *sharing, struct error *error)
{
    struct partition *made = &sharing->coarse;
    const struct aggregates *all = sharing->all;
    const int64_t *fine = sharing->fine->begin;
    int ranks = sharing->fine->exchange->count;
    *made = (struct partition){.exchange = sharing->fine->exchange, .n = all->count};
    made->begin = memory_zeros(ranks + 1, sizeof *made->begin, what, error);
    if (!made->begin)
        return STATUS_MEMORY;
    for (int r = 1; r < ranks; r++) {
        int64_t before = 0;
#pragma omp parallel for schedule(static) reduction(+ : before)
        for (int64_t I = 0; I < all->count; I++)
            before += all->members[all->offsets[I]] < fine[r];
        int64_t row = (before + SUM_TILE / 2) / SUM_TILE * SUM_TILE;
        made->begin[r] = row < made->n ? row : made->n;
    }
    made->begin[ranks] = made->n;
    return STATUS_OK;
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

static enum status keep(struct space *space, const int32_t *host, int64_t count, int32_t **kept,
                        struct error *error)
{
    enum status status =
        space->operations->allocate(space, count + 1, sizeof *host, what, (void **)kept, error);
    return status || count == 0 ? status
                                : space->operations->upload(space, count * (int64_t)sizeof *host,
                                                            host, *kept, error);
}

/* The rows that are marked, of those of that partition, with what brings their elements. */
static enum status reach(const struct crossing *crossing, const struct partition *partition,
                         const uint8_t *marks, struct rank_places *places, struct rank_reach *made,
                         struct rank_halo **halo, struct error *error)
{
    enum status status = rank_reach_create(partition, marks, places, made, error);
    return status ? status : rank_halo_create(crossing->ranks, made, 1, halo, error);
}

static enum status keep_lists(const struct sharing *sharing, const struct rank_places *places,
                              struct error *error)
{
    const struct aggregates *all = sharing->all;
    struct crossing *made = sharing->made;
    int64_t first = partition_first(&sharing->coarse), count = made->coarse_own;
    int32_t begin = all->offsets[first], end = all->offsets[first + count];
    int32_t *offsets = memory_array(count + 1, sizeof *offsets, what, error);
    int32_t *members = memory_array((int64_t)end - begin + 1, sizeof *members, what, error);
    enum status status = offsets && members ? STATUS_OK : STATUS_MEMORY;
    if (!status) {
        for (int64_t I = 0; I <= count; I++)
            offsets[I] = all->offsets[first + I] - begin;
#pragma omp parallel for schedule(static)
        for (int32_t k = begin; k < end; k++)
            members[k - begin] = rank_place(places, all->members[k]);
        status = keep(made->ranks->real, offsets, count + 1, &made->offsets, error);
    }
    if (!status)
        status = keep(made->ranks->real, members, end - begin, &made->members, error);
    memory_free(offsets);
    memory_free(members);
    return status;
}

/* The residual of the members of the own coarse rows, and these by their places. */
static enum status cross_down(struct sharing *sharing, uint8_t *marks, struct error *error)
{
    const struct aggregates *all = sharing->all;
    struct crossing *made = sharing->made;
    struct rank_places places = {0};
    int64_t first = partition_first(&sharing->coarse);
    int32_t begin = all->offsets[first], end = all->offsets[first + made->coarse_own];
    memset(marks, 0, (size_t)all->n);
#pragma omp parallel for schedule(static)
    for (int32_t k = begin; k < end; k++) /* a row is in one aggregate */
        marks[all->members[k]] = 1;
    enum status status =
        reach(made, sharing->fine, marks, &places, &made->residual, &made->bring_residual, error);
    if (!status)
        status = keep_lists(sharing, &places, error);
    rank_places_free(&places);
    return status;
}

static enum status keep_map(const struct sharing *sharing, const struct rank_places *places,
                            struct error *error)
{
    const int32_t *all = sharing->all->map + partition_first(sharing->fine);
    int64_t own = partition_rows(sharing->fine);
    int32_t *map = memory_array(own + 1, sizeof *map, what, error);
    if (!map)
        return STATUS_MEMORY;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < own; i++)
        map[i] = all[i] < 0 ? IN_NO_AGGREGATE : rank_place(places, all[i]);
    enum status status = keep(sharing->made->ranks->real, map, own, &sharing->made->map, error);
    memory_free(map);
    return status;
}

/* The correction of the own rows, by the places of what they lie in. */
static enum status cross_up(struct sharing *sharing, uint8_t *marks, struct error *error)
{
    const struct aggregates *all = sharing->all;
    struct crossing *made = sharing->made;
    struct rank_places places = {0};
    int64_t first = partition_first(sharing->fine), last = first + partition_rows(sharing->fine);
    memset(marks, made->gathers, (size_t)all->count);
#pragma omp parallel for schedule(static)
    for (int64_t i = first; i < last; i++)
        if (all->map[i] >= 0)
            __atomic_store_n(&marks[all->map[i]], 1, __ATOMIC_RELAXED);
    enum status status =
        reach(made, &sharing->coarse, marks, &places, &made->coarse, &made->bring_coarse, error);
    if (!status)
        status = keep_map(sharing, &places, error);
    rank_places_free(&places);
    return status;
}

/* --- from a level to the next one ------------------------------------------------------------- */

static enum status bring_host(struct space *space, const int32_t *there, int64_t count,
                              int32_t **host, struct error *error)
{
    *host = memory_array(count + 1, sizeof **host, what, error);
    return *host ? space->operations->download(space, count * (int64_t)sizeof **host, there, *host,
                                               error)
                 : STATUS_MEMORY;
}

/* The aggregates of a level on the host. */
static enum status fetch(struct space *space, const struct level *level, struct aggregates *made,
                         struct error *error)
{
    const struct aggregates *there = &level->aggregates;
    *made = (struct aggregates){.n = level->n, .count = level[1].n};
    enum status status = bring_host(space, there->map, made->n, &made->map, error);
    if (!status)
        status = bring_host(space, there->offsets, made->count + 1, &made->offsets, error);
    return status ? status
                  : bring_host(space, there->members, level->members, &made->members, error);
}

/* Level k is shared; whether the next one is, where each rank has `least` rows of it. */
static enum status cross(struct hierarchy *hierarchy, int k, struct ranks *ranks, int64_t least,
                         struct sharing *sharing, struct error *error)
{
    struct level *level = &hierarchy->levels[k];
    const struct aggregates *all = sharing->all;
    int64_t longest = all->n > all->count ? all->n : all->count;
    bool is_solved = hierarchy->last_inverse && k + 2 == hierarchy->count;
    struct crossing *made = level->crossing = memory_zeros(1, sizeof *made, what, error);
    if (!made)
        return STATUS_MEMORY;
    made->ranks = ranks;
    sharing->made = made;
    uint8_t *marks = memory_array(longest, sizeof *marks, what, error);
    enum status status = marks ? divide(sharing, error) : STATUS_MEMORY;
    if (!status) {
        made->coarse_own = partition_rows(&sharing->coarse);
        made->gathers = is_solved || least_rows(&sharing->coarse) < least;
        status = cross_down(sharing, marks, error);
    }
    if (!status)
        status = cross_up(sharing, marks, error);
    memory_free(marks);
    return status;
}

/* The vectors of the own rows in the place of those of all rows. */
static enum status share_vectors(struct hierarchy *hierarchy, struct level *level,
                                 struct error *error)
{
    struct space *space = level->space;
    double *host = memory_array(level->n, sizeof *host, what, error);
    enum status status =
        host ? space_download(hierarchy->space, level->n, level->inverse, host, error)
             : STATUS_MEMORY;
    if (!status) {
        void **vectors[] = {&level->inverse, &level->b, &level->x, &level->q, &level->d, &level->r};
        for (size_t v = 0; v < sizeof vectors / sizeof *vectors && !status; v++) {
            if (!*vectors[v])
                continue; /* the caller's */
            space_release(hierarchy->space, *vectors[v]);
            *vectors[v] = NULL;
            status = space_vector(space, level->n, what, (double **)vectors[v], error);
        }
    }
    if (!status)
        status = space_upload(space, level->n, host, level->inverse, error);
    memory_free(host);
    return status;
}

/* The matrix of a level behind the first, by ranks. */
static enum status share_matrix(struct level *level, const struct linear_operator *spmv,
                                struct error *error)
{
    const struct kernel_options *options = &spmv->options;
    struct error ignored;
    operator_destroy(&level->own);
    if (kernel_check(spmv->kernel, &level->coarse, options, &ignored))
        options = NULL; /* as for one alone */
    enum status status =
        operator_create(spmv->kernel, &level->coarse, options, level->space, &level->own, error);
    csr_free(&level->coarse);
    return status;
}

/* Level k, whose space is there, and what leads to the next one; *shares_next: whether that is
 * shared too, and has its space. */
static enum status share_level(struct hierarchy *hierarchy, int k, struct linear_operator *spmv,
                               int64_t least, bool *shares_next, struct error *error)
{
    struct level *level = &hierarchy->levels[k], *next = level + 1;
    struct ranks *ranks = ranks_of(spmv->space), *own = ranks_of(level->space), *of_next;
    struct aggregates all = {0};
    struct sharing sharing = {.all = &all, .fine = &own->partition};
    enum status status = k > 0 ? share_matrix(level, spmv, error) : STATUS_OK;
    *shares_next = false;
    if (!status && k + 1 < hierarchy->count) {
        status = fetch(hierarchy->space, level, &all, error);
        if (!status)
            status = cross(hierarchy, k, ranks, least, &sharing, error);
        aggregates_free(&all);
    }
    if (!status && level->crossing) {
        const struct rank_reach *residual = &level->crossing->residual;
        const struct rank_reach *coarse = &level->crossing->coarse;
        level_free_aggregates(hierarchy->space, &level->aggregates);
        level_free_passes(hierarchy->space, &level->joining);
        ranks_make_room(own, residual->below, residual->above);
        *shares_next = !level->crossing->gathers;
        if (*shares_next) {
            status = ranks_beside(ranks, &sharing.coarse, &of_next, error);
            next->space = status ? next->space : &of_next->base;
        }
        if (!status && *shares_next)
            ranks_make_room(of_next, coarse->below, coarse->above);
    }
    partition_free(&sharing.coarse);
    return status ? status : share_vectors(hierarchy, level, error);
}

enum status share_levels(struct hierarchy *hierarchy, struct linear_operator *spmv, int64_t least,
                         struct error *error)
{
    bool shares = true;
    enum status status = STATUS_OK;
    hierarchy->levels[0].spmv = spmv;
    hierarchy->levels[0].space = spmv->space;
    for (int k = 0; k < hierarchy->count && shares && !status; k++)
        status = share_level(hierarchy, k, spmv, least, &shares, error);
    return status;
}

void share_free(struct level *level)
{
    struct crossing *crossing = level->crossing;
    if (!crossing)
        return;
    struct space *real = crossing->ranks->real;
    struct rank_halo *halos[] = {crossing->bring_residual, crossing->bring_coarse};
    for (size_t h = 0; h < sizeof halos / sizeof *halos; h++)
        if (halos[h])
            halos[h]->table->destroy(halos[h]);
    rank_reach_free(&crossing->residual);
    rank_reach_free(&crossing->coarse);
    space_release(real, crossing->offsets);
    space_release(real, crossing->members);
    space_release(real, crossing->map);
    memory_free(crossing);
    level->crossing = NULL;
}
