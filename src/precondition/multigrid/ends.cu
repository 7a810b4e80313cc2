#include "precondition/multigrid/ends.h"

#include "space/cuda_pass.cuh"

CUDA_PASS_SUMS(ends, ends, CUDA_SOME_STEPS, 1)
