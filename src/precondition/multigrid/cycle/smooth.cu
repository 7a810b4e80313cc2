#include "precondition/multigrid/cycle/smooth.h"

#include "space/cuda/cuda_pass.cuh"

CUDA_PASS_SUMS(smooth, smooth, CUDA_SOME_STEPS, 1)
CUDA_PASS(smooth_float, smooth, 1)
CUDA_PASS_SUMS(smooth_scaled, smooth, CUDA_SOME_STEPS, 1)
