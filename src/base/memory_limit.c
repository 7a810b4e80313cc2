#include "base/memory_limit.h"

#include "base/control_groups.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static void lower(struct memory_left *left, double bytes, const char *has)
{
    if (bytes < left->bytes)
        *left = (struct memory_left){bytes, has};
}

/* The number in a file that has one, or after `key` in a file of lines KEY NUMBER. */
static bool read_number(const char *directory, const char *name, const char *key, double *number)
{
    char path[8400], line[256];
    bool found = false;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "r");
    size_t length = strlen(key);
    while (file && !found && fgets(line, sizeof line, file))
        found = !strncmp(line, key, length) && sscanf(line + length, "%lf", number) == 1;
    if (file)
        fclose(file);
    return found;
}

static void lower_by_group(void *context, const char *directory, bool version_2)
{
    static const char *const caches[2][2] = {{"total_inactive_file ", "total_active_file "},
                                             {"inactive_file ", "active_file "}};
    double most, used = 0, cache = 0;
    if (!read_number(directory, version_2 ? "memory.max" : "memory.limit_in_bytes", "", &most))
        return;
    read_number(directory, version_2 ? "memory.current" : "memory.usage_in_bytes", "", &used);
    for (int k = 0; k < 2; k++)
        if (read_number(directory, "memory.stat", caches[version_2][k], &cache))
            used -= cache;
    lower(context, most - used, "the control group has");
}

static struct memory_left left_by_machine(const char *root)
{
    char directory[4096];
    double available;
    snprintf(directory, sizeof directory, "%s/proc", root);
    if (read_number(directory, "meminfo", "MemAvailable:", &available))
        available *= 1024;
    else
        available = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) - memory_held();
    return (struct memory_left){available, "this machine has"};
}

static void lower_by_own(struct memory_left *left)
{
    static const struct {
        int resource;
        const char *has;
    } own[] = {{RLIMIT_AS, "ulimit -v has"}, {RLIMIT_DATA, "ulimit -d has"}};
    struct rlimit set;
    for (int k = 0; k < 2; k++)
        if (getrlimit(own[k].resource, &set) == 0 && set.rlim_cur != RLIM_INFINITY)
            lower(left, (double)set.rlim_cur - memory_held(), own[k].has);
}

struct memory_left memory_left(const char *root)
{
    struct memory_left left = left_by_machine(root);
    control_groups_each(root, "memory", lower_by_group, &left);
    lower_by_own(&left);
    return left;
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
