#include "program/command/options_check.h"

#include "base/integer.h"
#include "base/number.h"
#include "program/config/keys.h"
#include "program/config/settings.h"

#include <string.h>

enum { QUIET = COMMAND_OWN, JUNIT, MODE, TOLERANCE, ITERATIONS };

const struct command_option check_options_table[] = {
    {"--mode", 0, "MODE", MODE,
     "which residuals are the same: bitwise (the default), ulps, relative"},
    {"--tolerance", 0, "T", TOLERANCE,
     "how far apart they may be, in ulps or relative to the reference's"},
    {"--iterations", 0, "N", ITERATIONS, "by how many the counts of iterations may differ (0)"},
    {"--junit", 0, "FILE", JUNIT, "write what was found, as JUnit XML"},
    {"--quiet", 0, NULL, QUIET, "show the runs that fail alone"},
    COMMAND_OPTION_HELP,
    {0},
};

static enum status parse_mode(const char *text, enum comparison_mode *mode, struct error *error)
{
    char choices[64];
    for (int k = 0; comparison_modes[k]; k++)
        if (strcmp(comparison_modes[k], text) == 0) {
            *mode = (enum comparison_mode)k;
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

/* The tolerance, which the mode says how to read; NULL when none was given. */
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

static enum status take_file(struct check_options *options, const char *file, struct error *error)
{
    const char **place = options->history ? &options->reference : &options->history;
    if (*place)
        return error_set(error, STATUS_CONFIG, "check %s %s %s: takes two files, HISTORY REFERENCE",
                         options->history, options->reference, file);
    *place = file;
    return STATUS_OK;
}

/* The options, and a tolerance that waits for its mode. */
struct taken {
    struct check_options *options;
    const char *tolerance;
};

static enum status take(void *into, int code, const char *word, const char *value,
                        struct error *error)
{
    struct taken *taken = into;
    struct check_options *options = taken->options;
    (void)word;
    switch (code) {
    case COMMAND_WORD:
        return take_file(options, value, error);
    case QUIET:
        options->quiet = true;
        return STATUS_OK;
    case JUNIT:
        options->junit = value;
        return *value ? STATUS_OK : error_set(error, STATUS_CONFIG, "--junit wants a file");
    case MODE:
        return parse_mode(value, &options->rule.mode, error);
    case TOLERANCE:
        taken->tolerance = value;
        return STATUS_OK;
    default: /* ITERATIONS */
        return parse_whole("--iterations", value, &options->rule.iterations, error);
    }
}

enum status check_options_parse(int argc, char *const argv[], struct check_options *options,
                                struct error *error)
{
    *options = (struct check_options){0};
    struct taken taken = {options, NULL};
    enum status status = command_parse(&command_check, argc, argv, take, &taken, error);
    if (status)
        return status;
    if (!options->reference)
        return error_set(error, STATUS_CONFIG, "check wants two files, HISTORY REFERENCE");
    return parse_tolerance(taken.tolerance, &options->rule, error);
}
