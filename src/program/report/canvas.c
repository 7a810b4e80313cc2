#include "program/report/canvas.h"

#include "program/report/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = 900,
    NARROW = 390,
    MARGIN = 20,
    LEFT = 80,
    LEVEL = 90, /* the right margin for its name */
    KEY_LINE = 22,
    KEY_SAMPLE = 44,
    KEY_SHOWN = 32, /* characters */
    CHARACTER = 9,  /* pixels of a wide one */
    TICKS = 8,
    TICK_ROOM = 60, /* pixels across */
    LABEL = 96      /* bytes of a tick's */
};

/* --- axes ------------------------------------------------------------------------------------- */

struct axis axis_logarithmic(const char *title, double lowest, double highest)
{
    double margin = highest / lowest > 10 ? pow(highest / lowest, 0.03) : 1.1;
    return (struct axis){.title = title,
                         .begin = fmax(lowest / margin, 1e-307),
                         .end = fmin(highest * margin, 1e307),
                         .logarithmic = true};
}

double axis_step(double length, int most)
{
    double power = pow(10, floor(log10(length / most)));
    static const double factors[] = {1, 2, 5, 10};
    for (size_t k = 0; k < sizeof factors / sizeof *factors; k++)
        if (length / (factors[k] * power) <= most)
            return factors[k] * power;
    return 10 * power;
}

/* 0.02, 3 or, unless it is to be plain, 2·10^-6. */
static const char *label_of(char label[LABEL], double value, bool plain)
{
    if (plain) { /* 0, too */
        snprintf(label, LABEL, "%.10g", value);
        return label;
    }
    int power = (int)floor(log10(value) + 1e-9), length = 0;
    if (fabs(value / pow(10, power) - 1) > 1e-6)
        length = snprintf(label, LABEL, "%.4g·", value / pow(10, power));
    snprintf(label + length, (size_t)(LABEL - length),
             "10<tspan dy=\"-5\" font-size=\"13\">%s%d</tspan>", power < 0 ? "−" : "", abs(power));
    return label;
}

static void tick_evenly(const struct axis *axis, int most, axis_tick *tick, void *into)
{
    char label[LABEL];
    double step = axis_step(axis->end - axis->begin, most);
    if (axis->values && !axis->logarithmic && !axis->fractional)
        step = fmax(1, step);
    double first = ceil(axis->begin / step - 1e-9);
    for (int k = 0; k <= most; k++) {
        double value = (first + k) * step;
        int power = value > 0 ? (int)floor(log10(value) + 1e-9) : 0;
        if (value <= axis->end)
            tick(into, value,
                 label_of(label, value, !axis->logarithmic || (power >= -3 && power <= 3)));
    }
}

/* The smallest step in powers of ten with at most `most` labels. */
static int decades_a_label(int decades, int most)
{
    static const int steps[] = {1, 2, 3, 5, 10, 20, 50, 100};
    size_t k = 0;
    while (decades / steps[k] > most && k + 1 < sizeof steps / sizeof *steps)
        k++;
    return steps[k];
}

static void tick_decades(const struct axis *axis, double begin, double end, int most,
                         axis_tick *tick, void *into)
{
    char label[LABEL];
    int first = (int)floor(log10(begin)), last = (int)ceil(log10(end));
    int step = decades_a_label(last - first, most);
    bool plain = begin > 0.9e-3 && end < 1e5, few = end / begin < 1000 && axis->shift == 0;
    for (int power = first; power <= last; power++)
        for (int digit = 1; digit <= (step == 1 ? 9 : 1); digit++) {
            double value = digit * pow(10, power);
            bool named = (digit == 1 && power % step == 0) || (few && (digit == 2 || digit == 5));
            if (value < begin * (1 - 1e-9) || value > end * (1 + 1e-9) || (!named && step > 10))
                continue;
            tick(into, value + axis->shift, named ? label_of(label, value, plain) : NULL);
        }
}

void axis_ticks(const struct axis *axis, int most, axis_tick *tick, void *into)
{
    double begin = axis->edge ? axis->from : axis->begin, end = axis->end - axis->shift;
    if (axis->edge)
        tick(into, axis->at, axis->edge);
    if (axis->logarithmic && end / begin > 10)
        tick_decades(axis, begin, end, most, tick, into);
    else
        tick_evenly(axis, most, tick, into);
}

