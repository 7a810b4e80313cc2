/* What the .cu files of setup_cuda.h share. */
#ifndef PRECONDITION_MULTIGRID_SETUP_SETUP_CUDA_CUH
#define PRECONDITION_MULTIGRID_SETUP_SETUP_CUDA_CUH

#include "precondition/multigrid/setup/setup_cuda.h"
#include "space/cuda/cuda_find.cuh"
#include "spmv/device_csr.h"

/* The slot of struct device_setup; and for several unknowns a cell, where by->cells->along is not
 * read. */
enum status setup_cuda_coarsen(struct space *space, const struct csr *A, const struct rescaling *by,
                               struct csr *coarse, struct error *error);
enum status setup_cuda_coarsen_blocks(struct space *space, const struct csr *A,
                                      const struct rescaling *by, struct csr *coarse,
                                      struct error *error);

#endif
