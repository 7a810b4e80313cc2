#include "precondition/multigrid/ends.h"

#include "space/elements.h"

ELEMENTS(ends, ends)

#define PASS(its_name, its_reads, its_writes)                                                      \
    {                                                                                              \
        .name = its_name, .make = ends_elements, .sum = ends_sum, .cuda = PASS_ON_CUDA(ends_cuda), \
        .reads = its_reads, .writes = its_writes                                                   \
    }

const struct pass pass_enter = PASS("the begin of a cycle in single precision", 1, 0.5);
const struct pass pass_leave = PASS("the end of a cycle in single precision", 1.5, 1);
