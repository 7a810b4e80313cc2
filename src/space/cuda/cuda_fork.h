/* A launch that overlaps with the end of a pass' sums over ranks, in recorded work: the elements of
 * the pass are ready before its sums are (space/ranks/cuda_allreduce.cuh). In the graph both come
 * after the pass, and later work comes after both. */
#ifndef SPACE_CUDA_CUDA_FORK_H
#define SPACE_CUDA_CUDA_FORK_H

#include "space/cuda/cuda.h"

/* A place in the work that is recorded. */
struct cuda_place {
    unsigned long long recording; /* its number; 0: nothing is recorded, or it is not known */
    cudaGraphNode_t node;         /* the next recorded work depends only on this */
};

struct cuda_fork {
    struct cuda_place pass, sums; /* after these of the last recorded pass */
    int64_t *ended;               /* on the device: `ended` as it was when that pass began, for its
                                     sums may change it */
};

struct cuda_place cuda_place_now(const struct space_cuda *space);

/* Whether nothing was recorded after those sums. Then work recorded up to cuda_fork_end depends
 * only on the pass. Errors: STATUS_DEVICE. */
enum status cuda_fork_begin(struct space_cuda *space, bool *forked, struct error *error);
enum status cuda_fork_end(struct space_cuda *space, struct error *error);

#endif
