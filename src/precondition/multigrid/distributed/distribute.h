/* Levels over ranks (space/ranks/ranks.h), with the bits of one rank. Each rank sets up levels
 * alone, or a slab of each (slabs.h). Then it keeps its own rows of the large levels, and the
 * product fetches ghost rows of x. A rank owns the coarser rows whose aggregates begin in
 * its own finer rows, rounded to whole tiles. An aggregate may have rows of several ranks. So
 * ghost rows of the residual are fetched before it is restricted, and ghost rows of the correction
 * before it is added.
 *
 * If some rank would have few rows of a coarser level, this level and all coarser ones are
 * replicated: each rank computes all rows. It fetches all of b, and no ghost rows on the way back.
 *
 * A level by smoothed aggregation is divided evenly instead, in whole tiles and nodes, and P has
 * the place of the aggregates.
 *
 * On GPUs, all ranks must meet between two cycles. The sum r . z is such a meeting
 * (spmv/distributed/rank_halo.h). The "real" space is that of the rank's CPU or GPU, in which a
 * rank's space has its memory. */
#ifndef PRECONDITION_MULTIGRID_DISTRIBUTED_DISTRIBUTE_H
#define PRECONDITION_MULTIGRID_DISTRIBUTED_DISTRIBUTE_H

#include "precondition/multigrid/cycle/smooth.h"
#include "precondition/multigrid/setup/hierarchy.h"
#include "precondition/multigrid/setup/slab.h"
#include "space/ranks/ranks.h"
#include "spmv/distributed/rank_halo.h"

/* From a level that ranks share to the next one, and back. */
struct crossing {
    struct ranks *ranks;              /* of level 0 */
    int64_t coarse_first, coarse_own; /* rows of the next level that this rank restricts to */
    struct cells cells;               /* the grid of the next level; n[0] = 0: none */
    /* Of this level's residual; and of the next level's x, or, where each rank has all of that, of
     * its b. */
    struct ghost_rows residual, coarse;
    struct rank_halo *bring_residual, *bring_coarse;
    bool gathers; /* each rank has all of the next level */
    bool singles; /* of the cycle, whose vectors are singles */
    /* In the real space: the lists of struct aggregates for own rows of the next level, and its map
     * for local rows of this level's product. */
    int32_t *offsets, *members, *map;
    int64_t below; /* local rows before the own ones */
    /* Of smoothed aggregation in their place: P of the own nodes of both levels, by local nodes.
     * Its columns and nodes are these lists, and the rest is the level's, whose P each rank has
     * whole. blocks = 0: there is none. */
    struct interpolation P;
    int32_t *columns, *nodes;
    /* Of legs (cycle/legs.h): their rows of b, and, unless each rank has all of that, of x of the
     * next level. */
    struct ghost_rows leg_b, leg_coarse;
    struct rank_halo *bring_leg_b, *bring_leg_coarse;
};

/* Bytes of an element of a vector. */
static inline int64_t distribute_element(bool singles)
{
    return (int64_t)(singles ? sizeof(float) : sizeof(double));
}

/* How levels are distributed. */
struct distribution {
    const char *name;             /* of the preconditioner, for messages */
    struct linear_operator *spmv; /* the product of all ranks with A */
    const struct csr *A;          /* of level 0, all rows, where the cycle is in single precision */
    int64_t least; /* rows that each rank gets of a coarser level that is distributed */
};

/* Distributes the levels that are not yet distributed: they were built in the real space, and their
 * matrices are kept. In double precision by->spmv becomes the product of level 0. All ranks call
 * it. Errors: STATUS_MEMORY, STATUS_DEVICE, STATUS_RANK, those of to_float_operator. */
enum status distribute_levels(struct hierarchy *hierarchy, const struct distribution *by,
                              struct error *error);

/* The same of level k alone, whose space is that of a rank; the next one gets its space if it is to
 * be distributed too. Of a slab, level k has its aggregates and the diagonal's inverse for the rows
 * of the slab, and of the next level n alone is known; set-up goes on at it, in double precision,
 * with q and d. NULL: for all rows. */
enum status distribute_level(struct hierarchy *hierarchy, int k, const struct slab *slab,
                             const struct distribution *by, struct error *error);

/* What a cycle in single precision uses of such a level, of a slab, in the place of what set-up
 * did: in the scale of the cycle, `rows` are those of the slab, and slab->A makes them. Errors: as
 * above, and STATUS_CONFIG (a diagonal that is beyond single precision). */
enum status distribute_narrow(struct hierarchy *hierarchy, int k, const struct slab *slab,
                              const struct csr *rows, const struct distribution *by,
                              struct error *error);

/* How the rows of a level on a grid are divided, of which the ranks share the level before. The
 * caller calls partition_free, on failure too. Errors: STATUS_MEMORY. */
enum status distribute_divide(struct ranks *ranks, const struct cells *cells,
                              struct partition *made, struct error *error);

/* Before a cycle for that many columns; the second time there is nothing to do. Of a level without
 * a crossing, too. All ranks call it. Errors: STATUS_MEMORY. */
enum status distribute_prepare(const struct level *level, int columns, struct error *error);

/* On own rows: b of the next level = P^T (b - q) with q = A x of this level, or P^T q if b = NULL;
 * and x = x + P times x of the next level. Of vectors, or of multivectors of 2^shift columns.
 * Errors: STATUS_DEVICE, STATUS_RANK. */
enum status distribute_restrict(const struct level *level, const void *b, int shift,
                                struct error *error);
enum status distribute_correct(const struct level *level, void *x, int shift, struct error *error);

/* The same with the smoothing, in fused_smoothing.h's; the last step may end in a dot product of
 * all ranks. enters, leaves: of a cycle in single precision, whose r and z are the caller's.
 * Errors: likewise; STATUS_UNAVAILABLE where the caller's vectors are older than the product. */
enum status distribute_sweep_down(const struct level *level, bool enters,
                                  const struct smooth *first, const struct smooth *second,
                                  const void *b, const void *x, struct error *error);
enum status distribute_sweep_up(const struct level *level, bool leaves, const struct smooth *first,
                                const struct smooth *last, void *x, struct error *error);

/* level->fused_smoothing, if all ranks have it for their rows. All ranks call it. */
enum status distribute_find_smoothing(struct level *level, struct error *error);

/* The rows and planes of this rank's legs, of a level whose next one is on a grid. From here on all
 * vectors of the level have room for them, as other values may bring legs. */
struct legs_share distribute_plan_legs(const struct level *level);

/* Makes the stencils of all ranks one table, with this rank's codes in all planes of its share, and
 * room and halos for its vectors. *suits becomes whether all ranks have legs. All ranks call it.
 * Errors: STATUS_MEMORY, STATUS_DEVICE, STATUS_RANK. */
enum status distribute_legs(struct level *level, bool in_single, struct legs_table *table,
                            bool *suits, struct error *error);

/* *suits: whether it is true for all ranks. All call it. Errors: STATUS_MEMORY, STATUS_RANK. */
enum status distribute_agree(const struct level *level, bool *suits, struct error *error);

/* The legs of legs.h with their halos. Errors: STATUS_DEVICE, STATUS_RANK; STATUS_UNAVAILABLE where
 * the caller's r is older than the preconditioner. */
enum status distribute_leg_down(const struct level *level, bool in_single, const struct leg *leg,
                                struct error *error);
enum status distribute_leg_up(const struct level *level, bool in_single, const struct leg *leg,
                              struct error *error);

void distribute_free(struct level *level); /* its crossing; of one without, too */

#endif
