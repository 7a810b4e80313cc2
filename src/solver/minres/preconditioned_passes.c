#include "solver/minres/preconditioned_passes.h"

#define PASSES_OVER_COLUMNS
#include "space/define_pass.h"

PASS_WITH_SUMS(minres_lanczos, minres_preconditioned, CUDA_SOME_STEPS, 1,
               .name = "the recurrence of preconditioned minimal residuals", .reads = 3,
               .writes = 1)
PASS_OF_SCALARS(minres_rotate, minres_preconditioned,
                .name = "the scalars of preconditioned minimal residuals")
PASS_THEN(minres_follow, minres_preconditioned, 2, 3,
          .name = "a step of preconditioned minimal residuals", .reads = 6, .writes = 3)
