/* The norm of a vector on the host, in about twice the working precision. */
#ifndef SPACE_VECTOR_NORM_H
#define SPACE_VECTOR_NORM_H

#include "base/threads.h"

#include <stdint.h>

/* ||v||_2 of v[n], scaled by the power of two above the largest component. The same bits for any
 * number of threads. NaN if a component is not finite. */
double vector_norm(struct threads *threads, int64_t n, const double *v);

#endif
