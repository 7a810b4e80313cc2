#include "precondition/multigrid/scaling.h"

#include "space/cuda_pass.cuh"

CUDA_PASS_AT(scaling, scaling)
CUDA_PASS_AT(roots, scaling)
