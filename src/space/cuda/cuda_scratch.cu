/* Memory that passes need besides their vectors. */
#include "base/memory.h"
#include "space/cuda/cuda.h"
#include "space/ranks/cuda_allreduce.h"

/* Filled on its own stream: the space's stream may be recording, and then executes nothing. */
static enum status fill(void *memory, int byte, size_t bytes, struct error *error)
{
    cudaStream_t aside = NULL;
    enum status status =
        cuda_check(cudaStreamCreateWithFlags(&aside, cudaStreamNonBlocking), "a stream", error);
    if (!status)
        status = cuda_check(cudaMemsetAsync(memory, byte, bytes, aside), "filling memory", error);
    if (!status)
        status = cuda_check(cudaStreamSynchronize(aside), "filling memory", error);
    if (aside)
        cudaStreamDestroy(aside);
    return status;
}

static enum status keep_outgrown(struct space_cuda *cuda, void *memory, struct error *error)
{
    enum status status =
        memory_grow((void **)&cuda->outgrown, &cuda->outgrown_capacity, cuda->outgrown_count + 1,
                    sizeof *cuda->outgrown, "the memory of recorded work", error);
    if (!status)
        cuda->outgrown[cuda->outgrown_count++] = memory;
    return status;
}

void cuda_scratch_free_outgrown(struct space_cuda *cuda)
{
    for (int64_t k = 0; k < cuda->outgrown_count; k++)
        cudaFree(cuda->outgrown[k]);
    memory_free(cuda->outgrown);
    cuda->outgrown = NULL;
    cuda->outgrown_count = cuda->outgrown_capacity = 0;
}

void cuda_scratch_destroy(struct space_cuda *cuda)
{
    cuda_scratch_free_outgrown(cuda);
    cudaFree(cuda->slots.memory);
    cudaFree(cuda->exact.memory);
    cudaFree(cuda->terms.memory);
    cudaFree(cuda->column.memory);
    cudaFree(cuda->found.memory);
}

static enum status grow(struct space_cuda *cuda, struct cuda_scratch *scratch, size_t bytes,
                        int byte, const char *what, struct error *error)
{
    void *memory = NULL;
    enum status status = cuda_memory_check(cuda, cudaMalloc(&memory, bytes), bytes, what, error);
    if (!status)
        status = fill(memory, byte, bytes, error);
    if (!status && scratch->memory)
        status = keep_outgrown(cuda, scratch->memory, error);
    if (status)
        cudaFree(memory);
    else
        *scratch = {memory, bytes};
    return status;
}

enum status cuda_grow(struct space_cuda *cuda, struct cuda_scratch *scratch, size_t bytes, int byte,
                      const char *what, struct error *error)
{
    if (bytes <= scratch->bytes)
        return STATUS_OK;
    /* a recording thread may not allocate, unless it changes its capture mode */
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    enum status status = cuda_check(cudaThreadExchangeStreamCaptureMode(&mode), what, error);
    if (status)
        return status;
    status = grow(cuda, scratch, bytes, byte, what, error);
    cudaThreadExchangeStreamCaptureMode(&mode);
    return status;
}

enum status cuda_sum_prepare(struct space_cuda *cuda, int64_t n, int count, struct cuda_sum *sum,
                             struct error *error)
{
    bool joins = cuda->base.partition;
    int64_t tiles = sum_tiles(n);
    size_t bytes = (size_t)tiles * (size_t)count * 2 * sizeof(double);
    if (joins && count > CUDA_ALLREDUCE_SUMS)
        return error_set(error, STATUS_UNAVAILABLE, "devices of several ranks take %d sums at once",
                         CUDA_ALLREDUCE_SUMS);
    enum status status = cuda_grow(cuda, &cuda->slots, bytes, 0xff, "the sums of the tiles", error);
    *sum = {.tiles = tiles,
            .slots = (double *)cuda->slots.memory,
            .joined = joins ? &cuda->joining->joined : NULL,
            .before = joins ? cuda->base.tiles_before : 0,
            .ended_before = joins ? cuda->joining->fork.ended : NULL};
    return status;
}
