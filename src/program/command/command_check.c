/* `cgsolve check [options] HISTORY REFERENCE`: two files held against each other. */
#include "program/command/options_check.h"
#include "program/record/history_check.h"
#include "program/record/junit.h"
#include "program/terminal/terminal.h"

static enum status run(int argc, char *argv[], bool *same, struct error *error)
{
    struct check_options options;
    struct history_check check;
    enum status status = check_options_parse(argc, argv, &options, error);
    if (!status)
        status =
            history_check_begin(options.history, options.reference, &options.rule, &check, error);
    if (status)
        return status;
    status = history_check_compare(&check, options.history, error);
    if (!status)
        history_check_print(stdout, &check, options.quiet);
    if (!status && options.junit)
        status = junit_write(options.junit, &check, 1, error);
    if (!status && options.junit && !options.quiet)
        terminal_print_written(options.junit);
    *same = !status && history_check_failures(&check) == 0;
    history_check_free(&check);
    return status;
}

const struct command command_check = {
    .name = "check",
    .usage = {{"check [options] HISTORY REFERENCE", "compare residual histories"}},
    .about = "Compare every run in HISTORY, the history.csv of a run, with REFERENCE: a file of "
             "--write-reference, or the history.csv of another run that holds only one run.",
    .options = check_options_table,
    .good = "every history is the reference's",
    .not_good = "a history differs from the reference",
    .examples = {{"no bit of any run may differ from the first one's",
                  "check results/plate/history.csv plate.csv"},
                 {"residuals may lie 4 doubles apart, counts may differ by 2",
                  "check --mode ulps --tolerance 4 --iterations 2 results/A.csv B.csv"}},
    .run = run,
};
