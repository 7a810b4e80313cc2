#include "program/report/picture.h"

#include "io/text_file.h"
#include "program/report/gnuplot.h"
#include "program/report/text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { TERMINAL_ROWS = 16 }; /* and those of the key */

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

/* --- an SVG whose elements have names --------------------------------------------------------- */

/* Where an id of gnuplot's own is defined or referred to: how many characters stand before it. 0
 * elsewhere. */
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

/* What plot_draw printed of an element: "curve 0 atomics, run 1". Gives back the line behind it, or
 * NULL when no line is left. */
static const char *next_name(const char *line, char kind[16], int *kernel, const char **name,
                             int *length)
{
    int begin = 0;
    if (!line || sscanf(line, "%15s %d%n", kind, kernel, &begin) != 2 || line[begin] != ' ')
        return NULL;
    *name = line + begin + 1;
    *length = (int)strcspn(*name, "\n");
    return (*name)[*length] ? *name + *length + 1 : NULL;
}

/* gnuplot's title of an element becomes what the element is, and its group tells the same. `at`
 * stands at the group's tag; gives back what is behind the title. */
static const char *write_element(FILE *page, const char *at, const char **names, const char *prefix)
{
    static const char tag[] = "<g id=\"", opens[] = "<title>", closes[] = "</title>";
    const char *id = at + strlen(tag), *tag_end = strchr(at, '>'), *name = "", *end;
    char kind[16] = "none", *text;
    int kernel = -1, length = 0;
    const char *rest = next_name(*names, kind, &kernel, &name, &length);
    bool is_named = rest || length > 0 || kernel >= 0;
    *names = rest;
    fprintf(page, "<g id=\"%s%.*s\"", prefix, (int)strcspn(id, "\""), id);
    if (is_named && kernel >= 0)
        fprintf(page, " class=\"%s\" data-kernel=\"%d\"", kind, kernel);
    fputs(">", page);
    at = tag_end + 1;
    if (strncmp(at, opens, strlen(opens)) != 0 || !(end = strstr(at, closes)))
        return at;
    text = kernel >= 0 ? strndup(name, (size_t)length) : NULL;
    if (text) {
        fputs(opens, page);
        html_text(page, text);
        fputs(closes, page);
    }
    free(text);
    return end + strlen(closes);
}

/* The picture with the prefix before every id, so that several in one page have none in common. */
static void write_body(FILE *page, const char *svg, const char *end, const char *names,
                       const char *prefix)
{
    bool in_tag = false;
    for (const char *at = svg; at < end;) {
        if (strncmp(at, "<g id=\"gnuplot_plot_", 20) == 0) {
            at = write_element(page, at, &names, prefix);
            in_tag = false;
            continue;
        }
        bool in_text = *at == '>' && !in_tag; /* gnuplot leaves it, and ]]> is no XML */
        in_tag = *at == '<' || (in_tag && *at != '>');
        size_t length = in_tag ? reference_length(at) : 0;
        if (length > 0)
            fprintf(page, "%.*s%s", (int)length, at, prefix);
        else if (in_text)
            fputs("&gt;", page);
        else
            fputc(*at, page);
        at += length > 0 ? length : 1;
    }
}

/* Where gnuplot's SVG ends; behind it stand the lines that plot_draw printed: *names, or NULL. */
static const char *svg_end(const char *svg, const char **names)
{
    static const char closes[] = "</svg>";
    const char *end = strstr(svg, closes);
    if (!end)
        return NULL;
    end += strlen(closes);
    *names = end + strspn(end, "\n");
    return end;
}

/* --- into the page ---------------------------------------------------------------------------- */

/* Where the picture's axes are, for the page's script: pixels and values, and what the axes
 * show. */
static void write_panel(FILE *page, const char *names)
{
    static const char head[] = "panel ";
    for (const char *line = names; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, head, strlen(head)) != 0)
            continue;
        const char *numbers = line + strlen(head), *x = strchr(numbers, '|');
        const char *y = x ? strchr(x + 1, '|') : NULL;
        if (y)
            fprintf(page, " data-panel=\"%.*s\" data-x=\"%.*s\" data-y=\"%.*s\"",
                    (int)(x - numbers), numbers, (int)(y - x - 1), x + 1, (int)strcspn(y + 1, "\n"),
                    y + 1);
        return;
    }
}

