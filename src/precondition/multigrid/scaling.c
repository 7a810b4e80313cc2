#include "precondition/multigrid/scaling.h"

#include "space/elements.h"

ELEMENTS_AT(scaling, scaling)

const struct pass pass_scaling = {.name = "a scaling by the diagonal",
                                  .make = scaling_elements,
                                  .cuda = PASS_ON_CUDA(scaling_cuda),
                                  .reads = 2,
                                  .writes = 1};
