/* A certificate for rows of y = A x whose bits no order of additions can change.
 *
 * Let p_1, ..., p_L be the nonzero products a_ij x_j of row i, 2^e the largest power of two that
 * divides all of them, P the sum of the positive products and N minus the sum of the negative ones.
 * Row i is certified if
 *
 *     e >= -1074,   max(P, N) <= 2^(e+53),   max(P, N) < 2^1024
 *
 * or if all products are 0. The sum s of any of the products is then a multiple of 2^e with -N <= s
 * <= P, and so a double, subnormal or not (the argument of Rump, Ogita and Oishi 2008, Accurate
 * floating-point summation I, section 2). So in any order, by lanes, by atomics or in a chain, with
 * separate products or fma, no operation rounds, and y_i is the exact sum. The certificate does not
 * cover the sign of a zero, nor kernels that add other terms than products and their sums, such as
 * cusparse_half, which halves the diagonal.
 *
 * e follows from the exponents: the place of the last set bit of a product is the sum of those of
 * its factors, because odd times odd is odd. P and N are sums of integers, in units of 2^e.
 *
 * The condition is sufficient, and necessary but for a factor of two. Where a product is no double,
 * it rounds. Else, let P > 2^(e+54), or P >= 2^1024, or likewise N; q one of the products that are
 * odd multiples of 2^e. It is a double, so |q| < 2^(e+53). If P is an odd multiple, it is no
 * double, being so large; if it is an even one, P - q (q > 0) or P + q (q < 0) is an odd one above
 * 2^(e+53), and no double. (P >= 2^1024 overflows.) An order that adds these products first rounds.
 * A rounding order does not imply two different results: two products have one sum. So in rows
 * without a certificate bits can differ, but need not. */
#ifndef STUDY_CERTIFICATE_H
#define STUDY_CERTIFICATE_H

#include "base/status.h"
#include "matrix/csr.h"

#include <stdint.h>

enum row_verdict {
    ROW_CERTIFIED,
    ROW_NOT_FINITE,     /* an x_j is infinite or NaN; no a_ij ever is (csr.h) */
    ROW_PRODUCT_ROUNDS, /* else: a product is no double: it has too many bits, overflows or
                           underflows */
    ROW_SUM_CAN_ROUND,  /* else */
    ROW_VERDICTS,
};

struct certificate {
    int64_t rows[ROW_VERDICTS]; /* how many of each; together A's rows */
    /* Rows without a certificate, with finite x_j, to which cpu_sym_atomic and cuda_sym_atomic add
     * at most twice, in any precision: the sum of the diagonal and the entries right of it, in a
     * written order, and at most one mirrored entry. The sum of two numbers needs no order. 0 for a
     * general A. */
    int64_t added_twice;
};

/* x[A->width], verdicts[A->n] an enum row_verdict for each row. It also needs memory for O(1)
 * numbers a row and, for a symmetric or skew A, a list of its entries by columns. Errors:
 * STATUS_MEMORY. */
enum status certificate_make(const struct csr *A, const double *x, unsigned char *verdicts,
                             struct certificate *certificate, struct error *error);

#endif
