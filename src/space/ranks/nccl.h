/* Communication of GPUs without access to each other's memory, by NCCL (NVIDIA,
 * docs.nvidia.com/deeplearning/nccl), which only moves bytes here. It is loaded on demand, and no
 * build needs it.
 *
 * NCCL's calls are work on the stream, and are recorded with it. In each call a device waits for
 * those of all ranks: so all ranks launch the same work, equally often (solver/row_loop.c). */
#ifndef SPACE_RANKS_NCCL_H
#define SPACE_RANKS_NCCL_H

#include "base/exchange.h"
#include "space/cuda/cuda.h"

struct nccl_link;

/* *made = NULL if the ranks can use peer memory (space/ranks/peer_memory.h), all on one host.
 * CGSOLVE_GPU_LINK=nccl in the environment chooses NCCL also then, =peer never. NCCL needs a GPU
 * for each rank and, by its manual, a process for each GPU. All ranks call it, with the same
 * result. Errors: STATUS_MEMORY, STATUS_DEVICE, STATUS_RANK; STATUS_CONFIG: another word in the
 * environment; STATUS_UNAVAILABLE: NCCL is missing. */
enum status nccl_link_create(struct space_cuda *space, struct exchange *exchange,
                             struct nccl_link **made, struct error *error);
/* All ranks call it, because each waits for the other ranks of its host. After a failure a rank
 * skips it, and the program ends. Accepts NULL. */
void nccl_link_destroy(struct space_cuda *space, struct nccl_link *link);

/* Memory of the device that other devices can access, outside the space's pool. Errors:
 * STATUS_MEMORY. */
enum status nccl_link_array(struct space_cuda *space, int64_t doubles, double **made,
                            struct error *error);
void nccl_link_free(struct space_cuda *space, double *memory); /* accepts NULL */

/* All-gather: all[r] = the `doubles` at `own` of each rank, in the devices' memory, after the work
 * on the stream. Errors: STATUS_DEVICE. */
enum status nccl_link_gather(struct space_cuda *space, struct nccl_link *link, const double *own,
                             int64_t doubles, double *all, struct error *error);

/* Doubles to or from a rank; 0: none. */
struct nccl_link_piece {
    double *memory;
    int64_t doubles;
};

/* All-to-all: sends send[r] to rank r and receives receive[r] from it. Errors: as above. */
enum status nccl_link_swap(struct space_cuda *space, struct nccl_link *link,
                           const struct nccl_link_piece *send,
                           const struct nccl_link_piece *receive, struct error *error);

#endif
