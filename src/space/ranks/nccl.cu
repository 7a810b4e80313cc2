#include "space/ranks/nccl.h"

#include "base/memory.h"
#include "space/ranks/peer_memory.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* The used part of nccl.h, unchanged since NCCL 2.7; calls can be recorded since 2.9. */
typedef struct {
    char internal[128];
} unique_id;
typedef void *communicator;
enum { SUCCESS = 0, UINT64 = 5 };

struct nccl {
    const char *(*error_string)(int result);
    int (*get_unique_id)(unique_id *id);
    int (*init_rank)(communicator *made, int ranks, unique_id id, int rank);
    int (*destroy)(communicator link);
    int (*all_gather)(const void *own, void *all, size_t count, int type, communicator link,
                      cudaStream_t stream);
    int (*send)(const void *from, size_t count, int type, int rank, communicator link,
                cudaStream_t stream);
    int (*receive)(void *to, size_t count, int type, int rank, communicator link,
                   cudaStream_t stream);
    int (*group_start)(void);
    int (*group_end)(void);
};

struct nccl_link {
    struct nccl nccl;
    communicator of;
    int ranks;
};

static const char what[] = "what ranks exchange";

/* It stays loaded. */
static enum status open_nccl(struct nccl *made, struct error *error)
{
    struct {
        const char *name;
        void *function;
    } wanted[] = {{"ncclGetErrorString", &made->error_string},
                  {"ncclGetUniqueId", &made->get_unique_id},
                  {"ncclCommInitRank", &made->init_rank},
                  {"ncclCommDestroy", &made->destroy},
                  {"ncclAllGather", &made->all_gather},
                  {"ncclSend", &made->send},
                  {"ncclRecv", &made->receive},
                  {"ncclGroupStart", &made->group_start},
                  {"ncclGroupEnd", &made->group_end}};
    void *library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return error_set(error, STATUS_UNAVAILABLE,
                         "ranks whose GPUs do not reach each other's memory want NCCL: %s",
                         dlerror());
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
        void *found = dlsym(library, wanted[k].name);
        if (!found)
            return error_set(error, STATUS_UNAVAILABLE, "libnccl.so.2 has no %s", wanted[k].name);
        memcpy(wanted[k].function, &found, sizeof found);
    }
    return STATUS_OK;
}

static enum status check(const struct nccl_link *link, int result, struct error *error)
{
    if (result == SUCCESS)
        return STATUS_OK;
    cudaGetLastError(); /* clears the error for the next launch */
    return error_set(error, STATUS_DEVICE, "NCCL: %s: %s", what, link->nccl.error_string(result));
}

/* --- which ---------------------------------------------------------------------------------- */

enum wish { WISH_NONE, WISH_PEER, WISH_NCCL, WISH_UNKNOWN };

/* The data of a rank. */
struct where {
    char host[CUDA_HOST_NAME], bus[32]; /* the device's PCI bus */
    int wish;
};

static int wish_of_environment(void)
{
    const char *text = getenv("CGSOLVE_GPU_LINK");
    return !text                       ? WISH_NONE
           : strcmp(text, "nccl") == 0 ? WISH_NCCL
           : strcmp(text, "peer") == 0 ? WISH_PEER
                                       : WISH_UNKNOWN;
}

/* *by_nccl: if a rank asks for it; or, unless a rank asks otherwise, if they are on several
 * hosts. */
static enum status choose(const struct space_cuda *space, struct exchange *exchange, bool *by_nccl,
                          struct error *error)
{
    struct where own = {}, all[CUDA_RANKS];
    peer_memory_name_host(own.host, sizeof own.host);
    own.wish = wish_of_environment();
    enum status status =
        cuda_check(cudaDeviceGetPCIBusId(own.bus, sizeof own.bus, space->device), what, error);
    if (!status)
        status = exchange_gather_each(exchange, &own, sizeof own, all, error);
    bool nccl = false, peer = false, apart = false;
    for (int r = 0; r < exchange->count && !status; r++) {
        if (all[r].wish == WISH_UNKNOWN)
            status = error_set(error, STATUS_CONFIG,
                               "CGSOLVE_GPU_LINK in the environment of rank %d is neither nccl nor "
                               "peer",
                               r);
        nccl = nccl || all[r].wish == WISH_NCCL;
        peer = peer || all[r].wish == WISH_PEER;
        apart = apart || strcmp(all[r].host, own.host) != 0;
    }
    *by_nccl = nccl || (apart && !peer);
    for (int r = 0; r < exchange->count && !status && *by_nccl; r++)
        for (int q = 0; q < r && !status; q++)
            if (strcmp(all[r].host, all[q].host) == 0 && strcmp(all[r].bus, all[q].bus) == 0)
                status = error_set(error, STATUS_UNAVAILABLE,
                                   "ranks %d and %d have the same GPU, and NCCL wants one for each",
                                   q, r);
    return status;
}

