#include "solver/minres/preconditioned_passes.h"

#include "space/elements.h"

ELEMENTS(minres_lanczos, minres_preconditioned)
ELEMENTS_COLUMNS(minres_lanczos, minres_preconditioned)
ELEMENTS(minres_follow, minres_preconditioned)
ELEMENTS_COLUMNS(minres_follow, minres_preconditioned)

const struct pass minres_lanczos = {.name = "the recurrence of preconditioned minimal residuals",
                                    .make = minres_lanczos_elements,
                                    .sum = minres_lanczos_sum,
                                    .cuda = PASS_ON_CUDA(minres_lanczos_cuda),
                                    .make_columns = minres_lanczos_columns,
                                    PASS_OVER_COLUMNS(minres_lanczos, minres_preconditioned),
                                    .reads = 3,
                                    .writes = 1,
                                    .summed = 1};
const struct pass minres_rotate = {.name = "the scalars of preconditioned minimal residuals",
                                   .after = minres_rotate_after,
                                   .cuda = PASS_ON_CUDA(minres_rotate_cuda),
                                   PASS_OVER_COLUMNS(minres_rotate, minres_preconditioned)};
const struct pass minres_follow = {.name = "a step of preconditioned minimal residuals",
                                   .make = minres_follow_elements,
                                   .sum = minres_follow_sum,
                                   .after = minres_follow_after,
                                   .cuda = PASS_ON_CUDA(minres_follow_cuda),
                                   .make_columns = minres_follow_columns,
                                   PASS_OVER_COLUMNS(minres_follow, minres_preconditioned),
                                   .reads = 6,
                                   .writes = 3,
                                   .summed = 3};
