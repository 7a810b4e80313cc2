/* A launch beside the end of a pass' sums over ranks, while work is recorded: what the pass has
 * made is there before its sums have met (space/ranks/cuda_allreduce.cuh). In the graph both come
 * behind the pass, and what follows comes behind both. */
#ifndef SPACE_CUDA_CUDA_FORK_H
#define SPACE_CUDA_CUDA_FORK_H

#include "space/cuda/cuda.h"

/* A place in the work that is recorded. */
struct cuda_place {
    unsigned long long recording; /* its number; 0: nothing is recorded, or it is not known */
    cudaGraphNode_t node;         /* what is recorded next comes behind this alone */
};

struct cuda_fork {
    struct cuda_place pass, sums; /* behind these of the pass that was recorded last */
    int64_t *ended;               /* on the device: `ended` as it was when that pass began, for its
                                     sums may change it */
};

struct cuda_place cuda_place_now(const struct space_cuda *space);

/* Whether nothing was recorded behind those sums. What is recorded then, up to cuda_fork_end, comes
 * behind the pass alone. Errors: STATUS_DEVICE. */
enum status cuda_fork_begin(struct space_cuda *space, bool *forked, struct error *error);
enum status cuda_fork_end(struct space_cuda *space, struct error *error);

#endif
