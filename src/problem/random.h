/* Random numbers that are a function of a seed and an index, so that any thread can draw any one. */
#ifndef PROBLEM_RANDOM_H
#define PROBLEM_RANDOM_H

#include <stdint.h>

/* The index-th output of the generator of Steele, Lea and Flood (2014, section 3) started at the
 * seed. */
static inline uint64_t splitmix64(uint64_t seed, uint64_t index)
{
    uint64_t z = seed + (index + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* (splitmix64(seed, index) >> 11) 2^-52 - 1, uniform in [-1, 1). */
static inline double random_uniform(uint64_t seed, uint64_t index)
{
    return (double)(splitmix64(seed, index) >> 11) * 0x1p-52 - 1;
}

/* number[n] = a permutation of 0 ... n - 1: it starts as number[i] = i, and for i = n - 1, ..., 1
 * number[i] changes places with number[splitmix64(seed, i) mod (i + 1)] (Durstenfeld 1964). Whole
 * numbers alone: every machine makes the same. n <= INT32_MAX. */
void random_permutation(uint64_t seed, int64_t n, int32_t *number);

#endif
