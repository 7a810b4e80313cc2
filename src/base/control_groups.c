#include "base/control_groups.h"

#include <stdio.h>
#include <string.h>

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
