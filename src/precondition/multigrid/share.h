/* Levels that ranks share (space/ranks.h). Each rank sets up all levels by itself, as one alone
 * does, so they have its bits. Then it gives up what others have of the large levels: it keeps its
 * rows there, and the product brings x of others' rows. A rank's rows of a level are about those
 * that its rows of the level above lie in, whole tiles. An aggregate may have rows of several
 * ranks: so the residual is brought before it is restricted, and the correction before it is
 * added.
 *
 * From the first level on, but for the finest, of which a rank would have few rows, each rank makes
 * all rows: b is brought of all of them, and nothing needs to come back.
 *
 * On GPUs all ranks have to wait for each other, as they do for r . z, between two cycles
 * (spmv/rank_halo.h). */
#ifndef PRECONDITION_MULTIGRID_SHARE_H
#define PRECONDITION_MULTIGRID_SHARE_H

#include "precondition/multigrid/hierarchy.h"
#include "precondition/multigrid/smooth.h"
#include "space/ranks.h"
#include "spmv/rank_halo.h"

/* From a level that ranks share to the next one, and back. */
struct crossing {
    struct ranks *ranks; /* of level 0 */
    int64_t coarse_own;  /* rows of the next level that this rank restricts to */
    /* Of this level's residual; and of the next level's x, or, where each rank has all of that, of
     * its b. */
    struct rank_reach residual, coarse;
    struct rank_halo *bring_residual, *bring_coarse;
    bool gathers; /* each rank has all of the next level */
    /* In the real space: struct aggregates of the own rows of the next level; and of the local rows
     * of this level's product, of which so many are below the own ones. */
    int32_t *offsets, *members, *map;
    int64_t below;
};

/* The levels of a hierarchy that was built in the real space, in double precision, and keeps its
 * matrices: spmv is the product of all ranks with A, and the spmv of level 0 from here
 * on. A level behind the first is shared where each rank gets at least so many rows of it.
 * All ranks call it. Errors: STATUS_MEMORY, STATUS_DEVICE, STATUS_RANK. */
enum status share_levels(struct hierarchy *hierarchy, struct linear_operator *spmv, int64_t least,
                         struct error *error);

/* b of the next level = P'(b - q), q = A x of this level, or P'q where b = NULL; x = x + P times x
 * of the next level. Of the own rows. Errors: STATUS_DEVICE, STATUS_RANK. */
enum status share_restrict(const struct level *level, const double *b, struct error *error);
enum status share_correct(const struct level *level, double *x, struct error *error);

/* The same with the smoothing, in sweeps.h's; the last step may end in a dot product of all ranks.
 * Errors: likewise; STATUS_UNAVAILABLE where the caller's vectors are older than the product. */
enum status share_sweep_down(const struct level *level, const struct smooth *first,
                             const struct smooth *second, const double *b, const double *x,
                             struct error *error);
enum status share_sweep_up(const struct level *level, const struct smooth *first,
                           const struct smooth *last, double *x, struct error *error);

/* level->sweeps, where all ranks have them for their rows. All ranks call it. */
enum status share_find_sweeps(struct level *level, struct error *error);

void share_free(struct level *level); /* its crossing; of one without, too */

#endif
