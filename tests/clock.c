#include "clock.h"

#include "base/clock.h"

#include <stddef.h>
#include <time.h>

double (*test_clock)(void);

double clock_seconds(void)
{
    if (test_clock)
        return test_clock();
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
