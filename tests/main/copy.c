#include "main/copy.h"

#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

void run_in_copy(const char *script)
{
    const char *log = temporary_path("log");
    char command[4096];
    snprintf(command, sizeof command,
             "copy='%s'; exec >'%s' 2>&1; set -e\nunset ONLY MAKEFLAGS MAKELEVEL MFLAGS\n%s",
             temporary_path("copy"), log, script);
    int status = system(command);
    if (status != 0) {
        snprintf(command, sizeof command, "tail -n 30 '%s'", log);
        if (system(command) != 0)
            perror(log);
    }
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "failed: %s", script);
}
