/* What limits this process: the control groups of Linux that it is in, of version 1 or 2; and how
 * much more memory it may take. base/processors.h has the processors. */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

#include <stdbool.h>

/* A group's directory, such as "/sys/fs/cgroup/memory/a"; version 2 has other files in it. */
typedef void control_group_visit(void *context, const char *directory, bool version_2);

/* Visit the groups of a controller, "memory" or "cpu", from the process's own up to the top. They
 * are looked for below `root`: "" but for tests. In a container the path may be one that only the
 * host knows; its own limit is then at the top of what it sees. */
void control_groups_each(const char *root, const char *controller, control_group_visit *visit,
                         void *context);

struct memory_left {
    double bytes;
    const char *has; /* whose it is, as a sentence goes on: "this machine has"; static */
};

/* The least of the following, now: the memory that the machine has available (MemAvailable), that
 * its control group and those above it leave (memory.max less memory.current in version 2,
 * memory.limit_in_bytes less memory.usage_in_bytes in version 1), and that RLIMIT_AS and
 * RLIMIT_DATA leave. The pages of files that a group holds count as left, for the system gives them
 * up. All files are looked for below `root`: "" but for tests. One that is missing, or says no
 * number, sets no limit. Swap is not counted: no iteration ends in it. */
struct memory_left memory_left(const char *root);

/* The bytes that this process holds now, the pages of files that it has mapped not counted; 0 where
 * the system does not tell. */
double memory_held(void);

#endif
