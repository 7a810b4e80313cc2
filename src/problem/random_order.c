#include "problem/random_order.h"

#include "base/random.h"

#include <stdbool.h>

struct random_order random_order_make(uint64_t seed, int64_t n)
{
    int bits = 2;
    while (INT64_C(1) << bits < n)
        bits++;
    return (struct random_order){seed, n, bits / 2, bits - bits / 2};
}

/* What round `round` adds to one half, by the other one. */
static uint64_t mix(const struct random_order *order, uint64_t other, uint64_t round, int bits)
{
    return splitmix64(order->seed, 4 * other + round) & ((UINT64_C(1) << bits) - 1);
}

/* One pass through the four rounds, in their order or backwards. */
static uint64_t permuted(const struct random_order *order, uint64_t x, bool back)
{
    uint64_t l = x >> order->low, r = x & ((UINT64_C(1) << order->low) - 1);
    for (uint64_t k = 0; k < 4; k++) {
        uint64_t round = back ? 3 - k : k;
        if (round % 2 == 0)
            r ^= mix(order, l, round, order->low);
        else
            l ^= mix(order, r, round, order->high);
    }
    return l << order->low | r;
}

int64_t random_order_at(const struct random_order *order, int64_t place)
{
    uint64_t x = (uint64_t)place;
    do
        x = permuted(order, x, false);
    while (x >= (uint64_t)order->n);
    return (int64_t)x;
}

int64_t random_order_of(const struct random_order *order, int64_t number)
{
    uint64_t x = (uint64_t)number;
    do
        x = permuted(order, x, true);
    while (x >= (uint64_t)order->n);
    return (int64_t)x;
}
