#include "precondition/multigrid/cycle/direct.h"

#include "space/cuda/cuda_pass.cuh"

CUDA_PASS_AT(direct, direct)
