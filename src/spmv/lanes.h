/* Neighbouring columns of a multivector (spmv/operator.h) side by side in a register, for the
 * products of a CPU with several vectors: 2, 4 or 8 lanes. A row's columns are taken in groups of
 * so many. A value of the matrix is loaded once for a group, and every column has the chain that it
 * has alone.
 *
 * The loops of a kernel stand in a header of their own, which its .c file includes, by
 * spmv/lanes_loops.h, once for each type of sums and of vectors and number of lanes:
 *
 *     NAME(f)      the name of f with these: f_double_2, ..., f_float_4, ..., f_float_vectors_8
 *     OF_SUM(f)    with the type of sums alone: f_double, f_float
 *     SUM, VECTOR  the types: double and double, float and double, float and float
 *     LANES        the number
 *     CLONES       stands before a function that is called through a pointer
 *
 * What is here has these names: NAME(lanes) is the type of LANES sums. */
#ifndef SPMV_LANES_H
#define SPMV_LANES_H

#include "matrix/multiply.h"

#include <string.h>

/* Several instruction sets are compiled for, as in base/multiversion.h, but a number of lanes suits
 * one: avx512f alone fuses no shorter vectors, and fma no longer ones. LANES_8: there are 8 lanes,
 * and the processor is asked; else 4 at the most, as the compiler makes them. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(CGSOLVE_NO_CLONES)
#define LANES_8
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))

/* LANES elements of vectors to sums and back, and sum = fma(a, x, sum) in each lane. */
#define LANES_OF(name, Sum, Vector, lanes, ...)                                                    \
    typedef Sum lanes_##name##_##lanes __attribute__((vector_size((lanes) * sizeof(Sum))));        \
    typedef Vector elements_##name##_##lanes                                                       \
        __attribute__((vector_size((lanes) * sizeof(Vector))));                                    \
    INLINE void lanes_load_##name##_##lanes(const Vector *from, lanes_##name##_##lanes *v)         \
    {                                                                                              \
        elements_##name##_##lanes elements;                                                        \
        memcpy(&elements, from, sizeof elements);                                                  \
        *v = __builtin_convertvector(elements, lanes_##name##_##lanes);                            \
    }                                                                                              \
    INLINE void lanes_store_##name##_##lanes(const lanes_##name##_##lanes *v, Vector *to)          \
    {                                                                                              \
        elements_##name##_##lanes elements =                                                       \
            __builtin_convertvector(*v, elements_##name##_##lanes);                                \
        memcpy(to, &elements, sizeof elements);                                                    \
    }                                                                                              \
    INLINE void lanes_add_##name##_##lanes(Sum a, const lanes_##name##_##lanes *x,                 \
                                           lanes_##name##_##lanes *sum)                            \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

#define LANES_OF_FLOATS(lanes, ...)                                                                \
    LANES_OF(float, float, double, lanes, __VA_ARGS__)                                             \
    LANES_OF(float_vectors, float, float, lanes, __VA_ARGS__)

#define LANES_FMA_EACH(Sum, lanes)                                                                 \
    Sum made __attribute__((vector_size((lanes) * sizeof(Sum)))) = *sum;                           \
    _Pragma("GCC unroll 8") for (int j = 0; j < (lanes); j++) made[j] =                            \
        CSR_FMA(a, (*x)[j], made[j]);                                                              \
    *sum = made;

LANES_OF(double, double, double, 2, LANES_FMA_EACH(double, 2))
LANES_OF_FLOATS(2, LANES_FMA_EACH(float, 2))

/* gcc makes the fused operations of the loop above, but gathers neighbouring values of a matrix
 * only to spread them again. */
#ifdef LANES_8
#pragma GCC push_options
#pragma GCC target("fma")
LANES_OF(double, double, double, 4, *sum = _mm256_fmadd_pd(_mm256_set1_pd(a), *x, *sum);)
LANES_OF_FLOATS(4, *sum = _mm_fmadd_ps(_mm_set1_ps(a), *x, *sum);)
#pragma GCC target("avx512f,fma")
LANES_OF(double, double, double, 8, *sum = _mm512_fmadd_pd(_mm512_set1_pd(a), *x, *sum);)
LANES_OF_FLOATS(8, *sum = _mm256_fmadd_ps(_mm256_set1_ps(a), *x, *sum);)
#pragma GCC pop_options
#else
LANES_OF(double, double, double, 4, LANES_FMA_EACH(double, 4))
LANES_OF_FLOATS(4, LANES_FMA_EACH(float, 4))
#endif

/* The lanes that this processor has for a multivector of that stride, a multiple of them. */
static inline int lanes_of(int64_t stride)
{
#ifdef LANES_8
    if (!__builtin_cpu_supports("fma"))
        return 2;
    if (stride >= 8 && __builtin_cpu_supports("avx512f"))
        return 8;
#endif
    return stride < 4 ? 2 : 4;
}

/* The function f_double_2, ... for sums that are single or not, as vectors then are or not. */
#define LANES_CHOOSE(f, single, singles, stride)                                                   \
    (!(single)   ? LANES_CHOOSE_OF(f##_double, lanes_of(stride))                                   \
     : (singles) ? LANES_CHOOSE_OF(f##_float_vectors, lanes_of(stride))                            \
                 : LANES_CHOOSE_OF(f##_float, lanes_of(stride)))
#ifdef LANES_8
#define LANES_CHOOSE_OF(f, lanes) ((lanes) == 8 ? f##_8 : (lanes) == 4 ? f##_4 : f##_2)
#else
#define LANES_CHOOSE_OF(f, lanes) ((lanes) == 4 ? f##_4 : f##_2)
#endif

#endif
