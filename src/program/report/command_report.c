#include "program/report/command_report.h"

#include "base/memory.h"
#include "base/text.h"
#include "io/text_file.h"
#include "program/record/results.h"
#include "program/report/histories.h"
#include "program/report/page.h"
#include "program/report/sweep.h"
#include "program/terminal/layout.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- the command line ------------------------------------------------------------------------- */

struct report_options {
    bool plot;
    const char
        *output; /* --output, or NULL: report.html in the only directory, or beside the CSV */
    const char *picture;  /* --picture, or NULL */
    const char *of;       /* --of: the name of a plot, or NULL: the usual one */
    const char **sources; /* directories of results, or a CSV */
    int sources_count;
};

static enum status take_source(void *into, const char *word, struct error *error)
{
    struct report_options *options = into;
    (void)error;
    options->sources[options->sources_count++] = word;
    return STATUS_OK;
}

static const struct command_option options_table[] = {
    {"--output", 0, "FILE", "the page (DIR/report.html, FILE.html); needed with several DIR",
     TAKES_TEXT(struct report_options, output, "a file")},
    {"--picture", 0, "FILE",
     "one picture alone, without the page; the name ends with .pdf, .png or .svg",
     TAKES_TEXT(struct report_options, picture, NULL)},
    {"--of", 0, "NAME",
     "which: histories (the residual histories), last (their end), error, ritz (the Ritz values), "
     "ghosts, counts, ulps, speed or pattern (the matrix before and after reordering); of a "
     "bench's "
     "CSV variation (speed against the variation of the row lengths), profile (on how many "
     "matrices "
     "a kernel is how near to the fastest), roofline (how near to the speed of a copy) or rows "
     "(how long they are)",
     TAKES_TEXT(struct report_options, of, NULL)},
    {"--plot", 0, NULL, "the residual histories on the terminal",
     TAKES_FLAG(struct report_options, plot)},
    OPTION_HELP,
    {0},
};

/* What is missing, or cannot be asked for together. */
static enum status check_together(const struct report_options *options, struct error *error)
{
    int count = options->sources_count;
    const char *of = options->of, *picture = options->picture;
    if (picture && !picture_is_known(picture))
        return error_set(error, STATUS_CONFIG,
                         "--picture %s: wants a file whose name ends with .pdf, .png or .svg",
                         picture);
    if (of && !plot_named(plots_of_study, of) && !plot_named(plots_of_bench, of))
        return error_set(
            error, STATUS_CONFIG,
            "--of %s: wants last, histories, error, ritz, ghosts, counts, ulps, speed or "
            "pattern; of a bench's CSV variation, profile, roofline or rows",
            of);
    if (count == 0)
        return error_set(error, STATUS_CONFIG,
                         "report wants a directory of results, or a CSV file");
    for (int k = 0; k < count; k++)
        if (!*options->sources[k])
            return error_set(error, STATUS_CONFIG, "report wants directories, not ''");
    if (count > 1 && !options->output)
        return error_set(error, STATUS_CONFIG,
                         "report of %d directories wants an --output FILE for their page", count);
    if (of && !picture)
        return error_set(error, STATUS_CONFIG, "--of %s: is for a --picture FILE", of);
    if (count > 1 && picture)
        return error_set(error, STATUS_CONFIG, "--picture %s: is of one directory, not of %d",
                         picture, count);
    return STATUS_OK;
}

/* --- what is made ----------------------------------------------------------------------------- */

