#include "space/vector_norm.h"

#include "base/cuda_part.h"
#include "base/multiversion.h"
#include "space/space.h"

#include <math.h>
#include <string.h>

enum { LANES = 8 }; /* parts that one thread sums in parallel, to hide the latency of a chain */

struct parts {
    int64_t n, stride;
    const double *v;
    int first, last; /* which of them */
    struct vector_norm_scale by;
    int64_t largest[VECTOR_NORM_PARTS]; /* the bits of the magnitudes, in the same order; non-finite
                                           ones above all others */
    struct compensated *squares;        /* [VECTOR_NORM_PARTS] */
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
    for (int64_t part = parts->first + first; part < parts->first + last; part++) {
        int64_t begin = vector_norm_begin(parts->n, part);
        parts->largest[part] =
            largest_bits(parts->v + parts->stride * begin,
                         vector_norm_begin(parts->n, part + 1) - begin, parts->stride);
    }
}

/* One part for each lane, from `first` on: first the number of components that all have, then the
 * rest. Lanes without a part repeat the last one. */
MULTIVERSION static void sum_side_by_side(struct parts *parts, int64_t first)
{
    const struct vector_norm_scale by = parts->by;
    struct compensated squares[LANES] = {{0, 0}};
    const double *v[LANES];
    int64_t part[LANES], count[LANES], stride = parts->stride, common = INT64_MAX;
    for (int l = 0; l < LANES; l++) {
        part[l] = first + l < parts->last ? first + l : parts->last - 1;
        int64_t begin = vector_norm_begin(parts->n, part[l]);
        v[l] = parts->v + stride * begin;
        count[l] = vector_norm_begin(parts->n, part[l] + 1) - begin;
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
        parts->squares[part[l]] = squares[l];
    }
}

static void sum_squares(void *context, int64_t first, int64_t last)
{
    const struct parts *parts = context;
    for (int64_t group = first; group < last; group++)
        sum_side_by_side(context, parts->first + LANES * group);
}

double vector_norm_root(const struct vector_norm_scale *by, struct compensated squares)
{
    return ldexp(sqrt(squares.sum + squares.error), by->exponent);
}

double vector_norm_join(int64_t n, const struct vector_norm_scale *by,
                        const struct compensated *squares)
{
    struct compensated groups[VECTOR_NORM_GROUPS];
    int count = vector_norm_parts(n) / VECTOR_NORM_GROUP;
    for (int g = 0; g < count; g++)
        groups[g] = vector_norm_chain(VECTOR_NORM_GROUP, squares + g * VECTOR_NORM_GROUP);
    return vector_norm_root(by, vector_norm_chain(count, groups));
}

double vector_norm_largest(struct threads *threads, int64_t n, int64_t stride, const double *v,
                           int first, int last)
{
    struct parts parts = {.n = n, .stride = stride, .v = v, .first = first, .last = last};
    int64_t bits = 0;
    double largest;
    threads_each(threads, last - first, find_largest, &parts);
    for (int part = first; part < last; part++)
        bits = parts.largest[part] > bits ? parts.largest[part] : bits;
    memcpy(&largest, &bits, sizeof largest);
    return largest;
}

void vector_norm_squares(struct threads *threads, int64_t n, int64_t stride, const double *v,
                         const struct vector_norm_scale *by, int first, int last,
                         struct compensated *squares)
{
    struct parts parts = {.n = n,
                          .stride = stride,
                          .v = v,
                          .first = first,
                          .last = last,
                          .by = *by,
                          .squares = squares};
    threads_each(threads, (last - first + LANES - 1) / LANES, sum_squares, &parts);
}

double vector_norm_apart(struct threads *threads, int64_t n, int64_t stride, const double *v)
{
    struct compensated squares[VECTOR_NORM_PARTS];
    double largest = vector_norm_largest(threads, n, stride, v, 0, vector_norm_parts(n));
    if (!isfinite(largest))
        return NAN;
    if (largest == 0)
        return 0;
    struct vector_norm_scale by = vector_norm_scale(largest);
    vector_norm_squares(threads, n, stride, v, &by, 0, vector_norm_parts(n), squares);
    return vector_norm_join(n, &by, squares);
}

double vector_norm(struct threads *threads, int64_t n, const double *v)
{
    return vector_norm_apart(threads, n, 1, v);
}

enum status vector_norm_in(struct space *space, int64_t n, const double *v, double *norm,
                           struct error *error)
{
    if (space->operations->kind == SPACE_CUDA)
        return CUDA_PART(vector_norm_cuda)(space, n, v, norm, error);
    *norm = vector_norm(space->threads, n, v);
    return STATUS_OK;
}
