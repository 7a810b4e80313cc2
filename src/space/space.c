#include "cgsolve/space.h"

#include <stdio.h>

void space_describe_device(char *text, size_t size)
{
#ifdef CGSOLVE_CUDA
    space_cuda_describe(text, size);
#else
    snprintf(text, size, "this build has no CUDA");
#endif
}

bool space_sums_what_it_makes(const struct space *space)
{
    switch (space->reductions) {
    case REDUCTIONS_REPRODUCIBLE:
    case REDUCTIONS_COMPENSATED:
        return true;
    case REDUCTIONS_ATOMIC:
    case REDUCTIONS_EXACT:
        return space->operations->kind == SPACE_CPU;
    case REDUCTIONS_BLAS:
        break;
    }
    return false;
}

enum status space_create(enum space_kind kind, enum reductions reductions, struct space **space,
                         struct error *error)
{
    *space = NULL;
    switch (kind) {
    case SPACE_CPU:
        return space_cpu_create(reductions, space, error);
    case SPACE_CUDA:
#ifdef CGSOLVE_CUDA
        return space_cuda_create(reductions, space, error);
#else
        break;
#endif
    }
    return error_set(error, STATUS_UNAVAILABLE, "this build has no CUDA");
}
