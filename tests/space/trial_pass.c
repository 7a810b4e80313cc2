#include "space/trial_pass.h"

#include "space/elements.h"

ELEMENTS(trial, trial_work)
ELEMENTS_COLUMNS(trial, trial_work)

#define TRIAL                                                                                      \
    .name = "a pass of a test", .make = trial_elements, .sum = trial_sum, .after = trial_after,    \
    .cuda = PASS_ON_CUDA(trial_cuda), .make_columns = trial_columns,                               \
    PASS_OVER_COLUMNS(trial, trial_work), .reads = 2, .writes = 2, .summed = 3

const struct pass trial = {TRIAL};
const struct pass trial_always = {TRIAL, .always = true};
