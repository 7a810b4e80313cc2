/* What a few rows tell of a matrix: on the host, in the memory of a space, or not stored. */
#ifndef PRECONDITION_MULTIGRID_SETUP_SAMPLES_H
#define PRECONDITION_MULTIGRID_SETUP_SAMPLES_H

#include "matrix/csr.h"
#include "precondition/multigrid/setup/cells.h"

/* Distances column - row in cells, right of the diagonal, ascending. */
struct distances {
    int64_t count; /* -1: more than a grid has */
    int64_t of[NEIGHBOURS_MAX];
};

struct slab;

#ifdef __cplusplus
extern "C" {
#endif

/* slab: of an A that is not stored, where each rank looks at the samples that begin in its own rows
 * and makes these and some rows after them, and all ranks call it; or NULL. */

/* *found: those of some rows, the first one among them: a corner of the grid, which has all of a
 * 7-point one. block: rows of a cell. Errors: STATUS_MEMORY, STATUS_DEVICE, STATUS_RANK. */
enum status samples_distances(const struct csr *A, const struct slab *slab, int64_t block,
                              struct distances *found, struct error *error);

/* *shares: whether some row in four has more than half of its columns in common with the next one,
 * as all but the last one of a node have. At random, because equal steps may meet the last row of
 * each node alone. Errors: as above. */
enum status samples_share_columns(const struct csr *A, const struct slab *slab, bool *shares,
                                  struct error *error);

#ifdef __cplusplus
}
#endif
#endif
