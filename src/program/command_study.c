/* `cgsolve [options] CONFIG...`: the studies of the configs. */
#include "base/memory.h"
#include "base/text.h"
#include "program/command/command_help.h"
#include "program/command/overrides.h"
#include "program/command/ranks.h"
#include "program/config/system.h"
#include "program/record/history_check.h"
#include "program/record/results.h"
#include "program/run_config.h"
#include "program/terminal/terminal.h"
#include "spmv/kernel.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct study_options {
    struct overrides overrides;
    bool version, list_kernels, check_config;
    struct study_shown shown;
    const char *output;          /* --output, or NULL */
    const char *junit;           /* --junit, or NULL */
    const char *write_reference; /* --write-reference, or NULL */
    const char *devices;         /* --devices, or NULL */
    const char *threads;         /* --threads, or NULL */
    const char **configs;
    int configs_count;
};

/* --- the command line ------------------------------------------------------------------------- */

static const struct command_option study_options[] = {
    {"--set", 0, "KEY=VALUE", "override a key of every config, as in --set solver.tolerance=1e-10",
     TAKES(option_set)},
    {"--output", 0, "DIR",
     "write there instead of output.directory; with several configs, into DIR/NAME_OF_CONFIG",
     TAKES_TEXT(struct study_options, output, "a directory")},
    {"--threads", 0, "N",
     "use N threads instead of the config's number (0: all); an error where a kernel has a number "
     "of its own",
     TAKES_TEXT(struct study_options, threads, NULL)},
    {"--devices", 0, "D,D",
     "solve on these CUDA devices, several ones together, instead of the config's",
     TAKES_TEXT(struct study_options, devices, NULL)},
    {"--write-reference", 0, "FILE",
     "write the history of the first run of the only kernel, for later runs to be compared with; "
     "nothing is compared now",
     TAKES_TEXT(struct study_options, write_reference, "a file")},
    {"--junit", 0, "FILE", "write what the comparisons found, as JUnit XML",
     TAKES_TEXT(struct study_options, junit, "a file")},
    {"--check-config", 0, NULL, "check the configs and the files they name; solve nothing",
     TAKES_FLAG(struct study_options, check_config)},
    {"--list-kernels", 0, NULL, "show every kernel, and why one is not available here",
     TAKES_FLAG(struct study_options, list_kernels)},
    {"--wide", 0, NULL, "show all columns of the table, however wide it is",
     TAKES_FLAG(struct study_options, shown.wide)},
    {"--details", 0, NULL, "show storage, times, hashes and condition number, too",
     TAKES_FLAG(struct study_options, shown.details)},
    {"--quiet", 0, NULL,
     "show no table and no progress, but histories that fail and promises of equal bits that are "
     "broken; a line on the standard error says of each config why the exit status is 1",
     TAKES_FLAG(struct study_options, shown.quiet)},
    {"--version", 'V', NULL, "show the version, and what it was built from and by",
     TAKES_FLAG(struct study_options, version)},
    OPTION_HELP,
    {0},
};

static enum status take_config(void *into, const char *word, struct error *error)
{
    struct study_options *options = into;
    (void)error;
    options->configs[options->configs_count++] = word;
    return STATUS_OK;
}

/* Options that exclude each other. */
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

static enum status parse(int argc, char *const argv[], struct study_options *options,
                         struct error *error)
{
    options->configs = memory_array(argc, sizeof *options->configs, "the configs", error);
    enum status status =
        options->configs ? overrides_begin(argc, &options->overrides, error) : STATUS_MEMORY;
    if (!status)
        status = command_parse(&command_study, argc, argv, take_config, options, error);
    if (!status)
        status = check_together(options, error);
    if (!status && options->devices)
        status =
            overrides_add(&options->overrides, "devices=[%]", options->devices, "--devices", error);
    if (!status && options->threads)
        status =
            overrides_add(&options->overrides, "threads=%", options->threads, "--threads", error);
    return status;
}

/* --- the configs ------------------------------------------------------------------------------ */

/* The reference is begun before the solve, so that a file that cannot be written is found at
 * once. */
