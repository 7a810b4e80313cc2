#include "space/vector_norm.h"

#include "base/multiversion.h"

#include <math.h>
#include <string.h>

enum { LANES = 8 }; /* parts that one thread sums side by side: one chain alone waits for itself */

struct parts {
    int64_t n, stride;
    const double *v;
    struct vector_norm_scale by;
    int64_t largest[VECTOR_NORM_PARTS]; /* the bits of the magnitudes, ordered as these are; of what
                                           is not finite above all others */
    struct compensated squares[VECTOR_NORM_PARTS];
};

MULTIVERSION static int64_t largest_bits(const double *v, int64_t count, int64_t stride)
{
    int64_t largest = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t bits;
        memcpy(&bits, &v[stride * i], sizeof bits);
        bits &= INT64_MAX;
        largest = bits > largest ? bits : largest;
    }
    return largest;
}

static void find_largest(void *context, int64_t first, int64_t last)
{
    struct parts *parts = context;
    for (int64_t part = first; part < last; part++) {
        int64_t begin = vector_norm_begin(parts->n, part);
        parts->largest[part] =
            largest_bits(parts->v + parts->stride * begin,
                         vector_norm_begin(parts->n, part + 1) - begin, parts->stride);
    }
}

/* The parts first ... first + LANES - 1: as many components as all of them have, then the rest. */
MULTIVERSION static void sum_side_by_side(struct parts *parts, int64_t first)
{
    const struct vector_norm_scale by = parts->by;
    struct compensated squares[LANES] = {{0, 0}};
    const double *v[LANES];
    int64_t count[LANES], stride = parts->stride, common = INT64_MAX;
    for (int l = 0; l < LANES; l++) {
        int64_t begin = vector_norm_begin(parts->n, first + l);
        v[l] = parts->v + stride * begin;
        count[l] = vector_norm_begin(parts->n, first + l + 1) - begin;
        common = count[l] < common ? count[l] : common;
    }
    for (int64_t i = 0; i < common; i++)
        for (int l = 0; l < LANES; l++) {
            double scaled = vector_norm_scaled(&by, v[l][stride * i]);
            squares[l] = compensated_add_product(squares[l], scaled, scaled);
        }
    for (int l = 0; l < LANES; l++) {
        for (int64_t i = common; i < count[l]; i++) {
            double scaled = vector_norm_scaled(&by, v[l][stride * i]);
            squares[l] = compensated_add_product(squares[l], scaled, scaled);
        }
        parts->squares[first + l] = squares[l];
    }
}

static void sum_squares(void *context, int64_t first, int64_t last)
{
    for (int64_t group = first; group < last; group++)
        sum_side_by_side(context, LANES * group);
}

struct vector_norm_scale vector_norm_scale(double largest)
{
    struct vector_norm_scale by;
    frexp(largest, &by.exponent);
    by.half = ldexp(1, -by.exponent / 2);
    by.other_half = ldexp(1, -by.exponent - -by.exponent / 2);
    return by;
}

double vector_norm_join(const struct vector_norm_scale *by, const struct compensated *squares)
{
    struct compensated sum = {0, 0};
    for (int part = 0; part < VECTOR_NORM_PARTS; part++)
        sum = compensated_add(sum, squares[part].sum, squares[part].error);
    return ldexp(sqrt(sum.sum + sum.error), by->exponent);
}

double vector_norm_apart(struct threads *threads, int64_t n, int64_t stride, const double *v)
{
    struct parts parts = {.n = n, .stride = stride, .v = v};
    int64_t bits = 0;
    double largest;
    threads_each(threads, VECTOR_NORM_PARTS, find_largest, &parts);
    for (int part = 0; part < VECTOR_NORM_PARTS; part++)
        bits = parts.largest[part] > bits ? parts.largest[part] : bits;
    memcpy(&largest, &bits, sizeof largest);
    if (!isfinite(largest))
        return NAN;
    if (largest == 0)
        return 0;
    parts.by = vector_norm_scale(largest);
    threads_each(threads, VECTOR_NORM_PARTS / LANES, sum_squares, &parts);
    return vector_norm_join(&parts.by, parts.squares);
}

double vector_norm(struct threads *threads, int64_t n, const double *v)
{
    return vector_norm_apart(threads, n, 1, v);
}
