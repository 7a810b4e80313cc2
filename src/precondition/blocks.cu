#include "precondition/blocks.h"

#include "space/cuda/cuda_pass.cuh"

CUDA_PASS_SUMS(blocks, blocks_work, 1, 1)
CUDA_PASS_AT(blocks_columns, blocks_columns_work)
