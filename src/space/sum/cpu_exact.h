/* Exact sums on the CPU (space/sum/exact_sum.h), for the space and for kernels with a fused dot
 * product: each thread has its own sum, and the sums are joined as integers.
 *
 * Cost: about 35 operations a product in vectors of the instruction set, of which 23 are in
 * floating point, if a part of 480 products fits a window of few levels (space/sum/exact_window.h);
 * about 60 more for the larger window, and about 50 scalar operations more if neither fits. On an
 * EPYC with AVX-512 that is 1.2, 3 and 9 ns a product. */
#ifndef SPACE_SUM_CPU_EXACT_H
#define SPACE_SUM_CPU_EXACT_H

#include "space/sum/exact_sum.h"

#include <stdint.h>

/* Zeroed, it is an empty sum. */
struct exact_sum {
    int64_t limbs[EXACT_LIMBS]; /* a window from EXACT_LOWEST */
    int64_t additions;          /* since it was empty or settled, at most EXACT_ADDITIONS */
    unsigned int special;
};

/* Adds x_i y_i for 0 <= i < count. */
void exact_sum_dot(struct exact_sum *sum, const double *x, const double *y, int64_t count);

/* Adds `from`, and settles it. */
void exact_sum_join(struct exact_sum *sum, struct exact_sum *from);

/* Rounded to nearest, once. The sum is used up. */
double exact_sum_round(struct exact_sum *sum);

#endif
