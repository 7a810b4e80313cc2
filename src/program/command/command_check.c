/* `cgsolve check [options] HISTORY REFERENCE`: compares two files. */
#include "base/number.h"
#include "base/parameter.h"
#include "program/command/command.h"
#include "program/config/settings.h"
#include "program/record/history_check.h"
#include "program/terminal/terminal.h"

#include <string.h>

struct check_options {
    struct command_pair files; /* the history, the reference */
    bool quiet;
    const char *mode, *tolerance, *iterations, *junit; /* or NULL */
};

static enum status parse_mode(const char *text, struct comparison_rule *rule, struct error *error)
{
    char choices[64];
    for (int k = 0; comparison_modes[k]; k++)
        if (strcmp(comparison_modes[k], text) == 0) {
            rule->mode = (enum comparison_mode)k;
            return STATUS_OK;
        }
    return error_set(error, STATUS_CONFIG, "--mode %s: wants %s", text,
                     choices_text(comparison_modes, 0, choices, sizeof choices));
}

static enum status parse_whole(const char *name, const char *text, int64_t *value,
                               struct error *error)
{
    if (integer_read(text, text + strlen(text), value) == INTEGER_OK && *value >= 0)
        return STATUS_OK;
    return error_set(error, STATUS_CONFIG, "%s %s: wants a whole number, at least 0", name, text);
}

/* The tolerance, in the form of the mode; NULL: none given. */
static enum status parse_tolerance(const char *text, struct comparison_rule *rule,
                                   struct error *error)
{
    if (rule->mode == COMPARISON_BITWISE)
        return text ? error_set(error, STATUS_CONFIG,
                                "--tolerance is for --mode ulps or relative, not bitwise")
                    : STATUS_OK;
    if (!text)
        return error_set(error, STATUS_CONFIG, "--mode %s wants a --tolerance",
                         comparison_modes[rule->mode]);
    if (rule->mode == COMPARISON_ULPS)
        return parse_whole("--tolerance", text, &rule->ulps, error);
    const char *end = NULL, *last = text + strlen(text);
    if (number_read(text, last, &rule->relative, &end) == NUMBER_OK && end == last &&
        rule->relative >= 0)
        return STATUS_OK;
    return error_set(error, STATUS_CONFIG, "--tolerance %s: wants a real, at least 0", text);
}

static enum status parse_rule(const struct check_options *options, struct comparison_rule *rule,
                              struct error *error)
{
    enum status status = options->mode ? parse_mode(options->mode, rule, error) : STATUS_OK;
    if (!status && options->iterations)
        status = parse_whole("--iterations", options->iterations, &rule->iterations, error);
    return status ? status : parse_tolerance(options->tolerance, rule, error);
}

static const struct command_option check_options[] = {
    {"--mode", 0, "MODE", "which residuals are the same: bitwise (the default), ulps, relative",
     TAKES_TEXT(struct check_options, mode, NULL)},
    {"--tolerance", 0, "T", "how far apart they may be, in ulps or relative to the reference's",
     TAKES_TEXT(struct check_options, tolerance, NULL)},
    {"--iterations", 0, "N", "by how many the counts of iterations may differ (0)",
     TAKES_TEXT(struct check_options, iterations, NULL)},
    {"--junit", 0, "FILE", "write what was found, as JUnit XML",
     TAKES_TEXT(struct check_options, junit, "a file")},
    {"--quiet", 0, NULL, "show the runs that fail alone", TAKES_FLAG(struct check_options, quiet)},
    OPTION_HELP,
    {0},
};

static enum status run(int argc, char *argv[], bool *same, struct error *error)
{
    struct check_options options = {.files = {"check", "two files, HISTORY REFERENCE", {NULL}}};
    const char *const *files = options.files.words;
    struct history_check check;
    struct comparison_rule rule = {.mode = COMPARISON_BITWISE};
    enum status status =
        command_parse(&command_check, argc, argv, command_take_pair, &options, error);
    if (!status)
        status = command_check_pair(&options.files, error);
    if (!status)
        status = parse_rule(&options, &rule, error);
    if (!status)
        status = history_check_begin(files[0], files[1], &rule, &check, error);
    if (status)
        return status;
    status = history_check_compare(&check, files[0], error);
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
    .options = check_options,
    .good = "every history is the reference's",
    .not_good = "a history differs from the reference",
    .examples = {{"no bit of any run may differ from the first one's",
                  "check results/plate/history.csv plate.csv"},
                 {"residuals may lie 4 doubles apart, counts may differ by 2",
                  "check --mode ulps --tolerance 4 --iterations 2 results/A.csv B.csv"}},
    .run = run,
};
