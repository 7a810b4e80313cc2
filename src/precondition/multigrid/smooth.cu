#include "precondition/multigrid/smooth.h"

#include "space/cuda_pass.cuh"

CUDA_PASS_SUMS(smooth, smooth, CUDA_SOME_STEPS, 1)
