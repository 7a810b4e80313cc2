/* Copies between the host and a CUDA device. From pageable memory the driver copies with one
 * thread, at a fifth of the bus speed. So a large copy goes in pieces through pinned memory: all
 * threads fill one piece while the device fetches the other. A small result also arrives in pinned
 * memory: the driver takes some 10 us longer to copy to other memory. */
#include "base/threads.h"
#include "space/cuda/cuda.h"

#include <algorithm>
#include <string.h>

enum { PIECE = 4 << 20, PIECES = 2, SMALL = 1 << 17 };

/* From here on. */
constexpr int64_t LARGE = 16 << 20;

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

static enum status copy_small_down(struct space_cuda *space, int64_t bytes, const void *device,
                                   void *host, const char *what, struct error *error)
{
    void **small = (void **)&space->pieces.small;
    enum status status = STATUS_OK;
    if (!*small)
        status = cuda_check(cudaHostAlloc(small, SMALL, cudaHostAllocDefault), what, error);
    if (!status)
        status = copy_at_once(space, bytes, device, *small, cudaMemcpyDeviceToHost, what, error);
    if (!status)
        memcpy(host, *small, (size_t)bytes);
    return status;
}

enum status cuda_copy_up(struct space_cuda *space, int64_t bytes, const void *host, void *device,
                         const char *what, struct error *error)
{
    if (bytes < LARGE)
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
        return copy_small_down(space, bytes, device, host, what, error);
    if (bytes < LARGE)
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
