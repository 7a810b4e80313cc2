/* The stock of CUDA spaces. A space takes several milliseconds to create and to destroy, because of
 * mapped and pinned memory. So a destroyed space becomes idle, and the next space of its device
 * reuses its stream, pool and scratch. */
#include "base/memory.h"
#include "space/cuda/cuda.h"

#include <cublas_v2.h>
#include <pthread.h>

enum { IDLE_SPACES = 2 }; /* of a process: a call that gives arrays and wants x uses two */

/* By value, because the struct's host memory is freed. No stream: an empty entry. */
static struct space_cuda idle[IDLE_SPACES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void destroy_resources(struct space_cuda *cuda)
{
    cudaSetDevice(cuda->device);
    if (cuda->blas)
        cublasDestroy((cublasHandle_t)cuda->blas);
    if (cuda->recording)
        cudaGraphExecDestroy(cuda->recording);
    cuda_scratch_destroy(cuda);
    cudaFreeHost(cuda->spare_shared);
    cuda_copy_destroy(cuda);
    cuda_memory_destroy(cuda);
    if (cuda->stream)
        cudaStreamDestroy(cuda->stream);
}

/* Does nothing: the files of kernels are compiled for the same architectures as this one. */
__global__ static void cuda_probe()
{
}

/* STATUS_UNAVAILABLE where neither code nor PTX of this build runs on the calling thread's device.
 */
static enum status cuda_has_code(int device, struct error *error)
{
    struct cudaFuncAttributes found;
    cudaError_t result = cudaFuncGetAttributes(&found, cuda_probe);
    if (result != cudaErrorNoKernelImageForDevice && result != cudaErrorUnsupportedPtxVersion)
        return cuda_check(result, "the code of the kernels", error);
    int major = 0, minor = 0;
    cudaGetLastError(); /* clears it */
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
    return error_set(error, STATUS_UNAVAILABLE,
                     "this build has code for %s, device %d is sm_%d%d: make CUDA_ARCH=%d%d",
                     CGSOLVE_CUDA_ARCHS, device, major, minor, major, minor);
}

/* The resources of a space of cuda->device. */
static enum status make_resources(struct space_cuda *cuda, struct error *error)
{
    cudaSetDevice(cuda->device); /* if it fails, the next call fails too */
    enum status status = cuda_has_code(cuda->device, error);
    if (!status)
        status = cuda_check(cudaStreamCreateWithFlags(&cuda->stream, cudaStreamNonBlocking),
                            "a stream", error);
    if (!status)
        status = cuda_check(
            cudaDeviceGetAttribute(&cuda->cache_bytes, cudaDevAttrL2CacheSize, cuda->device),
            "the size of the L2 cache", error);
    return status ? status : cuda_memory_create(cuda, error);
}

/* *taken = the first idle space of the device, or of any device if it is -1; false: none. */
static bool take_idle(int device, struct space_cuda *taken)
{
    bool found = false;
    pthread_mutex_lock(&lock);
    for (int k = 0; k < IDLE_SPACES && !found; k++)
        if (idle[k].stream && (device < 0 || idle[k].device == device)) {
            *taken = idle[k];
            idle[k] = {};
            found = true;
        }
    pthread_mutex_unlock(&lock);
    return found;
}

static bool put_idle(const struct space_cuda *space)
{
    bool kept = false;
    pthread_mutex_lock(&lock);
    for (int k = 0; k < IDLE_SPACES && !kept; k++)
        if (!idle[k].stream) {
            idle[k] = *space;
            kept = true;
        }
    pthread_mutex_unlock(&lock);
    return kept;
}

enum status cuda_stock_take(int device, struct space_cuda **taken, struct error *error)
{
    struct space_cuda *space =
        (struct space_cuda *)memory_zeros(1, sizeof *space, "the CUDA space", error);
    enum status status = space ? STATUS_OK : STATUS_MEMORY;
    if (space && !take_idle(device, space)) {
        space->device = device;
        status = make_resources(space, error);
        if (status) {
            destroy_resources(space);
            memory_free(space);
        }
    }
    *taken = status ? NULL : space;
    return status;
}

/* No work is pending, no error occurred, and no memory of the pool is in use. */
static bool is_clean(struct space_cuda *space)
{
    uint64_t used = 1;
    if (!space->pool || cudaStreamSynchronize(space->stream) != cudaSuccess ||
        cudaMemPoolGetAttribute(space->pool, cudaMemPoolAttrUsedMemCurrent, &used) != cudaSuccess)
        cudaGetLastError();
    return used == 0;
}

void cuda_stock_put(struct space_cuda *space, bool may_idle)
{
    cuda_scratch_free_outgrown(space);
    bool keep = may_idle && is_clean(space);
    if (keep)
        cuda_memory_return(space);
    if (!keep || !put_idle(space))
        destroy_resources(space);
    memory_free(space);
}

void space_cuda_empty_cache(void)
{
    int current = 0;
    struct space_cuda space;
    if (!take_idle(-1, &space))
        return;
    cudaGetDevice(&current);
    do
        destroy_resources(&space);
    while (take_idle(-1, &space));
    cudaSetDevice(current);
}
CUDA_PUT(space_cuda_empty_cache)
