/* One solve, with its results on the terminal, and without an output directory. */
#ifndef PROGRAM_COMMAND_RUN_SOLVE_H
#define PROGRAM_COMMAND_RUN_SOLVE_H

#include "base/status.h"
#include "program/config/settings.h"

#include <stdbool.h>

struct solve_request {
    const char *matrix; /* its name, for messages */
    const char *output; /* the file of the solution, in the format of output.solution, or where
                           that is SOLUTION_NONE of the eigenvectors; NULL: none */
    bool monitor;       /* a line for each iteration on the standard output */
    bool quiet;
};

/* Solve the system of the settings once, with their only kernel. The output file is begun before
 * the solve, and gets its name when it is complete. *good: the solve converged. SIGINT, SIGTERM or
 * SIGHUP ends it with its results so far, which are written; then STATUS_INTERRUPTED is given back,
 * as by run_study. Errors: STATUS_CONFIG (also another count of kernels than one, and an output
 * file that is the matrix or b), STATUS_UNAVAILABLE, STATUS_INPUT, STATUS_MEMORY, STATUS_DEVICE,
 * STATUS_OUTPUT. */
enum status run_solve(const struct settings *settings, const struct solve_request *request,
                      bool *good, struct error *error);

#endif
