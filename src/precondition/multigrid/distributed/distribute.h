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
    struct ranks *ranks; /* of level 0 */
    int64_t coarse_own;  /* rows of the next level that this rank restricts to */
    /* Of this level's residual; and of the next level's x, or, where each rank has all of that, of
     * its b. */
    struct ghost_rows residual, coarse;
    struct rank_halo *bring_residual, *bring_coarse;
    bool gathers; /* each rank has all of the next level */
    /* In the real space: the lists of struct aggregates for own rows of the next level, and its map
     * for local rows of this level's product. */
    int32_t *offsets, *members, *map;
    int64_t below; /* local rows before the own ones */
};

/* Distributes the levels that are not yet distributed, of a hierarchy in double precision: they
 * were built in the real space, and their matrices are kept. spmv is the product of all ranks with
 * A, and becomes that of level 0. A coarser level is distributed if each rank gets at least `least`
 * rows of it. All ranks call it. Errors: STATUS_MEMORY, STATUS_DEVICE, STATUS_RANK. */
enum status distribute_levels(struct hierarchy *hierarchy, struct linear_operator *spmv,
                              int64_t least, struct error *error);

/* The same of level k alone, whose space is that of a rank; the next one gets its space if it is to
 * be distributed too. Of a slab, level k has its aggregates and the diagonal's inverse for the rows
 * of the slab, and of the next level n alone is known; NULL: for all rows. */
enum status distribute_level(struct hierarchy *hierarchy, int k, const struct slab *slab,
                             struct linear_operator *spmv, int64_t least, struct error *error);

/* How the rows of a level on a grid are divided, of which the ranks share the level before. The
 * caller calls partition_free, on failure too. Errors: STATUS_MEMORY. */
enum status distribute_divide(struct ranks *ranks, const struct cells *cells,
                              struct partition *made, struct error *error);

/* Before a cycle for that many columns; the second time there is nothing to do. Of a level without
 * a crossing, too. All ranks call it. Errors: STATUS_MEMORY. */
enum status distribute_prepare(const struct level *level, int columns, struct error *error);

/* On own rows: b of the next level = P'(b - q) with q = A x of this level, or P'q if b = NULL; and
 * x = x + P times x of the next level. Of vectors, or of multivectors of 2^shift columns. Errors:
 * STATUS_DEVICE, STATUS_RANK. */
enum status distribute_restrict(const struct level *level, const double *b, int shift,
                                struct error *error);
enum status distribute_correct(const struct level *level, double *x, int shift,
                               struct error *error);

/* The same with the smoothing, in fused_smoothing.h's; the last step may end in a dot product of
 * all ranks. Errors: likewise; STATUS_UNAVAILABLE where the caller's vectors are older than the
 * product. */
enum status distribute_sweep_down(const struct level *level, const struct smooth *first,
                                  const struct smooth *second, const double *b, const double *x,
                                  struct error *error);
enum status distribute_sweep_up(const struct level *level, const struct smooth *first,
                                const struct smooth *last, double *x, struct error *error);

/* level->fused_smoothing, if all ranks have it for their rows. All ranks call it. */
enum status distribute_find_smoothing(struct level *level, struct error *error);

void distribute_free(struct level *level); /* its crossing; of one without, too */

#endif
