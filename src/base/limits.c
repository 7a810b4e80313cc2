#include "base/limits.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* The group at `path`, "/a/b", and those above it. Cuts the path. */
static void visit_path(const char *mount, char *path, bool version_2, control_group_visit *visit,
                       void *context)
{
    for (char *end = path + strlen(path); end; end = strrchr(path, '/')) {
        *end = '\0';
        char directory[8192];
        snprintf(directory, sizeof directory, "%s%s", mount, path);
        visit(context, directory, version_2);
    }
}

/* Whether a list such as "cpu,cpuacct" has the name. */
static bool has_name(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == length && !strncmp(at, name, length))
            return true;
    return false;
}

/* A line of /proc/self/cgroup is NUMBER:CONTROLLERS:PATH, in version 2 without controllers. */
static void visit_line(const char *root, const char *controller, char *line,
                       control_group_visit *visit, void *context)
{
    char *controllers = strchr(line, ':'),
         *path = controllers ? strchr(controllers + 1, ':') : NULL;
    char mount[4096];
    if (!path)
        return;
    *controllers++ = *path++ = '\0';
    path[strcspn(path, "\n")] = '\0';
    bool version_2 = *controllers == '\0';
    if (!version_2 && !has_name(controllers, controller))
        return;
    snprintf(mount, sizeof mount, "%s/sys/fs/cgroup%s%s", root, version_2 ? "" : "/",
             version_2 ? "" : controller);
    visit_path(mount, path, version_2, visit, context);
}

void control_groups_each(const char *root, const char *controller, control_group_visit *visit,
                         void *context)
{
    char line[4096];
    snprintf(line, sizeof line, "%s/proc/self/cgroup", root);
    FILE *groups = fopen(line, "r");
    while (groups && fgets(line, sizeof line, groups))
        visit_line(root, controller, line, visit, context);
    if (groups)
        fclose(groups);
}

/* --- memory ----------------------------------------------------------------------------------- */

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
