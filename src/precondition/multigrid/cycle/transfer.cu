#include "precondition/multigrid/cycle/transfer.h"

#include "space/cuda/cuda_pass.cuh"

CUDA_PASS_AT(restriction, restriction)
CUDA_PASS_AT(prolongation, prolongation)
CUDA_PASS_AT(remainder, remainder)
CUDA_PASS_AT(restriction_float, restriction)
CUDA_PASS_AT(prolongation_float, prolongation)
