#include "solver/minres/passes.h"

#include "space/elements.h"

ELEMENTS(minres_step, minres_vectors)
ELEMENTS_COLUMNS(minres_step, minres_vectors)

const struct pass minres_advance = {.name = "the scalars of minimal residuals",
                                    .after = minres_advance_after,
                                    .cuda = PASS_ON_CUDA(minres_advance_cuda),
                                    PASS_OVER_COLUMNS(minres_advance, minres_vectors),
                                    .always = true};
const struct pass minres_step = {.name = "a step of minimal residuals",
                                 .make = minres_step_elements,
                                 .cuda = PASS_ON_CUDA(minres_step_cuda),
                                 .make_columns = minres_step_columns,
                                 PASS_OVER_COLUMNS(minres_step, minres_vectors),
                                 .always = true,
                                 .reads = 5,
                                 .writes = 3};
/* Without d_before. */
const struct pass minres_skew_step = {.name = "a step of skew minimal residuals",
                                      .make = minres_step_elements,
                                      .cuda = PASS_ON_CUDA(minres_step_cuda),
                                      .make_columns = minres_step_columns,
                                      PASS_OVER_COLUMNS(minres_step, minres_vectors),
                                      .always = true,
                                      .reads = 4,
                                      .writes = 3};
