#include "precondition/multigrid/transfer.h"

#include "space/elements.h"

ELEMENTS_AT(restriction, restriction)
ELEMENTS_AT(prolongation, prolongation)

/* A map is half a vector. What is read by lists is counted by who runs these. */
const struct pass pass_restriction = {.name = "a restriction",
                                      .make = restriction_elements,
                                      .cuda = PASS_ON_CUDA(restriction_cuda),
                                      .writes = 1};
const struct pass pass_prolongation = {.name = "a prolongation",
                                       .make = prolongation_elements,
                                       .cuda = PASS_ON_CUDA(prolongation_cuda),
                                       .reads = 1.5,
                                       .writes = 1};
