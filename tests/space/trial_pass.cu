#include "space/trial_pass.h"

#include "space/cuda/cuda_columns.cuh"

CUDA_PASS_THEN(trial, trial_work, CUDA_ALL_STEPS, 2)
CUDA_COLUMNS_SUMS(trial)
