#include "precondition/multigrid/cycle/scaling.h"

#include "space/elements.h"

ELEMENTS_AT(scaling, scaling)
ELEMENTS_AT(roots, scaling)

const struct pass pass_scaling = {.name = "a scaling by the diagonal",
                                  .make = scaling_elements,
                                  .cuda = PASS_ON_CUDA(scaling_cuda),
                                  .reads = 2,
                                  .writes = 1};
const struct pass pass_roots = {.name = "the roots of a diagonal",
                                .make = roots_elements,
                                .cuda = PASS_ON_CUDA(roots_cuda),
                                .reads = 1,
                                .writes = 1};