enum status picture_into_page(FILE *page, const struct drawing *drawing, int width, int height,
                              const char *prefix, struct error *error)
{
    char terminal[160], ids[60], *svg = NULL;
    size_t length = 0;
    snprintf(terminal, sizeof terminal, "svg size %d,%d dynamic enhanced font 'sans-serif,14'%s",
             width, height, width < PLOT_WIDTH ? "\nnarrow = 1" : "");
    enum status status = draw(terminal, drawing->script, drawing->of, &svg, &length, error);
    if (status)
        return status;
    const char *body = strstr(svg, "</desc>"), *names = NULL;
    const char *end = body ? svg_end(body, &names) : NULL;
    if (!end)
        status = error_set(error, STATUS_OUTPUT, "gnuplot wrote no SVG");
    else {
        fprintf(page,
                "<svg%s viewBox=\"0 0 %d %d\" role=\"img\" aria-labelledby=\"%s-title\" "
                "xmlns=\"http://www.w3.org/2000/svg\" "
                "xmlns:xlink=\"http://www.w3.org/1999/xlink\"",
                width < PLOT_WIDTH ? " class=\"narrow\"" : "", width, height, prefix);
        write_panel(page, names);
        /* no <title> of the whole, which a browser would show wherever the pointer is */
        fprintf(page, ">\n<desc id=\"%s-title\">%s</desc>\n", prefix, drawing->title);
        snprintf(ids, sizeof ids, "%s-", prefix);
        write_body(page, body + strlen("</desc>"), end, names, ids);
        fputs("\n", page);
    }
    free(svg);
    return status;
}

/* --- a file of its own ------------------------------------------------------------------------ */

static const struct {
    const char *ending, *terminal;
} kinds[] = {
    {".pdf", "pdfcairo size 18cm,%.1fcm font 'sans-serif,11' background 'white'"},
    {".png", "pngcairo size 1800,%.0f fontscale 2 linewidth 2 pointscale 2 background 'white'"},
    {".svg", "svg size 900,%.0f dynamic font 'sans-serif,14' background 'white'"},
};
enum { SVG = 2 };

/* The same SVG, with the names of its elements in place. */
static enum status name_elements(char **picture, size_t *length, struct error *error)
{
    char *named = NULL;
    size_t size = 0;
    const char *names = NULL, *end = svg_end(*picture, &names);
    if (!end)
        return error_set(error, STATUS_OUTPUT, "gnuplot wrote no SVG");
    FILE *memory = open_memstream(&named, &size);
    if (memory) {
        write_body(memory, *picture, end, names, "");
        fputs("\n", memory);
    }
    if (!memory || fclose(memory) != 0) {
        free(named);
        return error_set(error, STATUS_MEMORY, "out of memory: a picture");
    }
    free(*picture);
    *picture = named;
    *length = size;
    return STATUS_OK;
}

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
    if (kind < 0)
        return error_set(error, STATUS_OUTPUT, "%s: ends with no .pdf, .png or .svg", path);
    if (drawing->missing)
        return error_set(error, STATUS_OUTPUT, "%s: %s", path, drawing->missing);
    snprintf(terminal, sizeof terminal, kinds[kind].terminal,
             widths[kind] * drawing->height / PLOT_WIDTH);
    enum status status = draw(terminal, drawing->script, drawing->of, &picture, &length, error);
    if (!status && kind == SVG)
        status = name_elements(&picture, &length, error);
    if (!status)
        status = text_file_whole_at(path, picture, length, error);
    free(picture);
    return status;
}

/* --- onto a terminal -------------------------------------------------------------------------- */

struct histories_in_text {
    const struct recorded *study;
    const struct plot_axes *axes;
    int labels; /* in a line of the key */
};

static void histories_in_text(FILE *script, const void *of)
{
    const struct histories_in_text *it = of;
    plot_histories_in_text(script, it->study, it->axes, it->labels);
}

enum status picture_into_terminal(FILE *stream, int columns, const struct recorded *study,
                                  const struct plot_axes *axes, struct error *error)
{
    char terminal[80], *text = NULL;
    size_t length = 0;
    int labels = plot_text_labels(study, columns);
    int lines = (study->summary.kernels_count + labels - 1) / labels;
    snprintf(terminal, sizeof terminal, "dumb size %d,%d mono noenhanced", columns,
             TERMINAL_ROWS + lines);
    const struct histories_in_text of = {study, axes, labels};
    enum status status = draw(terminal, histories_in_text, &of, &text, &length, error);
    size_t feed = !status && *text == '\f'; /* gnuplot's new page */
    if (!status)
        fwrite(text + feed, 1, length - feed, stream);
    free(text);
    return status;
}
