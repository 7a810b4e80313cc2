#include "precondition/combination.h"

#include "space/cuda_pass.cuh"

CUDA_PASS_SUMS(combination, combination, CUDA_SOME_STEPS, 1)
