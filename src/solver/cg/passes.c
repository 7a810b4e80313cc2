#include "solver/cg/passes.h"

#define PASSES_OVER_COLUMNS
#include "space/define_pass.h"

ELEMENTS_THEN(cg_residual, cg_vectors, CUDA_ALL_STEPS, 1)
SCALARS(cg_advance, cg_vectors)
ELEMENTS(cg_direction, cg_vectors, 2)

PASS(cg_residual, cg_residual, cg_vectors, .name = "the residual of conjugate gradients",
     .sum = cg_residual_sum, .after = cg_residual_after, .reads = 2, .writes = 1, .summed = 1)
PASS(cg_residual_before_M, cg_residual, cg_vectors, .name = "the residual of conjugate gradients",
     .sum = cg_residual_sum, .reads = 2, .writes = 1, .summed = 1)
PASS_OF_SCALARS(cg_advance, cg_advance, cg_vectors, .name = "the scalars of conjugate gradients")
PASS(cg_direction, cg_direction, cg_vectors, .name = "a step of conjugate gradients", .reads = 3,
     .writes = 2)
