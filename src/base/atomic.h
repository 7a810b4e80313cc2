/* Sums, minima and maxima over the threads of a loop. A body collects over its own indices first,
 * and then changes the common number once. */
#ifndef BASE_ATOMIC_H
#define BASE_ATOMIC_H

#include <stdbool.h>

/* *place becomes its sum with `value`, or the less or the greater of the two; a NaN is neither. */
#define ATOMIC_ADD(place, value) ATOMIC_CHANGE(place, value, true, was_ + own_)
#define ATOMIC_LEAST(place, value) ATOMIC_CHANGE(place, value, own_ < was_, own_)
#define ATOMIC_MOST(place, value) ATOMIC_CHANGE(place, value, own_ > was_, own_)

#define ATOMIC_CHANGE(place, value, changes, becomes)                                              \
    do {                                                                                           \
        __typeof__(*(place)) own_ = (value), was_, now_;                                           \
        __atomic_load(place, &was_, __ATOMIC_RELAXED);                                             \
        do                                                                                         \
            now_ = (becomes);                                                                      \
        while ((changes) && !__atomic_compare_exchange(place, &was_, &now_, true,                  \
                                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED));       \
    } while (0)

#endif
