#include "precondition/multigrid/cycle/float_scaling.h"

#include "space/cuda/cuda_pass.cuh"

CUDA_PASS_SUMS(float_scaling, float_scaling, CUDA_SOME_STEPS, 1)
