#include "solver/richardson/passes.h"

#include "space/cuda/cuda_columns.cuh"

CUDA_PASS_THEN(richardson_step, richardson_vectors, CUDA_SOME_STEPS, 1)
CUDA_AFTER(richardson_advance, richardson_vectors)

CUDA_COLUMNS_SUMS(richardson_step)
CUDA_COLUMNS_AFTER(richardson_advance)
