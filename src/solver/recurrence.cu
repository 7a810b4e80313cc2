#include "solver/recurrence.h"

#include "space/cuda/cuda_columns.cuh"

CUDA_PASS_SUMS(recurrence, recurrence, CUDA_SOME_STEPS, 1)
CUDA_COLUMNS_SUMS(recurrence)
