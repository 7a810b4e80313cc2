#include "solver/steepest_descent/steepest_descent.h"

#include "space/cuda/cuda_pass.cuh"

CUDA_PASS_THEN(descent_step, descent_step, CUDA_SOME_STEPS, 1)
