#include "program/report/page.h"

#include "io/text_file.h"
#include "program/report/picture.h"
#include "program/report/text.h"

#include <stdlib.h>

static void write_missing(FILE *page, const char *why)
{
    fputs("<p class=\"missing\">", page);
    html_text(page, why);
    fputs("</p>\n", page);
}

void page_figures(FILE *page, const struct plot *const *plots, const void *of)
{
    for (; *plots; plots++) {
        const char *missing = (*plots)->missing ? (*plots)->missing(of) : NULL;
        if (missing && (*plots)->optional)
            continue;
        fprintf(page, "<figure>\n<h3>%s</h3>\n", plot_title(*plots, of));
        if (missing)
            write_missing(page, missing);
        else { /* for a broad screen and for a narrow one */
            picture_write(page, *plots, of, CANVAS_DESK);
            picture_write(page, *plots, of, CANVAS_PHONE);
            fputs("<figcaption>", page);
            (*plots)->caption(page, of);
            fputs("</figcaption>\n", page);
        }
        fputs("</figure>\n", page);
    }
}

static void write_link(FILE *page, const struct recorded *study, bool beside, const char *name)
{
    if (beside) {
        fprintf(page, "<a href=\"%s\">%s</a>", name, name);
        return;
    }
    fputs("<code>", page);
    html_text(page, study->directory);
    fprintf(page, "/%s</code>", name);
}

static void write_files(FILE *page, const struct recorded *study, bool beside)
{
    static const char *const files[][2] = {
        {"summary.json", "all figures of the table, and of each run"},
        {"history.csv", "every residual of every run"},
        {"envelope.csv", "the lowest, median and highest residual of each iteration"},
        {"settings.cfg", "the settings, below"}};
    fputs("<section>\n<h3>Files</h3>\n<dl>\n", page);
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        if ((k == 2 && !study->has_envelope) || (k == 3 && !*study->settings))
            continue;
        fputs("<dt>", page);
        write_link(page, study, beside, files[k][0]);
        fprintf(page, "</dt><dd>%s</dd>\n", files[k][1]);
    }
    fputs("</dl>\n</section>\n", page);
}

static void write_settings(FILE *page, const struct recorded *study)
{
    fputs("<section>\n<h3>Settings</h3>\n", page);
    if (*study->settings) {
        fputs("<pre>", page);
        html_text(page, study->settings);
        fputs("</pre>\n", page);
    } else
        write_missing(page, "There is no settings.cfg.");
    fputs("</section>\n", page);
}

static void begin_article(FILE *page, const struct report *report, const struct recorded *study)
{
    fputs("<article>\n", page);
    if (report->count == 1)
        return;
    fputs("<h2>", page);
    html_text(page, study->directory);
    fputs("</h2>\n", page);
}

static void write_study(FILE *page, const struct report *report, int s)
{
    const struct recorded *study = &report->studies[s];
    begin_article(page, report, study);
    page_problem(page, &study->summary);
    page_verdict(page, study);
    page_figures(page, plots_of_study, study);
    fputs("<section>\n<h3>From run to run</h3>\n", page);
    page_words(page, &study->summary);
    fputs("</section>\n</article>\n", page);
}

static void write_facts(FILE *page, const struct report *report, int s)
{
    const struct recorded *study = &report->studies[s];
    begin_article(page, report, study);
    page_facts(page, &study->summary);
    write_files(page, study, report->beside);
    write_settings(page, study);
    fputs("</article>\n", page);
}

void page_begin(FILE *page, const char *title, const char *from)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
          "<meta name=\"color-scheme\" content=\"light dark\"/>\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "style-src 'unsafe-inline'; script-src 'unsafe-inline'\"/>\n<title>",
          page);
    html_text(page, title);
    if (from) {
        fputs(" (", page);
        html_text(page, from);
        fputs(")", page);
    }
    fputs(" - cgsolve</title>\n<style>\n", page);
    page_style(page);
    fputs("</style>\n</head>\n<body>\n<header>\n<h1>", page);
    html_text(page, title);
    fputs("</h1>\n</header>\n<main>\n", page);
}

void page_end(FILE *page, const char *made_of)
{
    fprintf(page,
            "</main>\n<footer>\n<p>Made by cgsolve " CGSOLVE_VERSION
            " of %s</p>\n</footer>\n<script>\n//<![CDATA[\n",
            made_of);
    page_script(page);
    fputs("//]]>\n</script>\n</body>\n</html>\n", page);
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
    fprintf(page, "<div class=\"%s\">\n", columns);
    for (int s = 0; s < count; s++)
        write_study(page, report, s);
    fputs("</div>\n", page);
    page_table(page, report->studies, count);
    fprintf(page, "<div class=\"%s\">\n", columns);
    for (int s = 0; s < count; s++)
        write_facts(page, report, s);
    fputs("</div>\n", page);
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
