#include "spmv/columns.h"

#include "space/cuda/cuda_pass.cuh"

CUDA_PASS_AT(column_take, column_work)
CUDA_PASS_AT(column_put, column_work)
