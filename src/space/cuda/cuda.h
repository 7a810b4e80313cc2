/* The CUDA space, for the .cu files of src/space and src/spmv: the only places that see its memory.
 * cuda.cu has the table of the space, and cuda_pass.cuh runs a pass. */
#ifndef SPACE_CUDA_CUDA_H
#define SPACE_CUDA_CUDA_H

#include "base/cuda_part.h"
#include "base/host_device.h"
#include "base/status.h"
#include "space/space.h"
#include "space/sum/sum_order.h"

#include <cuda_runtime.h>
#include <stdint.h>

/* Memory of a space that grows with what its passes need. A recorded graph may point to what it has
 * outgrown, which stays until the space ends. */
struct cuda_scratch {
    void *memory;
    size_t bytes;
};

enum {
    CUDA_RANKS = 32,
    CUDA_ALLREDUCE_SUMS = 3
}; /* at the most: ranks, sums of a pass over them */

/* Where sums of several ranks meet, each with a device (space/ranks/cuda_allreduce.cuh). Tiles and
 * groups of SUM_TILE tiles are those of all ranks. By value into kernels. */
struct cuda_allreduce {
    int ranks, rank, shared_count;
    int64_t tiles, first, own;               /* all, and this rank's: from which on, how many */
    int64_t groups, first_group, last_group; /* all, and from which to which all tiles are its */
    int64_t shared[CUDA_RANKS];              /* the groups that several ranks have tiles of */
    unsigned long long *turns;               /* how often each was taken: [CUDA_ALLREDUCE_SUMS], and
                                                the exact one behind these */
    /* Of each rank: [2][CUDA_ALLREDUCE_SUMS][doubles], and behind these, of exact sums, what each
     * rank sends: [2][ranks][CUDA_EXACT_WORDS]. */
    double *slots[CUDA_RANKS];
    /* By NCCL (space/ranks/nccl.h) all of these are this rank's own, of which the first turn is
     * used, and between two launches it is gathered: [ranks][stride]. NULL: they are the ranks'.
     * */
    const double *gathered;
    int64_t stride;
};

/* Of one sum: words of groups, and of tiles that are sent one by one. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t
cuda_allreduce_doubles(const struct cuda_allreduce *of)
{
    return 2 * (of->groups + of->shared_count * (int64_t)SUM_TILE);
}

/* Where the sums of the tiles of a vector meet: a slot a tile (space/sum/cuda_sum.cuh), all of them
 * empty between two sums. By value into kernels. */
struct cuda_sum {
    int64_t tiles;
    double *slots; /* [2 tiles]: a value and its error, or values alone */
    /* Over ranks, on the host: another launch takes them (space/ranks/cuda_allreduce.cuh), and so
     * many tiles of other ranks come before the own ones. NULL: this device alone. */
    const struct cuda_allreduce *joined;
    int64_t before;
    int64_t *ended_before; /* then a pass leaves there what it has found (space/cuda/cuda_fork.h) */
};

/* Memory of the host that stays where it is, through which large copies go in pieces. */
struct cuda_pieces {
    char *memory; /* NULL: not needed yet */
    cudaEvent_t copied[2];
};

struct space_cuda {
    struct space base;
    int device, cache_bytes; /* the L2 cache */
    cudaStream_t stream;
    cudaMemPool_t pool;         /* of cuda_array, or NULL: the device has none */
    size_t pool_keeps;          /* bytes beyond those in use: a sixteenth of the device's */
    struct cuda_pieces pieces;  /* of cuda_copy_up and cuda_copy_down */
    struct cuda_scratch slots;  /* of cuda_sum_prepare */
    struct cuda_scratch exact;  /* of cuda_pass_exact.cuh */
    struct cuda_scratch terms;  /* for a launcher that keeps the sums of tiles otherwise */
    struct cuda_scratch column; /* two vectors, for sums of columns in another order */
    void *spare_shared;         /* the block that was released last, or NULL */
    void **outgrown;            /* [outgrown_count] */
    int64_t outgrown_count, outgrown_capacity;
    unsigned int exact_blocks;
    void *blas;                           /* cublasHandle_t, made at first need */
    struct cuda_allreduce_setup *joining; /* where sums of ranks meet; NULL: there are none */
    struct nccl_link *link;    /* of ranks that do not reach each other's memory; else NULL */
    cudaGraphExec_t recording; /* what was recorded last, also by a space before */
    uint64_t recording_shape;  /* of its nodes; 0: not known */
    bool is_called;            /* what is replayed */
    struct {
        space_work *work;
        void *context;
        int times;
    } replayed; /* then */
};

