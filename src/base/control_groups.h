/* The control groups of Linux that this process is in, of version 1 or 2. */
#ifndef BASE_CONTROL_GROUPS_H
#define BASE_CONTROL_GROUPS_H

#include <stdbool.h>

/* A group's directory, such as "/sys/fs/cgroup/memory/a"; version 2 has other files in it. */
typedef void control_group_visit(void *context, const char *directory, bool version_2);

/* Visit the groups of a controller, "memory" or "cpu", from the process's own up to the top. They
 * are looked for below `root`: "" but for tests. In a container the path may be one that only the
 * host knows; its own limit is then at the top of what it sees. */
void control_groups_each(const char *root, const char *controller, control_group_visit *visit,
                         void *context);

#endif
