/* A random numbering that is a function of a seed: any thread asks for any place of it, in both
 * directions, and nothing is stored (random_permutation of base/random.h needs an array, and
 * makes it on one thread).
 *
 * A place is a number of b bits, 2^b >= n, of which the lower b / 2 are called r and the others l.
 * Rounds
 *
 *     r ^= splitmix64(seed, 4 l + 0);    l ^= splitmix64(seed, 4 r + 1)
 *     r ^= splitmix64(seed, 4 l + 2);    l ^= splitmix64(seed, 4 r + 3)
 *
 * each cut to the bits of what it changes, are a permutation of the numbers below 2^b (Luby and
 * Rackoff 1988), and repeated until the result is below n, one of 0 ... n - 1 (Black and Rogaway
 * 2002, section 3). 2^b < 2 n for n > 2, so that takes two repetitions on average at most. */
#ifndef PROBLEM_RANDOM_ORDER_H
#define PROBLEM_RANDOM_ORDER_H

#include <stdint.h>

struct random_order {
    uint64_t seed;
    int64_t n;
    int low, high; /* bits of r and of l */
};

/* Of 0 ... n - 1, 1 <= n <= INT32_MAX. */
struct random_order random_order_make(uint64_t seed, int64_t n);

/* The number of a place, and the place of a number. */
int64_t random_order_at(const struct random_order *order, int64_t place);
int64_t random_order_of(const struct random_order *order, int64_t number);

#endif
