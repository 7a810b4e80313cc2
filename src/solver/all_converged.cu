#include "solver/all_converged.h"

#include "space/cuda/cuda_pass.cuh"

CUDA_AFTER(all_converged, all_converged)
