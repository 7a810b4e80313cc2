/* Passes that make their elements independently, written once for CPU and GPU. For a pass NAME that
 * works on a struct WORK (addresses; a GPU takes it by value), a header has
 *
 *     struct NAME_scalars    the numbers common to all elements
 *     struct NAME_element    the inputs and results of an element
 *
 *     PASS_READ(NAME, WORK) {...}    the scalars s, as memory holds them
 *     PASS_PREPARE(NAME) {...}       derived scalars; false: the vectors stay unchanged
 *     PASS_LOAD(NAME, WORK) {...}    element i into e
 *     PASS_MAKE(NAME, WORK) {...}    makes element i of s and e, and writes it
 *
 * A GPU loads several elements and the scalars at once, and prepares the scalars while the loads
 * are in flight: hence four steps. Shorter forms of the two structs and of the steps:
 *
 *     PASS_SCALARS(NAME, WORK, a, ...)            the scalars are these of work->scalars, and
 *                                                 nothing is prepared
 *     PASS_SCALARS_FOR(NAME, WORK, made, a, ...)  likewise, but PASS_PREPARE makes the scalar
 *                                                 `made` of them
 *     PASS_PREPARES_NOTHING(NAME)                 a second step without work
 *     PASS_VECTORS(NAME, WORK, v, ...)            the element is that of these vectors of the work
 *
 * If the pass has sums, each is of one product an element:
 *
 *     PASS_TERM(NAME) {...}          the factors *x and *y of sum k
 *     PASS_SUM(NAME, WORK) {...}     fills *sum for sum k; false: there are no more (struct pass)
 *     PASS_AFTER(NAME, WORK) {...}   the scalars that follow from the sums (struct pass)
 *
 *     PASS_SQUARE(NAME, WORK, v, result)        the only sum is v . v, and comes to `result`
 *     PASS_AFTER_BY(NAME, WORK, TYPE, follow)   follow(&s) with a copy s of *work->scalars, a
 *                                               struct TYPE: a device waits for each read, and so
 *                                               reads all of them at once
 *
 * Without scalars in memory and without sums, one function suffices:
 *
 *     PASS_AT(NAME, WORK) {...}      reads, makes and writes element i
 *
 *     PASS_LANES_AT(NAME, WORK) {...}  likewise, in lanes: lane 0 <= lane < lanes makes its part of
 *                                      element i. A GPU runs work->lanes of them at once, a CPU
 *                                      one of one. They write to different places, and
 *                                      read those of others after pass_lanes_meet(lanes).
 *                                      Where it calls this or pass_lanes_least, all lanes
 *                                      do, and are a power of two up to 32.
 *
 * The names that a body finds are work, s, e, i, k, x, y, sum, lane and lanes.
 * PASS_DECLARE(CONSTANT) declares the pass, and a .c file defines it by space/define_pass.h. */
#ifndef SPACE_ELEMENTS_H
#define SPACE_ELEMENTS_H

#include "base/host_device.h"
#include "space/pass.h"

#define PASS_FUNCTION CGSOLVE_HOST_AND_DEVICE static inline
#define PASS_UNUSED __attribute__((unused))

/* The number of the `count` parts of an element for each lane; on a GPU each part has a lane. */
#ifdef __CUDA_ARCH__
#define PASS_PARTS(count) 1
#else
#define PASS_PARTS(count) (count)
#endif

#ifdef __CUDA_ARCH__
/* The mask of the lanes of the caller's element in its warp. */
__device__ static inline unsigned int pass_lanes(int lanes)
{
    const int warp = 32;
    int first = (int)threadIdx.x % warp / lanes * lanes;
    return (unsigned int)(((1ULL << lanes) - 1) << first);
}
#endif

PASS_FUNCTION void pass_lanes_meet(int lanes PASS_UNUSED)
{
#ifdef __CUDA_ARCH__
    __syncwarp(pass_lanes(lanes));
#endif
}

/* The minimum over the lanes of an element. */
PASS_FUNCTION int32_t pass_lanes_least(int lanes PASS_UNUSED, int32_t own)
{
#ifdef __CUDA_ARCH__
    for (int step = lanes / 2; step > 0; step /= 2)
        own = min(own, __shfl_xor_sync(pass_lanes(lanes), own, step));
#endif
    return own;
}

/* *flag = 1; other elements may do so at the same time. */
PASS_FUNCTION void pass_mark(unsigned char *flag)
{
#ifdef __CUDA_ARCH__
    *flag = 1;
#else
    if (!__atomic_load_n(flag, __ATOMIC_RELAXED))
        __atomic_store_n(flag, 1, __ATOMIC_RELAXED);
#endif
}

#define PASS_READ(name, work_type)                                                                 \
    PASS_FUNCTION void name##_read(const struct work_type *work PASS_UNUSED,                       \
                                   struct name##_scalars *s PASS_UNUSED)
#define PASS_PREPARE(name) PASS_FUNCTION bool name##_prepare(struct name##_scalars *s PASS_UNUSED)
#define PASS_PREPARES_NOTHING(name)                                                                \
    PASS_PREPARE(name)                                                                             \
    {                                                                                              \
        return true;                                                                               \
    }
