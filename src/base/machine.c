#include "base/machine.h"

#include "base/threads.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The value of the first line "key : value" of a file like /proc/cpuinfo. */
static void first_value(const char *path, const char *key, char *value, size_t size)
{
    snprintf(value, size, "unknown");
    FILE *file = fopen(path, "r");
    if (!file)
        return;
    char line[512];
    while (fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (!colon || strncmp(line, key, strlen(key)) != 0)
            continue;
        char *text = colon + 1 + strspn(colon + 1, " \t");
        text[strcspn(text, "\n")] = '\0';
        snprintf(value, size, "%s", text);
        break;
    }
    fclose(file);
}

void machine_describe(struct machine *machine)
{
    *machine = (struct machine){.cores = threads_available(), .threads = threads_count()};
    first_value("/proc/cpuinfo", "model name", machine->cpu, sizeof machine->cpu);
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page > 0)
        machine->memory = (int64_t)pages * page;
    struct utsname name;
    if (uname(&name) == 0)
        snprintf(machine->system, sizeof machine->system, "%.40s %.40s %.40s", name.sysname,
                 name.release, name.machine);
    else
        snprintf(machine->system, sizeof machine->system, "unknown");
#if defined(__clang__)
    snprintf(machine->compiler, sizeof machine->compiler, "%s", __VERSION__);
#elif defined(__GNUC__)
    snprintf(machine->compiler, sizeof machine->compiler, "gcc %s", __VERSION__);
#else
    snprintf(machine->compiler, sizeof machine->compiler, "unknown");
#endif
}
