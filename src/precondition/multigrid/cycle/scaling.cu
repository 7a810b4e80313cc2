#include "precondition/multigrid/cycle/scaling.h"

#include "space/cuda/cuda_pass.cuh"

CUDA_PASS_AT(scaling, scaling)
CUDA_PASS_AT(roots, scaling)
