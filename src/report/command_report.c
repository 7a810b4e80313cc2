#include "report/command_report.h"

#include "base/memory.h"
#include "base/text.h"
#include "io/text_file.h"
#include "report/picture.h"
#include "report/report.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { COLUMNS_LEAST = 72, COLUMNS_MOST = 120, COLUMNS_USUAL = 80 };

/* Of the terminal on the standard output; 0 when there is none. */
static int terminal_columns(void)
{
    struct winsize size;
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
        return 0;
    return size.ws_col;
}

static enum status print_plots(const struct report *report, int columns, struct error *error)
{
    enum status status = STATUS_OK;
    for (int s = 0; s < report->count && !status; s++) {
        const struct recorded *study = &report->studies[s];
        if (plot_histories.missing(study, &report->axes[s]))
            continue;
        if (report->count > 1)
            printf("%s\n", study->directory);
        status = picture_into_terminal(stdout, columns < COLUMNS_MOST ? columns : COLUMNS_MOST,
                                       study, &report->axes[s], error);
    }
    return status;
}

static enum status write_page(const struct report *report, const char *path, bool quiet,
                              struct error *error)
{
    struct error no_pictures;
    char shown[1024];
    enum status status = report_page(report, path, &no_pictures, error);
    if (status)
        return status;
    shown_text(path, shown, sizeof shown);
    if (*no_pictures.text) {
        fflush(stdout);
        fprintf(stderr, "cgsolve: warning: %s has no pictures: %s\n", shown, no_pictures.text);
    }
    if (!quiet)
        printf("report    %s\n", shown);
    return STATUS_OK;
}

/* DIRECTORY/report.html when no other path is given. */
static enum status write_page_in(const struct report *report, const char *directory,
                                 const char *path, bool quiet, struct error *error)
{
    if (path)
        return write_page(report, path, quiet, error);
    char *made = path_join(directory, "report.html", error);
    enum status status = made ? write_page(report, made, quiet, error) : STATUS_MEMORY;
    memory_free(made);
    return status;
}

enum status command_report(const struct report_options *options, struct error *error)
{
    struct report report;
    char shown[1024];
    enum status status =
        report_read(options->directories, options->directories_count, &report, error);
    if (status)
        return status;
    int columns = terminal_columns();
    status = write_page_in(&report, options->directories[0], options->output, false, error);
    if (!status && options->picture) {
        const struct plot_of of = {options->of ? options->of : &plot_histories, &report.studies[0],
                                   &report.axes[0]};
        const struct drawing drawing = plot_drawing(&of);
        status = picture_into_file(options->picture, &drawing, error);
    }
    if (!status && options->picture)
        printf("picture   %s\n", shown_text(options->picture, shown, sizeof shown));
    if (!status && options->plot)
        status = print_plots(&report, columns >= COLUMNS_LEAST ? columns : COLUMNS_USUAL, error);
    report_free(&report);
    return status;
}

enum status report_after_study(const struct settings *settings, bool quiet, struct error *error)
{
    const char *const directories[] = {settings->output_directory};
    bool wants_page = settings->report == SWITCH_ON || (settings->report == SWITCH_UNSET && !quiet);
    int columns = quiet ? 0 : terminal_columns();
    if (!wants_page && columns < COLUMNS_LEAST)
        return STATUS_OK;
    struct report report;
    struct error no_plot;
    enum status status = report_read(directories, 1, &report, error);
    if (status)
        return status;
    if (columns >= COLUMNS_LEAST && print_plots(&report, columns, &no_plot) != STATUS_OK)
        printf("no plot of the residual histories: %s\n", no_plot.text);
    if (wants_page)
        status = write_page_in(&report, directories[0], NULL, quiet, error);
    report_free(&report);
    return status;
}
