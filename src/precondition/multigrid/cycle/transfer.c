#include "precondition/multigrid/cycle/transfer.h"

#include "space/elements.h"

ELEMENTS_AT(restriction, restriction)
ELEMENTS_AT(prolongation, prolongation)
ELEMENTS_AT(remainder, remainder)
ELEMENTS_AT(restriction_float, restriction)
ELEMENTS_AT(prolongation_float, prolongation)

/* What is read by lists is counted by who runs these. */
#define RESTRICTION(pass, size)                                                                    \
    {                                                                                              \
        .name = "a restriction", .make = pass##_elements, .cuda = PASS_ON_CUDA(pass##_cuda),       \
        .writes = (size)                                                                           \
    }

/* A map is half a vector of doubles. */
#define PROLONGATION(pass, size)                                                                   \
    {                                                                                              \
        .name = "a prolongation", .make = pass##_elements, .cuda = PASS_ON_CUDA(pass##_cuda),      \
        .reads = 0.5 + (size), .writes = (size)                                                    \
    }

const struct pass pass_restriction = RESTRICTION(restriction, 1);
const struct pass pass_prolongation = PROLONGATION(prolongation, 1);
const struct pass pass_restriction_float = RESTRICTION(restriction_float, 0.5);
const struct pass pass_prolongation_float = PROLONGATION(prolongation_float, 0.5);
const struct pass pass_remainder = {.name = "a residual",
                                    .make = remainder_elements,
                                    .cuda = PASS_ON_CUDA(remainder_cuda),
                                    .reads = 2,
                                    .writes = 1};
