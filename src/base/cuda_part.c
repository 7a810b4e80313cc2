#include "base/cuda_part.h"

#pragma weak cgsolve_cuda_part

const struct cuda_part *cuda_part(void)
{
    return cgsolve_cuda_part ? cgsolve_cuda_part() : NULL;
}

const char *cuda_part_missing(void)
{
    return "this build has no CUDA";
}

static const struct cuda_entry *find(const char *name)
{
    const struct cuda_part *part = cuda_part();
    return part ? part->find(name) : NULL;
}

cuda_function *cuda_part_function(const char *name)
{
    const struct cuda_entry *entry = find(name);
    return entry ? entry->function : NULL;
}

const void *cuda_part_constant(const char *name)
{
    const struct cuda_entry *entry = find(name);
    return entry ? entry->constant : NULL;
}
