#include "space/vector_norm.h"

#include "base/multiversion.h"
#include "space/compensated.h"

#include <math.h>
#include <stdbool.h>

/* The sum of (v_i half other_half)^2 over begin <= i < end. */
MULTIVERSION static struct compensated sum_of_squares(const double *v, int64_t begin, int64_t end,
                                                      double half, double other_half)
{
    struct compensated squares = {0, 0};
    for (int64_t i = begin; i < end; i++) {
        double scaled = v[i] * half * other_half;
        squares = compensated_add_product(squares, scaled, scaled);
    }
    return squares;
}

enum { PARTS = 256 }; /* of any vector: so the bits do not depend on the threads */

struct parts {
    int64_t n;
    const double *v;
    double half, other_half; /* a power of two may itself overflow, half of it twice does not */
    double largest[PARTS];   /* of the magnitudes; NaN where one is not finite */
    struct compensated squares[PARTS];
};

static void find_largest(void *context, int64_t first, int64_t last)
{
    struct parts *parts = context;
    for (int64_t part = first; part < last; part++) {
        double largest = 0;
        bool finite = true;
        for (int64_t i = parts->n * part / PARTS; i < parts->n * (part + 1) / PARTS; i++) {
            finite = finite && isfinite(parts->v[i]);
            largest = fmax(largest, fabs(parts->v[i]));
        }
        parts->largest[part] = finite ? largest : NAN;
    }
}

static void sum_squares(void *context, int64_t first, int64_t last)
{
    struct parts *parts = context;
    for (int64_t part = first; part < last; part++)
        parts->squares[part] =
            sum_of_squares(parts->v, parts->n * part / PARTS, parts->n * (part + 1) / PARTS,
                           parts->half, parts->other_half);
}

double vector_norm(struct threads *threads, int64_t n, const double *v)
{
    struct parts parts = {.n = n, .v = v};
    double largest = 0;
    threads_each(threads, PARTS, find_largest, &parts);
    for (int part = 0; part < PARTS; part++) {
        if (isnan(parts.largest[part]))
            return NAN;
        largest = fmax(largest, parts.largest[part]);
    }
    if (largest == 0)
        return 0;
    int exponent;
    frexp(largest, &exponent);
    parts.half = ldexp(1, -exponent / 2);
    parts.other_half = ldexp(1, -exponent - -exponent / 2);
    struct compensated squares = {0, 0};
    threads_each(threads, PARTS, sum_squares, &parts);
    for (int part = 0; part < PARTS; part++)
        squares = compensated_add(squares, parts.squares[part].sum, parts.squares[part].error);
    return ldexp(sqrt(squares.sum + squares.error), exponent);
}
