#include "program/report/command_report.h"

#include "base/memory.h"
#include "base/text.h"
#include "io/text_file.h"
#include "program/record/results.h"
#include "program/report/histories.h"
#include "program/report/options_report.h"
#include "program/report/page.h"
#include "program/report/picture.h"
#include "program/report/sweep.h"
#include "program/terminal/layout.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COLUMNS_LEAST = 72, COLUMNS_MOST = 120 };

static int plot_columns(void)
{
    int columns = layout_room(stdout);
    return columns < COLUMNS_LEAST  ? COLUMNS_LEAST
           : columns > COLUMNS_MOST ? COLUMNS_MOST
                                    : columns;
}

static void print_plots(const struct report *report)
{
    for (int s = 0; s < report->count; s++) {
        const struct recorded *study = &report->studies[s];
        if (plot_histories.missing(study))
            continue;
        if (report->count > 1)
            printf("%s\n", study->directory);
        picture_into_terminal(stdout, plot_columns(), study);
    }
}

static enum status write_page(page_writer *write, const void *of, const char *path, bool quiet,
                              struct error *error)
{
    char shown[1024];
    enum status status = page_into_file(path, write, of, error);
    if (!status && !quiet)
        printf("report    %s\n", shown_text(path, shown, sizeof shown));
    return status;
}

/* DIRECTORY/report.html when no other path is given. */
static enum status write_page_in(struct report *report, const char *directory, const char *path,
                                 bool quiet, struct error *error)
{
    if (path)
        return write_page(page_write, report, path, quiet, error);
    report->beside = true;
    char *made = path_join(directory, "report.html", error);
    enum status status = made ? write_page(page_write, report, made, quiet, error) : STATUS_MEMORY;
    memory_free(made);
    return status;
}

static enum status write_picture(const char *path, const struct plot *plot, const void *of,
                                 struct error *error)
{
    char shown[1024];
    enum status status = picture_into_file(path, plot, of, error);
    if (!status)
        printf("picture   %s\n", shown_text(path, shown, sizeof shown));
    return status;
}

/* A study that ends meanwhile replaces what is read, and the page beside it. */
static enum status lock_results(const char *directory, int *lock, struct error *error)
{
    struct error why;
    struct stat info;
    if (stat(directory, &info) != 0)
        return STATUS_OK; /* report_read says why */
    enum status status = results_lock(directory, lock, &why);
    return status
               ? error_set(error, status, "%s; --output FILE writes the page elsewhere", why.text)
               : STATUS_OK;
}

/* page: write one; a command that asks for a picture alone gets none. */
static enum status show_studies(const struct report_options *options, const struct plot *plot,
                                bool page, struct error *error)
{
    struct report report;
    enum status status = report_read(options->sources, options->sources_count, &report, error);
    if (status)
        return status;
    if (page)
        status = write_page_in(&report, options->sources[0], options->output, false, error);
    if (!status && options->picture)
        status = write_picture(options->picture, plot, &report.studies[0], error);
    if (!status && options->plot)
        print_plots(&report);
    report_free(&report);
    return status;
}

static enum status report_studies(const struct report_options *options, struct error *error)
{
    int lock = -1;
    bool beside = !options->output && !options->picture;
    const struct plot *plot =
        options->of ? plot_named(plots_of_study, options->of) : &plot_histories;
    if (!plot)
        return error_set(error, STATUS_CONFIG,
                         "--of %s: is for the CSV of a bench, and %s is no file", options->of,
                         options->sources[0]);
    enum status status = beside ? lock_results(options->sources[0], &lock, error) : STATUS_OK;
    if (!status)
        status = show_studies(options, plot, beside || options->output, error);
    if (lock >= 0)
        close(lock);
    return status;
}

/* bench.html beside bench.csv; the caller calls memory_free. */
static char *page_beside(const char *csv, struct error *error)
{
    static const char ending[] = ".html";
    size_t length = strlen(csv);
    char *path = memory_array((int64_t)(length + sizeof ending), 1, "a path", error);
    if (!path)
        return NULL;
    if (length > 4 && strcmp(csv + length - 4, ".csv") == 0)
        length -= 4;
    memcpy(path, csv, length);
    memcpy(path + length, ending, sizeof ending);
    return path;
}

