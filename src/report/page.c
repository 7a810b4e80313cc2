#include "report/page.h"

#include "base/memory.h"
#include "io/text_file.h"
#include "report/picture.h"
#include "report/text.h"

#include <stdlib.h>

static void write_missing(FILE *page, const char *why)
{
    fputs("<p class=\"missing\">", page);
    html_text(page, why);
    fputs("</p>\n", page);
}

/* Drawn aside, so that a picture that fails leaves nothing of itself in the page. */
static enum status write_picture(FILE *page, const struct drawing *drawing, const char *prefix,
                                 struct error *missing, struct error *error)
{
    char *svg = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&svg, &length);
    enum status status =
        memory ? picture_into_page(memory, drawing, prefix, missing) : STATUS_MEMORY;
    if (!memory || fclose(memory) != 0 || status == STATUS_MEMORY)
        status = error_set(error, STATUS_MEMORY, "out of memory: a picture of the page");
    else if (status) {
        fputs("<p class=\"missing\">Not drawn: ", page);
        html_text(page, missing->text);
        fputs(".</p>\n", page);
        status = STATUS_OK;
    } else {
        fwrite(svg, 1, length, page);
        fputs("<figcaption>", page);
        drawing->caption(page, drawing->of);
        fputs("</figcaption>\n", page);
    }
    free(svg);
    return status;
}

enum status page_figure(FILE *page, const struct drawing *drawing, int number,
                        struct error *no_pictures, struct error *error)
{
    char prefix[40];
    enum status status = STATUS_OK;
    snprintf(prefix, sizeof prefix, "%s%d", drawing->name, number);
    fprintf(page, "<figure>\n<h3>%s</h3>\n", drawing->title);
    if (drawing->missing)
        write_missing(page, drawing->missing);
    else
        status = write_picture(page, drawing, prefix, no_pictures, error);
    fputs("</figure>\n", page);
    return status;
}

static enum status write_figures(FILE *page, const struct recorded *study,
                                 const struct plot_axes *axes, int number,
                                 struct error *no_pictures, struct error *error)
{
    enum status status = STATUS_OK;
    for (int k = 0; k < PLOTS && !status; k++) {
        const struct plot_of of = {plots[k], study, axes};
        const struct drawing drawing = plot_drawing(&of);
        if (!drawing.missing || !plots[k]->optional)
            status = page_figure(page, &drawing, number, no_pictures, error);
    }
    return status;
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

static enum status write_study(FILE *page, const struct recorded *study,
                               const struct plot_axes *axes, int number, struct error *no_pictures,
                               struct error *error)
{
    fputs("<article>\n<h2>", page);
    html_text(page, study->directory);
    fputs("</h2>\n", page);
    page_problem(page, &study->summary);
    fputs("<section>\n<h3>From run to run</h3>\n", page);
    page_words(page, &study->summary);
    fputs("</section>\n", page);
    enum status status = write_figures(page, study, axes, number, no_pictures, error);
    page_facts(page, &study->summary);
    write_settings(page, study);
    fputs("</article>\n", page);
    return status;
}

void page_begin(FILE *page, const char *heading, const char *const *names, int count)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
          "<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>cgsolve: ",
          page);
    for (int k = 0; k < count; k++) {
        fputs(k ? ", " : "", page);
        html_text(page, names[k]);
    }
    fprintf(page,
            "</title>\n<style>\n%s</style>\n</head>\n<body>\n<header>\n<h1>%s</h1>\n</header>\n"
            "<main>\n",
            page_style, heading);
}

void page_end(FILE *page, const char *made_of)
{
    fprintf(page,
            "</main>\n<footer>\n<p>Made by cgsolve " CGSOLVE_VERSION
            " of %s</p>\n</footer>\n</body>\n</html>\n",
            made_of);
}

enum status page_write(FILE *page, const void *of, struct error *no_pictures, struct error *error)
{
    const struct report *report = of;
    const struct recorded *studies = report->studies;
    int count = report->count;
    enum status status = STATUS_OK;
    const char **names = memory_array(count, sizeof *names, "the directories", error);
    if (!names)
        return STATUS_MEMORY;
    for (int s = 0; s < count; s++)
        names[s] = studies[s].directory;
    no_pictures->text[0] = '\0';
    page_begin(page, count > 1 ? "Studies side by side" : "A study of kernels", names, count);
    memory_free(names);
    page_table(page, studies, count);
    fprintf(page, "<div class=\"%s\">\n", count > 1 ? "studies" : "study");
    for (int s = 0; s < count && !status; s++)
        status = write_study(page, &studies[s], &report->axes[s], s + 1, no_pictures, error);
    fputs("</div>\n", page);
    page_end(page,
             "settings.cfg, history.csv, summary.json and, where it is, envelope.csv. What the "
             "columns mean: docs/reading-results.md; the pictures: docs/report.md.");
    return status;
}

enum status page_into_file(const char *path, page_writer *write, const void *of,
                           struct error *no_pictures, struct error *error)
{
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    enum status status = memory ? write(memory, of, no_pictures, error)
                                : error_set(error, STATUS_MEMORY, "out of memory: %s", path);
    if (memory && fclose(memory) != 0 && !status)
        status = error_set(error, STATUS_MEMORY, "out of memory: %s", path);
    if (!status)
        status = text_file_whole_at(path, text, length, error);
    free(text);
    return status;
}
