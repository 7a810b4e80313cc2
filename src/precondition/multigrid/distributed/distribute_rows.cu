#include "precondition/multigrid/distributed/distribute_rows.h"

#include "space/cuda/cuda_pass.cuh"

CUDA_PASS_AT(sampling, sampling)
CUDA_PASS_AT(gathering, gathering)
CUDA_PASS_AT(marking, marking)
CUDA_PASS_AT(placing, placing)
CUDA_PASS_AT(shifting, shifting)
