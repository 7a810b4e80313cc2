#include "precondition/combination.h"

#include "space/elements.h"

ELEMENTS(combination, combination)

const struct pass combination = {.name = "a step of a polynomial",
                                 .make = combination_elements,
                                 .sum = combination_sum,
                                 .cuda = PASS_ON_CUDA(combination_cuda),
                                 .reads = 4,
                                 .writes = 1,
                                 .summed = 2};