/* The only or the usual plot of what the source is, and of no other kind: `is_for`, `is`. */
static enum status choose_plot(const struct report_options *options,
                               const struct plot *const *plots, const struct plot *usual,
                               const char *is_for, const char *is, const struct plot **plot,
                               struct error *error)
{
    *plot = options->of ? plot_named(plots, options->of) : usual;
    return *plot ? STATUS_OK
                 : error_set(error, STATUS_CONFIG, "--of %s: is for %s, and %s is %s", options->of,
                             is_for, options->sources[0], is);
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

/* The page, to the path or where --output says; no page where a picture alone is asked for. And the
 * picture of what is `drawn`. */
static enum status write_asked(const struct report_options *options, page_writer *write,
                               const void *of, const char *path, const struct plot *plot,
                               const void *drawn, struct error *error)
{
    char shown[1024];
    enum status status = STATUS_OK;
    if (options->output || !options->picture)
        status = write_page(write, of, options->output ? options->output : path, false, error);
    if (!status && options->picture) {
        status = picture_into_file(options->picture, plot, drawn, error);
        if (!status)
            printf("picture   %s\n", shown_text(options->picture, shown, sizeof shown));
    }
    return status;
}

static void plot_on_terminal(const struct recorded *study)
{
    enum { LEAST = 72, MOST = 120 };
    int columns = layout_room(stdout);
    columns = columns < LEAST ? LEAST : columns > MOST ? MOST : columns;
    picture_into_terminal(stdout, columns, study);
}

/* --- of studies ------------------------------------------------------------------------------- */

static enum status show_studies(const struct report_options *options, const struct plot *plot,
                                const char *path, struct error *error)
{
    struct report report;
    enum status status = report_read(options->sources, options->sources_count, &report, error);
    if (status)
        return status;
    report.beside = !options->output;
    status = write_asked(options, page_write, &report, path, plot, &report.studies[0], error);
    for (int s = 0; s < report.count && !status && options->plot; s++) {
        const struct recorded *study = &report.studies[s];
        if (plot_histories.missing(study))
            continue;
        if (report.count > 1)
            printf("%s\n", study->directory);
        plot_on_terminal(study);
    }
    report_free(&report);
    return status;
}

/* A study that ends meanwhile would replace what is read, and the page beside it. */
static enum status report_studies(const struct report_options *options, struct error *error)
{
    int lock = -1;
    struct error why;
    const struct plot *plot;
    char *path = path_join(options->sources[0], "report.html", error);
    enum status status = path ? choose_plot(options, plots_of_study, &plot_histories,
                                            "the CSV of a bench", "no file", &plot, error)
                              : STATUS_MEMORY;
    if (!status && !options->output && !options->picture) {
        status = results_lock(options->sources[0], &lock, &why);
        if (status)
            error_set(error, status, "%s; --output FILE writes the page elsewhere", why.text);
    }
    if (!status)
        status = show_studies(options, plot, path, error);
    if (lock >= 0)
        close(lock);
    memory_free(path);
    return status;
}

/* --- of a CSV --------------------------------------------------------------------------------- */

/* bench.html beside bench.csv; the caller calls memory_free. */
static char *page_beside(const char *csv, struct error *error)
{
    size_t length = strlen(csv), size = length + sizeof ".html";
    bool is_csv = length > 4 && strcmp(csv + length - 4, ".csv") == 0;
    char *path = memory_array((int64_t)size, 1, "a path", error);
    if (path)
        snprintf(path, size, "%.*s.html", (int)(is_csv ? length - 4 : length), csv);
    return path;
}

static enum status report_bench(const struct report_options *options, const char *path,
                                struct error *error)
{
    struct sweep sweep;
    const struct plot *plot;
    const char *csv = options->sources[0];
    enum status status = choose_plot(options, plots_of_bench, &sweep_plot_variation,
                                     "a directory of results", "a file", &plot, error);
    if (!status && options->plot)
        status = error_set(error, STATUS_CONFIG,
                           "report --plot: is for a directory of results, and %s is a file", csv);
    if (!status)
        status = sweep_read(csv, &sweep, error);
    if (status)
        return status;
    sweep_print(stdout, &sweep);
    status = write_asked(options, sweep_page, &sweep, path, plot, &sweep, error);
    sweep_free(&sweep);
    return status;
}

static enum status report_histories(const struct report_options *options, const char *path,
                                    struct error *error)
{
    struct histories histories;
    const struct plot *plot;
    enum status status = choose_plot(options, plots_of_study, &plot_histories, "the CSV of a bench",
                                     "none", &plot, error);
    if (!status)
        status = histories_read(options->sources[0], REPORT_CURVES, &histories, error);
    if (status)
        return status;
    histories_print(stdout, &histories);
    status = write_asked(options, histories_page, &histories, path, plot, &histories.study, error);
    if (!status && options->plot)
        plot_on_terminal(&histories.study);
    histories_free(&histories);
    return status;
}

static enum status report_csv(const struct report_options *options, struct error *error)
{
    const char *csv = options->sources[0];
    char *path = page_beside(csv, error);
    enum status status =
        path ? (histories_is(csv) ? report_histories : report_bench)(options, path, error)
             : STATUS_MEMORY;
    memory_free(path);
    return status;
}

static enum status report(const struct report_options *options, struct error *error)
{
    for (int k = 0; k < options->sources_count; k++) {
        struct stat info;
        const char *source = options->sources[k];
        if (stat(source, &info) != 0)
            return error_set(error, STATUS_INPUT,
                             "%s: cannot read: %s; report takes directories of results, or a CSV "
                             "file",
                             source, strerror(errno));
        if (!S_ISDIR(info.st_mode))
            return options->sources_count == 1
                       ? report_csv(options, error)
                       : error_set(error, STATUS_CONFIG,
                                   "%s: is a file, and report takes one CSV at a time", source);
    }
    return report_studies(options, error);
}

static enum status run(int argc, char *argv[], bool *good, struct error *error)
{
    struct report_options options = {
        .sources = memory_array(argc, sizeof *options.sources, "the sources", error)};
    enum status status = options.sources ? STATUS_OK : STATUS_MEMORY;
    (void)good;
    if (!status)
        status = command_parse(&command_report, argc, argv, take_source, &options, error);
    if (!status)
        status = check_together(&options, error);
    if (!status)
        status = report(&options, error);
    memory_free(options.sources);
    return status;
}

const struct command command_report = {
    .name = "report",
    .usage = {{"report [options] DIR... | FILE.csv", "make the page of pictures"}},
    .about = "Make, or make again, the page of pictures of one or more studies, or of a bench of "
             "many matrices, from their files; or show how the residual histories of any solver "
             "differ from run to run. Their CSV has the columns run, iteration (from 0) and "
             "residual (all 17 digits); a column kernel names the solver where there are several.",
    .options = options_table,
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
    char *path = path_join(output->directory, "report.html", error);
    enum status status = path ? report_read(directories, 1, &report, error) : STATUS_MEMORY;
    if (!status) {
        report.beside = true;
        status = write_page(page_write, &report, path, quiet, error);
        report_free(&report);
    }
    memory_free(path);
    return status;
}
