#include "base/machine.h"

#include "base/processors.h"
#include "base/threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
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

/* The argument in single quotes where a shell would read it otherwise. */
static void write_argument(FILE *command, const char *argument)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=./,:@%";
    if (*argument && argument[strspn(argument, plain)] == '\0') {
        fputs(argument, command);
        return;
    }
    fputc('\'', command);
    for (; *argument; argument++)
        if (*argument == '\'')
            fputs("'\\''", command);
        else
            fputc(*argument, command);
    fputc('\'', command);
}

/* From /proc, so that main need not pass its arguments on. */
static void describe_command(char *text, size_t size)
{
    char *argument = NULL;
    size_t room = 0;
    FILE *arguments = fopen("/proc/self/cmdline", "r");
    FILE *command = arguments ? fmemopen(text, size, "w") : NULL;
    text[0] = '\0';
    for (int k = 0; command && getdelim(&argument, &room, '\0', arguments) > 0; k++) {
        if (k > 0)
            fputc(' ', command);
        write_argument(command, argument);
    }
    free(argument);
    if (arguments)
        fclose(arguments);
    if (command)
        fclose(command);
    text[size - 1] = '\0';
}

static void describe_moment(struct machine *machine)
{
    time_t now = time(NULL);
    struct tm date;
    if (gmtime_r(&now, &date))
        strftime(machine->date, sizeof machine->date, "%Y-%m-%dT%H:%M:%SZ", &date);
    if (getloadavg(&machine->load, 1) != 1)
        machine->load = -1;
    if (gethostname(machine->host, sizeof machine->host - 1) != 0)
        machine->host[0] = '\0';
    describe_command(machine->command, sizeof machine->command);
}

static const char *program_commit = "";

void machine_set_commit(const char *commit)
{
    program_commit = commit;
}

void machine_describe(struct machine *machine)
{
    *machine = (struct machine){
        .cores = processors_available(), .threads = threads_count(threads_lent()), .others = -1};
    snprintf(machine->commit, sizeof machine->commit, "%s", program_commit);
    describe_moment(machine);
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
