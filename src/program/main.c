/* cgsolve: finds the command, runs it, and decides the exit status. Its call of program_ranks_end
 * prints the error. */
#include "base/machine.h"
#include "component/plugin.h"
#include "program/command/command_help.h"
#include "program/command/interruption.h"
#include "program/command/ranks.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum exit_status {
    /* no promise of equal bits was broken, and every solve converged; with a reference: every
     * history is the same */
    EXIT_GOOD = 0,
    EXIT_NOT_GOOD = 1,
    EXIT_CONFIG = 2,
    EXIT_INPUT = 3,
    EXIT_RESOURCES = 4,
};

static int exit_status_of(enum status status)
{
    switch (status) {
    case STATUS_OK:
        return EXIT_GOOD;
    case STATUS_CONFIG:
        return EXIT_CONFIG;
    case STATUS_INPUT:
        return EXIT_INPUT;
    case STATUS_MEMORY:
    case STATUS_DEVICE:
    case STATUS_UNAVAILABLE:
    case STATUS_OUTPUT:
    case STATUS_INTERRUPTED:
    case STATUS_RANK:
        break;
    }
    return EXIT_RESOURCES;
}

/* If a standard stream is closed, the next opened file would get its descriptor, and the output. A
 * replacement for standard output refuses writes, because the output cannot be printed. */
static bool streams_are_open(void)
{
    bool open_now = true;
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO && open_now; stream++)
        if (fcntl(stream, F_GETFD) < 0)
            open_now = open("/dev/null", stream == STDERR_FILENO ? O_WRONLY : O_RDONLY) == stream;
    return open_now;
}

static enum status refuse_ranks(const char *name, struct error *error)
{
    char takers[256] = "a config";
    int length = (int)strlen(takers);
    for (const struct command *const *command = commands + 1; *command; command++)
        if ((*command)->takes_ranks && length < (int)sizeof takers)
            length +=
                snprintf(takers + length, sizeof takers - (size_t)length, ", %s", (*command)->name);
    return error_set(error, STATUS_CONFIG, "%s: is for one process: several ranks take %s", name,
                     takers);
}

int main(int argc, char *argv[])
{
    struct error error;
    bool good = true;
    enum status status;
    if (!streams_are_open())
        return EXIT_RESOURCES;
    machine_set_commit(command_version_commit);
    signal(SIGXFSZ, SIG_IGN); /* a file beyond `ulimit -f` is then a write error */
    if (argc < 2) {
        help_print_start(stderr);
        return EXIT_CONFIG;
    }
    const struct command *command = command_named(argv[1]);
    status = program_ranks_begin(exit_status_of, &error);
    if (!status && program_exchange() && !command->takes_ranks)
        status = refuse_ranks(argv[1], &error);
    if (!status)
        status = plugin_load_all(getenv("CGSOLVE_PLUGINS"), &error);
    if (status)
        return program_ranks_end(status, exit_status_of(status), &error);
    int help = command_help_asked(command, argc, argv);
    status =
        help ? help_print(command, argv + help, &error) : command->run(argc, argv, &good, &error);
    if (status == STATUS_INTERRUPTED)
        interruption_raise();
    if (!status && (fflush(stdout) != 0 || ferror(stdout)))
        status = error_set(&error, STATUS_OUTPUT, "cannot write to the standard output");
    return program_ranks_end(status,
                             status ? exit_status_of(status)
                             : good ? EXIT_GOOD
                                    : EXIT_NOT_GOOD,
                             &error);
}
