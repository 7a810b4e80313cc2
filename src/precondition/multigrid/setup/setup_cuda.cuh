/* What the .cu files of setup_cuda.h share. */
#ifndef PRECONDITION_MULTIGRID_SETUP_SETUP_CUDA_CUH
#define PRECONDITION_MULTIGRID_SETUP_SETUP_CUDA_CUH

#include "precondition/multigrid/setup/setup_cuda.h"
#include "space/cuda/cuda_find.cuh"

/* Slots of struct device_setup. */
int64_t setup_cuda_match_bytes(const struct csr *A);
enum status setup_cuda_match(struct space *space, const struct csr *A, int passes,
                             const struct rescaling *by, struct aggregates *made,
                             struct csr *coarse, struct passes *kept, struct error *error);
enum status setup_cuda_match_again(struct space *space, const struct csr *A,
                                   const struct rescaling *by, const struct aggregates *made,
                                   const struct passes *passes, struct csr *coarse,
                                   struct error *error);
enum status setup_cuda_coarsen(struct space *space, const struct csr *A, const struct rescaling *by,
                               struct aggregates *made, struct csr *coarse, struct error *error);

#endif
