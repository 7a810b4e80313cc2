#include "precondition/multigrid/cycle/float_scaling.h"

#include "space/define_pass.h"

ELEMENTS_SUMS(float_scaling, float_scaling, CUDA_SOME_STEPS, 1)
ELEMENTS_AT(float_scales, float_scales)

PASS(pass_float_scales, float_scales, float_scales, .name = "the scaling of columns")

PASS(pass_enter, float_scaling, float_scaling, .sum = float_scaling_sum,
     .name = "the begin of a cycle in single precision", .reads = 1, .writes = 0.5)
PASS(pass_leave, float_scaling, float_scaling, .sum = float_scaling_sum,
     .name = "the end of a cycle in single precision", .reads = 1.5, .writes = 1)
