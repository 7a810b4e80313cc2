#include "solver/cg/passes.h"

#define PASSES_OVER_COLUMNS
#include "space/define_pass.h"

PASS_THEN(cg_residual, cg_vectors, CUDA_ALL_STEPS, 1, .name = "the residual of conjugate gradients",
          .reads = 2, .writes = 1)
PASS(cg_residual_before_M, cg_residual, cg_vectors, .name = "the residual of conjugate gradients",
     .sum = cg_residual_sum, .reads = 2, .writes = 1, .summed = 1)
PASS_OF_SCALARS(cg_advance, cg_vectors, .name = "the scalars of conjugate gradients")
PASS_WITHOUT_SUMS(cg_direction, cg_vectors, 2, .name = "a step of conjugate gradients", .reads = 3,
                  .writes = 2)
