/* Random numbers that are a function of a seed and an index, so that any thread can draw any
 * one. */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include "base/host_device.h"

#include <stdint.h>

/* The index-th output of the generator of Steele, Lea and Flood (2014, section 3) started at the
 * seed. */
CGSOLVE_HOST_AND_DEVICE static inline uint64_t splitmix64(uint64_t seed, uint64_t index)
{
    uint64_t z = seed + (index + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* (splitmix64(seed, index) >> 11) 2^-52 - 1, uniform in [-1, 1). */
CGSOLVE_HOST_AND_DEVICE static inline double random_uniform(uint64_t seed, uint64_t index)
{
    return (double)(splitmix64(seed, index) >> 11) * 0x1p-52 - 1;
}

/* (splitmix64(seed, index) >> 11) 2^-53, uniform in [0, 1): below p with the chance p. */
static inline double random_share(uint64_t seed, uint64_t index)
{
    return (double)(splitmix64(seed, index) >> 11) * 0x1p-53;
}

/* An integer, 0 <= . < below <= 2^32, from the upper half of splitmix64(seed, index). */
CGSOLVE_HOST_AND_DEVICE static inline int64_t random_below(uint64_t seed, uint64_t index,
                                                           int64_t below)
{
    return (int64_t)((splitmix64(seed, index) >> 32) * (uint64_t)below >> 32);
}

/* v_i = random_uniform(seed, i), uniform in [-1, 1). v[n]. */
void random_vector(int64_t seed, int64_t n, double *v);
/* Those of first <= i < last alone. */
void random_vector_part(int64_t seed, int64_t first, int64_t last, double *v);

/* number[n] = a permutation of 0 ... n - 1: it starts as number[i] = i, and for i = n - 1, ..., 1
 * number[i] changes places with number[splitmix64(seed, i) mod (i + 1)] (Durstenfeld 1964).
 * Integers only, so every machine makes the same. n <= INT32_MAX. */
void random_permutation(uint64_t seed, int64_t n, int32_t *number);

#endif
