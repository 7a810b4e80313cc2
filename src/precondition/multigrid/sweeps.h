/* The sweeps of a cycle of degree 2 on a GPU: each makes what it multiplies as it loads that, and
 * goes on with the products of its rows, which are nowhere kept. In the notation of cycle.h, on one
 * level,
 *
 *     before    x = S(0, b)
 *     residual  q = b - A x
 *     up        q = x + P x', and the first step from there: r = b - A q and d
 *     last      x, from d, r and q
 *
 * with the bits of the passes of smooth.h and transfer.h and the products between them. Of vectors
 * of n elements they move, with the restriction, 3, 4, 6 and 5, where those move 10, 4, 9 and 8;
 * besides that the matrix, the map of the aggregates, and what is of the coarse level. (The
 * restriction in one sweep with the residual moves less and takes longer: its rows come by lists.)
 *
 * There is a form for a matrix by its diagonals (spmv/upper/cuda_sym_diagonals.cuh), and no other.
 */
#ifndef PRECONDITION_MULTIGRID_SWEEPS_H
#define PRECONDITION_MULTIGRID_SWEEPS_H

#include "cgsolve/operator.h"
#include "precondition/multigrid/smooth.h"
#include "precondition/multigrid/transfer.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of one precision; A is an operator that they were found for. Errors: STATUS_MEMORY,
 * STATUS_DEVICE. */
struct sweeps {
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
const struct sweeps *sweeps_find(const struct linear_operator *A, bool in_single);

/* The two halves of it: A is in a GPU's space. */
const struct sweeps *sweeps_cuda(const struct linear_operator *A);
const struct sweeps *sweeps_float_cuda(const struct linear_operator *A);

#ifdef __cplusplus
}
#endif
#endif
