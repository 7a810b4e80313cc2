#include "precondition/multigrid/direct.h"

#include "space/cuda_pass.cuh"

CUDA_PASS_AT(direct, direct)
