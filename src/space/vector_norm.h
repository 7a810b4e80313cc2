/* The norm of a vector, in about twice the working precision: on the host, and its pieces for a
 * device. The order of the sum is written: a chain over each part of the vector, of the squares of
 * the components scaled by the power of two above the largest; a chain over every VECTOR_NORM_GROUP
 * of these sums; and a chain over the groups. */
#ifndef SPACE_VECTOR_NORM_H
#define SPACE_VECTOR_NORM_H

#include "base/host_device.h"
#include "base/status.h"
#include "base/threads.h"
#include "space/sum/compensated.h"

#include <math.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ||v||_2 of v[n], or of every `stride`-th of v[stride n]. The same bits for any number of threads.
 * NaN if a component is not finite. */
double vector_norm(struct threads *threads, int64_t n, const double *v);
double vector_norm_apart(struct threads *threads, int64_t n, int64_t stride, const double *v);

struct space;

/* The same bits for v[n] in the memory of the space; and the function for a CUDA space, in the CUDA
 * part (base/cuda_part.h). Errors: STATUS_MEMORY, STATUS_DEVICE. */
enum status vector_norm_in(struct space *space, int64_t n, const double *v, double *norm,
                           struct error *error);
enum status vector_norm_cuda(struct space *space, int64_t n, const double *v, double *norm,
                             struct error *error);

enum {
    VECTOR_NORM_PARTS = 4096, /* at most */
    VECTOR_NORM_GROUP = 256,
    VECTOR_NORM_GROUPS = VECTOR_NORM_PARTS / VECTOR_NORM_GROUP
};

/* The number of parts of a vector: a function of its length, so that the bits do not depend on the
 * threads. */
CGSOLVE_HOST_AND_DEVICE static inline int vector_norm_parts(int64_t n)
{
    return n < (int64_t)1 << 17 ? VECTOR_NORM_GROUP : VECTOR_NORM_PARTS;
}

/* The first element of a part; n for the part after the last. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t vector_norm_begin(int64_t n, int64_t part)
{
    return n * part / vector_norm_parts(n);
}

/* The scale: 2^-exponent = half other_half. The power of two itself may overflow, two factors do
 * not. */
struct vector_norm_scale {
    double half, other_half;
    int exponent;
};

/* By the largest |v_i|, which is above 0 and finite. */
CGSOLVE_HOST_AND_DEVICE static inline struct vector_norm_scale vector_norm_scale(double largest)
{
    struct vector_norm_scale by;
    frexp(largest, &by.exponent);
    by.half = ldexp(1.0, -by.exponent / 2);
    by.other_half = ldexp(1.0, -by.exponent - -by.exponent / 2);
    return by;
}

CGSOLVE_HOST_AND_DEVICE static inline double vector_norm_scaled(const struct vector_norm_scale *by,
                                                                double value)
{
    return value * by->half * by->other_half;
}

/* For the parts first <= p < last of v: the largest |v_i|, not finite if a component is not; and
 * the chains of squares, squares[p]. */
double vector_norm_largest(struct threads *threads, int64_t n, int64_t stride, const double *v,
                           int first, int last);
void vector_norm_squares(struct threads *threads, int64_t n, int64_t stride, const double *v,
                         const struct vector_norm_scale *by, int first, int last,
                         struct compensated *squares);

/* The chain over `count` sums. */
CGSOLVE_HOST_AND_DEVICE static inline struct compensated
vector_norm_chain(int count, const struct compensated *sums)
{
    struct compensated chain = {0, 0};
    for (int k = 0; k < count; k++)
        chain = compensated_add(chain, sums[k].sum, sums[k].error);
    return chain;
}

/* ||v|| from the sum of the squares of the scaled components. */
double vector_norm_root(const struct vector_norm_scale *by, struct compensated squares);

/* The same from the sums of the parts of v[n], squares[vector_norm_parts(n)]. */
double vector_norm_join(int64_t n, const struct vector_norm_scale *by,
                        const struct compensated *squares);

#ifdef __cplusplus
}
#endif
#endif
