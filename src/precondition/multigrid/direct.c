#include "precondition/multigrid/direct.h"

#include "space/elements.h"

ELEMENTS_AT(direct, direct)

const struct pass pass_direct = {.name = "a last level in single precision",
                                 .make = direct_elements,
                                 .cuda = PASS_ON_CUDA(direct_cuda),
                                 .reads = 0.5,
                                 .writes = 0.5};
