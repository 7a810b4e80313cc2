#include "solver/cg/passes.h"

#include "space/cuda_pass.cuh"

CUDA_PASS_THEN(cg_residual, cg_vectors, CUDA_ALL_STEPS, 1)
CUDA_AFTER(cg_advance, cg_vectors)
CUDA_PASS(cg_direction, cg_vectors, 2)
