/* Powers of two that bring numbers into the middle of the range of doubles, where neither squares
 * of norms nor products of a few factors leave it. They change no bit. */
#ifndef MATRIX_SCALE_H
#define MATRIX_SCALE_H

#include "base/threads.h"
#include "matrix/csr.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The e by which numbers become 2^-e of themselves: 0 where the largest of their sizes is within
 * 2^-128 and 2^128, or 0, or not finite. Else the largest comes near 1, or as far down towards that
 * as leaves the least one that is not 0 a normal number; to 2^128 in any case. e is even, so that
 * square roots are powers of two as well. */
int scale_exponent(double least, double largest);

/* to[count] = 2^exponent from, over the team. */
void scale_values(struct threads *threads, int64_t count, int exponent, const double *from,
                  double *to);

/* That e of values in such a range (space/values.h); a skew-symmetric matrix becomes larger by no
 * more than leaves every shift finite that a solver takes. */
int csr_scale_exponent(enum csr_kind kind, double least, double largest);

/* *scaled = 2^-exponent A, and its exponent as much larger; where A is stored its values alone are
 * its own. The caller calls memory_free(scaled->values), which is NULL on failure, and where
 * A->values is. Errors: STATUS_MEMORY. */
enum status csr_scale(const struct csr *A, int exponent, struct csr *scaled, struct error *error);

#ifdef __cplusplus
}
#endif
#endif
