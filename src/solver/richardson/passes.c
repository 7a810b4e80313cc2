#include "solver/richardson/passes.h"

#define PASSES_OVER_COLUMNS
#include "space/define_pass.h"

ELEMENTS_THEN(richardson_step, richardson_vectors, CUDA_SOME_STEPS, 1)
SCALARS(richardson_advance, richardson_vectors)

PASS(richardson_step, richardson_step, richardson_vectors,
     .name = "a step of Richardson's iteration", .sum = richardson_step_sum,
     .after = richardson_step_after, .reads = 4, .writes = 2, .summed = 1)
/* z is r. */
PASS(richardson_step_alone, richardson_step, richardson_vectors,
     .name = "a step of Richardson's iteration", .sum = richardson_step_sum,
     .after = richardson_step_after, .reads = 3, .writes = 2, .summed = 1)
PASS_OF_SCALARS(richardson_advance, richardson_advance, richardson_vectors,
                .name = "the scalars of Richardson's iteration")
