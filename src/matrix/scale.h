/* Scaling by powers of two, which is exact, into the middle of the range of doubles. There squares
 * of norms and products of a few factors neither overflow nor underflow. */
#ifndef MATRIX_SCALE_H
#define MATRIX_SCALE_H

#include "base/threads.h"
#include "matrix/csr.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The exponent e of a scaling by 2^-e: 0 if the largest magnitude is within 2^-128 and 2^128, or 0,
 * or not finite. Otherwise the largest comes near 1, but not so far down that the least nonzero
 * number becomes subnormal; a larger one always comes down to 2^128. e is even, so that square
 * roots are powers of two too. */
int scale_exponent(double least, double largest);

/* to[count] = 2^exponent from, over the team. */
void scale_values(struct threads *threads, int64_t count, int exponent, const double *from,
                  double *to);

/* That e for values in a range (space/values.h). A skew-symmetric matrix grows only so far that
 * every allowed shift of a solver stays finite. */
int csr_scale_exponent(enum csr_kind kind, double least, double largest);

/* *scaled = 2^-exponent A, with scaled->exponent increased accordingly. It owns only its values,
 * and borrows the other arrays. The caller calls memory_free(scaled->values), which is NULL on
 * failure, and if A->values is NULL. Errors: STATUS_MEMORY. */
enum status csr_scale(const struct csr *A, int exponent, struct csr *scaled, struct error *error);

#ifdef __cplusplus
}
#endif
#endif
