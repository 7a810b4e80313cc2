#include "solver/columns_over.h"

#include "space/cuda_pass.cuh"

CUDA_AFTER(columns_over, columns_over)
