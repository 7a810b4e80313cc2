/* What set-up of levels in a device's memory does in another way than on the host, with the same
 * bits: a look for blocks, the survey of a grid, and its coarse matrix (grid_rows.h, block_rows.h).
 *
 * Matrices are in the device's memory (spmv/device_csr.h). Errors: STATUS_MEMORY,
 * STATUS_DEVICE. */
#ifndef PRECONDITION_MULTIGRID_SETUP_SETUP_CUDA_H
#define PRECONDITION_MULTIGRID_SETUP_SETUP_CUDA_H

#include "precondition/multigrid/setup/grid.h"
#include "precondition/multigrid/setup/rescale.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct device_setup {
    /* sym_blocks_find, of all rows */
    enum status (*find_block)(struct space *space, const struct csr *A, int *block,
                              struct error *error);

    /* The grid's couplings; STATUS_OK with fits = false where A is on none. */
    surveys *survey;

    /* The matrix of the level that the aggregates of by->cells are: A_c, rescaled. by->cells->along
     * is A's. The caller calls device_csr_free, on failure too. Errors also: STATUS_RANK. */
    enum status (*coarsen)(struct space *space, const struct csr *A, const struct rescaling *by,
                           struct csr *coarse, struct error *error);
};

/* For the memory of a CUDA device, in the CUDA part (base/cuda_part.h). */
extern const struct device_setup device_setup_cuda;

#ifdef __cplusplus
}
#endif
#endif
