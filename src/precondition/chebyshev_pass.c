#include "precondition/chebyshev_pass.h"

#include "space/elements.h"

ELEMENTS(chebyshev_pass, chebyshev_pass)

const struct pass chebyshev_pass = {.name = "a step of a polynomial",
                                    .make = chebyshev_pass_elements,
                                    .sum = chebyshev_pass_sum,
                                    .cuda = PASS_ON_CUDA(chebyshev_pass_cuda),
                                    .reads = 4,
                                    .writes = 1,
                                    .summed = 2};