/* --- making one ------------------------------------------------------------------------------- */

/* The first exchange makes the connections, outside a recording. */
static enum status try_out(struct space_cuda *space, struct nccl_link *link, int rank,
                           struct error *error)
{
    double *memory = NULL;
    struct nccl_link_piece send[CUDA_RANKS] = {}, receive[CUDA_RANKS] = {};
    enum status status = nccl_link_array(space, 2 + 2 * (int64_t)link->ranks, &memory, error);
    for (int r = 0; r < link->ranks && !status; r++) {
        send[r] = {memory, r == rank ? 0 : 1};
        receive[r] = {memory + 1 + r, r == rank ? 0 : 1};
    }
    if (!status)
        status = cuda_check(cudaMemsetAsync(memory, 0, sizeof *memory, space->stream), what, error);
    if (!status)
        status = nccl_link_gather(space, link, memory, 1, memory + 1, error);
    if (!status)
        status = cuda_check(cudaStreamSynchronize(space->stream), what, error);
    if (!status)
        status = nccl_link_swap(space, link, send, receive, error);
    if (!status)
        status = cuda_check(cudaStreamSynchronize(space->stream), what, error);
    nccl_link_free(space, memory);
    return status;
}

static enum status join(struct space_cuda *space, struct exchange *exchange, struct nccl_link *link,
                        struct error *error)
{
    unique_id own = {}, all[CUDA_RANKS];
    enum status status = open_nccl(&link->nccl, error);
    if (!status && exchange->rank == 0)
        status = check(link, link->nccl.get_unique_id(&own), error);
    if (!status)
        status = exchange_gather_each(exchange, &own, sizeof own, all, error);
    if (!status)
        status = check(
            link, link->nccl.init_rank(&link->of, exchange->count, all[0], exchange->rank), error);
    return status ? status : try_out(space, link, exchange->rank, error);
}

enum status nccl_link_create(struct space_cuda *space, struct exchange *exchange,
                             struct nccl_link **made, struct error *error)
{
    bool by_nccl = false;
    *made = NULL;
    enum status status = choose(space, exchange, &by_nccl, error);
    if (status || !by_nccl)
        return status;
    struct nccl_link *link = (struct nccl_link *)memory_zeros(1, sizeof *link, what, error);
    if (!link)
        return STATUS_MEMORY;
    link->ranks = exchange->count;
    status = join(space, exchange, link, error);
    if (status)
        memory_free(link); /* not the communicator: other ranks may be entering it */
    else
        *made = link;
    return status;
}

void nccl_link_destroy(struct space_cuda *space, struct nccl_link *link)
{
    if (!link)
        return;
    cudaStreamSynchronize(space->stream);
    if (link->of)
        link->nccl.destroy(link->of);
    memory_free(link);
}

enum status nccl_link_array(struct space_cuda *space, int64_t doubles, double **made,
                            struct error *error)
{
    size_t bytes = (size_t)(doubles > 0 ? doubles : 1) * sizeof **made;
    return cuda_memory_check(space, cudaMalloc((void **)made, bytes), bytes, what, error);
}

void nccl_link_free(struct space_cuda *space, double *memory)
{
    if (!memory)
        return;
    cudaStreamSynchronize(space->stream);
    cudaFree(memory);
}

/* --- what travels ----------------------------------------------------------------------------- */

enum status nccl_link_gather(struct space_cuda *space, struct nccl_link *link, const double *own,
                             int64_t doubles, double *all, struct error *error)
{
    return check(link,
                 link->nccl.all_gather(own, all, (size_t)doubles, UINT64, link->of, space->stream),
                 error);
}

enum status nccl_link_swap(struct space_cuda *space, struct nccl_link *link,
                           const struct nccl_link_piece *send,
                           const struct nccl_link_piece *receive, struct error *error)
{
    const struct nccl *nccl = &link->nccl;
    enum status status = check(link, nccl->group_start(), error);
    if (status)
        return status;
    for (int r = 0; r < link->ranks && !status; r++) {
        if (send[r].doubles > 0)
            status = check(link,
                           nccl->send(send[r].memory, (size_t)send[r].doubles, UINT64, r, link->of,
                                      space->stream),
                           error);
        if (!status && receive[r].doubles > 0)
            status = check(link,
                           nccl->receive(receive[r].memory, (size_t)receive[r].doubles, UINT64, r,
                                         link->of, space->stream),
                           error);
    }
    struct error ignored;
    enum status ended = check(link, nccl->group_end(), status ? &ignored : error);
    return status ? status : ended;
}
