/* The kernels of kernels.def for the program cgsolve-twins: those of CUDA are the twins of
 * kernels.c, and one that has no twin cannot run. */
#define CGSOLVE_CUDA 1
#include "spmv/registry.c"

static const char *without_twin(void)
{
    return "it has no twin on the CPU";
}

/* Weak: the twin of that name takes its place. */
#undef KERNEL
#undef CUDA_KERNEL
#define KERNEL(stem)
#define CUDA_KERNEL(stem)                                                                          \
    __attribute__((weak)) const struct kernel kernel_##stem = {                                    \
        .component = KERNEL_COMPONENT(#stem, "not in this build", NULL),                           \
        .space = SPACE_CUDA,                                                                       \
        .unavailable = without_twin,                                                               \
    };
#include "spmv/kernels.def"
