#include "precondition/chebyshev_pass.h"

#include "space/define_pass.h"

ELEMENTS_SUMS(chebyshev_pass, chebyshev_pass, CUDA_SOME_STEPS, 1)

PASS(chebyshev_pass, chebyshev_pass, chebyshev_pass, .name = "a step of a polynomial",
     .sum = chebyshev_pass_sum, .reads = 4, .writes = 1, .summed = 2)
