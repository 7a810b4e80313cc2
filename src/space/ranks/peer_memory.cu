#include "space/ranks/peer_memory.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* The place of a rank's memory. */
struct location {
    char host[CUDA_HOST_NAME];
    uint64_t process;
    int device;
    char bus[32]; /* the device's PCI bus */
    void *memory;
    bool can_be_opened; /* by another process */
    cudaIpcMemHandle_t handle;
};

void peer_memory_name_host(char *text, size_t size)
{
    gethostname(text, size / 2);
    size_t length = strlen(text);
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (file) {
        length += fread(text + length, 1, size - 1 - length, file);
        fclose(file);
    }
    text[length] = 0;
}

static uint64_t random_number(void)
{
    uint64_t number;
    return getrandom(&number, sizeof number, 0) == sizeof number ? number : (uint64_t)getpid();
}

/* Several threads may ask at once; C++ initialises it once. */
static uint64_t process_number(void)
{
    static const uint64_t number = random_number();
    return number;
}

static enum status locate(struct space_cuda *space, int64_t bytes, int fill, const char *what,
                          struct location *made, struct error *error)
{
    size_t some = bytes > 0 ? (size_t)bytes : 1;
    peer_memory_name_host(made->host, sizeof made->host);
    made->process = process_number();
    made->device = space->device;
    enum status status =
        cuda_memory_check(space, cudaMalloc(&made->memory, some), some, what, error);
    if (!status)
        status = cuda_check(cudaDeviceGetPCIBusId(made->bus, sizeof made->bus, space->device), what,
                            error);
    if (!status)
        status = cuda_check(cudaMemsetAsync(made->memory, fill, some, space->stream), what, error);
    if (!status)
        status = cuda_check(cudaStreamSynchronize(space->stream), what, error);
    made->can_be_opened =
        !status && cudaIpcGetMemHandle(&made->handle, made->memory) == cudaSuccess;
    if (!status && !made->can_be_opened)
        cudaGetLastError(); /* no matter, unless there is another process */
    return status;
}

/* Of another thread of this process. */
static enum status reach(struct space_cuda *space, const struct location *other, int rank,
                         struct error *error)
{
    int can = 1;
    if (other->device == space->device)
        return STATUS_OK;
    enum status status =
        cuda_check(cudaDeviceCanAccessPeer(&can, space->device, other->device), "a peer", error);
    if (!status && !can)
        status = error_set(error, STATUS_UNAVAILABLE,
                           "CUDA device %d cannot reach the memory of device %d, which rank %d has",
                           space->device, other->device, rank);
    if (status)
        return status;
    cudaError_t result = cudaDeviceEnablePeerAccess(other->device, 0);
    if (result == cudaErrorPeerAccessAlreadyEnabled) {
        cudaGetLastError(); /* as wished */
        return STATUS_OK;
    }
    return cuda_check(result, "the memory of another device", error);
}

static enum status open_all(struct space_cuda *space, const struct location *all,
                            struct peer_memory *made, struct error *error)
{
    const struct location *own = &all[made->rank];
    enum status status = STATUS_OK;
    for (int r = 0; r < made->ranks && !status; r++) {
        if (strcmp(all[r].host, own->host) != 0) {
            status = error_set(error, STATUS_UNAVAILABLE,
                               "ranks %d and %d are on two hosts: ranks with GPUs share one",
                               made->rank, r);
        } else if (all[r].process == own->process) {
            status = reach(space, &all[r], r, error);
            made->of[r] = all[r].memory;
            made->shares = made->shares || (r != made->rank && all[r].device == own->device);
        } else if (strcmp(all[r].bus, own->bus) == 0) {
            status = error_set(error, STATUS_UNAVAILABLE,
                               "ranks %d and %d have the same GPU, and would wait for each other",
                               made->rank, r);
        } else if (!all[r].can_be_opened) {
            status =
                error_set(error, STATUS_UNAVAILABLE,
                          "rank %d cannot open the memory of rank %d's GPU: CUDA has no memory "
                          "of several processes here",
                          made->rank, r);
        } else {
            status = cuda_check(
                cudaIpcOpenMemHandle(&made->of[r], all[r].handle, cudaIpcMemLazyEnablePeerAccess),
                "the memory of another rank's device", error);
            made->opened[r] = !status;
        }
    }
    return status;
}

/* Memory that other processes had opened. It is freed after all have closed it: when all ranks make
 * the next window. */
static struct {
    void *memory[256];
    int count;
} closing;

static void free_closing(void)
{
    while (closing.count > 0)
        cudaFree(closing.memory[--closing.count]);
}

enum status peer_memory_create(struct space_cuda *space, struct exchange *exchange, int64_t bytes,
                               int fill, const char *what, struct peer_memory *made,
                               struct error *error)
{
    struct location own = {}, all[CUDA_RANKS];
    *made = {};
    if (exchange->count > CUDA_RANKS)
        return error_set(error, STATUS_UNAVAILABLE, "at most %d ranks have a GPU each", CUDA_RANKS);
    made->ranks = exchange->count;
    made->rank = exchange->rank;
    enum status status = locate(space, bytes, fill, what, &own, error);
    made->of[made->rank] = own.memory;
    if (!status)
        status = exchange_gather_each(exchange, &own, sizeof own, all, error);
    if (status)
        return status;
    free_closing();
    return open_all(space, all, made, error);
}

void peer_memory_destroy(struct space_cuda *space, struct peer_memory *window)
{
    enum { MOST = sizeof closing.memory / sizeof *closing.memory };
    bool is_open = false;
    cudaStreamSynchronize(space->stream);
    for (int r = 0; r < window->ranks; r++)
        if (window->opened[r]) {
            cudaIpcCloseMemHandle(window->of[r]);
            is_open = true;
        }
    if (!is_open)
        cudaFree(window->of[window->rank]);
    else if (closing.count < MOST) /* else it stays until the program ends */
        closing.memory[closing.count++] = window->of[window->rank];
    *window = {};
}
