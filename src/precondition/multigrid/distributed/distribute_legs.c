/* The legs of a level that ranks share. */
#include "base/cuda_part.h"
#include "base/memory.h"
#include "precondition/multigrid/cycle/legs.h"
#include "precondition/multigrid/distributed/distribute.h"
#include "precondition/multigrid/distributed/distribute_rows.h"
#include "spmv/distributed/rank_operator.h"

#include <string.h>

static const char what[] = "the legs of a cycle";

/* --- planes ----------------------------------------------------------------------------------- */

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The planes of the rows first <= i < last, up to complete pairs of planes. rows_of_pair: of this
 * level, or of the next one, which has a plane for a pair. */
static void planes_of_rows(const int64_t rows[2], int64_t rows_of_pair, int64_t made[2])
{
    made[0] = rows[0] / rows_of_pair * 2;
    made[1] = (rows[1] + rows_of_pair - 1) / rows_of_pair * 2;
}

struct legs_share distribute_plan_legs(const struct level *level)
{
    enum { REACH = 2 }; /* planes that a leg reads before and after those it makes */
    const struct crossing *crossing = level->crossing;
    const int64_t *n = crossing->cells.before;
    struct ranks *ranks = ranks_of(level->space);
    const struct partition *own = &ranks->partition;
    int64_t plane = n[0] * n[1], coarse[2];
    struct legs_share share = {
        .rows = {partition_first(own), partition_first(own) + partition_rows(own)},
        .coarse = {crossing->coarse_first, crossing->coarse_first + crossing->coarse_own},
        .coarse_base = crossing->gathers ? 0 : crossing->coarse_first};
    planes_of_rows(share.rows, 2 * plane, share.up);
    planes_of_rows(share.coarse, plane / 4, coarse);
    share.down[0] = most(0, least(share.up[0] - REACH, coarse[0]));
    share.down[1] = least(n[2], most(share.up[1] + REACH, coarse[1]));
    share.window[0] = most(0, share.down[0] - REACH);
    share.window[1] = least(n[2], share.down[1] + REACH);
    ranks_make_room(ranks, share.rows[0] - share.window[0] * plane,
                    share.window[1] * plane - share.rows[1]);
    return share;
}

/* --- set-up ----------------------------------------------------------------------------------- */

enum status distribute_agree(const struct level *level, bool *suits, struct error *error)
{
    struct ranks *ranks = ranks_of(level->space);
    int64_t all = *suits;
    enum status status = ranks_sum(ranks, 1, &all, error);
    *suits = !status && all == ranks->partition.exchange->count;
    return status;
}

/* Which stencil of the table has these numbers; it is added if there is room, else -1. */
static int find_stencil(struct legs_table *table, const double *numbers)
{
    for (int c = 0; c < table->count; c++)
        if (memcmp(table->of[c], numbers, sizeof table->of[c]) == 0)
            return c;
    if (table->count == SYM_STENCILS_MAX)
        return -1;
    memcpy(table->of[table->count], numbers, sizeof table->of[0]);
    return table->count++;
}

/* *table: of this rank, then of all; names[c]: what its stencil c has become. */
static enum status join_tables(const struct level *level, struct legs_table *table, uint8_t *names,
                               bool *suits, struct error *error)
{
    struct exchange *exchange = ranks_of(level->space)->partition.exchange;
    struct legs_table *all = memory_array(exchange->count, sizeof *all, what, error);
    enum status status =
        all ? exchange_gather_each(exchange, table, sizeof *table, all, error) : STATUS_MEMORY;
    table->count = 0;
    for (int r = 0; r < exchange->count && !status; r++)
        for (int c = 0; c < all[r].count; c++) {
            bool is_met = all[r].of[c][LEGS_NUMBERS - 1] != 0;
            int place = is_met ? find_stencil(table, all[r].of[c]) : 0;
            *suits = *suits && place >= 0;
            if (r == exchange->rank)
                names[c] = (uint8_t)place;
        }
    memory_free(all);
    return status;
}

/* The vector again if it has no room for these rows around its own ones. */
static enum status make_room(const struct level *level, const struct ghost_rows *around,
                             bool in_single, void **vector, struct error *error)
{
    struct ranks *ranks = ranks_of(level->space);
    if (!*vector || ranks_has_room(ranks, *vector, 1, around->below, around->above))
        return STATUS_OK;
    space_release(level->space, *vector);
    return ranks_multivector(level->space, level->n, 1, (size_t)distribute_element(in_single), what,
                             vector, error);
}

/* The halo of these planes of a grid with that many rows in each. */
static enum status make_halo(const struct level *level, const int64_t planes[2], int64_t plane,
                             struct ghost_rows *rows, struct rank_halo **halo, struct error *error)
{
    enum status status = ghost_rows_window(&ranks_of(level->space)->partition, planes[0] * plane,
                                           planes[1] * plane, rows, error);
    return status ? status : rank_halo_create(ranks_of(level->space), rows, halo, error);
}

