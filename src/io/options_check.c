#include "io/options_check.h"

#include "io/matrix_market_line.h"
#include "io/number.h"
#include "io/settings.h"
#include "io/settings_keys.h"

#include <getopt.h>
#include <string.h>

enum { HELP = 256, QUIET, JUNIT, MODE, TOLERANCE, ITERATIONS };

static const struct option long_options[] = {
    {"help", no_argument, NULL, HELP},
    {"quiet", no_argument, NULL, QUIET},
    {"junit", required_argument, NULL, JUNIT},
    {"mode", required_argument, NULL, MODE},
    {"tolerance", required_argument, NULL, TOLERANCE},
    {"iterations", required_argument, NULL, ITERATIONS},
    {0},
};

bool check_options_are_meant(int argc, char *const argv[])
{
    return argc > 1 && strcmp(argv[1], "check") == 0;
}

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
    if (whole_read(text, text + strlen(text), value) == WHOLE_OK && *value >= 0)
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

static enum status take(struct check_options *options, int option, const char *word,
                        const char **tolerance, struct error *error)
{
    switch (option) {
    case 1: /* no option */
        return take_file(options, optarg, error);
    case HELP:
        options->help = true;
        return STATUS_OK;
    case QUIET:
        options->quiet = true;
        return STATUS_OK;
    case JUNIT:
        options->junit = optarg;
        return *optarg ? STATUS_OK : error_set(error, STATUS_CONFIG, "--junit wants a file");
    case MODE:
        return parse_mode(optarg, &options->rule.mode, error);
    case TOLERANCE:
        *tolerance = optarg;
        return STATUS_OK;
    case ITERATIONS:
        return parse_whole("--iterations", optarg, &options->rule.iterations, error);
    case ':':
        return error_set(error, STATUS_CONFIG, "%s wants a value (see --help)", word);
    default:
        return error_set(error, STATUS_CONFIG, "%s: no such option of check (see --help)", word);
    }
}

enum status check_options_parse(int argc, char *const argv[], struct check_options *options,
                                struct error *error)
{
    *options = (struct check_options){0};
    const char *tolerance = NULL;
    enum status status = STATUS_OK;
    optind = 2; /* behind `check` */
    while (!status && optind < argc) {
        int before = optind;
        /* "-": files come in their order, each as the option 1 */
        int option = getopt_long(argc, argv, "-:", long_options, NULL);
        if (option < 0)
            break;
        status = take(options, option, argv[before], &tolerance, error);
    }
    for (; !status && optind < argc; optind++) /* behind "--" */
        status = take_file(options, argv[optind], error);
    if (status || options->help)
        return status;
    if (!options->reference)
        return error_set(error, STATUS_CONFIG, "check wants two files, HISTORY REFERENCE");
    return parse_tolerance(tolerance, &options->rule, error);
}
