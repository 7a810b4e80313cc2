/* Peer memory: memory of a rank's device that the devices of all ranks can write. Ranks are threads
 * of one process, or processes of one host. */
#ifndef SPACE_RANKS_PEER_MEMORY_H
#define SPACE_RANKS_PEER_MEMORY_H

#include "base/exchange.h"
#include "space/cuda/cuda.h"

enum { CUDA_HOST_NAME = 160 };

/* The name of this host, and that of its running kernel. */
void peer_memory_name_host(char *text, size_t size);

struct peer_memory {
    int ranks, rank;
    void *of[CUDA_RANKS];    /* the memory of each rank, in this device's addresses */
    bool opened[CUDA_RANKS]; /* it is another process's */
    bool shares;             /* another rank, a thread of this process, has this device too */
};

/* Every rank calls it; sizes may differ. All bytes are `fill`. The caller calls
 * peer_memory_destroy, also on failure. Errors: STATUS_MEMORY, STATUS_DEVICE, STATUS_RANK;
 * STATUS_UNAVAILABLE: a rank's device cannot be reached, or there are too many ranks. */
enum status peer_memory_create(struct space_cuda *space, struct exchange *exchange, int64_t bytes,
                               int fill, const char *what, struct peer_memory *made,
                               struct error *error);
void peer_memory_destroy(struct space_cuda *space,
                         struct peer_memory *window); /* or a zeroed one */

#endif
