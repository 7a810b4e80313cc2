#include "solver/minres/passes.h"

#include "space/cuda/cuda_columns.cuh"

CUDA_AFTER(minres_advance, minres_vectors)
CUDA_PASS(minres_step, minres_vectors, 2)

CUDA_COLUMNS_AFTER(minres_advance)
CUDA_COLUMNS(minres_step)
