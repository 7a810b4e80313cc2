/* A picture as an SVG, written while it is drawn: panels with axes, a key above them, and paths.
 * What has no colour of its own has that of the text around it. It has no ids, so several stand in
 * one page. */
#ifndef PROGRAM_REPORT_CANVAS_H
#define PROGRAM_REPORT_CANVAS_H

#include <stdbool.h>
#include <stdio.h>

enum canvas_place { CANVAS_DESK, CANVAS_PHONE, CANVAS_FILE /* on white */ };

enum {
    CANVAS_CROSS = 8,
    CANVAS_MARKS = 8,
    CANVAS_DASHES = 5,
    CANVAS_AXIS = 58 /* below a panel */
};

/* An axis, from `begin` to `end`. */
struct axis {
    const char *title;  /* beside it, or NULL */
    const char *values; /* a word for them, whole numbers if linear and not fractional; NULL: a
                           reader asks for none */
    double begin, end;
    bool logarithmic, fractional;
    bool bare;    /* it has no ticks but those of canvas_tick */
    double shift; /* of a logarithmic one: a value stands so much higher */
    const char
        *edge; /* NULL, or the label of a tick at `at`; the others are those from `from` on */
    double at, from;
};

/* From lowest to highest > 0 with a margin. */
struct axis axis_logarithmic(const char *title, double lowest, double highest);

/* A step of 1, 2 or 5 times a power of ten that goes into `length` at most `most` times. */
double axis_step(double length, int most);

/* The ticks, ascending, at most about `most` of them with a label, in SVG; NULL: a minor tick.
 * Between powers of ten with labels the minor ticks are the other powers, or 2 ... 9 times each. */
typedef void axis_tick(void *into, double value, const char *label);
void axis_ticks(const struct axis *axis, int most, axis_tick *tick, void *into);

/* Of a kernel: dashes is 0 (none) ... CANVAS_DASHES - 1; mark is 0 ... CANVAS_MARKS - 1, or
 * CANVAS_CROSS. */
struct canvas_style {
    const char *color;
    int dashes, mark;
};
#define CANVAS_BLACK ((struct canvas_style){"currentColor", 0, 0}) /* the text's colour */

struct canvas {
    FILE *svg;
    enum canvas_place place;
    const char *title; /* of the whole */
    double width, top; /* the panels begin there */
    int keys, keys_in_line;
    double key_left, key_width;
    double left, right, upper, lower; /* the panel's border */
    struct axis x, y;
    bool drawing; /* the path goes on */
};

/* Begin a picture with panels of that height in all, without the last axis, and a key of so many
 * lines, the longest of `widest` characters; canvas->svg, ->place and ->title are set. */
void canvas_begin(struct canvas *canvas, double height, int keys, int widest);
void canvas_end(struct canvas *canvas);

/* A panel from `left` to `right`, `below` the key, with its axes. */
void canvas_panel(struct canvas *canvas, double left, double right, double below, double height,
                  const struct axis *x, const struct axis *y);

/* The usual one: below the key, as wide as the picture, with room for the name of a level. */
void canvas_whole(struct canvas *canvas, double height, const struct axis *x, const struct axis *y,
                  bool has_level);
void canvas_level(struct canvas *canvas, double y, const char *name);

/* A tick of a bare axis. */
void canvas_tick(struct canvas *canvas, bool across, double value, const char *label);

double canvas_x(const struct canvas *canvas, double x);
double canvas_y(const struct canvas *canvas, double y);

/* A path: points and marks, at values of the axes. */
void path_begin(struct canvas *canvas);
void path_to(struct canvas *canvas, double x, double y);
void path_gap(struct canvas *canvas);
void path_mark(struct canvas *canvas, double x, double y, int mark, double size);

/* What it is: "curve", "level", "rule" (lines of that width), "marks", "band" or "bar" (filled); of
 * kernels[kernel], or of none (-1); a browser shows the name, if it is not NULL. */
void path_end(struct canvas *canvas, const char *kind, int kernel, const char *name,
              struct canvas_style style, double width);

/* The next line of the key: a sample of these parts, and the name's beginning, or `shown`: a text,
 * or with CANVAS_SVG in SVG. */
enum { CANVAS_LINE = 1, CANVAS_MARK = 2, CANVAS_SVG = 4 };
void canvas_key(struct canvas *canvas, int kernel, const char *name, const char *shown,
                struct canvas_style style, int parts);

/* A text at a place in pixels, in SVG or as it is; the anchor is "start", "middle" or "end". */
void canvas_text(struct canvas *canvas, double x, double y, const char *anchor, const char *svg);
void canvas_label(struct canvas *canvas, double x, double y, const char *anchor, const char *text);

#endif
