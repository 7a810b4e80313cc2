/* The limits of this process: its control groups (Linux, version 1 or 2), and the memory that it
 * may still take. base/processors.h has the processors. */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

#include <stdbool.h>

/* A group's directory, such as "/sys/fs/cgroup/memory/a"; version 2 has other files in it. */
typedef void control_group_visit(void *context, const char *directory, bool version_2);

/* Visit the groups of a controller, "memory" or "cpu", from the process's own up to the top, below
 * `root` ("" but for tests). In a container the path may be known only to the host; the container's
 * own limit is then at the top of what it sees. */
void control_groups_each(const char *root, const char *controller, control_group_visit *visit,
                         void *context);

struct memory_left {
    double bytes;
    const char *has; /* the owner, for a sentence: "this machine has"; static */
};

/* The least of the following, now: the memory that the machine has available (MemAvailable), that
 * its control group and those above it leave (memory.max less memory.current in version 2,
 * memory.limit_in_bytes less memory.usage_in_bytes in version 1), and that RLIMIT_AS and
 * RLIMIT_DATA leave. A group's page cache counts as available, because the system gives it up. All
 * files are below `root` ("" but for tests). A file that is missing or has no number sets no limit.
 * Swap does not count: an iteration in swap never ends. */
struct memory_left memory_left(const char *root);

/* The resident bytes of this process without mapped files; 0 if unknown. */
double memory_held(void);

#endif
