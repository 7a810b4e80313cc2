/* `cgsolve trace-diff RUN_A RUN_B`: where two runs part. */
#include "program/command/command_help.h"
#include "program/record/trace.h"

#include <stdio.h>

static enum status run(int argc, char *argv[], bool *same, struct error *error)
{
    struct command_pair runs = {"trace-diff", "two runs, RUN_A RUN_B", {NULL}};
    enum status status =
        command_parse(&command_trace_diff, argc, argv, command_take_pair, &runs, error);
    if (!status)
        status = command_check_pair(&runs, error);
    return status ? status : trace_diff(stdout, runs.words[0], runs.words[1], same, error);
}

const struct command command_trace_diff = {
    .name = "trace-diff",
    .usage = {{"trace-diff RUN_A RUN_B", "find where two runs part"}},
    .about = "Name the first iteration and vector whose bits differ between two runs that "
             "recorded a trace (the group trace of a config). A run is DIRECTORY,LABEL,NUMBER, or "
             "DIRECTORY if it holds only one.",
    .options = command_help_alone,
    .good = "no bit differs",
    .not_good = "a bit differs",
    .key_group = "trace",
    .examples = {{"keep hashes of r and x in every iteration of two runs",
                  "--set trace.every=1 --set repeats=2 configs/quickstart.cfg"},
                 {"where the two runs with atomics part",
                  "trace-diff results/quickstart,atomics,1 results/quickstart,atomics,2"}},
    .run = run,
};
