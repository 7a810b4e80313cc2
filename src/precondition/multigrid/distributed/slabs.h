/* Set-up of levels of a grid by ranks: each rank sets up a slab of a level (slab.h), and keeps its
 * own rows (distribute.h). The slabs are in the memory of the ranks' devices, where these have
 * room, else on the host. A rank gets the slab of the next level from the ranks that
 * have made the rows. If that level is small, or its aggregates are not of a grid, each rank gets
 * all of its matrix, and sets up that level and the coarser ones alone. All bits are those of one
 * rank, because a rank keeps only rows that lie well within its slab (slab.h). */
#ifndef PRECONDITION_MULTIGRID_DISTRIBUTED_SLABS_H
#define PRECONDITION_MULTIGRID_DISTRIBUTED_SLABS_H

#include "precondition/multigrid/setup/hierarchy.h"

/* hierarchy_build and distribute_levels for A, stored or not. spmv->space is that of a rank;
 * hierarchy->space is the real one (distribute.h). hierarchy->count = 0: nothing was built, because
 * A is on no grid or too small, because the options want a matching or smoothed aggregation, or
 * because spmv is of no kernel. All ranks call it. Errors: theirs. */
enum status slabs_build(const char *name, const struct multigrid_options *options,
                        const struct csr *A, const int32_t *number, struct linear_operator *spmv,
                        int64_t least, struct hierarchy *hierarchy, struct error *error);

#endif
