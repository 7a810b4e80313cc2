/* Copies between the host and a CUDA device. From pageable memory the driver copies with one
 * thread, at a fifth of the bus speed. So a large copy goes in pieces through pinned memory: all
 * threads fill one piece while the device fetches the other. A kernel stores a small result in
 * memory of the host, where the host looks for it: the copy engine and a wait of the driver take
 * some 10 us longer. */
#include "base/clock.h"
#include "base/threads.h"
#include "space/cuda/cuda.h"

#include <algorithm>
#include <string.h>

enum { PIECE = 4 << 20, PIECES = 2, SMALL = 1 << 17 };

/* From here on; the second where the pieces are there: to make them takes a millisecond. */
constexpr int64_t LARGE = 16 << 20, LARGE_LATER = 1 << 20;

/* The number of the last result that arrived; its bytes. */
struct cuda_small {
    uint64_t number;
    char bytes[SMALL];
};

struct copying {
    char *to;
    const char *from;
};

static void copy_share(void *context, int64_t begin, int64_t end)
{
    const copying *own = (const copying *)context;
    memcpy(own->to + begin, own->from + begin, (size_t)(end - begin));
}

static void copy_shared(const struct space_cuda *space, void *to, const void *from, int64_t bytes)
{
    copying own = {(char *)to, (const char *)from};
    threads_each(space->base.threads, bytes, copy_share, &own);
}

static bool is_large(const struct space_cuda *space, int64_t bytes)
{
    return bytes >= (space->pieces.memory ? LARGE_LATER : LARGE);
}

static enum status take_pieces(struct cuda_pieces *pieces, const char *what, struct error *error)
{
    if (pieces->memory)
        return STATUS_OK;
    enum status status = STATUS_OK;
    for (int k = 0; k < PIECES && !status; k++)
        if (!pieces->copied[k])
            status = cuda_check(
                cudaEventCreateWithFlags(&pieces->copied[k], cudaEventDisableTiming), what, error);
    return status ? status
                  : cuda_check(cudaHostAlloc((void **)&pieces->memory, (size_t)PIECES * PIECE,
                                             cudaHostAllocDefault),
                               what, error);
}

void cuda_copy_destroy(struct space_cuda *space)
{
    for (int k = 0; k < PIECES; k++)
        if (space->pieces.copied[k])
            cudaEventDestroy(space->pieces.copied[k]);
    cudaFreeHost(space->pieces.memory);
    cudaFreeHost(space->pieces.small);
}

/* Sends piece k of a copy, and records an event after it. */
static enum status send(struct space_cuda *space, int k, void *to, const void *from, int64_t bytes,
                        enum cudaMemcpyKind kind, const char *what, struct error *error)
{
    enum status status =
        cuda_check(cudaMemcpyAsync(to, from, (size_t)bytes, kind, space->stream), what, error);
    return status
               ? status
               : cuda_check(cudaEventRecord(space->pieces.copied[k], space->stream), what, error);
}

static enum status arrived(struct space_cuda *space, int k, const char *what, struct error *error)
{
    return cuda_check(cudaEventSynchronize(space->pieces.copied[k]), what, error);
}

static enum status copy_at_once(struct space_cuda *space, int64_t bytes, const void *from, void *to,
                                enum cudaMemcpyKind kind, const char *what, struct error *error)
{
    enum status status =
        cuda_check(cudaMemcpyAsync(to, from, (size_t)bytes, kind, space->stream), what, error);
    return status ? status : cuda_check(cudaStreamSynchronize(space->stream), what, error);
}

/* One block. The number goes after the bytes. */
template <typename Word>
__global__ static void tell(Word *from, int count, bool clears, uint64_t number,
                            struct cuda_small *to)
{
    for (int k = threadIdx.x; k < count; k += blockDim.x) {
        ((volatile Word *)to->bytes)[k] = from[k];
        if (clears)
            from[k] = 0;
    }
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x == 0)
        *(volatile uint64_t *)&to->number = number;
}

