#include "solver/recurrence.h"

#include "space/cuda_pass.cuh"

CUDA_PASS_SUMS(recurrence, recurrence, CUDA_SOME_STEPS, 1)
