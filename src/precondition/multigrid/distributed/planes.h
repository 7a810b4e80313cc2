/* The planes of a grid that a rank's slab has (setup/slab.h), and those of the next grid. */
#ifndef PRECONDITION_MULTIGRID_DISTRIBUTED_PLANES_H
#define PRECONDITION_MULTIGRID_DISTRIBUTED_PLANES_H

#include "precondition/multigrid/setup/cells.h"
#include "space/ranks/partition.h"

struct planes {
    int64_t first, last; /* first <= plane < last */
};

/* The axis across the planes: the last one that has several cells. */
int planes_axis(const struct cells *cells);

/* The rows of a plane. */
int64_t planes_rows(const struct cells *cells);

/* Those of rank r: of its own rows, and some on both sides. They hold all rows of the tiles of its
 * survey. Its own rows of the next level, rounded by half a tile of a sum, lie within the planes
 * that these become, without the first and the last one. No pair of planes is divided, and neither
 * are the last three, which may be one aggregate. */
struct planes planes_of(const struct cells *cells, const struct partition *partition, int r);

/* The grid of these planes alone; its cells have the widths that they have in the full grid. */
struct cells planes_cells(const struct cells *all, struct planes planes);

/* The planes of the next level that these become; where it has one alone, these are all. */
struct planes planes_halve(struct planes planes, const struct cells *cells,
                           const struct cells *next);

#endif