/* --- a picture -------------------------------------------------------------------------------- */

void canvas_begin(struct canvas *canvas, double height, int keys, int widest)
{
    static const char *const classes[] = {[CANVAS_DESK] = "desk", [CANVAS_PHONE] = "phone"};
    bool alone = canvas->place == CANVAS_FILE;
    canvas->width = canvas->place == CANVAS_PHONE ? NARROW : WIDTH;
    canvas->key_left = canvas->place == CANVAS_PHONE ? MARGIN : LEFT;
    canvas->key_width = KEY_SAMPLE + CHARACTER * (widest < KEY_SHOWN ? widest : KEY_SHOWN);
    canvas->keys_in_line = (int)((canvas->width - canvas->key_left) / canvas->key_width);
    if (canvas->keys_in_line < 1)
        canvas->keys_in_line = 1;
    int lines = (keys + canvas->keys_in_line - 1) / canvas->keys_in_line;
    canvas->top = MARGIN + KEY_LINE * lines;
    height += canvas->top + CANVAS_AXIS;
    if (alone)
        fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", canvas->svg);
    fprintf(canvas->svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" role=\"img\" "
            "aria-label=\"%s\" font-family=\"sans-serif\" font-size=\"14\" fill=\"currentColor\" "
            "stroke-linejoin=\"round\" ",
            canvas->width, height, canvas->title);
    if (alone)
        fprintf(canvas->svg,
                "width=\"%g\" height=\"%g\">\n<rect width=\"100%%\" height=\"100%%\" "
                "fill=\"white\"/>\n",
                canvas->width, height);
    else
        fprintf(canvas->svg, "class=\"%s\">\n", classes[canvas->place]);
}

void canvas_end(struct canvas *canvas)
{
    fputs("</svg>\n", canvas->svg);
}

static double share(const struct axis *axis, double value)
{
    return axis->logarithmic ? log(value / axis->begin) / log(axis->end / axis->begin)
                             : (value - axis->begin) / (axis->end - axis->begin);
}

double canvas_x(const struct canvas *canvas, double x)
{
    return canvas->left + share(&canvas->x, x) * (canvas->right - canvas->left);
}

double canvas_y(const struct canvas *canvas, double y)
{
    return canvas->lower - share(&canvas->y, y) * (canvas->lower - canvas->upper);
}

void canvas_text(struct canvas *canvas, double x, double y, const char *anchor, const char *svg)
{
    fprintf(canvas->svg, "<text x=\"%.5g\" y=\"%.5g\" text-anchor=\"%s\">%s</text>\n", x, y, anchor,
            svg);
}

void canvas_label(struct canvas *canvas, double x, double y, const char *anchor, const char *text)
{
    html_print(canvas->svg, "<text x=\"%.5g\" y=\"%.5g\" text-anchor=\"%s\">%s</text>\n", x, y,
               anchor, text);
}

void canvas_tick(struct canvas *canvas, bool across, double value, const char *label)
{
    int length = label ? 6 : 3;
    double x = across ? canvas_x(canvas, value) : canvas->left;
    double y = across ? canvas->lower : canvas_y(canvas, value);
    if (label && across == canvas->y.bare) /* of lanes the lines of the grid stand upright */
        fprintf(canvas->svg,
                "<path d=\"M%.5g,%.5g%c%.5g\" stroke=\"#808080\" stroke-width=\".3\"/>\n", x, y,
                across ? 'V' : 'H', across ? canvas->upper : canvas->right);
    fprintf(canvas->svg, "<path d=\"M%.5g,%.5g%c%d\" stroke=\"currentColor\"/>\n", x, y,
            across ? 'v' : 'h', across ? length : -length);
    if (label)
        canvas_text(canvas, across ? x : x - 10, across ? y + 22 : y + 5, across ? "middle" : "end",
                    label);
}

static void tick_across(void *into, double value, const char *label)
{
    canvas_tick(into, true, value, label);
}

static void tick_up(void *into, double value, const char *label)
{
    canvas_tick(into, false, value, label);
}

