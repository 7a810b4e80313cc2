#include "study/promise.h"

#include <string.h>

static enum kernel_guarantee guarantee_of(const struct study_kernel *kernel)
{
    return kernel_guarantee(kernel->kernel, &kernel->options);
}

bool promise_is_made(const struct study_kernel *kernel)
{
    switch (kernel->reductions) {
    case REDUCTIONS_ATOMIC:
    case REDUCTIONS_BLAS:
        return false;
    case REDUCTIONS_REPRODUCIBLE:
    case REDUCTIONS_COMPENSATED:
    case REDUCTIONS_EXACT:
        break;
    }
    enum kernel_guarantee guarantee = guarantee_of(kernel);
    return guarantee == GUARANTEE_RUN || guarantee == GUARANTEE_BITWISE;
}

/* Whether the two are alike but for the threads. */
static bool are_alike(const struct study_kernel *a, const struct study_kernel *b)
{
    size_t parameters = (size_t)kernel_parameter_count(a->kernel);
    return a->kernel == b->kernel && a->reductions == b->reductions &&
           memcmp(a->options.values, b->options.values, parameters * sizeof *a->options.values) ==
               0;
}

bool promise_is_broken(const struct study_kernel *kernels, int k, const struct study_kernel **other)
{
    const struct study_kernel *kernel = &kernels[k];
    *other = NULL;
    if (!promise_is_made(kernel))
        return false;
    if (kernel->distinct_histories > 1)
        return true;
    for (int e = 0; e < k && guarantee_of(kernel) == GUARANTEE_BITWISE; e++) {
        const struct study_kernel *earlier = &kernels[e];
        if (earlier->column != kernel->column || !are_alike(earlier, kernel) ||
            earlier->distinct_histories > 1 ||
            kernel->runs[0].result.reason == REASON_INTERRUPTED ||
            earlier->runs[0].history_hash == kernel->runs[0].history_hash)
            continue;
        *other = earlier;
        return true;
    }
    return false;
}
