#include "solver/recurrence.h"

#define PASSES_OVER_COLUMNS
#include "space/define_pass.h"

ELEMENTS_SUMS(recurrence, recurrence, CUDA_SOME_STEPS, 1)

PASS(one_term, recurrence, recurrence, .name = "a recurrence of one term", .sum = recurrence_sum,
     .reads = 2, .writes = 1, .summed = 1)
PASS(two_terms, recurrence, recurrence, .name = "a recurrence of two terms", .sum = recurrence_sum,
     .reads = 3, .writes = 1, .summed = 1)