/* What page.js knows of the panel: its border in pixels, and the axes. */
static void write_values(const struct canvas *canvas)
{
    const struct axis *x = &canvas->x, *y = &canvas->y;
    if (x->values && y->values)
        fprintf(canvas->svg,
                " data-panel=\"%g %g %g %g %.10g %.10g %.10g %.10g %d %d %g\" data-x=\"%s\" "
                "data-y=\"%s\"",
                canvas->left, canvas->right, canvas->upper, canvas->lower, x->begin, x->end,
                y->begin, y->end, x->logarithmic, y->logarithmic, x->shift, x->values, y->values);
}

void canvas_panel(struct canvas *canvas, double left, double right, double below, double height,
                  const struct axis *x, const struct axis *y)
{
    int across = (int)((right - left) / TICK_ROOM);
    canvas->left = left;
    canvas->right = right;
    canvas->upper = canvas->top + below;
    canvas->lower = canvas->upper + height;
    canvas->x = *x;
    canvas->y = *y;
    fputs("<g class=\"axes\"", canvas->svg);
    write_values(canvas);
    fprintf(canvas->svg, ">\n<path d=\"M%g,%gV%gH%g\" fill=\"none\" stroke=\"currentColor\"/>\n",
            left, y->bare ? canvas->lower : canvas->upper, canvas->lower, right);
    if (!x->bare)
        axis_ticks(x, across < TICKS ? across : TICKS, tick_across, canvas);
    if (!y->bare)
        axis_ticks(y, TICKS, tick_up, canvas);
    if (x->title)
        canvas_text(canvas, (left + right) / 2, canvas->lower + 46, "middle", x->title);
    if (y->title)
        fprintf(canvas->svg,
                "<text transform=\"translate(%g %g) rotate(-90)\" text-anchor=\"middle\">%s"
                "</text>\n",
                left - 64, (canvas->upper + canvas->lower) / 2, y->title);
    fputs("</g>\n", canvas->svg);
}

void canvas_whole(struct canvas *canvas, double height, const struct axis *x, const struct axis *y,
                  bool has_level)
{
    bool beside = has_level && canvas->place != CANVAS_PHONE;
    canvas_panel(canvas, LEFT, canvas->width - (beside ? LEVEL : MARGIN), 0, height, x, y);
}

void canvas_level(struct canvas *canvas, double y, const char *name)
{
    bool beside = canvas->place != CANVAS_PHONE;
    double place = canvas_y(canvas, y);
    path_begin(canvas);
    path_to(canvas, canvas->x.begin, y);
    path_to(canvas, canvas->x.end, y);
    path_end(canvas, "level", -1, NULL, (struct canvas_style){"#808080", 2, 0}, 0.8);
    fputs("<g class=\"axes\" fill=\"#808080\">\n", canvas->svg);
    canvas_text(canvas, beside ? canvas->right + 8 : canvas->left + 6, place + (beside ? 5 : -5),
                "start", name);
    fputs("</g>\n", canvas->svg);
}

/* --- paths ------------------------------------------------------------------------------------ */

void path_begin(struct canvas *canvas)
{
    fputs("<path d=\"", canvas->svg);
    canvas->drawing = false;
}

void path_to(struct canvas *canvas, double x, double y)
{
    fprintf(canvas->svg, "%c%.5g,%.5g", canvas->drawing ? ' ' : 'M', canvas_x(canvas, x),
            canvas_y(canvas, y));
    canvas->drawing = true;
}

void path_gap(struct canvas *canvas)
{
    canvas->drawing = false;
}

