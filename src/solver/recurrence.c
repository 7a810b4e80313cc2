#include "solver/recurrence.h"

#include "space/elements.h"

ELEMENTS(recurrence, recurrence)
ELEMENTS_COLUMNS(recurrence, recurrence)

const struct pass one_term = {.name = "a recurrence of one term",
                              .make = recurrence_elements,
                              .sum = recurrence_sum,
                              .cuda = PASS_ON_CUDA(recurrence_cuda),
                              .make_columns = recurrence_columns,
                              PASS_OVER_COLUMNS(recurrence, recurrence),
                              .reads = 2,
                              .writes = 1,
                              .summed = 1};
const struct pass two_terms = {.name = "a recurrence of two terms",
                               .make = recurrence_elements,
                               .sum = recurrence_sum,
                               .cuda = PASS_ON_CUDA(recurrence_cuda),
                               .make_columns = recurrence_columns,
                               PASS_OVER_COLUMNS(recurrence, recurrence),
                               .reads = 3,
                               .writes = 1,
                               .summed = 1};
