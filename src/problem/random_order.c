#include "problem/random_order.h"

#include "base/random.h"

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

int64_t random_order_at(const struct random_order *order, int64_t place)
{
    uint64_t x = (uint64_t)place;
    do {
        uint64_t l = x >> order->low, r = x & ((UINT64_C(1) << order->low) - 1);
        r ^= mix(order, l, 0, order->low);
        l ^= mix(order, r, 1, order->high);
        r ^= mix(order, l, 2, order->low);
        l ^= mix(order, r, 3, order->high);
        x = l << order->low | r;
    } while (x >= (uint64_t)order->n);
    return (int64_t)x;
}

int64_t random_order_of(const struct random_order *order, int64_t number)
{
    uint64_t x = (uint64_t)number;
    do {
        uint64_t l = x >> order->low, r = x & ((UINT64_C(1) << order->low) - 1);
        l ^= mix(order, r, 3, order->high);
        r ^= mix(order, l, 2, order->low);
        l ^= mix(order, r, 1, order->high);
        r ^= mix(order, l, 0, order->low);
        x = l << order->low | r;
    } while (x >= (uint64_t)order->n);
    return (int64_t)x;
}
