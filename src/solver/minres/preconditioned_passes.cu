#include "solver/minres/preconditioned_passes.h"

#include "space/cuda/cuda_columns.cuh"

CUDA_PASS_SUMS(minres_lanczos, minres_preconditioned, CUDA_SOME_STEPS, 1)
CUDA_AFTER(minres_rotate, minres_preconditioned)
CUDA_PASS_THEN(minres_follow, minres_preconditioned, 2, 3)

CUDA_COLUMNS_SUMS(minres_lanczos)
CUDA_COLUMNS_AFTER(minres_rotate)
CUDA_COLUMNS_SUMS(minres_follow)
