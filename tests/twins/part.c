/* The entries of a CUDA part (base/cuda_part.h) for the program cgsolve-twins: its kernels alone,
 * which are the twins of kernels.c. One that has no twin cannot run. */
#include "base/cuda_part.h"
#include "spmv/kernel.h"

static const char *without_twin(void)
{
    return "it has no twin on the CPU";
}

/* Weak: the twin of that name takes its place. */
#define KERNEL(stem)
#define CUDA_KERNEL(stem)                                                                          \
    __attribute__((weak)) const struct kernel kernel_##stem = {                                    \
        .component = KERNEL_COMPONENT(#stem, "not in this build", NULL),                           \
        .space = SPACE_CUDA,                                                                       \
        .unavailable = without_twin,                                                               \
    };                                                                                             \
    CUDA_PUT_CONSTANT(kernel_##stem)
#include "spmv/kernels.def"
