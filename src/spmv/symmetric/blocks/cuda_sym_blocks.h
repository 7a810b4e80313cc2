/* What the form of blocks keeps on a device, and what it takes from a matrix that is in the
 * device's memory (spmv/device_csr.h): the twins of sym_blocks.h and transpose_index.h. For .cu
 * files. */
#ifndef SPMV_SYMMETRIC_BLOCKS_CUDA_SYM_BLOCKS_H
#define SPMV_SYMMETRIC_BLOCKS_CUDA_SYM_BLOCKS_H

#include "matrix/csr.h"
#include "space/cuda/cuda.h"
#include "spmv/operator.h"

/* A mirrored block: its block row, and its place among the upper ones. */
struct mirrored {
    int32_t row, place;
};

struct by_blocks {
    struct space_cuda *space;
    int64_t n, rows, blocks;
    int k;
    double sign;
    int32_t *offsets, *lower_offsets; /* [rows + 1] */
    int32_t *columns;                 /* [blocks] */
    struct mirrored *lower;           /* [blocks] */
    bool single_sums;                 /* the sums are float, else double */
    bool singles;                     /* the values are float, else double: */
    void *values;                     /* [blocks k k], of odd k each block transposed */
    void *diagonals;                  /* [rows k (k + 1) / 2] */
};

/* A product with several columns. */
enum status cuda_sym_blocks_columns(const struct by_blocks *kept, const struct operands *operands,
                                    struct error *error);

/* *k = sym_blocks_find of A, or sym_blocks_best where it is `wanted`; *blocks of them. Errors:
 * STATUS_MEMORY, STATUS_DEVICE. */
enum status cuda_sym_blocks_find(struct space_cuda *space, const struct csr *A, bool wanted, int *k,
                                 int64_t *blocks, struct error *error);

/* The arrays of `kept`, whose numbers are there, from A. Errors: STATUS_MEMORY, STATUS_DEVICE. */
enum status cuda_sym_blocks_fill(const struct csr *A, struct by_blocks *kept, struct error *error);

#endif
