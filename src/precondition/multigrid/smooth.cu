#include "precondition/multigrid/smooth.h"

#include "space/cuda_pass.cuh"

CUDA_PASS_SUMS(smooth, smooth, CUDA_SOME_STEPS, 1)
CUDA_PASS(smooth_float, smooth, 1)
CUDA_PASS_SUMS(smooth_ends, smooth, CUDA_SOME_STEPS, 1)