static enum status make_halos(struct level *level, bool in_single, struct error *error)
{
    struct crossing *crossing = level->crossing;
    const struct legs *legs = &level->legs;
    const struct legs_share *share = &legs->share;
    int64_t plane = legs->n[0] * legs->n[1];
    int64_t coarse[2] = {most(0, share->up[0] / 2 - 1),
                         least(legs->n[2] / 2, share->up[1] / 2 + 1)};
    struct ghost_rows *b = &crossing->leg_b;
    void **vectors[] = {&level->q, &level->b, &level->x};
    enum status status = STATUS_OK;
    if (!crossing->bring_leg_b)
        status = make_halo(level, share->window, plane, b, &crossing->bring_leg_b, error);
    for (int v = 0; v < 3 && !status; v++)
        status = make_room(level, b, in_single, vectors[v], error);
    if (crossing->gathers || status)
        return status;
    if (!crossing->bring_leg_coarse)
        status = make_halo(level + 1, coarse, plane / 4, &crossing->leg_coarse,
                           &crossing->bring_leg_coarse, error);
    ranks_make_room(ranks_of(level[1].space), crossing->leg_coarse.below,
                    crossing->leg_coarse.above);
    return status ? status
                  : make_room(level + 1, &crossing->leg_coarse, in_single, &level[1].x, error);
}

static enum status bring(struct rank_halo *halo, bool singles, const void *own, struct error *error)
{
    return halo->table->bring(
        halo, 1, singles, (char *)own - halo->reach->below * distribute_element(singles), error);
}

/* The codes of the window, those of this rank's table by their names. */
static enum status share_codes(struct level *level, bool in_single, const uint8_t *names,
                               struct error *error)
{
    const struct ghost_rows *rows = &level->crossing->leg_b;
    struct legs *legs = &level->legs;
    struct space *real = ranks_enter(ranks_of(level->space));
    int64_t element = distribute_element(in_single), plane = legs->n[0] * legs->n[1];
    int64_t count = rows->below + rows->own + rows->above;
    char *q = level->q;
    void *there = NULL;
    enum status status =
        real->operations->allocate(real, count, 1, what, (void **)&legs->own_codes, error);
    if (!status)
        status = real->operations->allocate(real, SYM_STENCILS_MAX, 1, what, &there, error);
    if (!status)
        status = real->operations->upload(real, SYM_STENCILS_MAX, names, there, error);
    status = ranks_barrier(ranks_of(level->space), status, error); /* all have allocated */
    struct naming own = {legs->codes, there, legs->own_codes + rows->below, q, in_single};
    struct naming below = {
        .codes = legs->own_codes, .vector = q - rows->below * element, .singles = in_single};
    struct naming above = {.codes = legs->own_codes + rows->below + rows->own,
                           .vector = q + rows->own * element,
                           .singles = in_single};
    if (!status && rows->own > 0)
        status = space_run(real, &pass_naming, rows->own, &own, error);
    if (!status)
        status = bring(level->crossing->bring_leg_b, in_single, q, error);
    if (!status && rows->below > 0)
        status = space_run(real, &pass_reading, rows->below, &below, error);
    if (!status && rows->above > 0)
        status = space_run(real, &pass_reading, rows->above, &above, error);
    space_release(real, there);
    legs->codes = legs->own_codes;
    legs->codes_base = legs->share.window[0] * plane;
    return status;
}

enum status distribute_legs(struct level *level, bool in_single, struct legs_table *table,
                            bool *suits, struct error *error)
{
    uint8_t names[SYM_STENCILS_MAX] = {0};
    enum status status = distribute_agree(level, suits, error);
    if (!status && *suits)
        status = join_tables(level, table, names, suits, error);
    if (!status && *suits)
        status = make_halos(level, in_single, error);
    return status || !*suits ? status : share_codes(level, in_single, names, error);
}

/* --- the legs --------------------------------------------------------------------------------- */

enum status distribute_leg_down(const struct level *level, bool in_single, const struct leg *leg,
                                struct error *error)
{
    const struct crossing *crossing = level->crossing;
    const struct ghost_rows *rows = &crossing->leg_b;
    const void *b = leg->at_end ? leg->first.float_scaling.r : leg->first.b;
    struct ranks *ranks = ranks_of(level->space);
    if (!ranks_has_room(ranks, b, 1, rows->below, rows->above))
        return error_set(error, STATUS_UNAVAILABLE,
                         "a vector is older than the preconditioner, and has no room for the rows "
                         "of other ranks");
    ranks_enter(ranks);
    enum status status = bring(crossing->bring_leg_b, in_single && !leg->at_end, b, error);
    if (!status)
        status = CUDA_PART(legs_down_cuda)(&level->legs, in_single, leg, error);
    return status || !crossing->gathers
               ? status
               : crossing->bring_coarse->table->bring(crossing->bring_coarse, 1, in_single,
                                                      leg->coarse, error);
}

enum status distribute_leg_up(const struct level *level, bool in_single, const struct leg *leg,
                              struct error *error)
{
    const struct crossing *crossing = level->crossing;
    ranks_enter(ranks_of(level->space));
    enum status status = crossing->gathers
                             ? STATUS_OK
                             : bring(crossing->bring_leg_coarse, in_single, leg->coarse, error);
    return status ? status : CUDA_PART(legs_up_cuda)(&level->legs, in_single, leg, error);
}
