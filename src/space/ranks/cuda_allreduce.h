/* The set-up of sums over ranks with a GPU each (space/ranks/cuda_allreduce.cuh). */
#ifndef SPACE_RANKS_CUDA_ALLREDUCE_H
#define SPACE_RANKS_CUDA_ALLREDUCE_H

#include "space/cuda/cuda_fork.h"
#include "space/ranks/peer_memory.h"

struct cuda_allreduce_setup {
    struct cuda_allreduce_setup *before; /* of space_cuda_join before; or NULL */
    struct peer_memory slots;            /* zeroed by NCCL */
    double *own, *gathered;              /* and NULL otherwise: [], and that of each rank */
    struct cuda_allreduce joined;
    struct cuda_fork fork;
};

void cuda_allreduce_setup_destroy(struct space_cuda *space); /* of space_cuda_join, or of none */

#endif
