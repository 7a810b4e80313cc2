#include "space/trial_pass.h"

#define PASSES_OVER_COLUMNS
#include "space/define_pass.h"

ELEMENTS_THEN(trial, trial_work, CUDA_ALL_STEPS, 2)

PASS(trial, trial, trial_work, .name = "a pass of a test", .sum = trial_sum, .after = trial_after,
     .reads = 2, .writes = 2, .summed = 3)
PASS(trial_always, trial, trial_work, .name = "a pass of a test", .sum = trial_sum,
     .after = trial_after, .reads = 2, .writes = 2, .summed = 3, .always = true)
