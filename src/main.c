/* cgsolve: config -> settings -> system -> kernels -> study -> files and table. The only file that
 * knows all stages, and the only one that prints an error or decides the exit status. */
#include "base/machine.h"
#include "base/memory.h"
#include "base/threads.h"
#include "cgsolve/kernel.h"
#include "cgsolve/space.h"
#include "io/options.h"
#include "io/progress.h"
#include "io/results.h"
#include "io/settings.h"
#include "io/system.h"
#include "io/terminal.h"
#include "study/study.h"

#include <stdlib.h>
#include <string.h>

enum exit_status {
    EXIT_CONVERGED = 0,
    EXIT_NOT_CONVERGED = 1,
    EXIT_CONFIG = 2,
    EXIT_INPUT = 3,
    EXIT_RESOURCES = 4,
};

static enum exit_status exit_status_of(enum status status)
{
    switch (status) {
    case STATUS_OK:
        return EXIT_CONVERGED;
    case STATUS_CONFIG:
        return EXIT_CONFIG;
    case STATUS_INPUT:
        return EXIT_INPUT;
    case STATUS_MEMORY:
    case STATUS_DEVICE:
    case STATUS_UNAVAILABLE:
    case STATUS_OUTPUT:
        break;
    }
    return EXIT_RESOURCES;
}

/* What the rows of a study go through. */
struct watcher {
    struct text_file history;
    struct progress progress;
};

static enum status watch_row(void *context, const char *label, int64_t run,
                             const struct history_row *row, struct error *error)
{
    struct watcher *watcher = context;
    progress_row(&watcher->progress, label, run, row);
    return history_csv_row(&watcher->history, label, run, row, error);
}

static enum status watch_run(void *context, const char *label, const struct study_run *run,
                             struct error *error)
{
    struct watcher *watcher = context;
    (void)label;
    progress_run_finished(&watcher->progress, run->result.seconds);
    return text_file_flush(&watcher->history, error);
}

static enum status run_kernel(const struct settings *settings, const struct linear_system *system,
                              const struct kernel_settings *kernel, struct watcher *watcher,
                              struct study_kernel *result, struct error *error)
{
    struct space *space;
    enum status status = space_create(kernel->kernel->space, settings->reductions, &space, error);
    if (status)
        return status;
    struct study_entry entry = {kernel->kernel, kernel->options, kernel->label};
    struct study_observer observer = {watch_row, watch_run, watcher};
    struct study_system given = {&system->A, system->b, system->number};
    status = study_kernel_run(&entry, &given, space, &settings->cg, settings->repeats, &observer,
                              result, error);
    space->operations->destroy(space);
    return status;
}

/* Every kernel of the list, its rows into history.csv, its line into the table. */
static enum status run_kernels(const struct settings *settings, const struct linear_system *system,
                               const struct options *options, struct study_kernel *results,
                               struct error *error)
{
    struct watcher watcher;
    enum status status = history_csv_begin(settings->output_directory, &watcher.history, error);
    if (status)
        return status;
    progress_begin(&watcher.progress, options->quiet ? NULL : stderr, settings->cg.tolerance,
                   settings->repeats * settings->kernels_count);
    if (!options->quiet)
        terminal_print_head(stdout, settings);
    for (int k = 0; k < settings->kernels_count && !status; k++) {
        status = run_kernel(settings, system, &settings->kernels[k], &watcher, &results[k], error);
        progress_clear(&watcher.progress);
        if (!status && !options->quiet)
            terminal_print_kernel(stdout, settings, &results[k]);
    }
    if (!status)
        return text_file_finish(&watcher.history, error);
    text_file_abandon(&watcher.history);
    return status;
}

static bool all_converged(const struct study_kernel *results, int count)
{
    for (int k = 0; k < count; k++)
        for (int64_t r = 0; r < results[k].runs_count; r++)
            if (results[k].runs[r].result.reason != REASON_CONVERGED)
                return false;
    return true;
}

