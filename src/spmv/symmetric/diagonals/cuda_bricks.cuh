/* Bricks (spmv/symmetric/diagonals/bricks.h) in a device's memory. For .cu files. */
#ifndef SPMV_SYMMETRIC_DIAGONALS_CUDA_BRICKS_CUH
#define SPMV_SYMMETRIC_DIAGONALS_CUDA_BRICKS_CUH

#include "space/cuda/cuda.h"
#include "spmv/symmetric/diagonals/bricks.h"

/* The members of struct bricks; for kernels, by value. */
struct cuda_bricks {
    int32_t blocks, slots, width, halo_most; /* halo_most: rounded up to an even number */
    const int32_t *tile, *exported, *halo, *run_first;
    const struct bricks_run *runs;
    const struct bricks_piece *pieces;
    void *memory; /* of all arrays */
};

/* As bricks_create. The caller calls cuda_free of made->memory, also on failure. Errors:
 * STATUS_MEMORY, STATUS_DEVICE. */
enum status cuda_bricks_create(struct space_cuda *space, int64_t n, const int32_t *distances,
                               int64_t count, int blocks, struct cuda_bricks *made,
                               struct error *error);

#endif
