/* Set-up of levels of a grid by ranks, on the host: each rank sets up a slab of a level (slab.h),
 * and keeps its own rows (distribute.h). It gets the slab of the next level from the ranks that
 * have made the rows. Where that level is small, or no grid's, each rank gets all of its matrix,
 * and sets up the levels from there on by itself. All bits are those of one rank. */
#ifndef PRECONDITION_MULTIGRID_DISTRIBUTED_SLABS_H
#define PRECONDITION_MULTIGRID_DISTRIBUTED_SLABS_H

#include "precondition/multigrid/setup/hierarchy.h"

/* hierarchy_build and distribute_levels for A, stored or not, in the space of a rank, which is the
 * spmv's; hierarchy->space is the real one. hierarchy->count = 0: A is on no grid, or too small,
 * and nothing was built. All ranks call it. Errors: theirs. */
enum status slabs_build(const char *name, const struct multigrid_options *options,
                        const struct csr *A, const int32_t *number, struct linear_operator *spmv,
                        int64_t least, struct hierarchy *hierarchy, struct error *error);

#endif
