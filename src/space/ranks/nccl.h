/* How the GPUs of ranks that do not reach each other's memory exchange what they have: by NCCL
 * (NVIDIA, docs.nvidia.com/deeplearning/nccl), which moves bytes here and adds nothing. It is
 * looked for when it is wanted, and no build needs it.
 *
 * NCCL's calls are work on the stream, and are recorded with it. A rank's device waits in each of
 * them for those of the others: so all ranks send the same work, as often (solver/row_loop.c). */
#ifndef SPACE_RANKS_NCCL_H
#define SPACE_RANKS_NCCL_H

#include "base/exchange.h"
#include "space/cuda/cuda.h"

struct nccl_link;

/* *made = NULL where the ranks are to write to each other's memory (space/ranks/peer_memory.h): all
 * on one host; CGSOLVE_GPU_LINK=nccl in the environment wants NCCL there too, and =peer never. NCCL
 * wants a GPU for each rank, and, its manual says, a process for each GPU. All ranks call it, and
 * have the same. Errors: STATUS_MEMORY, STATUS_DEVICE, STATUS_RANK; STATUS_CONFIG: the environment
 * has another word; STATUS_UNAVAILABLE: there is no NCCL. */
enum status nccl_link_create(struct space_cuda *space, struct exchange *exchange,
                             struct nccl_link **made, struct error *error);
/* All ranks call it, for each waits for the others of its host: one that has failed leaves it (the
 * program ends then). Accepts NULL. */
void nccl_link_destroy(struct space_cuda *space, struct nccl_link *link);

/* Memory of the device that other devices may be let into: not of the space's pool. Errors:
 * STATUS_MEMORY. */
enum status nccl_link_array(struct space_cuda *space, int64_t doubles, double **made,
                            struct error *error);
void nccl_link_free(struct space_cuda *space, double *memory); /* accepts NULL */

/* all[r] = the `doubles` at `own` of each rank, in the devices' memory: behind what is on the
 * stream. Errors: STATUS_DEVICE. */
enum status nccl_link_gather(struct space_cuda *space, struct nccl_link *link, const double *own,
                             int64_t doubles, double *all, struct error *error);

/* Doubles to or from a rank; none where they are 0. */
struct nccl_link_piece {
    double *memory;
    int64_t doubles;
};

/* send[r] to rank r, receive[r] from it, of each of the ranks. Errors: as above. */
enum status nccl_link_swap(struct space_cuda *space, struct nccl_link *link,
                           const struct nccl_link_piece *send,
                           const struct nccl_link_piece *receive, struct error *error);

#endif
