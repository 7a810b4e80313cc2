#include "solver/minres/preconditioned_passes.h"

#include "space/cuda_pass.cuh"

CUDA_PASS_SUMS(minres_lanczos, minres_preconditioned, CUDA_SOME_STEPS, 1)
CUDA_AFTER(minres_rotate, minres_preconditioned)
CUDA_PASS_THEN(minres_follow, minres_preconditioned, 2, 3)
