/* The stock of CUDA spaces. To make and to end one costs several milliseconds: the pool's memory is
 * mapped, the host's is pinned. So a space that ends becomes idle, and the next one of its device
 * takes over its stream, pool and scratch. */
#include "base/memory.h"
#include "space/cuda/cuda.h"

#include <cublas_v2.h>
#include <pthread.h>

enum { IDLE_SPACES = 2 }; /* of a process: a call that gives arrays and wants x uses two */

static struct space_cuda *idle[IDLE_SPACES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void destroy(struct space_cuda *cuda)
{
    cudaSetDevice(cuda->device);
    if (cuda->blas)
        cublasDestroy((cublasHandle_t)cuda->blas);
    cuda_scratch_destroy(cuda);
    cudaFreeHost(cuda->spare_shared);
    cuda_copy_destroy(cuda);
    cuda_memory_destroy(cuda);
    if (cuda->stream)
        cudaStreamDestroy(cuda->stream);
    memory_free(cuda);
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
    cudaGetLastError(); /* said here */
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
    return error_set(error, STATUS_UNAVAILABLE,
                     "this build has code for %s, device %d is sm_%d%d: make CUDA_ARCH=%d%d",
                     CGSOLVE_CUDA_ARCHS, device, major, minor, major, minor);
}

static enum status make(int device, struct space_cuda **made, struct error *error)
{
    struct space_cuda *cuda =
        (struct space_cuda *)memory_zeros(1, sizeof *cuda, "the CUDA space", error);
    if (!cuda)
        return STATUS_MEMORY;
    cuda->device = device;
    cudaSetDevice(device); /* what fails here fails in what follows too */
    enum status status = cuda_has_code(device, error);
    if (!status)
        status = cuda_check(cudaStreamCreateWithFlags(&cuda->stream, cudaStreamNonBlocking),
                            "a stream", error);
    if (!status)
        status =
            cuda_check(cudaDeviceGetAttribute(&cuda->cache_bytes, cudaDevAttrL2CacheSize, device),
                       "the size of the L2 cache", error);
    if (!status)
        status = cuda_memory_create(cuda, error);
    if (status)
        destroy(cuda);
    else
        *made = cuda;
    return status;
}

/* The first idle space of the device, or of any where it is -1; NULL: none is. */
static struct space_cuda *take_idle(int device)
{
    struct space_cuda *taken = NULL;
    pthread_mutex_lock(&lock);
    for (int k = 0; k < IDLE_SPACES && !taken; k++)
        if (idle[k] && (device < 0 || idle[k]->device == device)) {
            taken = idle[k];
            idle[k] = NULL;
        }
    pthread_mutex_unlock(&lock);
    return taken;
}

static bool put_idle(struct space_cuda *space)
{
    bool kept = false;
    pthread_mutex_lock(&lock);
    for (int k = 0; k < IDLE_SPACES && !kept; k++)
        if (!idle[k]) {
            idle[k] = space;
            kept = true;
        }
    pthread_mutex_unlock(&lock);
    return kept;
}

enum status cuda_stock_take(int device, struct space_cuda **taken, struct error *error)
{
    *taken = take_idle(device);
    return *taken ? STATUS_OK : make(device, taken, error);
}

/* Nothing is on its way, nothing went wrong, and no memory of the pool is in use. */
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
        destroy(space);
}

void space_cuda_empty_cache(void)
{
    int current = 0;
    struct space_cuda *space = take_idle(-1);
    if (!space)
        return;
    cudaGetDevice(&current);
    for (; space; space = take_idle(-1))
        destroy(space);
    cudaSetDevice(current);
}
CUDA_PUT(space_cuda_empty_cache)
