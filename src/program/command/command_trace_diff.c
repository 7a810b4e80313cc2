/* `cgsolve trace-diff RUN_A RUN_B`: where two runs part. */
#include "program/command/command_help.h"
#include "program/record/trace.h"

#include <stdio.h>

struct runs {
    const char *names[2];
    int count;
};

static enum status take(void *into, const char *word, struct error *error)
{
    struct runs *runs = into;
    if (runs->count == 2)
        return error_set(error, STATUS_CONFIG, "trace-diff %s %s %s: takes two runs, RUN_A RUN_B",
                         runs->names[0], runs->names[1], word);
    runs->names[runs->count++] = word;
    return STATUS_OK;
}

static enum status run(int argc, char *argv[], bool *same, struct error *error)
{
    struct runs runs = {0};
    enum status status = command_parse(&command_trace_diff, argc, argv, take, &runs, error);
    if (!status && runs.count != 2)
        status = error_set(error, STATUS_CONFIG, "trace-diff wants two runs, RUN_A RUN_B");
    return status ? status : trace_diff(stdout, runs.names[0], runs.names[1], same, error);
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
