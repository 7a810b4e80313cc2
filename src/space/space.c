#include "space/space.h"

#include "space/ranks/ranks.h"

#include <stdio.h>

const char *const reductions_names[] = {[REDUCTIONS_REPRODUCIBLE] = "reproducible",
                                        [REDUCTIONS_ATOMIC] = "atomic",
                                        [REDUCTIONS_BLAS] = "blas",
                                        [REDUCTIONS_COMPENSATED] = "compensated",
                                        [REDUCTIONS_EXACT] = "exact",
                                        NULL};

const char *reductions_name(enum reductions reductions)
{
    return reductions_names[reductions];
}

void space_describe_device(int device, char *text, size_t size)
{
#ifdef CGSOLVE_CUDA
    space_cuda_describe(device, text, size);
#else
    (void)device;
    snprintf(text, size, "this build has no CUDA");
#endif
}

int space_devices(void)
{
#ifdef CGSOLVE_CUDA
    return space_cuda_devices();
#else
    return 0;
#endif
}

enum status space_check_array(struct space *space, void *stream, const void *array,
                              const char *what, struct error *error)
{
#ifdef CGSOLVE_CUDA
    if (space->operations->kind == SPACE_CUDA)
        return space_cuda_borrow(space, stream, array, what, error);
#endif
    (void)space, (void)stream, (void)array;
    return error_set(error, STATUS_CONFIG,
                     "%s is not in the memory of a device: this context is on the CPU", what);
}

enum status space_create(enum space_kind kind, const struct space_options *options,
                         struct space **space, struct error *error)
{
    *space = NULL;
    if (options->exchange && options->exchange->count > 1)
        return space_ranks_create(kind, options, space, error);
    switch (kind) {
    case SPACE_CPU:
        return space_cpu_create(options, space, error);
    case SPACE_CUDA:
#ifdef CGSOLVE_CUDA
        return space_cuda_create(options, space, error);
#else
        break;
#endif
    }
    return error_set(error, STATUS_UNAVAILABLE, "this build has no CUDA");
}