/* Its device is the calling thread's wherever work of the space is done: struct
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

/* STATUS_OK, or STATUS_DEVICE (STATUS_MEMORY when that is what is missing) and "what: ..." */
enum status cuda_check(cudaError_t result, const char *what, struct error *error);

/* The same for the launch just made. */
enum status cuda_check_launch(const char *what, struct error *error);

/* Device memory of count elements, for work on the space's stream; "what needs N bytes, the device
 * has M free" on failure. It comes from a pool: cudaMalloc and cudaFree take up to 0.2 ms each and
 * wait for the device. Not while work is recorded. The caller calls cuda_free. */
enum status cuda_array(struct space_cuda *space, int64_t count, size_t size, const char *what,
                       void **array, struct error *error);

/* After the work that is on the stream by now. Accepts NULL. */
void cuda_free(struct space_cuda *space, void *array);

/* The same as cuda_array, holding what host[count] holds; complete when it returns. The caller
 * calls cuda_free, also on failure. */
enum status cuda_put(struct space_cuda *space, const void *host, int64_t count, size_t size,
                     const char *what, void **array, struct error *error);

/* STATUS_MEMORY unless so many bytes can be had. */
enum status cuda_memory_fits(struct space_cuda *space, int64_t bytes, const char *what,
                             struct error *error);

/* Freed memory goes back to the device, for other programs, but for pool_keeps bytes: to map memory
 * anew would cost each solve milliseconds. */
void cuda_memory_return(struct space_cuda *space);

/* A space of the device, idle or new, whose base is to be set. The caller calls cuda_stock_put.
 * Errors: STATUS_MEMORY, STATUS_DEVICE, STATUS_UNAVAILABLE. */
enum status cuda_stock_take(int device, struct space_cuda **taken, struct error *error);

/* The space becomes idle, or ends: where it may not be idle, where enough are, and where something
 * has failed or memory of it is in use. Its base has nothing that is to be freed. */
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
void cuda_copy_destroy(struct space_cuda *space);

/* At least so many bytes in *scratch, new ones each holding the byte `fill`. Also while work is
 * recorded. Errors: STATUS_MEMORY, STATUS_DEVICE. */
enum status cuda_grow(struct space_cuda *space, struct cuda_scratch *scratch, size_t bytes,
                      int fill, const char *what, struct error *error);

/* No recorded work points to outgrown memory any more; nor to any scratch. */
void cuda_scratch_free_outgrown(struct space_cuda *space);
void cuda_scratch_destroy(struct space_cuda *space);

/* *sum ready for `count` sums over vectors of n elements; the slots of the next sum follow behind
 * those of this one. Those of all ranks where the space's partition is set. */
enum status cuda_sum_prepare(struct space_cuda *space, int64_t n, int count, struct cuda_sum *sum,
                             struct error *error);

/* *result = the sum that the launch before has put, over ranks: where sum->joined. Errors:
 * STATUS_DEVICE. */
enum status cuda_sum_join(struct space_cuda *space, const struct cuda_sum *sum, double *result,
                          struct error *error);

/* The same of an exact sum (space/cuda/cuda_pass_exact.cuh); nothing while *ended is not 0. */
enum status cuda_exact_join(struct space_cuda *space, const int64_t *ended, double *result,
                            struct error *error);

/* *sum->result = x . y by cuBLAS. Errors: STATUS_DEVICE. */
enum status cuda_blas_dot(struct space_cuda *space, int64_t n, const struct pass_sum *sum,
                          struct error *error);

/* Why no CUDA kernel can run on this machine, or NULL. */
const char *cuda_unavailable(void);

#endif
