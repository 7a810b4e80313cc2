/* The matrix of a small level on a GPU, both triangles, for one thread a row: y = A x in the order
 * of spmv/symmetric/sym_order.h, so with the bits of cuda_sym_bitwise and of cpu_csr. Rows lie in
 * slices of 32, each as wide as its longest row, so that the threads of a warp read neighbouring
 * entries. Columns are of 16 bits. */
#ifndef PRECONDITION_MULTIGRID_CYCLE_FUSED_ROWS_H
#define PRECONDITION_MULTIGRID_CYCLE_FUSED_ROWS_H

#include "base/host_device.h"
#include "spmv/operator.h"

#include <stdbool.h>
#include <stdint.h>

/* FUSED_LEVELS_LONGEST: a longer row would make its slice wide, and has the others wait for it. */
enum { FUSED_LEVELS_SLICE = 32, FUSED_ROWS_MAX = 1 << 16, FUSED_LEVELS_LONGEST = 1024 };

/* By value into kernels; the arrays are in the device's memory. */
struct fused_rows {
    int64_t n;
    const int32_t *slices;   /* where slice s begins: at entry FUSED_LEVELS_SLICE slices[s] */
    const int32_t *lengths;  /* [n] */
    const uint16_t *columns; /* of row i entry k: fused_levels_place */
    const void *values;      /* doubles or singles, likewise */
};

CGSOLVE_HOST_AND_DEVICE static inline int64_t fused_levels_place(const struct fused_rows *A,
                                                                 int64_t i, int32_t k)
{
    return ((int64_t)A->slices[i / FUSED_LEVELS_SLICE] + k) * FUSED_LEVELS_SLICE +
           i % FUSED_LEVELS_SLICE;
}

#ifdef __cplusplus
extern "C" {
#endif

/* *made = A, of at most FUSED_ROWS_MAX rows, which is in the memory of the CUDA space and borrowed
 * for this call; single: of fl(A), for vectors and sums of single precision. *suits is false, and
 * *made zeroed, where a row is longer than FUSED_LEVELS_LONGEST. The caller calls operator_destroy;
 * on failure *made is zeroed. Errors: STATUS_MEMORY, STATUS_DEVICE, those of single_check. */
enum status fused_rows_create(struct space *space, const struct csr *A, bool single,
                              struct linear_operator *made, bool *suits, struct error *error);

/* What an operator that is one of these multiplies by, or NULL. */
const struct fused_rows *fused_rows_of(const struct linear_operator *A);

#ifdef __cplusplus
}
#endif
#endif
