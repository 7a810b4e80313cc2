/* Set-up of levels in a device's memory, on a grid or by matching. It does what grid.c,
 * matching.c, coarse.c and rescale.c do on the host, with the same bits (grid_rows.h, block_rows.h,
 * graph_rows.h).
 *
 * Matrices are in the device's memory (spmv/device_csr.h), vectors in the space. Errors:
 * STATUS_MEMORY, STATUS_DEVICE. */
#ifndef PRECONDITION_MULTIGRID_SETUP_SETUP_CUDA_H
#define PRECONDITION_MULTIGRID_SETUP_SETUP_CUDA_H

#include "precondition/multigrid/setup/aggregates.h"
#include "precondition/multigrid/setup/grid.h"
#include "precondition/multigrid/setup/rescale.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct device_setup {
    /* sym_blocks_find */
    enum status (*find_block)(struct space *space, const struct csr *A, int *block,
                              struct error *error);

    /* The grid's couplings; STATUS_OK with fits = false where A is on none. */
    surveys *survey;

    /* The aggregates of by->cells, which come zeroed, and the matrix of the level that they are:
     * A_c, rescaled. by->cells->along is A's. The caller frees all of it, on failure too. */
    enum status (*coarsen)(struct space *space, const struct csr *A, const struct rescaling *by,
                           struct aggregates *made, struct csr *coarse, struct error *error);

    /* The same by matching_aggregate; by->cells->n[0] = 0. made->count = 0: no row
     * is coupled, and there is no matrix. kept: the maps of the passes, without lists, freed by the
     * caller too; NULL: not wanted. */
    enum status (*match)(struct space *space, const struct csr *A, int passes,
                         const struct rescaling *by, struct aggregates *made, struct csr *coarse,
                         struct passes *kept, struct error *error);

    /* The matrix for aggregates that there are, with their passes if there were several. */
    enum status (*match_again)(struct space *space, const struct csr *A, const struct rescaling *by,
                               const struct aggregates *made, const struct passes *passes,
                               struct csr *coarse, struct error *error);

    /* What either takes at once, its results too; -1: A has more entries than it counts. */
    int64_t (*match_bytes)(const struct csr *A);
};

/* For the memory of a CUDA device, in the CUDA part (base/cuda_part.h). */
extern const struct device_setup device_setup_cuda;

#ifdef __cplusplus
}
#endif
#endif
