#include "report/picture.h"

#include "io/text_file.h"
#include "report/gnuplot.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { TERMINAL_ROWS = 18 };

/* What gnuplot makes of `set terminal ...` and the script behind it. */
static enum status draw(const char *terminal, void (*script)(FILE *, const void *), const void *of,
                        char **output, size_t *length, struct error *error)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (memory) {
        fprintf(memory, "set terminal %s\n", terminal);
        script(memory, of);
    }
    enum status status = STATUS_OK;
    if (!memory || fclose(memory) != 0)
        status = error_set(error, STATUS_MEMORY, "out of memory: a script for gnuplot");
    else
        status = gnuplot_run(text, size, output, length, error);
    free(text);
    return status;
}

/* --- into the page ------------------------------------------------------------------------------ */

/* Where an id of gnuplot's own is defined or referred to: how many characters stand before it. 0 elsewhere. */
static size_t reference_length(const char *at)
{
    static const char *const heads[] = {"id='", "href='#", "id=\""};
    for (size_t k = 0; k < sizeof heads / sizeof *heads; k++) {
        size_t length = strlen(heads[k]);
        if (strncmp(at, heads[k], length) == 0 &&
            (strncmp(at + length, "gp", 2) == 0 || strncmp(at + length, "gnuplot_", 8) == 0))
            return length;
    }
    return 0;
}

/* The picture with the prefix before every id, so that several in one page have none in common. */
static void write_body(FILE *page, const char *svg, const char *prefix)
{
    bool in_tag = false;
    for (const char *at = svg; *at;) {
        in_tag = *at == '<' || (in_tag && *at != '>');
        size_t length = in_tag ? reference_length(at) : 0;
        if (length > 0)
            fprintf(page, "%.*s%s-", (int)length, at, prefix);
        else
            fputc(*at, page);
        at += length > 0 ? length : 1;
    }
}

enum status picture_into_page(FILE *page, const struct drawing *drawing, const char *prefix,
                              struct error *error)
{
    char terminal[160], *svg = NULL;
    size_t length = 0;
    snprintf(terminal, sizeof terminal, "svg size %d,%d dynamic enhanced font 'sans-serif,13'",
             PLOT_WIDTH, drawing->height);
    enum status status = draw(terminal, drawing->script, drawing->of, &svg, &length, error);
    if (status)
        return status;
    const char *body = strstr(svg, "</desc>");
    if (!body)
        status = error_set(error, STATUS_OUTPUT, "gnuplot wrote no SVG");
    else {
        fprintf(
            page,
            "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-labelledby=\"%s-title\" "
            "xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\">\n"
            "<title id=\"%s-title\">%s</title>\n",
            PLOT_WIDTH, drawing->height, prefix, prefix, drawing->title);
        write_body(page, body + strlen("</desc>"), prefix);
    }
    free(svg);
    return status;
}

/* --- a file of its own -------------------------------------------------------------------------- */

static const struct {
    const char *ending, *terminal;
} kinds[] = {
    {".pdf", "pdfcairo size 18cm,%.1fcm font 'sans-serif,11' background 'white'"},
    {".png", "pngcairo size 1800,%.0f fontscale 2 linewidth 2 pointscale 2 background 'white'"},
    {".svg", "svg size 900,%.0f dynamic font 'sans-serif,13' background 'white'"},
};

/* The place in `kinds` of what the file's name ends with, or -1. */
static int kind_of(const char *path)
{
    const char *ending = strrchr(path, '.');
    for (int k = 0; ending && k < (int)(sizeof kinds / sizeof *kinds); k++)
        if (strcmp(ending, kinds[k].ending) == 0)
            return k;
    return -1;
}

bool picture_is_known(const char *path)
{
    return kind_of(path) >= 0;
}

enum status picture_into_file(const char *path, const struct drawing *drawing, struct error *error)
{
    static const double widths[] = {18, 1800, 900}; /* of kinds */
    char terminal[160], *picture = NULL;
    size_t length = 0;
    int kind = kind_of(path);
    if (drawing->missing)
        return error_set(error, STATUS_OUTPUT, "%s: %s", path, drawing->missing);
    snprintf(terminal, sizeof terminal, kinds[kind].terminal,
             widths[kind] * drawing->height / PLOT_WIDTH);
    enum status status = draw(terminal, drawing->script, drawing->of, &picture, &length, error);
    if (!status)
        status = text_file_whole_at(path, picture, length, error);
    free(picture);
    return status;
}

/* --- onto a terminal ---------------------------------------------------------------------------- */

static void histories_in_text(FILE *script, const void *of)
{
    const struct plot_of *it = of;
    plot_histories_in_text(script, it->study, it->axes);
}

enum status picture_into_terminal(FILE *stream, int columns, const struct recorded *study,
                                  const struct plot_axes *axes, struct error *error)
{
    char terminal[80], *text = NULL;
    size_t length = 0;
    snprintf(terminal, sizeof terminal, "dumb size %d,%d mono noenhanced", columns, TERMINAL_ROWS);
    const struct plot_of of = {&plot_histories, study, axes};
    enum status status = draw(terminal, histories_in_text, &of, &text, &length, error);
    if (!status)
        fwrite(text, 1, length, stream);
    free(text);
    return status;
}
