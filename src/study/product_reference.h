/* A x, and the error bound of a product in the working precision.
 *
 * Row i has L entries, S_i = sum_j |a_ij| |x_j|; u is 2^-53, or 2^-24 for sums in single precision,
 * and gamma_m = m u / (1 - m u). Whatever the order of the additions, with an fma here or there,
 *
 *     |y_i - (A x)_i| <= gamma_{L+1} S_i          (Higham 2002, section 3.1)
 *
 * counts one product more than there are, because a kernel may take the diagonal in two halves.
 * Where products underflow, each loses at most half of eta, the smallest positive number. The bound
 * is
 *
 *     gamma_{L+3} S_i + (L + 1) eta
 *
 * and its two more roundings cover the error of the reference, (L 2^-53)^2 S_i about (Dot2; Ogita,
 * Rump, Oishi 2005), and the rounding of S_i, for rows shorter than 2^25.
 *
 * Compensated sums. Each product is split, p_k + pi_k = a_ik x_k; each addition of products or of
 * their sums has its error sigma taken down; all pi and sigma are added in plain double, in any
 * order, to c; and y = fl(s + c), where s is what the additions made. Then
 *
 *     (A x)_i = s + E,  E = sum pi + sum sigma,    |y - (A x)_i| <= u |y| + |c - E|
 *
 * |pi_k| <= u |a_ik x_k|. At most L - 1 sigmas are not zero; each is the rounding error of a sum of
 * products with at most L - 1 earlier roundings. So all |sigma| together are at most gamma_{L-1}
 * S_i, and sum |pi| + sum |sigma| <= gamma_L S_i. c has 2 L - 1 terms, hence |c - E| <=
 * gamma_{2L-2} gamma_L S_i. (Ogita, Rump, Oishi 2005, proposition 5.5, has half of that for Dot2,
 * where the errors arrive in one chain with the sum.) The reference is s and c of such a sum, not
 * added: it has the same error, so the term comes twice. Two roundings more are counted in each,
 * for the arithmetic of the bound and of the comparison. The bound is
 *
 *     u |y_i| + 2 gamma_{2L} gamma_L S_i
 *
 * The error of a product that underflows is no floating-point number: this bound is for others. */
#ifndef STUDY_PRODUCT_REFERENCE_H
#define STUDY_PRODUCT_REFERENCE_H

#include "base/status.h"
#include "base/threads.h"
#include "matrix/csr.h"
#include "space/sum/compensated.h"
#include "spmv/kernel.h"

#include <stdbool.h>
#include <stdint.h>

/* gamma_m */
double product_gamma(int64_t m, double u);

/* The first bound, of a sum of `length` products whose sizes add up to `size`; of no product it is
 * 0. Infinite if sums may overflow, or L u >= 1: no bound holds. */
double product_bound(int64_t length, double size, bool single);

/* |y - exact| / bound, for that bound and -exact; 0 without a bound; infinite if y is not finite,
 * or has any error where the bound is 0. */
double product_share_of_bound(double y, struct compensated negative, double bound);

enum product_sums { SUMS_PLAIN, SUMS_COMPENSATED /* in double */ };

struct product_reference {
    int64_t n;
    struct compensated *negative; /* [n]: -A x */
    double *bound;                /* [n]: without u |y_i| */
    double u;                     /* of |y_i|: 0 of plain sums */
    int64_t unjudged;             /* rows of an infinite bound */
};

/* The reference for a kernel of that precision (spmv/kernel.h): with PRECISION_FLOAT and
 * PRECISION_FLOAT_DOUBLE A's values, and with PRECISION_FLOAT x too, are rounded to single
 * precision first. x[A->width]. The caller calls product_reference_free. Errors: STATUS_MEMORY. */
enum status product_reference_create(struct threads *threads, const struct csr *A, const double *x,
                                     enum precision precision, enum product_sums sums,
                                     struct product_reference *reference, struct error *error);
void product_reference_free(struct product_reference *reference); /* accepts a zeroed one */

/* The largest |y_i - (A x)_i| / bound_i over the rows that can be judged, and the first row where
 * it is that; infinite where y_i is not finite or differs from a row that is 0 without a rounding.
 * The product is right when it is at most 1. */
struct product_error {
    double worst;
    int64_t row;    /* -1: no row is off */
    int64_t column; /* set by product_columns_judge, else 0 */
};

/* y_i is y[i stride]. */
struct product_error product_reference_judge(const struct product_reference *reference,
                                             const double *y, int64_t stride);

#endif
