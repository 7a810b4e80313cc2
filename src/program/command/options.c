#include "program/command/options.h"

#include "base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    VERSION = COMMAND_OWN,
    LIST_KERNELS,
    CHECK_CONFIG,
    SET,
    OUTPUT,
    QUIET,
    WIDE,
    DETAILS,
    THREADS,
    DEVICES,
    JUNIT,
    WRITE_REFERENCE
};

const struct command_option options_table[] = {
    {"--set", 0, "KEY=VALUE", SET,
     "override a key of every config, as in --set solver.tolerance=1e-10"},
    {"--output", 0, "DIR", OUTPUT,
     "write there instead of output.directory; with several configs, into DIR/NAME_OF_CONFIG"},
    {"--threads", 0, "N", THREADS,
     "use N threads instead of the config's number (0: all); an error where a kernel has a number "
     "of its own"},
    {"--devices", 0, "D,D", DEVICES,
     "solve on these CUDA devices, several ones together, instead of the config's"},
    {"--write-reference", 0, "FILE", WRITE_REFERENCE,
     "write the history of the first run of the only kernel, for later runs to be compared with; "
     "nothing is compared now"},
    {"--junit", 0, "FILE", JUNIT, "write what the comparisons found, as JUnit XML"},
    {"--check-config", 0, NULL, CHECK_CONFIG,
     "check the configs and the files they name; solve nothing"},
    {"--list-kernels", 0, NULL, LIST_KERNELS,
     "show every kernel, and why one is not available here"},
    {"--wide", 0, NULL, WIDE, "show all columns of the table, however wide it is"},
    {"--details", 0, NULL, DETAILS, "show storage, times, hashes and condition number, too"},
    {"--quiet", 0, NULL, QUIET,
     "show no table and no progress, but histories that fail and promises of equal bits that are "
     "broken; a line on the standard error says of each config why the exit status is 1"},
    {"--version", 'V', NULL, VERSION, "show the version, and what it was built from and by"},
    COMMAND_OPTION_HELP,
    {0},
};

static enum status parse_threads(const char *text, int64_t *threads, struct error *error)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno || end == text || *end || value < 0 || value > THREADS_MAX)
        return error_set(error, STATUS_CONFIG, "--threads %s: wants a whole number from 0 to %d",
                         text, THREADS_MAX);
    *threads = value;
    return STATUS_OK;
}

static enum status take(void *into, int code, const char *word, const char *value,
                        struct error *error)
{
    struct study_options *options = into;
    (void)word;
    switch (code) {
    case COMMAND_WORD:
        options->configs[options->configs_count++] = value;
        return STATUS_OK;
    case VERSION:
        options->version = true;
        return STATUS_OK;
    case LIST_KERNELS:
        options->list_kernels = true;
        return STATUS_OK;
    case CHECK_CONFIG:
        options->check_config = true;
        return STATUS_OK;
    case QUIET:
        options->shown.quiet = true;
        return STATUS_OK;
    case WIDE:
        options->shown.wide = true;
        return STATUS_OK;
    case DETAILS:
        options->shown.details = true;
        return STATUS_OK;
    case SET:
        options->overrides[options->overrides_count++] = (struct settings_override){.text = value};
        return STATUS_OK;
    case OUTPUT:
        options->output = value;
        return *value ? STATUS_OK : error_set(error, STATUS_CONFIG, "--output wants a directory");
    case DEVICES:
        options->devices = value;
        return STATUS_OK;
    case JUNIT:
        options->junit = value;
        return *value ? STATUS_OK : error_set(error, STATUS_CONFIG, "--junit wants a file");
    case WRITE_REFERENCE:
        options->write_reference = value;
        return *value ? STATUS_OK
                      : error_set(error, STATUS_CONFIG, "--write-reference wants a file");
    default: /* THREADS */
        return parse_threads(value, &options->threads, error);
    }
}

/* The last override. */
static enum status override_devices(struct study_options *options, struct error *error)
{
    char text[512];
    int length = snprintf(text, sizeof text, "devices=[%s]", options->devices);
    if (length >= (int)sizeof text)
        return error_set(error, STATUS_CONFIG, "--devices: the list is too long");
    options->override = memory_text(text, "the devices", error);
    options->overrides[options->overrides_count++] =
        (struct settings_override){options->override, "--devices"};
    return options->override ? STATUS_OK : STATUS_MEMORY;
}

/* What cannot be asked for together. */
static enum status check_together(const struct study_options *options, struct error *error)
{
    bool informs = options->version || options->list_kernels;
    if (!informs && options->configs_count == 0)
        return error_set(error, STATUS_CONFIG, "no config given (see --help)");
    if (options->write_reference && options->configs_count > 1)
        return error_set(error, STATUS_CONFIG,
                         "--write-reference %s: %d configs, and a reference is of one",
                         options->write_reference, options->configs_count);
    if (options->write_reference && options->junit)
        return error_set(error, STATUS_CONFIG,
                         "--junit %s: with --write-reference nothing is compared", options->junit);
    return STATUS_OK;
}

enum status study_options_parse(const struct command *command, int argc, char *const argv[],
                                struct study_options *options, struct error *error)
{
    *options = (struct study_options){.threads = -1};
    options->configs = memory_array(argc, sizeof *options->configs, "the configs", error);
    options->overrides = memory_array(argc, sizeof *options->overrides, "the overrides", error);
    enum status status = options->configs && options->overrides ? STATUS_OK : STATUS_MEMORY;
    if (!status)
        status = command_parse(command, argc, argv, take, options, error);
    if (!status)
        status = check_together(options, error);
    if (!status && options->devices)
        status = override_devices(options, error);
    if (status)
        study_options_free(options);
    return status;
}

void study_options_free(struct study_options *options)
{
    memory_free(options->configs);
    memory_free(options->overrides);
    memory_free(options->override);
    *options = (struct study_options){0};
}
