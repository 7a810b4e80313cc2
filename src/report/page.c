#include "report/page.h"

#include "report/picture.h"
#include "report/text.h"

#include <stdlib.h>

/* What is the same for all pictures of a study. */
struct pictures {
    FILE *page;
    const struct plot_axes *axes;
    struct error *missing; /* why there are none */
    struct error *error;
};

static void write_missing(FILE *page, const char *why)
{
    fputs("<p class=\"missing\">", page);
    html_text(page, why);
    fputs("</p>\n", page);
}

/* Drawn aside, so that a picture that fails leaves nothing of itself in the page. */
static enum status write_picture(const struct pictures *pictures, const struct plot *plot,
                                 const char *prefix, const struct recorded *study)
{
    char *svg = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&svg, &length);
    enum status status =
        memory ? picture_into_page(memory, plot, prefix, study, pictures->axes, pictures->missing)
               : STATUS_MEMORY;
    if (!memory || fclose(memory) != 0 || status == STATUS_MEMORY)
        status = error_set(pictures->error, STATUS_MEMORY, "out of memory: a picture of the page");
    else if (status) {
        fputs("<p class=\"missing\">Not drawn: ", pictures->page);
        html_text(pictures->page, pictures->missing->text);
        fputs(".</p>\n", pictures->page);
        status = STATUS_OK;
    } else {
        fwrite(svg, 1, length, pictures->page);
        fputs("<figcaption>", pictures->page);
        plot->caption(pictures->page, study, pictures->axes);
        fputs("</figcaption>\n", pictures->page);
    }
    free(svg);
    return status;
}

static enum status write_figure(const struct pictures *pictures, const struct plot *plot,
                                const struct recorded *study, int number)
{
    char prefix[40];
    enum status status = STATUS_OK;
    const char *missing = plot->missing(study, pictures->axes);
    if (missing && plot->optional)
        return STATUS_OK;
    snprintf(prefix, sizeof prefix, "%s%d", plot->name, number);
    fprintf(pictures->page, "<figure>\n<h3>%s</h3>\n", plot->title);
    if (missing)
        write_missing(pictures->page, missing);
    else
        status = write_picture(pictures, plot, prefix, study);
    fputs("</figure>\n", pictures->page);
    return status;
}

static enum status write_figures(const struct pictures *pictures, const struct recorded *study,
                                 int number)
{
    enum status status = STATUS_OK;
    for (int k = 0; k < PLOTS && !status; k++)
        status = write_figure(pictures, plots[k], study, number);
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

static enum status write_study(const struct pictures *pictures, const struct recorded *study,
                               int number)
{
    FILE *page = pictures->page;
    fputs("<article>\n<h2>", page);
    html_text(page, study->directory);
    fputs("</h2>\n", page);
    page_problem(page, &study->summary);
    fputs("<section>\n<h3>From run to run</h3>\n", page);
    page_words(page, &study->summary);
    fputs("</section>\n", page);
    enum status status = write_figures(pictures, study, number);
    page_facts(page, &study->summary);
    write_settings(page, study);
    fputs("</article>\n", page);
    return status;
}

static void write_head(FILE *page, const struct recorded *studies, int count)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
          "<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>cgsolve: ",
          page);
    for (int s = 0; s < count; s++) {
        fputs(s ? ", " : "", page);
        html_text(page, studies[s].directory);
    }
    fprintf(page, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<header>\n<h1>", page_style);
    fputs(count > 1 ? "Studies side by side" : "A study of kernels", page);
    fputs("</h1>\n</header>\n<main>\n", page);
}

enum status page_write(FILE *page, const struct recorded *studies, int count,
                       const struct plot_axes *axes, struct error *no_pictures, struct error *error)
{
    enum status status = STATUS_OK;
    no_pictures->text[0] = '\0';
    write_head(page, studies, count);
    page_table(page, studies, count);
    fprintf(page, "<div class=\"%s\">\n", count > 1 ? "studies" : "study");
    for (int s = 0; s < count && !status; s++) {
        struct pictures pictures = {page, &axes[s], no_pictures, error};
        status = write_study(&pictures, &studies[s], s + 1);
    }
    fputs("</div>\n</main>\n<footer>\n<p>Made by cgsolve " CGSOLVE_VERSION
          " of settings.cfg, history.csv, summary.json and, where it is, envelope.csv. "
          "What the columns mean: docs/reading-results.md; the pictures: docs/report.md.</p>\n"
          "</footer>\n</body>\n</html>\n",
          page);
    return status;
}