static enum status run_and_write(const struct study_options *options,
                                 const struct settings *settings, struct history_check *check,
                                 bool *good, struct error *error)
{
    struct text_file reference;
    char shown[1024];
    int64_t histories = 0;
    enum status status = reference_write_check(options->write_reference, &settings->study,
                                               settings->output.directory, error);
    if (!status)
        status = text_file_begin(NULL, options->write_reference, &reference, error);
    if (status)
        return status;
    status = run_config(options->configs[0], settings, &options->shown, check, good, error);
    if (status)
        text_file_abandon(&reference);
    else
        status = reference_write(settings->output.directory, &reference, &histories, error);
    if (!status && !options->shown.quiet)
        terminal_print_written(options->write_reference);
    if (!status && histories > 1)
        fprintf(stderr,
                "cgsolve: warning: the %" PRId64 " runs have %" PRId64
                " histories, and %s holds the first of them\n",
                settings->study.repeats, histories,
                shown_text(options->write_reference, shown, sizeof shown));
    return status;
}

/* DIR, or DIR/<stem of the config> when there are several. */
static enum status replace_output(const struct study_options *options, const char *config,
                                  char **directory, struct error *error)
{
    const char *slash = strrchr(config, '/');
    const char *stem = slash ? slash + 1 : config;
    const char *dot = strrchr(stem, '.');
    int length = dot && dot > stem ? (int)(dot - stem) : (int)strlen(stem);
    char path[4096];
    int written = options->configs_count == 1
                      ? snprintf(path, sizeof path, "%s", options->output)
                      : snprintf(path, sizeof path, "%s/%.*s", options->output, length, stem);
    if (written < 0 || (size_t)written >= sizeof path)
        return error_set(error, STATUS_CONFIG, "--output: the path is too long");
    char *copy = memory_text(path, "the output directory", error);
    if (!copy)
        return STATUS_MEMORY;
    memory_free(*directory);
    *directory = copy;
    return STATUS_OK;
}

static enum status read_config(const struct study_options *options, const char *config,
                               struct settings *settings, struct error *error)
{
    enum status status =
        settings_read(config, options->overrides.list, options->overrides.count, settings, error);
    if (status)
        return status;
    if (options->output)
        status = replace_output(options, config, &settings->output.directory, error);
    struct error why;
    if (!status && program_ranks_prepare(&settings->study, &why))
        status = error_set(error, STATUS_CONFIG, "%s: %s", config, why.text);
    return status;
}

static enum status check_kernels(const struct study_options *options, const char *config,
                                 const struct study_settings *study, struct error *error)
{
    enum status status = STATUS_OK;
    for (int k = 0; k < study->kernels_count && !status; k++) {
        const struct kernel_settings *kernel = &study->kernels[k];
        const char *reason = kernel_unavailable(kernel->kernel);
        if (!reason)
            reason = program_ranks_refuse(study, kernel->kernel);
        if (reason && !options->check_config)
            status = error_set(error, STATUS_UNAVAILABLE, "%s: kernel %s is not available here: %s",
                               config, kernel->kernel->component.name, reason);
        else if (options->threads && kernel->threads > 0)
            status = error_set(error, STATUS_CONFIG,
                               "--threads %s: %s gives '%s' its own number of threads",
                               options->threads, config, kernel->label);
    }
    return status;
}

/* Two configs, of one call or of two, must not overwrite each other's results, also with different
 * names of a directory. The locks are held until the program ends, because page and comparison
 * follow a study. */
static enum status check_outputs(const struct study_options *options,
                                 const struct settings *settings, struct error *error)
{
    enum status status = STATUS_OK;
    int lock;
    for (int a = 0; a < options->configs_count && !status; a++) {
        status = results_directory_make(settings[a].output.directory, error);
        for (int b = 0; b < a && !status; b++)
            if (directory_is_same(settings[a].output.directory, settings[b].output.directory))
                status = error_set(error, STATUS_CONFIG, "%s and %s both write to %s",
                                   options->configs[b], options->configs[a],
                                   settings[a].output.directory);
        if (!status)
            status = results_lock(settings[a].output.directory, &lock, error);
    }
    return status;
}

/* The references of the configs are read before the first one is solved. */
static enum status begin_checks(const struct study_options *options,
                                const struct settings *settings, struct history_check *checks,
                                struct error *error)
{
    enum status status = STATUS_OK;
    int begun = 0;
    for (int k = 0; k < options->configs_count && !status; k++) {
        const struct reference_settings *reference = &settings[k].reference;
        if (!reference->history)
            continue;
        status = history_check_begin(options->configs[k], reference->history, &reference->rule,
                                     &checks[k], error);
        begun++;
    }
    if (!status && begun == 0 && options->junit)
        status = error_set(error, STATUS_CONFIG, "--junit %s: no config has a reference",
                           options->junit);
    return status;
}

