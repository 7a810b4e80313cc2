/* The CUDA space, for the .cu files of src/space and src/spmv: only they access its memory. cuda.cu
 * has the table of the space, and cuda_pass.cuh runs a pass. */
#ifndef SPACE_CUDA_CUDA_H
#define SPACE_CUDA_CUDA_H

#include "base/cuda_part.h"
#include "base/host_device.h"
#include "base/status.h"
#include "space/space.h"
#include "space/sum/sum_order.h"

#include <cuda_runtime.h>
#include <stdint.h>

/* Scratch memory of a space, which grows with the needs of its passes. A recorded graph may point
 * to an outgrown block, so it stays until the space ends. */
struct cuda_scratch {
    void *memory;
    size_t bytes;
};

enum {
    CUDA_RANKS = 32,
    CUDA_ALLREDUCE_SUMS = 3
}; /* at the most: ranks, sums of a pass over them */

/* The meeting place of the sums of several ranks with a device each
 * (space/ranks/cuda_allreduce.cuh). Tiles, and groups of SUM_TILE tiles, are global. Passed to
 * kernels by value. */
struct cuda_allreduce {
    int ranks, rank, shared_count;
    int64_t tiles, first, own;               /* all; this rank's first one, and its number */
    int64_t groups, first_group, last_group; /* all; the range whose tiles are all this rank's */
    int64_t shared[CUDA_RANKS];              /* the groups that several ranks have tiles of */
    unsigned long long *turns;               /* uses of each: [CUDA_ALLREDUCE_SUMS], then the exact
                                                sum */
    /* Of each rank: [2][CUDA_ALLREDUCE_SUMS][doubles], then the words of exact sums that each rank
     * sends: [2][ranks][CUDA_EXACT_WORDS]. */
    double *slots[CUDA_RANKS];
    /* With NCCL (space/ranks/nccl.h) all of these are this rank's own, only the first half is used,
     * and NCCL gathers it between two launches: [ranks][stride]. NULL: they belong to the ranks. */
    const double *gathered;
    int64_t stride;
};

/* Of one sum: words of groups, and of tiles that are sent one by one. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t
cuda_allreduce_doubles(const struct cuda_allreduce *of)
{
    return 2 * (of->groups + of->shared_count * (int64_t)SUM_TILE);
}

/* The meeting place of the sums of a vector's tiles: a slot for each tile (space/sum/cuda_sum.cuh),
 * all empty between two sums. Passed to kernels by value. */
struct cuda_sum {
    int64_t tiles;
    double *slots; /* [2 tiles]: a value and its error, or values alone */
    /* Over ranks, on the host: another launch takes the sums (space/ranks/cuda_allreduce.cuh), and
     * this number of other ranks' tiles precedes the own tiles. NULL: only this device. */
    const struct cuda_allreduce *joined;
    int64_t before;
    int64_t *ended_before; /* then a pass copies the flag to it (space/cuda/cuda_fork.h) */
};

/* Pinned memory of the host, for large copies in pieces, and for small results. */
struct cuda_pieces {
    char *memory;             /* NULL: not needed yet */
    struct cuda_small *small; /* likewise */
    uint64_t told;            /* small results asked for */
    cudaEvent_t copied[2];
};

struct space_cuda {
    struct space base;
    int device, cache_bytes; /* the L2 cache */
    cudaStream_t stream;
    cudaMemPool_t pool;         /* of cuda_array, or NULL: the device has none */
    size_t pool_keeps;          /* bytes kept beyond those in use: an eighth of the device's */
    struct cuda_pieces pieces;  /* of cuda_copy_up and cuda_copy_down */
    struct cuda_scratch slots;  /* of cuda_sum_prepare */
    struct cuda_scratch exact;  /* of cuda_pass_exact.cuh */
    struct cuda_scratch terms;  /* for a launcher with another layout of the tiles' sums */
    struct cuda_scratch column; /* two vectors, for sums of columns in another order */
    struct cuda_scratch found;  /* of cuda_find, 0 between its uses */
    void *spare_shared;         /* the last released block, or NULL */
    void **outgrown;            /* [outgrown_count] */
    int64_t outgrown_count, outgrown_capacity;
    unsigned int exact_blocks;
    void *blas;                           /* cublasHandle_t, made at first need */
    struct cuda_allreduce_setup *joining; /* meeting place of the ranks' sums; NULL: one rank */
    struct nccl_link *link;    /* for ranks without access to each other's memory; else NULL */
    cudaGraphExec_t recording; /* the last recording, also of an earlier space */
    uint64_t recording_shape;  /* of its nodes; 0: not known */
    bool is_called;            /* the work is called at each replay */
    struct {
        space_work *work;
        void *context;
        int times;
    } replayed; /* then */
};

/* For work of the space, its device is the calling thread's current device: struct
 * space_operations' enter. */
static inline struct space_cuda *space_cuda_of(struct space *space)
{
    return (struct space_cuda *)space;
}

