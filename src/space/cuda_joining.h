/* Where the sums of ranks with a GPU each meet (space/cuda_joined.cuh): how it is made. */
#ifndef SPACE_CUDA_JOINING_H
#define SPACE_CUDA_JOINING_H

#include "space/cuda_fork.h"
#include "space/cuda_window.h"

struct cuda_joining {
    struct cuda_window slots; /* zeroed by NCCL */
    double *own, *gathered;   /* and NULL otherwise: [], and that of each rank */
    struct cuda_joined joined;
    struct cuda_fork fork;
};

void cuda_joining_destroy(struct space_cuda *space); /* of space_cuda_join, or of none */

#endif
