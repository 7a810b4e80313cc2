#include "solver/cg/passes.h"

#include "space/cuda/cuda_columns.cuh"

CUDA_PASS_THEN(cg_residual, cg_vectors, CUDA_ALL_STEPS, 1)
CUDA_AFTER(cg_advance, cg_vectors)
CUDA_PASS(cg_direction, cg_vectors, 2)

CUDA_COLUMNS_SUMS(cg_residual)
CUDA_COLUMNS_AFTER(cg_advance)
CUDA_COLUMNS(cg_direction)
