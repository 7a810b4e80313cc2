/* Smoothing of degree 2 fused with its products, on a GPU. Each of the four launches of a level
 * makes the vector that it multiplies as it loads it, and continues with the products of its rows,
 * which it does not store. In the notation of cycle.h, on one level,
 *
 *     before    x = S(0, b)
 *     residual  q = b - A x
 *     up        q = x + P x_c, and the first step from q: r = b - A q and d
 *     last      x, from d, r and q
 *
 * with the bits of the passes of smooth.h and transfer.h and the products between them. They move
 * 3, 4, 6 and 5 vectors of n elements, with the restriction; the passes and products move 10, 4, 9
 * and 8. Both also move the matrix, the map of the aggregates, and the coarse level's vectors. (A
 * restriction fused with the residual moves less and takes longer: its rows come by lists.)
 *
 * Only a matrix by its diagonals has it (spmv/symmetric/diagonals/cuda_sym_diagonals.cuh). */
#ifndef PRECONDITION_MULTIGRID_CYCLE_FUSED_SMOOTHING_H
#define PRECONDITION_MULTIGRID_CYCLE_FUSED_SMOOTHING_H

#include "precondition/multigrid/cycle/smooth.h"
#include "precondition/multigrid/cycle/transfer.h"
#include "spmv/operator.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of one precision; A is an operator that they were found for. Errors: STATUS_MEMORY,
 * STATUS_DEVICE. */
struct fused_smoothing {
    /* The steps SMOOTH_FIRST and SMOOTH_SECOND_LAST; the d between them is not written. enters: the
     * first is SMOOTH_ENTER. */
    enum status (*before)(const struct linear_operator *A, bool enters, const struct smooth *first,
                          const struct smooth *second, struct error *error);

    /* q = b - A x */
    enum status (*residual)(const struct linear_operator *A, const void *b, const void *x, void *q,
                            struct error *error);

    /* The prolongation, with made_x for the vector that it makes of x, and SMOOTH_FIRST_LATER. */
    enum status (*up)(const struct linear_operator *A, const struct prolongation *prolongation,
                      void *made_x, const struct smooth *step, struct error *error);

    /* SMOOTH_LAST, or, where the cycle leaves, SMOOTH_LEAVE, and the dot product if one is
     * wanted. */
    enum status (*last)(const struct linear_operator *A, bool leaves, const struct smooth *step,
                        struct error *error);
};

/* Those for A in that precision, or NULL. */
const struct fused_smoothing *fused_smoothing_find(const struct linear_operator *A, bool in_single);

/* The same for an A in a GPU's space, in the CUDA part (base/cuda_part.h). */
const struct fused_smoothing *fused_smoothing_cuda(const struct linear_operator *A, bool in_single);

#ifdef __cplusplus
}
#endif
#endif
