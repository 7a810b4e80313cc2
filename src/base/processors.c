#include "base/processors.h"

#include "base/limits.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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

/* --- other programs --------------------------------------------------------------------------- */

#ifdef __linux__
/* Add the ticks of a line of /proc/stat, "cpu3 user nice system idle iowait irq softirq steal ...",
 * where its processor is allowed. */
static void add_processor(const char *line, const cpu_set_t *allowed, size_t size,
                          struct processor_time *time)
{
    enum { IDLE = 3, WAITING = 4, FIELDS = 8 };
    unsigned processor;
    int length;
    if (sscanf(line, "cpu%u%n", &processor, &length) != 1 || !CPU_ISSET_S(processor, size, allowed))
        return;
    char *at = (char *)(uintptr_t)line + length;
    for (int field = 0; field < FIELDS; field++) {
        double value = strtod(at, &at);
        time->all += value;
        time->busy += field == IDLE || field == WAITING ? 0 : value;
    }
    time->processors++;
}

static void add_processors(struct processor_time *time)
{
    cpu_set_t allowed[PROCESSOR_SETS];
    char line[1024];
    FILE *file =
        sched_getaffinity(0, sizeof allowed, allowed) == 0 ? fopen("/proc/stat", "r") : NULL;
    while (file && fgets(line, sizeof line, file) && strncmp(line, "cpu", 3) == 0)
        add_processor(line, allowed, sizeof allowed, time);
    if (file)
        fclose(file);
}
#else
static void add_processors(struct processor_time *time)
{
    (void)time;
}
#endif

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

struct processor_time processor_time_now(void)
{
    struct processor_time time = {0};
    double per_second = (double)sysconf(_SC_CLK_TCK);
    struct rusage own;
    add_processors(&time);
    getrusage(RUSAGE_SELF, &own);
    time.all /= per_second;
    time.busy /= per_second;
    time.own = seconds_of(own.ru_utime) + seconds_of(own.ru_stime);
    return time;
}

double processor_time_of_others(const struct processor_time *from, const struct processor_time *to)
{
    static const double least = 0.2; /* seconds: 20 ticks, of which one may be another's */
    double all = to->all - from->all;
    double others = (to->busy - from->busy) - (to->own - from->own);
    return !(all >= least * to->processors && all > 0) ? -1 : fmin(fmax(others / all, 0), 1);
}

const char *processors_shared_text(double others, char text[96])
{
    *text = '\0';
    if (others > 0.1)
        snprintf(text, 96,
                 "Other programs took %.0f %% of the processors' time: the times are not reliable.",
                 100 * others);
    return text;
}
