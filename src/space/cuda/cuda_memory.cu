/* The memory of a CUDA space: a pool, in the order of the space's stream. Memory freed by set-up
 * stays in the pool. Before work is recorded it goes back to the device, except for a part that
 * stays mapped for the next solve. */
#include "space/cuda/cuda.h"

#include "base/text.h"

#include <inttypes.h>

enum status cuda_memory_create(struct space_cuda *space, struct error *error)
{
    int has_pools = 0;
    enum status status = cuda_check(
        cudaDeviceGetAttribute(&has_pools, cudaDevAttrMemoryPoolsSupported, space->device),
        "the device's memory", error);
    if (status || !has_pools)
        return status;
    size_t available = 0, total = 0;
    status = cuda_check(cudaMemGetInfo(&available, &total), "the device's memory", error);
    space->pool_keeps = total / 8;
    struct cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = space->device;
    uint64_t kept = UINT64_MAX; /* keep all freed memory until cuda_memory_return */
    if (!status)
        status =
            cuda_check(cudaMemPoolCreate(&space->pool, &properties), "a pool of memory", error);
    if (!status)
        status =
            cuda_check(cudaMemPoolSetAttribute(space->pool, cudaMemPoolAttrReleaseThreshold, &kept),
                       "a pool of memory", error);
    return status;
}

void cuda_memory_destroy(struct space_cuda *space)
{
    if (!space->pool)
        return;
    cudaStreamSynchronize(space->stream);
    cudaMemPoolDestroy(space->pool);
}

void cuda_memory_return(struct space_cuda *space)
{
    if (!space->pool)
        return;
    uint64_t used = 0;
    cudaStreamSynchronize(space->stream);
    if (cudaMemPoolGetAttribute(space->pool, cudaMemPoolAttrUsedMemCurrent, &used) != cudaSuccess)
        cudaGetLastError();
    cudaMemPoolTrimTo(space->pool, (size_t)used + space->pool_keeps);
}

/* The free memory of the device, with the unused memory of the pool. */
static enum status free_memory(struct space_cuda *space, size_t *available, size_t *total,
                               struct error *error)
{
    uint64_t reserved = 0, used = 0;
    enum status status = cuda_check(cudaMemGetInfo(available, total), "the device's memory", error);
    if (status || !space->pool)
        return status;
    status = cuda_check(
        cudaMemPoolGetAttribute(space->pool, cudaMemPoolAttrReservedMemCurrent, &reserved),
        "the device's memory", error);
    if (!status)
        status =
            cuda_check(cudaMemPoolGetAttribute(space->pool, cudaMemPoolAttrUsedMemCurrent, &used),
                       "the device's memory", error);
    *available += (size_t)(reserved - used);
    return status;
}

static enum status device_is_full(double bytes, const char *what, size_t available, size_t total,
                                  struct error *error)
{
    char needed[TEXT_BYTES], left[TEXT_BYTES], all[TEXT_BYTES];
    return error_set(error, STATUS_MEMORY,
                     "out of memory: %s needs %s, the device has %s free of %s", what,
                     text_bytes(needed, bytes), text_bytes(left, (double)available),
                     text_bytes(all, (double)total));
}

enum status cuda_memory_fits(struct space_cuda *space, int64_t bytes, const char *what,
                             struct error *error)
{
    size_t available = 0, total = 0;
    enum status status = free_memory(space, &available, &total, error);
    if (!status && bytes > (int64_t)available) {
        space_cuda_empty_cache();
        status = free_memory(space, &available, &total, error);
    }
    if (!status && bytes > (int64_t)available)
        status = device_is_full((double)bytes, what, available, total, error);
    return status;
}

enum status cuda_memory_check(struct space_cuda *space, cudaError_t result, size_t bytes,
                              const char *what, struct error *error)
{
    if (result != cudaErrorMemoryAllocation)
        return cuda_check(result, what, error);
    cudaGetLastError();
    size_t available = 0, total = 0;
    struct error ignored;
    free_memory(space, &available, &total, &ignored);
    return device_is_full((double)bytes, what, available, total, error);
}

static cudaError_t allocate(struct space_cuda *space, size_t bytes, void **array)
{
    return space->pool ? cudaMallocFromPoolAsync(array, bytes, space->pool, space->stream)
                       : cudaMalloc(array, bytes);
}

enum status cuda_array(struct space_cuda *space, int64_t count, size_t size, const char *what,
                       void **array, struct error *error)
{
    *array = NULL;
    if (count < 0 || (uint64_t)count > SIZE_MAX / 2 / size)
        return error_set(error, STATUS_MEMORY,
                         "out of memory: %s needs %" PRId64
                         " elements of %zu bytes, more than can be addressed",
                         what, count, size);
    size_t bytes = (size_t)count * size, some = bytes > 0 ? bytes : 1;
    cudaError_t result = allocate(space, some, array);
    if (result == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        space_cuda_empty_cache();
        result = allocate(space, some, array);
    }
    return cuda_memory_check(space, result, bytes, what, error);
}

void cuda_free(struct space_cuda *space, void *array)
{
    if (!array)
        return;
    if (space->pool)
        cudaFreeAsync(array, space->stream);
    else
        cudaFree(array);
}

enum status cuda_put(struct space_cuda *space, const void *host, int64_t count, size_t size,
                     const char *what, void **array, struct error *error)
{
    enum status status = cuda_array(space, count, size, what, array, error);
    return status ? status : cuda_copy_up(space, count * (int64_t)size, host, *array, what, error);
}