/* Of struct space's `ended`. */
__device__ static inline bool cuda_is_over(const int64_t *ended)
{
    return ended && *ended;
}

/* STATUS_OK, or STATUS_DEVICE (or STATUS_MEMORY, if memory is exhausted) and "what: ..." */
enum status cuda_check(cudaError_t result, const char *what, struct error *error);

/* The same for the last launch. */
enum status cuda_check_launch(const char *what, struct error *error);

/* Lets launches of a kernel have all the dynamic shared memory that a block can have on the space's
 * device. The limit is the kernel's: a smaller one, for one matrix, would hold for all others too.
 * Errors: STATUS_DEVICE. */
enum status cuda_allow_shared(const struct space_cuda *space, const void *kernel,
                              struct error *error);

/* Device memory of count elements, for work on the space's stream; "what needs N bytes, the device
 * has M free" on failure. It comes from a pool: cudaMalloc and cudaFree take up to 0.2 ms each and
 * wait for the device. Not while work is recorded. The caller calls cuda_free. */
enum status cuda_array(struct space_cuda *space, int64_t count, size_t size, const char *what,
                       void **array, struct error *error);

/* Freed after the work now on the stream. Accepts NULL. */
void cuda_free(struct space_cuda *space, void *array);

/* cuda_array with a copy of host[count], complete on return. The caller calls cuda_free, also on
 * failure. */
enum status cuda_put(struct space_cuda *space, const void *host, int64_t count, size_t size,
                     const char *what, void **array, struct error *error);

/* STATUS_MEMORY unless that number of bytes is available. */
enum status cuda_memory_fits(struct space_cuda *space, int64_t bytes, const char *what,
                             struct error *error);

/* Return freed memory to the device, for other programs, except pool_keeps bytes: mapping memory
 * anew costs each solve milliseconds. */
void cuda_memory_return(struct space_cuda *space);

/* A space of the device, idle or new, whose base is to be set. The caller calls cuda_stock_put.
 * Errors: STATUS_MEMORY, STATUS_DEVICE, STATUS_UNAVAILABLE. */
enum status cuda_stock_take(int device, struct space_cuda **taken, struct error *error);

/* The space becomes idle. It ends instead, if it may not be idle, if enough spaces are idle, if
 * something has failed, or if memory of it is in use. Its base must own nothing. */
void cuda_stock_put(struct space_cuda *space, bool may_idle);

/* With the space. Errors: STATUS_DEVICE. */
enum status cuda_memory_create(struct space_cuda *space, struct error *error);
void cuda_memory_destroy(struct space_cuda *space);

/* STATUS_OK, or the failure of an allocation with how much is free. */
enum status cuda_memory_check(struct space_cuda *space, cudaError_t result, size_t bytes,
                              const char *what, struct error *error);

/* Between the host and the device; complete when it returns. Errors: STATUS_DEVICE. */
enum status cuda_copy_up(struct space_cuda *space, int64_t bytes, const void *host, void *device,
                         const char *what, struct error *error);
enum status cuda_copy_down(struct space_cuda *space, int64_t bytes, const void *device, void *host,
                           const char *what, struct error *error);
/* cuda_copy_down of a result of 64 KiB at most, which is 0 on the device afterwards. */
enum status cuda_take(struct space_cuda *space, int64_t bytes, void *device, void *host,
                      const char *what, struct error *error);
void cuda_copy_destroy(struct space_cuda *space);

/* At least that number of bytes in *scratch; new bytes have the value `fill`. Allowed during a
 * recording. Errors: STATUS_MEMORY, STATUS_DEVICE. */
enum status cuda_grow(struct space_cuda *space, struct cuda_scratch *scratch, size_t bytes,
                      int fill, const char *what, struct error *error);

/* Free outgrown blocks; or all scratch. No recorded work may point to them. */
void cuda_scratch_free_outgrown(struct space_cuda *space);
void cuda_scratch_destroy(struct space_cuda *space);

/* Prepare *sum for `count` sums over vectors of n elements; the slots of the next sum follow those
 * of this sum. If the space's partition is set, the sums are over all ranks. */
enum status cuda_sum_prepare(struct space_cuda *space, int64_t n, int count, struct cuda_sum *sum,
                             struct error *error);

/* *result = the sum over ranks of the previous launch, if sum->joined. Errors: STATUS_DEVICE. */
enum status cuda_sum_join(struct space_cuda *space, const struct cuda_sum *sum, double *result,
                          struct error *error);

/* The same for an exact sum (space/cuda/cuda_pass_exact.cuh); does nothing while *ended is not
 * 0. */
enum status cuda_exact_join(struct space_cuda *space, const int64_t *ended, double *result,
                            struct error *error);

/* *sum->result = x . y by cuBLAS. Errors: STATUS_DEVICE. */
enum status cuda_blas_dot(struct space_cuda *space, int64_t n, const struct pass_sum *sum,
                          struct error *error);

/* Why no CUDA kernel can run on this machine, or NULL. */
const char *cuda_unavailable(void);

#endif
