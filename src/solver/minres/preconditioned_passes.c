#include "solver/minres/preconditioned_passes.h"

#define PASSES_OVER_COLUMNS
#include "space/define_pass.h"

ELEMENTS_SUMS(minres_lanczos, minres_preconditioned, CUDA_SOME_STEPS, 1)
SCALARS(minres_rotate, minres_preconditioned)
ELEMENTS_THEN(minres_follow, minres_preconditioned, 2, 3)

PASS(minres_lanczos, minres_lanczos, minres_preconditioned,
     .name = "the recurrence of preconditioned minimal residuals", .sum = minres_lanczos_sum,
     .reads = 3, .writes = 1, .summed = 1)
PASS_OF_SCALARS(minres_rotate, minres_rotate, minres_preconditioned,
                .name = "the scalars of preconditioned minimal residuals")
PASS(minres_follow, minres_follow, minres_preconditioned,
     .name = "a step of preconditioned minimal residuals", .sum = minres_follow_sum,
     .after = minres_follow_after, .reads = 6, .writes = 3, .summed = 3)
