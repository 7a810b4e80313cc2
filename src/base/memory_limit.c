#include "base/memory_limit.h"

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

/* The file `name` of the group at `path`, "/a/b", and of those above it. Cuts the path. */
static void lower_by_groups(struct memory_limit *limit, const char *mount, char *path,
                            const char *name)
{
    for (char *end = path + strlen(path); end; end = strrchr(path, '/')) {
        *end = '\0';
        char file_name[8192];
        double bytes;
        snprintf(file_name, sizeof file_name, "%s%s/%s", mount, path, name);
        FILE *file = fopen(file_name, "r");
        if (file && fscanf(file, "%lf", &bytes) == 1)
            lower(limit, bytes, "the control group has");
        if (file)
            fclose(file);
    }
}

/* A line of /proc/self/cgroup is NUMBER:CONTROLLERS:PATH, in version 2 without controllers. In a
 * container the path may be one that only the host knows; its own limit is then at the top of what
 * it sees. */
static void lower_by_line(struct memory_limit *limit, const char *root, char *line)
{
    char *controllers = strchr(line, ':'),
         *path = controllers ? strchr(controllers + 1, ':') : NULL;
    char mount[4096];
    if (!path)
        return;
    *path++ = '\0';
    path[strcspn(path, "\n")] = '\0';
    bool second = controllers[1] == '\0'; /* version 2 */
    if (!second && !strstr(controllers, "memory"))
        return;
    snprintf(mount, sizeof mount, "%s/sys/fs/cgroup%s", root, second ? "" : "/memory");
    lower_by_groups(limit, mount, path, second ? "memory.max" : "memory.limit_in_bytes");
}

struct memory_limit memory_limit_around(const char *root)
{
    struct memory_limit limit = {(double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE),
                                 "this machine has"};
    char line[4096];
    snprintf(line, sizeof line, "%s/proc/self/cgroup", root);
    FILE *groups = fopen(line, "r");
    while (groups && fgets(line, sizeof line, groups))
        lower_by_line(&limit, root, line);
    if (groups)
        fclose(groups);
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
