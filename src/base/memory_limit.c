#include "base/memory_limit.h"

#include "base/control_groups.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static void lower(struct memory_limit *limit, double bytes, const char *has)
{
    if (bytes < limit->bytes)
        *limit = (struct memory_limit){bytes, has};
}

static void lower_by_group(void *context, const char *directory, bool version_2)
{
    char name[8300];
    double bytes;
    snprintf(name, sizeof name, "%s/%s", directory,
             version_2 ? "memory.max" : "memory.limit_in_bytes");
    FILE *file = fopen(name, "r");
    if (file && fscanf(file, "%lf", &bytes) == 1)
        lower(context, bytes, "the control group has");
    if (file)
        fclose(file);
}

struct memory_limit memory_limit_around(const char *root)
{
    struct memory_limit limit = {(double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE),
                                 "this machine has"};
    control_groups_each(root, "memory", lower_by_group, &limit);
    return limit;
}

struct memory_limit memory_limit_own(struct memory_limit around)
{
    static const struct {
        int resource;
        const char *has;
    } own[] = {{RLIMIT_AS, "ulimit -v has"}, {RLIMIT_DATA, "ulimit -d has"}};
    struct rlimit set;
    for (int k = 0; k < 2; k++)
        if (getrlimit(own[k].resource, &set) == 0 && set.rlim_cur != RLIM_INFINITY)
            lower(&around, (double)set.rlim_cur, own[k].has);
    return around;
}

double memory_held(void)
{
    double resident = 0, shared = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%*f %lf %lf", &resident, &shared) != 2)
        resident = shared = 0;
    if (file)
        fclose(file);
    return (resident - shared) * (double)sysconf(_SC_PAGESIZE);
}
