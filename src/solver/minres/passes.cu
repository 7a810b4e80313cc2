#include "solver/minres/passes.h"

#include "space/cuda_pass.cuh"

CUDA_AFTER(minres_advance, minres_vectors)
CUDA_PASS(minres_step, minres_vectors, 2)
