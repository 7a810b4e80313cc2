#include "base/clock.h"

#include <time.h>

/* Weak, so that a test can replace the clock by a counter. */
__attribute__((weak)) double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
