#include "base/processors.h"

#include "base/control_groups.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#ifdef __linux__
#include <sched.h>
#endif

/* Up to `count` numbers of a file; "max" is none. */
static int read_numbers(const char *directory, const char *name, double *numbers, int count)
{
    char path[8300];
    int found = 0;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "r");
    while (file && found < count && fscanf(file, "%lf", &numbers[found]) == 1)
        found++;
    if (file)
        fclose(file);
    return found;
}

static void lower(void *context, const char *directory, bool version_2)
{
    int *processors = context;
    double numbers[2] = {-1, 0}; /* the quota, -1: none, and the period */
    if (version_2)
        read_numbers(directory, "cpu.max", numbers, 2);
    else if (read_numbers(directory, "cpu.cfs_quota_us", numbers, 1) == 1)
        read_numbers(directory, "cpu.cfs_period_us", numbers + 1, 1);
    if (!(numbers[0] > 0 && numbers[1] > 0))
        return;
    double share = fmax(ceil(numbers[0] / numbers[1]), 1);
    if (share < *processors)
        *processors = (int)share;
}

int processors_of_groups(const char *root)
{
    int processors = INT_MAX;
    control_groups_each(root, "cpu", lower, &processors);
    return processors;
}

/* What does not change; set by processors_available. */
static struct {
    int groups, environment;
} limits;

/* The first number of a list such as "4,2". */
static int number_of(const char *variable)
{
    const char *text = getenv(variable);
    long number = text ? strtol(text, NULL, 10) : 0;
    return number > 0 && number < INT_MAX ? (int)number : INT_MAX;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static void find_limits(void)
{
    limits.groups = processors_of_groups("");
    limits.environment = least(number_of("OMP_NUM_THREADS"), number_of("OMP_THREAD_LIMIT"));
}

/* Of the calling thread's affinity. */
static int processors_allowed(void)
{
#ifdef __linux__
    cpu_set_t allowed[PROCESSOR_SETS];
    if (sched_getaffinity(0, sizeof allowed, allowed) == 0)
        return CPU_COUNT_S(sizeof allowed, allowed);
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

int processors_available(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_limits);
    return least(processors_allowed(), limits.groups);
}

int processors_wanted(void)
{
    int available = processors_available();
    return least(available, limits.environment);
}
