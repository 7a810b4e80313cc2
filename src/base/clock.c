#include "base/clock.h"

#include <time.h>

/* Weak: a test may bring a clock of its own, which counts something else than time. */
__attribute__((weak)) double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