static enum status report_bench(const struct report_options *options, struct error *error)
{
    struct sweep sweep;
    const char *csv = options->sources[0];
    const struct plot *plot =
        options->of ? plot_named(plots_of_bench, options->of) : &sweep_plot_variation;
    if (!plot || options->plot)
        return error_set(error, STATUS_CONFIG,
                         "%s %s: is for a directory of results, and %s is a file",
                         plot ? "report" : "--of", plot ? "--plot" : options->of, csv);
    enum status status = sweep_read(csv, &sweep, error);
    if (status)
        return status;
    sweep_print(stdout, &sweep);
    char *beside = page_beside(csv, error);
    const char *page = options->output ? options->output : beside;
    status = beside ? STATUS_OK : STATUS_MEMORY;
    if (!status && (options->output || !options->picture))
        status = write_page(sweep_page, &sweep, page, false, error);
    memory_free(beside);
    if (!status && options->picture)
        status = write_picture(options->picture, plot, &sweep, error);
    sweep_free(&sweep);
    return status;
}

static enum status report_histories(const struct report_options *options, struct error *error)
{
    struct histories histories;
    const char *csv = options->sources[0];
    const struct plot *plot =
        options->of ? plot_named(plots_of_study, options->of) : &plot_histories;
    if (!plot)
        return error_set(error, STATUS_CONFIG, "--of %s: is for the CSV of a bench, and %s is none",
                         options->of, csv);
    enum status status = histories_read(csv, REPORT_CURVES, &histories, error);
    if (status)
        return status;
    histories_print(stdout, &histories);
    char *beside = page_beside(csv, error);
    status = beside ? STATUS_OK : STATUS_MEMORY;
    if (!status && (options->output || !options->picture))
        status = write_page(histories_page, &histories, options->output ? options->output : beside,
                            false, error);
    memory_free(beside);
    if (!status && options->picture)
        status = write_picture(options->picture, plot, &histories.study, error);
    if (!status && options->plot)
        picture_into_terminal(stdout, plot_columns(), &histories.study);
    histories_free(&histories);
    return status;
}

static bool is_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISDIR(info.st_mode);
}

static enum status report(const struct report_options *options, struct error *error)
{
    for (int k = 0; k < options->sources_count; k++)
        if (is_file(options->sources[k]))
            return options->sources_count == 1
                       ? (histories_is(options->sources[k]) ? report_histories
                                                            : report_bench)(options, error)
                       : error_set(error, STATUS_CONFIG,
                                   "%s: is a file, and report takes one CSV at a time",
                                   options->sources[k]);
    return report_studies(options, error);
}

static enum status run(int argc, char *argv[], bool *good, struct error *error)
{
    struct report_options options;
    enum status status = report_options_parse(argc, argv, &options, error);
    (void)good;
    if (!status)
        status = report(&options, error);
    report_options_free(&options);
    return status;
}

const struct command command_report = {
    .name = "report",
    .usage = {{"report [options] DIR... | FILE.csv", "make the page of pictures"}},
    .about = "Make, or make again, the page of pictures of one or more studies, or of a bench of "
             "many matrices, from their files; or show how the residual histories of any solver "
             "differ from run to run. Their CSV has the columns run, iteration (from 0) and "
             "residual (all 17 digits); a column kernel names the solver where there are several.",
    .options = report_options_table,
    .good = "the page is written",
    .examples = {{"the page of a run", "report results/quickstart"},
                 {"two runs side by side", "report --output both.html results/A results/B"},
                 {"the histories that another solver wrote", "report theirs.csv"},
                 {"one picture", "report --picture ulps.svg --of ulps results/quickstart"}},
    .run = run,
};

enum status report_after_study(const struct output_settings *output, bool quiet,
                               struct error *error)
{
    const char *const directories[] = {output->directory};
    bool wants_page = output->report == SWITCH_ON || (output->report == SWITCH_UNSET && !quiet);
    if (!wants_page)
        return STATUS_OK;
    struct report report;
    enum status status = report_read(directories, 1, &report, error);
    if (status)
        return status;
    status = write_page_in(&report, directories[0], NULL, quiet, error);
    report_free(&report);
    return status;
}