static enum status run_study(const char *config, const struct settings *settings,
                             const struct linear_system *system, const struct options *options,
                             bool *converged, struct error *error)
{
    int count = settings->kernels_count;
    struct study_kernel *results = memory_zeros(count, sizeof *results, "the results", error);
    if (!results)
        return STATUS_MEMORY;
    struct machine machine;
    machine_describe(&machine);
    space_describe_device(machine.device, sizeof machine.device);
    if (!options->quiet)
        terminal_print_problem(stdout, config, settings, system, &machine);
    enum status status = results_begin(settings, error);
    if (!status)
        status = run_kernels(settings, system, options, results, error);
    if (!status)
        status = summary_json_write(settings, system, &machine, results, count, error);
    if (!status && !options->quiet)
        terminal_print_end(stdout, settings, results, count);
    *converged = !status && all_converged(results, count);
    for (int k = 0; k < count; k++)
        study_kernel_free(&results[k]);
    memory_free(results);
    return status;
}

static enum status run_config(const char *config, const struct settings *settings,
                              const struct options *options, bool *converged, struct error *error)
{
    threads_use((int)settings->threads);
    struct linear_system system;
    enum status status = system_load(settings, &system, error);
    if (status)
        return status;
    status = run_study(config, settings, &system, options, converged, error);
    system_free(&system);
    return status;
}

/* DIR, or DIR/<stem of the config> when there are several. */
static enum status replace_output(const struct options *options, const char *config,
                                  struct settings *settings, struct error *error)
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
    memory_free(settings->output_directory);
    settings->output_directory = copy;
    return STATUS_OK;
}

static enum status read_config(const struct options *options, const char *config,
                               struct settings *settings, struct error *error)
{
    enum status status =
        settings_read(config, options->overrides, options->overrides_count, settings, error);
    if (status)
        return status;
    if (options->threads >= 0)
        settings->threads = options->threads;
    if (options->output)
        status = replace_output(options, config, settings, error);
    for (int k = 0; k < settings->kernels_count && !status; k++) {
        const char *reason = kernel_unavailable(settings->kernels[k].kernel);
        if (reason)
            status = error_set(error, STATUS_UNAVAILABLE, "%s: kernel %s is not available here: %s",
                               config, settings->kernels[k].kernel->name, reason);
    }
    return status;
}

/* Two configs of one call must not write over each other, whatever their directories are called. */
static enum status check_outputs(const struct options *options, const struct settings *settings,
                                 struct error *error)
{
    enum status status = STATUS_OK;
    for (int a = 0; a < options->configs_count && !status; a++) {
        status = directory_make(settings[a].output_directory, error);
        for (int b = 0; b < a && !status; b++)
            if (directory_is_same(settings[a].output_directory, settings[b].output_directory))
                status = error_set(error, STATUS_CONFIG, "%s and %s both write to %s",
                                   options->configs[b], options->configs[a],
                                   settings[a].output_directory);
    }
    return status;
}

/* Every config is read and checked before the first one is solved. */
static enum status run(const struct options *options, bool *converged, struct error *error)
{
    int count = options->configs_count;
    struct settings *settings = memory_zeros(count, sizeof *settings, "the settings", error);
    if (!settings)
        return STATUS_MEMORY;
    enum status status = STATUS_OK;
    for (int k = 0; k < count && !status; k++)
        status = read_config(options, options->configs[k], &settings[k], error);
    if (!status && !options->check_config)
        status = check_outputs(options, settings, error);
    *converged = true;
    for (int k = 0; k < count && !status; k++) {
        bool this_converged = true;
        if (options->check_config)
            printf("%s: ok\n", options->configs[k]);
        else
            status = run_config(options->configs[k], &settings[k], options, &this_converged, error);
        *converged = *converged && this_converged;
    }
    for (int k = 0; k < count; k++)
        settings_free(&settings[k]);
    memory_free(settings);
    return status;
}

int main(int argc, char *argv[])
{
    struct error error;
    struct options options;
    bool converged = true;
    enum status status = options_parse(argc, argv, &options, &error);
    if (!status) {
        if (options.help) {
            options_print_usage(stdout);
            printf("\n");
            settings_print_help(stdout);
        } else if (options.version) {
            printf("cgsolve %s\n", CGSOLVE_VERSION);
        } else if (options.list_kernels) {
            terminal_print_kernels(stdout);
        } else {
            status = run(&options, &converged, &error);
        }
        options_free(&options);
    }
    if (status)
        fprintf(stderr, "cgsolve: %s\n", error.text);
    if (!status && (fflush(stdout) != 0 || ferror(stdout))) {
        fprintf(stderr, "cgsolve: cannot write to the standard output\n");
        return EXIT_RESOURCES;
    }
    return status ? (int)exit_status_of(status) : converged ? EXIT_CONVERGED : EXIT_NOT_CONVERGED;
}
