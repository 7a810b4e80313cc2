#include "precondition/multigrid/cycle/float_scaling.h"

#include "space/elements.h"

ELEMENTS(float_scaling, float_scaling)

#define PASS(its_name, its_reads, its_writes)                                                      \
    {                                                                                              \
        .name = its_name, .make = float_scaling_elements, .sum = float_scaling_sum,                \
        .cuda = PASS_ON_CUDA(float_scaling_cuda), .reads = its_reads, .writes = its_writes         \
    }

const struct pass pass_enter = PASS("the begin of a cycle in single precision", 1, 0.5);
const struct pass pass_leave = PASS("the end of a cycle in single precision", 1.5, 1);
