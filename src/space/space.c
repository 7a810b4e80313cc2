#include "space/space.h"

#include "base/cuda_part.h"
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
    if (CUDA_PART(space_cuda_describe))
        CUDA_PART(space_cuda_describe)(device, text, size);
    else
        snprintf(text, size, "%s", cuda_part_missing());
}

int space_devices(void)
{
    return CUDA_PART(space_cuda_devices) ? CUDA_PART(space_cuda_devices)() : 0;
}

enum status space_check_array(struct space *space, void *stream, const void *array,
                              const char *what, struct error *error)
{
    if (space->operations->kind == SPACE_CUDA)
        return CUDA_PART(space_cuda_borrow)(space, stream, array, what, error);
    return error_set(error, STATUS_CONFIG,
                     "%s is not in the memory of a device: this context is on the CPU", what);
}

void space_empty_cache(void)
{
    if (CUDA_PART(space_cuda_empty_cache))
        CUDA_PART(space_cuda_empty_cache)();
}

enum status space_create(enum space_kind kind, const struct space_options *options,
                         struct space **space, struct error *error)
{
    *space = NULL;
    if (options->exchange && options->exchange->count > 1)
        return space_ranks_create(kind, options, space, error);
    if (kind == SPACE_CPU)
        return space_cpu_create(options, space, error);
    if (CUDA_PART(space_cuda_create))
        return CUDA_PART(space_cuda_create)(options, space, error);
    return error_set(error, STATUS_UNAVAILABLE, "no CUDA here: %s", cuda_part_missing());
}
