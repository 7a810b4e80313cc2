#include "program/report/page.h"

#include "base/memory.h"
#include "io/text_file.h"
#include "program/report/text.h"

#include <stdlib.h>

/* The style sheet and the script: the Makefile makes texts of C of their lines. */
static const char *const style[] = {
#include "program/report/page.css.inc"
    NULL};

static const char *const script[] = {
#include "program/report/page.js.inc"
    NULL};

static void write_lines(FILE *page, const char *const *lines)
{
    for (; *lines; lines++)
        fputs(*lines, page);
}

static void write_missing(FILE *page, const char *why)
{
    html_print(page, "<p class=\"missing\">%s</p>\n", why);
}

void page_figures(FILE *page, const struct plot *const *plots, const void *of)
{
    for (; *plots; plots++) {
        const char *missing = (*plots)->missing ? (*plots)->missing(of) : NULL;
        if (missing && (*plots)->optional)
            continue;
        html_print(page, "<figure>\n<h3>%s</h3>\n", plot_title(*plots, of));
        if (missing)
            write_missing(page, missing);
        else { /* for a broad screen and for a narrow one */
            picture_write(page, *plots, of, CANVAS_DESK);
            picture_write(page, *plots, of, CANVAS_PHONE);
            html_print(page, "<figcaption>");
            (*plots)->caption(page, of);
            html_print(page, "</figcaption>\n");
        }
        html_print(page, "</figure>\n");
    }
}

static void write_files(FILE *page, const struct recorded *study, bool beside)
{
    static const char *const files[][2] = {
        {"summary.json", "all figures of the table, and of each run"},
        {"history.csv", "every residual of every run"},
        {"envelope.csv", "the lowest, median and highest residual of each iteration"},
        {"settings.cfg", "the settings, below"}};
    html_print(page, "<section>\n<h3>Files</h3>\n<dl>\n");
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        const char *name = files[k][0];
        if ((k == 2 && !study->has_envelope) || (k == 3 && !study->settings))
            continue;
        if (beside)
            html_print(page, "<dt><a href=\"%s\">%s</a>", name, name);
        else
            html_print(page, "<dt><code>%s/%s</code>", study->directory, name);
        html_print(page, "</dt><dd>%s</dd>\n", files[k][1]);
    }
    html_print(page, "</dl>\n</section>\n");
}

static void write_settings(FILE *page, const struct recorded *study)
{
    html_print(page, "<section>\n<h3>Settings</h3>\n");
    if (study->settings)
        html_print(page, "<pre>%s</pre>\n", study->settings);
    else
        write_missing(page, "There is no settings.cfg.");
    html_print(page, "</section>\n");
}

static void begin_article(FILE *page, const struct report *report, const struct recorded *study)
{
    html_print(page, "<article>\n");
    if (report->count > 1)
        html_print(page, "<h2>%s</h2>\n", study->directory);
}

static void write_study(FILE *page, const struct report *report, int s)
{
    const struct recorded *study = &report->studies[s];
    begin_article(page, report, study);
    page_problem(page, &study->summary);
    page_verdict(page, study);
    page_figures(page, plots_of_study, study);
    html_print(page, "<section>\n<h3>From run to run</h3>\n");
    page_words(page, &study->summary);
    html_print(page, "</section>\n</article>\n");
}

static void write_facts(FILE *page, const struct report *report, int s)
{
    const struct recorded *study = &report->studies[s];
    begin_article(page, report, study);
    page_facts(page, &study->summary);
    write_files(page, study, report->beside);
    write_settings(page, study);
    html_print(page, "</article>\n");
}

void page_begin(FILE *page, const char *title, const char *from)
{
    html_print(page,
               "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
               "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
               "<meta name=\"color-scheme\" content=\"light dark\"/>\n"
               "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
               "style-src 'unsafe-inline'; script-src 'unsafe-inline'\"/>\n<title>%s",
               title);
    if (from)
        html_print(page, " (%s)", from);
    html_print(page, " - cgsolve</title>\n<style>\n");
    write_lines(page, style);
    html_print(page, "</style>\n</head>\n<body>\n<header>\n<h1>%s</h1>\n</header>\n<main>\n",
               title);
}

void page_end(FILE *page, const char *made_of)
{
    html_print(page,
               "</main>\n<footer>\n<p>Made by cgsolve " CGSOLVE_VERSION
               " of %s</p>\n</footer>\n<script>\n//<![CDATA[\n",
               made_of);
    write_lines(page, script);
    html_print(page, "//]]>\n</script>\n</body>\n</html>\n");
}

enum status page_write(FILE *page, const void *of, struct error *error)
{
    const struct report *report = of;
    int count = report->count;
    const char *columns = count > 1 ? "studies" : "study";
    char *title = page_title(report->studies, count);
    if (!title)
        return error_set(error, STATUS_MEMORY, "out of memory: the title of the page");
    page_begin(page, title, count > 1 ? NULL : report->studies[0].directory);
    free(title);
    html_print(page, "<div class=\"%s\">\n", columns);
    for (int s = 0; s < count; s++)
        write_study(page, report, s);
    html_print(page, "</div>\n");
    page_table(page, report->studies, count);
    html_print(page, "<div class=\"%s\">\n", columns);
    for (int s = 0; s < count; s++)
        write_facts(page, report, s);
    html_print(page, "</div>\n");
    page_end(page,
             "the files above. In cgsolve's repository, docs/reading-results.md says what the "
             "columns mean, docs/report.md how to read the pictures.");
    return STATUS_OK;
}

enum status page_into_file(const char *path, page_writer *write, const void *of,
                           struct error *error)
{
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    enum status status = memory ? write(memory, of, error)
                                : error_set(error, STATUS_MEMORY, "out of memory: %s", path);
    if (memory && fclose(memory) != 0 && !status)
        status = error_set(error, STATUS_MEMORY, "out of memory: %s", path);
    if (!status)
        status = text_file_whole(NULL, path, text, length, error);
    free(text);
    return status;
}

enum status report_read(const char *const *directories, int count, struct report *report,
                        struct error *error)
{
    *report = (struct report){
        .studies = memory_zeros(count, sizeof *report->studies, "the studies", error),
        .axes = memory_zeros(count, sizeof *report->axes, "the axes", error),
        .count = count};
    enum status status = report->studies && report->axes ? STATUS_OK : STATUS_MEMORY;
    int64_t curves = count < REPORT_CURVES ? REPORT_CURVES / count : 1; /* of each study */
    for (int s = 0; s < count && !status; s++)
        status = recorded_read(directories[s], curves, &report->studies[s], error);
    for (int s = 0; s < count && !status; s++) {
        report->studies[s].axes = &report->axes[s];
        status = plot_axes_make(report->studies, count, s, &report->axes[s], error);
    }
    if (status)
        report_free(report);
    return status;
}

void report_free(struct report *report)
{
    for (int s = 0; s < report->count; s++) {
        if (report->studies)
            recorded_free(&report->studies[s]);
        if (report->axes)
            plot_axes_free(&report->axes[s]);
    }
    memory_free(report->studies);
    memory_free(report->axes);
    *report = (struct report){0};
}
