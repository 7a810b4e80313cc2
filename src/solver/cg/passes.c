#include "solver/cg/passes.h"

#include "space/elements.h"

#include <stddef.h>

ELEMENTS(cg_residual, cg_vectors)
ELEMENTS_COLUMNS(cg_residual, cg_vectors)
ELEMENTS(cg_direction, cg_vectors)
ELEMENTS_COLUMNS(cg_direction, cg_vectors)

#define RESIDUAL(follows)                                                                          \
    {                                                                                              \
        .name = "the residual of conjugate gradients", .make = cg_residual_elements,               \
        .sum = cg_residual_sum, .after = (follows), .cuda = PASS_ON_CUDA(cg_residual_cuda),        \
        .make_columns = cg_residual_columns, PASS_OVER_COLUMNS(cg_residual, cg_vectors),           \
        .reads = 2, .writes = 1, .summed = 1                                                       \
    }

const struct pass cg_residual = RESIDUAL(cg_residual_after);
const struct pass cg_residual_before_M = RESIDUAL(NULL);
const struct pass cg_advance = {.name = "the scalars of conjugate gradients",
                                .after = cg_advance_after,
                                .cuda = PASS_ON_CUDA(cg_advance_cuda),
                                PASS_OVER_COLUMNS(cg_advance, cg_vectors)};
const struct pass cg_direction = {.name = "a step of conjugate gradients",
                                  .make = cg_direction_elements,
                                  .cuda = PASS_ON_CUDA(cg_direction_cuda),
                                  .make_columns = cg_direction_columns,
                                  PASS_OVER_COLUMNS(cg_direction, cg_vectors),
                                  .reads = 3,
                                  .writes = 2};
