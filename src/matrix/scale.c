#include "matrix/scale.h"

#include "base/memory.h"
#include "base/threads.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* A, b and A x_0 may each be as small as 2^-RANGE. Then the rounding error of r'Ar stays a normal
 * number while r falls by 2^100. */
enum { RANGE = 128 };

/* A shift is at most 1e100 < 2^333 (solver/parameters.h), and 2^333 2^SKEW_MOST is finite. */
enum { SKEW_MOST = 690 };

/* x = m 2^e, 0.5 <= m < 1 */
static int exponent_of(double x)
{
    int e;
    frexp(x, &e);
    return e;
}

int scale_exponent(double least, double largest)
{
    int high = largest > 0 && isfinite(largest) ? exponent_of(largest) : 0, exponent = high;
    if (abs(high) <= RANGE)
        return 0;
    if (high > 0) {
        int most = exponent_of(least) - DBL_MIN_EXP; /* the largest shift that keeps it normal */
        exponent = high < most ? high : most;
        exponent = exponent > high - RANGE ? exponent : high - RANGE;
    }
    return exponent - (exponent & 1);
}

int csr_scale_exponent(enum csr_kind kind, double least, double largest)
{
    int exponent = scale_exponent(least, largest);
    return kind == CSR_SKEW && exponent < -SKEW_MOST ? -SKEW_MOST : exponent;
}

struct scaling {
    const double *from;
    double *to;
    int exponent;
};

static void scale(void *context, int64_t begin, int64_t end)
{
    const struct scaling *scaling = context;
    for (int64_t k = begin; k < end; k++)
        scaling->to[k] = ldexp(scaling->from[k], scaling->exponent);
}

void scale_values(struct threads *threads, int64_t count, int exponent, const double *from,
                  double *to)
{
    threads_each(threads, count, scale, &(struct scaling){from, to, exponent});
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
    scale_values(threads_lent(), A->nnz, -exponent, A->values, scaled->values);
    return STATUS_OK;
}
