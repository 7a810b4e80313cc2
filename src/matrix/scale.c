#include "matrix/scale.h"

#include "base/memory.h"
#include "matrix/store.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* Squares of norms of 2^-RANGE A to 2^RANGE A have room for a condition of 2^100 and more. */
enum { RANGE = 256 };

/* A shift is at most 1e100 < 2^333 (solver/parameters.h), and 2^333 2^SKEW_MOST is finite. */
enum { SKEW_MOST = 690 };

/* x = m 2^e, 0.5 <= m < 1 */
static int exponent_of(double x)
{
    int e;
    frexp(x, &e);
    return e;
}

int scale_exponent(double least, double largest, int range)
{
    int high = largest > 0 && isfinite(largest) ? exponent_of(largest) : 0, exponent = high;
    if (abs(high) <= range)
        return 0;
    if (high > 0) {
        int most = exponent_of(least) - DBL_MIN_EXP; /* so much leaves it a normal number */
        exponent = high < most ? high : most;
        exponent = exponent > high - range ? exponent : high - range;
    }
    return exponent - (exponent & 1);
}

void csr_value_range(const struct csr *A, double *least, double *largest)
{
    const struct csr *own = A->maker && A->maker->kept ? A->maker->kept(A->maker_options) : A;
    double low = INFINITY, high = 0;
    int64_t entries = csr_is_stored(own) ? own->nnz : 0;
#pragma omp parallel for schedule(static) reduction(max : high) reduction(min : low)
    for (int64_t k = 0; k < entries; k++) {
        double size = fabs(own->values[k]);
        high = size > high ? size : high;
        low = size > 0 && size < low ? size : low;
    }
    *least = low;
    *largest = high;
}

int csr_scale_exponent(enum csr_kind kind, double least, double largest)
{
    int exponent = scale_exponent(least, largest, RANGE);
    return kind == CSR_SKEW && exponent < -SKEW_MOST ? -SKEW_MOST : exponent;
}

enum status csr_scale(const struct csr *A, int exponent, struct csr *scaled, struct error *error)
{
    *scaled = *A;
    scaled->exponent += exponent;
    if (A->maker && A->maker->kept)
        return STATUS_OK;
    scaled->maker = NULL;
    scaled->values = memory_array(A->nnz, sizeof *A->values, "the scaled matrix", error);
    if (!scaled->values)
        return STATUS_MEMORY;
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < A->nnz; k++)
        scaled->values[k] = ldexp(A->values[k], -exponent);
    return STATUS_OK;
}