/* What a macro makes of each of 1 to 6 names. */
#define PASS_EACH_1(of, a) of(a)
#define PASS_EACH_2(of, a, ...) of(a) PASS_EACH_1(of, __VA_ARGS__)
#define PASS_EACH_3(of, a, ...) of(a) PASS_EACH_2(of, __VA_ARGS__)
#define PASS_EACH_4(of, a, ...) of(a) PASS_EACH_3(of, __VA_ARGS__)
#define PASS_EACH_5(of, a, ...) of(a) PASS_EACH_4(of, __VA_ARGS__)
#define PASS_EACH_6(of, a, ...) of(a) PASS_EACH_5(of, __VA_ARGS__)
#define PASS_SEVENTH(a, b, c, d, e, f, g, ...) g
#define PASS_EACH(of, ...)                                                                         \
    PASS_SEVENTH(__VA_ARGS__, PASS_EACH_6, PASS_EACH_5, PASS_EACH_4, PASS_EACH_3, PASS_EACH_2,     \
                 PASS_EACH_1, )                                                                    \
    (of, __VA_ARGS__)

#define PASS_READ_ONE(a) s->a = work->scalars->a;
#define PASS_SCALARS_READ(name, work_type, ...)                                                    \
    PASS_READ(name, work_type)                                                                     \
    {                                                                                              \
        PASS_EACH(PASS_READ_ONE, __VA_ARGS__)                                                      \
    }
#define PASS_SCALARS(name, work_type, ...)                                                         \
    struct name##_scalars {                                                                        \
        double __VA_ARGS__;                                                                        \
    };                                                                                             \
    PASS_SCALARS_READ(name, work_type, __VA_ARGS__)                                                \
    PASS_PREPARES_NOTHING(name)
#define PASS_SCALARS_FOR(name, work_type, made, ...)                                               \
    struct name##_scalars {                                                                        \
        double __VA_ARGS__, made;                                                                  \
    };                                                                                             \
    PASS_SCALARS_READ(name, work_type, __VA_ARGS__)

#define PASS_LOAD(name, work_type)                                                                 \
    PASS_FUNCTION void name##_load(const struct work_type *work, int64_t i,                        \
                                   struct name##_element *e)
#define PASS_LOAD_ONE(v) e->v = work->v[i];
#define PASS_VECTORS(name, work_type, ...)                                                         \
    struct name##_element {                                                                        \
        double __VA_ARGS__;                                                                        \
    };                                                                                             \
    PASS_LOAD(name, work_type)                                                                     \
    {                                                                                              \
        PASS_EACH(PASS_LOAD_ONE, __VA_ARGS__)                                                      \
    }
#define PASS_MAKE(name, work_type)                                                                 \
    PASS_FUNCTION void name##_make(const struct work_type *work PASS_UNUSED,                       \
                                   const struct name##_scalars *s PASS_UNUSED,                     \
                                   int64_t i PASS_UNUSED, struct name##_element *e PASS_UNUSED)
#define PASS_AT(name, work_type)                                                                   \
    PASS_FUNCTION void name##_at(const struct work_type *work, int64_t i)

#define PASS_LANES_AT(name, work_type)                                                             \
    PASS_FUNCTION void name##_at(const struct work_type *work, int64_t i, int lane PASS_UNUSED,    \
                                 int lanes PASS_UNUSED)

#define PASS_TERM(name)                                                                            \
    PASS_FUNCTION void name##_term(const struct name##_element *e, int k PASS_UNUSED, double *x,   \
                                   double *y)
#define PASS_SUM(name, work_type)                                                                  \
    static inline bool name##_sum_of(const struct work_type *work, int64_t k,                      \
                                     struct pass_sum *sum);                                        \
    static inline bool name##_sum(const void *work, int64_t k, struct pass_sum *sum)               \
    {                                                                                              \
        return name##_sum_of((const struct work_type *)work, k, sum);                              \
    }                                                                                              \
    static inline bool name##_sum_of(const struct work_type *work, int64_t k, struct pass_sum *sum)
#define PASS_SQUARE(name, work_type, v, of_sum)                                                    \
    PASS_TERM(name)                                                                                \
    {                                                                                              \
        *x = *y = e->v;                                                                            \
    }                                                                                              \
    PASS_SUM(name, work_type)                                                                      \
    {                                                                                              \
        sum->x = sum->y = work->v;                                                                 \
        sum->result = of_sum;                                                                      \
        return k == 0;                                                                             \
    }
#define PASS_AFTER(name, work_type)                                                                \
    PASS_FUNCTION void name##_after_of(const struct work_type *work);                              \
    PASS_FUNCTION void name##_after(const void *work)                                              \
    {                                                                                              \
        name##_after_of((const struct work_type *)work);                                           \
    }                                                                                              \
    PASS_FUNCTION void name##_after_of(const struct work_type *work)
#define PASS_AFTER_BY(name, work_type, scalars_type, follow)                                       \
    PASS_AFTER(name, work_type)                                                                    \
    {                                                                                              \
        struct scalars_type *stored = work->scalars, s = *stored;                                  \
        follow(&s);                                                                                \
        *stored = s;                                                                               \
    }

#ifdef __cplusplus
#define PASS_DECLARE(constant) extern "C" const struct pass constant
#else
#define PASS_DECLARE(constant) extern const struct pass constant
#endif

#endif
