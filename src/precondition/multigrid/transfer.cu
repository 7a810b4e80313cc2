#include "precondition/multigrid/transfer.h"

#include "space/cuda_pass.cuh"

CUDA_PASS_AT(restriction, restriction)
CUDA_PASS_AT(prolongation, prolongation)
