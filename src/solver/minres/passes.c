#include "solver/minres/passes.h"

#define PASSES_OVER_COLUMNS
#include "space/define_pass.h"

PASS_OF_SCALARS(minres_advance, minres_vectors, .name = "the scalars of minimal residuals",
                .always = true)
PASS_WITHOUT_SUMS(minres_step, minres_vectors, 2, .name = "a step of minimal residuals",
                  .always = true, .reads = 5, .writes = 3)
/* Without d_before. */
PASS(minres_skew_step, minres_step, minres_vectors, .name = "a step of skew minimal residuals",
     .always = true, .reads = 4, .writes = 3)
