#include "precondition/chebyshev_pass.h"

#include "space/cuda/cuda_pass.cuh"

CUDA_PASS_SUMS(chebyshev_pass, chebyshev_pass, CUDA_SOME_STEPS, 1)