/* Page.js moves what has the form "x,y": nothing else of a mark has a comma. */
static void write_mark(FILE *svg, double x, double y, int mark, double r)
{
    fprintf(svg, "M%.5g,%.5g", x, y);
    switch (mark) {
    case 0:
    case 5:
        fprintf(svg, "m%g 0a%g %g 0 1 0 %g 0a%g %g 0 1 0 %g 0z", -r, r, r, 2 * r, r, r, -2 * r);
        break;
    case 2:
    case 6:
        fprintf(svg, "m%g %gh%gv%gh%gz", -r, -r, 2 * r, 2 * r, -2 * r);
        break;
    case 4:
        fprintf(svg, "m0 %gl%g %g %g %g %g %gz", -1.4 * r, 1.4 * r, 1.4 * r, -1.4 * r, 1.4 * r,
                -1.4 * r, -1.4 * r);
        break;
    case CANVAS_CROSS:
        fprintf(svg, "m%g %gl%g %gm0 %gl%g %g", -r, -r, 2 * r, 2 * r, -2 * r, -2 * r, 2 * r);
        break;
    default: /* triangles, the first one on its tip */
        r = mark == 1 ? r : -r;
        fprintf(svg, "m0 %gl%g %gh%gz", 1.3 * r, 1.2 * r, -2.2 * r, -2.4 * r);
    }
}

void path_mark(struct canvas *canvas, double x, double y, int mark, double size)
{
    write_mark(canvas->svg, canvas_x(canvas, x), canvas_y(canvas, y), mark, size);
}

static void write_style(FILE *svg, const char *kind, struct canvas_style style, double width)
{
    static const char *const dashes[CANVAS_DASHES] = {"none", "8 4", "2 3", "8 3 2 3",
                                                      "8 3 2 3 2 3"};
    bool marks = strcmp(kind, "marks") == 0;
    if (strcmp(kind, "band") == 0)
        fprintf(svg, " fill=\"%s\" fill-opacity=\".2\"", style.color);
    else if (strcmp(kind, "bar") == 0)
        fprintf(svg, " fill=\"%s\" fill-opacity=\".75\"", style.color);
    else if (marks && style.mark < 5)
        fprintf(svg, " fill=\"%s\"", style.color);
    else
        fprintf(svg, " fill=\"none\" stroke=\"%s\" stroke-width=\"%g\"", style.color, width);
    if (!marks && style.dashes > 0)
        fprintf(svg, " stroke-dasharray=\"%s\"", dashes[style.dashes]);
}

void path_end(struct canvas *canvas, const char *kind, int kernel, const char *name,
              struct canvas_style style, double width)
{
    fputs("\"", canvas->svg);
    write_style(canvas->svg, kind, style, width);
    fprintf(canvas->svg, " class=\"%s\"", kind);
    if (kernel >= 0)
        fprintf(canvas->svg, " data-kernel=\"%d\"", kernel);
    fputs(">", canvas->svg);
    if (name)
        html_print(canvas->svg, "<title>%s</title>", name);
    fputs("</path>\n", canvas->svg);
}

void canvas_key(struct canvas *canvas, int kernel, const char *name, const char *shown,
                struct canvas_style style, int parts)
{
    char beginning[4 * (KEY_SHOWN + 2)];
    double x = canvas->key_left + canvas->key_width * (canvas->keys % canvas->keys_in_line);
    double y = MARGIN + KEY_LINE * (canvas->keys++ / canvas->keys_in_line);
    html_print(canvas->svg, "<g class=\"key\" data-kernel=\"%d\"><title>%s</title>", kernel, name);
    fprintf(canvas->svg, "<path d=\"M%g,%gh%gv%dh%gz\" fill=\"none\" pointer-events=\"all\"/>", x,
            y - KEY_LINE / 2, canvas->key_width, KEY_LINE, -canvas->key_width);
    if (parts & CANVAS_LINE) {
        fprintf(canvas->svg, "<path d=\"M%g,%gh30\"", x, y);
        write_style(canvas->svg, "curve", style, 1.6);
        fputs("/>", canvas->svg);
    }
    if (parts & CANVAS_MARK) {
        fputs("<path d=\"", canvas->svg);
        write_mark(canvas->svg, x + 15, y, style.mark, 4.5);
        fputs("\"", canvas->svg);
        write_style(canvas->svg, "marks", style, 1.6);
        fputs("/>", canvas->svg);
    }
    fprintf(canvas->svg, "<text x=\"%g\" y=\"%g\">", x + 38, y + 5);
    if (parts & CANVAS_SVG)
        fputs(shown, canvas->svg);
    else
        html_text(canvas->svg,
                  shown ? shown : text_short(name, KEY_SHOWN, beginning, sizeof beginning));
    fputs("</text></g>\n", canvas->svg);
}
