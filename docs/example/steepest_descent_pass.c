/* The passes of steepest_descent.h, for the host and for a device, over one column or several. */
#include "steepest_descent.h"

#define PASSES_OVER_COLUMNS
#include "space/define_pass.h"

ELEMENTS_THEN(descent_step, descent_vectors, CUDA_SOME_STEPS, 1)
SCALARS(descent_begin, descent_vectors)

PASS(descent_step, descent_step, descent_vectors, .name = "a step of steepest descent",
     .sum = descent_step_sum, .after = descent_step_after, .reads = 3, .writes = 2, .summed = 1)
PASS_OF_SCALARS(descent_begin, descent_begin, descent_vectors,
                .name = "the first row of steepest descent")