static enum status run_configs(const struct study_options *options, const struct settings *settings,
                               struct history_check *checks, bool *good, struct error *error)
{
    enum status status = program_is_first() ? check_outputs(options, settings, error) : STATUS_OK;
    if (!status && options->write_reference && program_is_first())
        return run_and_write(options, settings, checks, good, error);
    if (!status && program_is_first())
        status = begin_checks(options, settings, checks, error);
    *good = true;
    for (int k = 0; k < options->configs_count && !status; k++) {
        bool this_good = true;
        status = run_config(options->configs[k], &settings[k], &options->shown, &checks[k],
                            &this_good, error);
        *good = *good && this_good;
    }
    if (!status && options->junit && program_is_first())
        status = junit_write(options->junit, checks, options->configs_count, error);
    if (!status && options->junit && program_is_first() && !options->shown.quiet)
        terminal_print_written(options->junit);
    return status;
}

/* The additional checks of --check-config. A config for another machine is valid: unavailable
 * kernels are listed. */
static enum status check_config(const char *config, const struct settings *settings,
                                struct error *error)
{
    char shown[1024];
    enum status status = system_check_files(&settings->problem, &settings->solver,
                                            settings->reference.history, error);
    if (status)
        return status;
    printf("%s: ok (keys and values are right, the files that it reads can be opened)\n",
           shown_text(config, shown, sizeof shown));
    for (int k = 0; k < settings->study.kernels_count; k++) {
        const struct kernel *kernel = settings->study.kernels[k].kernel;
        const char *reason = kernel_unavailable(kernel);
        if (reason)
            printf("%s: kernel %s is not available here: %s\n", shown, kernel->component.name,
                   reason);
    }
    return STATUS_OK;
}

/* Every config is read and checked before the first one is solved. */
static enum status run(const struct study_options *options, bool *good, struct error *error)
{
    int count = options->configs_count;
    struct settings *settings = memory_zeros(count, sizeof *settings, "the settings", error);
    struct history_check *checks = memory_zeros(count, sizeof *checks, "the comparisons", error);
    enum status status = settings && checks ? STATUS_OK : STATUS_MEMORY;
    if (!status)
        status = help_check_word(options->configs[0], error);
    for (int k = 0; k < count && !status; k++)
        status = read_config(options, options->configs[k], &settings[k], error);
    for (int k = 0; k < count && !status; k++)
        status = check_kernels(options, options->configs[k], &settings[k].study, error);
    status =
        program_ranks_agree_on_settings(status, status ? 0 : settings_hash(settings, count), error);
    if (!status && !options->check_config)
        status = run_configs(options, settings, checks, good, error);
    for (int k = 0; k < count && !status && options->check_config && program_is_first(); k++)
        status = check_config(options->configs[k], &settings[k], error);
    for (int k = 0; k < count && settings && checks; k++) {
        settings_free(&settings[k]);
        history_check_free(&checks[k]);
    }
    memory_free(settings);
    memory_free(checks);
    return status;
}

static enum status run_studies(int argc, char *argv[], bool *good, struct error *error)
{
    struct study_options options = {0};
    enum status status = parse(argc, argv, &options, error);
    if (!status && options.version)
        status = command_version.run(argc, argv, good, error);
    else if (!status && options.list_kernels)
        terminal_print_kernels(stdout);
    else if (!status)
        status = run(&options, good, error);
    memory_free(options.configs);
    overrides_free(&options.overrides);
    return status;
}

const struct command command_study = {
    .name = "",
    .usage = {{"[options] CONFIG...", "solve what the configs name"}},
    .about =
        "cgsolve solves a symmetric linear system A x = b, or finds eigenvalues of A, with each of "
        "the kernels that a config names (a kernel is a way to multiply by A), several times over, "
        "and shows what the choice did: to the iterations, to each bit of the residuals, to the "
        "time.",
    .options = study_options,
    .good = "every solve converged; with a reference: every history is the reference's",
    .not_good = "a solve did not converge, a history differs, or promised bits changed",
    .examples = {{"solve a system eight times with each of four kernels", "configs/quickstart.cfg"},
                 {"solve once with a matrix of your own", "solve problems/plate.mtx.gz"},
                 {"the options, and where the keys of a config are", "--help"}},
    .takes_ranks = true,
    .run = run_studies,
};
