/* The least and the greatest of what the threads of a loop find. A body takes it of its indices,
 * and then once this way, in a step that no other thread comes between; NaN changes nothing. */
#ifndef BASE_EXTREME_H
#define BASE_EXTREME_H

#include <stdbool.h>

/* *place = found, if `found` is less (greater) than that. */
#define EXTREME_LEAST(place, found) EXTREME(place, found, <)
#define EXTREME_MOST(place, found) EXTREME(place, found, >)

#define EXTREME(place, found, beats)                                                               \
    do {                                                                                           \
        __typeof__(*(place)) own_ = (found), seen_;                                                \
        __atomic_load(place, &seen_, __ATOMIC_RELAXED);                                            \
        while (own_ beats seen_ &&                                                                 \
               !__atomic_compare_exchange(place, &seen_, &own_, true, __ATOMIC_RELAXED,            \
                                          __ATOMIC_RELAXED)) {                                     \
        }                                                                                          \
    } while (0)

#endif
