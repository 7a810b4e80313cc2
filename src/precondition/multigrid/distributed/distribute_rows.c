#include "precondition/multigrid/distributed/distribute_rows.h"

#include "space/elements.h"

ELEMENTS_AT(sampling, sampling)
ELEMENTS_AT(gathering, gathering)
ELEMENTS_AT(marking, marking)
ELEMENTS_AT(placing, placing)
ELEMENTS_AT(shifting, shifting)

#define PASS(its)                                                                                  \
    {                                                                                              \
        .name = "the rows of a rank", .make = its##_elements, .cuda = PASS_ON_CUDA(its##_cuda)     \
    }

const struct pass pass_sampling = PASS(sampling);
const struct pass pass_gathering = PASS(gathering);
const struct pass pass_marking = PASS(marking);
const struct pass pass_placing = PASS(placing);
const struct pass pass_shifting = PASS(shifting);
