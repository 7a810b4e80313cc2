#include "precondition/blocks.h"

#include "space/cuda_pass.cuh"

CUDA_PASS_SUMS(blocks, blocks_work, 1, 1)