/* Looks for the number for a short time, then waits as the driver does. */
static enum status wait_for(struct space_cuda *space, uint64_t number, const char *what,
                            struct error *error)
{
    const double patience = 50e-6, begun = clock_seconds();
    const uint64_t *told = &space->pieces.small->number;
    while (__atomic_load_n(told, __ATOMIC_ACQUIRE) != number)
        if (clock_seconds() - begun > patience)
            return cuda_check(cudaStreamSynchronize(space->stream), what, error);
    return STATUS_OK;
}

static enum status take_small(struct space_cuda *space, int64_t bytes, void *device, bool clears,
                              void *host, const char *what, struct error *error)
{
    enum { THREADS = 1024 };
    struct cuda_pieces *pieces = &space->pieces;
    enum status status = STATUS_OK;
    if (!pieces->small) {
        status = cuda_check(
            cudaHostAlloc((void **)&pieces->small, sizeof *pieces->small, cudaHostAllocMapped),
            what, error);
        if (status)
            return status;
        pieces->small->number = pieces->told = 0;
    }
    uint64_t number = ++pieces->told;
    if ((bytes | (int64_t)(uintptr_t)device) % (int64_t)sizeof(uint64_t) == 0)
        tell<<<1, THREADS, 0, space->stream>>>((uint64_t *)device,
                                               (int)(bytes / (int64_t)sizeof(uint64_t)), clears,
                                               number, pieces->small);
    else
        tell<<<1, THREADS, 0, space->stream>>>((char *)device, (int)bytes, clears, number,
                                               pieces->small);
    status = cuda_check_launch(what, error);
    if (!status)
        status = wait_for(space, number, what, error);
    if (!status)
        memcpy(host, pieces->small->bytes, (size_t)bytes);
    return status;
}

enum status cuda_take(struct space_cuda *space, int64_t bytes, void *device, void *host,
                      const char *what, struct error *error)
{
    return take_small(space, bytes, device, true, host, what, error);
}

enum status cuda_copy_up(struct space_cuda *space, int64_t bytes, const void *host, void *device,
                         const char *what, struct error *error)
{
    if (!is_large(space, bytes))
        return copy_at_once(space, bytes, host, device, cudaMemcpyHostToDevice, what, error);
    enum status status = take_pieces(&space->pieces, what, error);
    for (int64_t at = 0, k = 0; at < bytes && !status; at += PIECE, k++) {
        int of = (int)(k % PIECES);
        char *piece = space->pieces.memory + (int64_t)of * PIECE;
        int64_t length = std::min<int64_t>(PIECE, bytes - at);
        if (k >= PIECES)
            status = arrived(space, of, what, error);
        if (status)
            break;
        copy_shared(space, piece, (const char *)host + at, length);
        status = send(space, of, (char *)device + at, piece, length, cudaMemcpyHostToDevice, what,
                      error);
    }
    return status ? status : cuda_check(cudaStreamSynchronize(space->stream), what, error);
}

enum status cuda_copy_down(struct space_cuda *space, int64_t bytes, const void *device, void *host,
                           const char *what, struct error *error)
{
    if (bytes <= SMALL)
        return take_small(space, bytes, (void *)device, false, host, what, error);
    if (!is_large(space, bytes))
        return copy_at_once(space, bytes, device, host, cudaMemcpyDeviceToHost, what, error);
    enum status status = take_pieces(&space->pieces, what, error);
    for (int64_t at = 0, k = 0; at < bytes + PIECE && !status; at += PIECE, k++) {
        int of = (int)(k % PIECES), before = (int)((k + 1) % PIECES);
        if (at < bytes)
            status = send(space, of, space->pieces.memory + (int64_t)of * PIECE,
                          (const char *)device + at, std::min<int64_t>(PIECE, bytes - at),
                          cudaMemcpyDeviceToHost, what, error);
        if (status || k == 0)
            continue;
        status = arrived(space, before, what, error);
        if (!status)
            copy_shared(space, (char *)host + at - PIECE,
                        space->pieces.memory + (int64_t)before * PIECE,
                        std::min<int64_t>(PIECE, bytes - at + PIECE));
    }
    return status;
}
