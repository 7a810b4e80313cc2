/* A slab: neighbouring planes of a grid, which one of several ranks sets up as a matrix on a grid
 * of its own. It has the rank's own rows of the level, some planes on both sides, and the entries
 * between rows of the slab alone. So all rows of the next level that lie well within it get the
 * bits that one rank would give them. The rows of its first and of its last plane have not all
 * entries. */
#ifndef PRECONDITION_MULTIGRID_SETUP_SLAB_H
#define PRECONDITION_MULTIGRID_SETUP_SLAB_H

#include "precondition/multigrid/setup/cells.h"
#include "precondition/multigrid/setup/grid.h"
#include "space/ranks/ranks.h"

/* Rows of a matrix. */
struct slab_rows {
    int64_t base;       /* of all rows, which one row 0 here is */
    int64_t begin, end; /* the own ones, counted here */
};

struct slab {
    struct ranks *ranks;           /* that share the level */
    int axis;                      /* across its planes */
    const struct csr *A;           /* the matrix of all rows: it makes those of the slab */
    struct cells all;              /* of all rows; those of the slab are another grid */
    struct slab_rows fine, coarse; /* of the level, and of the next one */
};

#endif
