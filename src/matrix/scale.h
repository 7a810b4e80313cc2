/* Powers of two that bring numbers into the middle of the range of doubles, where neither squares
 * of norms nor products of a few factors leave it. They change no bit. */
#ifndef MATRIX_SCALE_H
#define MATRIX_SCALE_H

#include "cgsolve/csr.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The e by which numbers become 2^-e of themselves: 0 where the largest of their sizes is within
 * 2^-range and 2^range, or 0, or not finite. Else the largest comes near 1, or as far down towards
 * that as leaves the least one that is not 0 a normal number; to 2^range in any case. e is even, so
 * that square roots are powers of two as well. */
int scale_exponent(double least, double largest, int range);

/* That e of the values of A, whose arrays are there; a skew-symmetric one becomes larger by no more
 * than leaves every shift finite that a solver takes. */
int csr_scale_exponent(const struct csr *A);

/* *scaled = 2^-exponent A, whose values alone are its own, and its exponent as much larger. The
 * caller calls memory_free(scaled->values), which is NULL on failure. Errors: STATUS_MEMORY. */
enum status csr_scale(const struct csr *A, int exponent, struct csr *scaled, struct error *error);

/* *scaled = A by csr_scale_exponent, if A is stored; *scaled zeroed where that is 0, and where A is
 * not stored: a generator's rows are taken as they are. Frees as above. */
enum status csr_scale_into_range(const struct csr *A, struct csr *scaled, struct error *error);

#ifdef __cplusplus
}
#endif
#endif
