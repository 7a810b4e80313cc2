/* The pass of steepest_descent.h, for the host and for a device. */
#include "solver/steepest_descent/steepest_descent.h"

#include "space/define_pass.h"

ELEMENTS_THEN(descent_step, descent_step, CUDA_SOME_STEPS, 1)

PASS(descent_step, descent_step, descent_step, .name = "a step of steepest descent",
     .sum = descent_step_sum, .after = descent_step_after, .reads = 3, .writes = 2, .summed = 1)
