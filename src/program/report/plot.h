/* The pictures of a page, as scripts for gnuplot: what is drawn, on which axes, in which style. A
 * plot says nothing of where it goes: whoever runs the script sets gnuplot's terminal before it. */
#ifndef PROGRAM_REPORT_PLOT_H
#define PROGRAM_REPORT_PLOT_H

#include "base/status.h"
#include "program/report/study_files.h"

#include <stdbool.h>
#include <stdio.h>

enum {
    PLOT_WIDTH = 900,
    PLOT_NARROW = 390 /* for a phone */,
    PLOT_LABEL_SHOWN = 32 /* characters of a label */
};

/* A picture of whatever `of` is. */
struct drawing {
    const char *name;    /* a word */
    const char *title;   /* what it shows */
    const char *missing; /* why there is nothing to draw: a sentence; or NULL */
    int height;          /* of PLOT_WIDTH */
    int narrow; /* of PLOT_NARROW: the page has it a second time, for narrow screens; or 0 */
    void (*script)(FILE *script, const void *of);
    void (*caption)(FILE *page, const void *of); /* how to read it, in HTML */
    const void *of;
};

struct plot_label {
    const char *text, *kernel;
};

/* Iterations from the first to the last, both included. */
struct plot_range {
    int64_t first, last;
};

/* The ends of the axes, the same for all studies of one problem, so that their pictures can be
 * compared; and the labels, each of which has the same style in all studies. */
struct plot_axes {
    int64_t iterations;     /* the most that a run took */
    double lowest, highest; /* residuals; lowest > highest when none can be drawn */
    double ulps;            /* the most; 0 when none are known */
    double ghosts;          /* likewise */
    double milliseconds,
        rate; /* an iteration, and 1e9 bytes a second: where the longest bars end */
    struct plot_label
        *labels; /* [labels_count]: every label of a kernel once; the texts are borrowed */
    int64_t labels_count;
    struct plot_range
        *counts; /* [counts_count]: from the fewest to the most iterations of each kernel */
    int64_t counts_count;
};

/* Those of studies[study]. The caller calls plot_axes_free. Errors: STATUS_MEMORY. */
enum status plot_axes_make(const struct recorded *studies, int count, int study,
                           struct plot_axes *axes, struct error *error);
void plot_axes_free(struct plot_axes *axes); /* accepts a zeroed one */

/* Why a picture of one solution or history is not there. */
#define PLOT_OF_ONE_COLUMN "With several right-hand sides there is no such picture."

struct plot {
    const char *name;             /* a word */
    const char *title;            /* what it shows */
    const char *title_of_columns; /* likewise with several right-hand sides; NULL: the same */

    /* Why there is nothing to draw: a sentence; or NULL. */
    const char *(*missing)(const struct recorded *study, const struct plot_axes *axes);

    /* Of PLOT_WIDTH. */
    int (*height)(const struct recorded *study);

    /* The script behind `set terminal`. */
    void (*script)(FILE *script, const struct recorded *study, const struct plot_axes *axes);

    /* How to read it, in HTML. */
    void (*caption)(FILE *page, const struct recorded *study, const struct plot_axes *axes);

    bool optional; /* the page does not speak of it where there is nothing to draw */
    bool narrow;   /* the page has it a second time, for narrow screens */
};

/* All of them, in the order of the page. */
enum { PLOTS = 7 };
extern const struct plot *const plots[PLOTS];

/* The plot of that name, or NULL. */
const struct plot *plot_named(const char *name);

/* A plot of a study. */
struct plot_of {
    const struct plot *plot;
    const struct recorded *study;
    const struct plot_axes *axes;
};

struct drawing plot_drawing(const struct plot_of *of); /* which is borrowed */

extern const struct plot plot_last;      /* the last iterations of the residual histories */
extern const struct plot plot_histories; /* the residual histories, and their envelope */
extern const struct plot plot_error;     /* the residual and the estimated error */
extern const struct plot plot_ghosts;    /* the ghosts of Lanczos' method */
extern const struct plot plot_counts;    /* the iterations of every run */
extern const struct plot plot_ulps;      /* how far the histories lie apart */
extern const struct plot plot_speed;     /* the time of an iteration, and the bytes a second */

/* A block of data $NAME: a line for a point, of one that stands for several iterations one for the
 * lowest and one for the highest value, as they came. */
void plot_course(FILE *script, const char *name, const struct course *course);

/* The residual histories for a terminal that draws with characters. The key stands above, with so
 * many labels in a line: as many as there is room for in the columns. */
int plot_text_labels(const struct recorded *study, int columns);
void plot_histories_in_text(FILE *script, const struct recorded *study,
                            const struct plot_axes *axes, int labels);

/* --- what the plots share --------------------------------------------------------------------- */

/* The label of that kernel; one that is there already is taken once. axes->labels has room for
 * it. */
void plot_take_label(struct plot_axes *axes, const char *label, const char *kernel);

/* Colours that colour-blind readers tell apart (M. Okabe and K. Ito, 2008). Each kernel has its
 * own, whatever its label and its place; kernels outnumber colours, so some share one. Dashes and a
 * mark tell the labels of one colour apart, on paper too. */
struct plot_style {
    const char *color;
    int dashes, mark;
};
struct plot_style plot_style(const struct plot_axes *axes, const char *label, const char *kernel);
struct plot_style plot_kernel_style(const struct plot_axes *axes,
                                    const struct summary_kernel *kernel);

/* Borders, grid, key above the picture. */
void plot_begin(FILE *script);

/* A step of 1, 2 or 5 times a power of ten that goes into `length` at most `most` times. */
double plot_step(double length, int most);

/* The axis x of whole numbers; with fewer ticks where the script has the variable "narrow". */
void plot_whole(FILE *script, double begin, double end);

/* Inside `set xtics (...)` of a logarithmic axis: a label for every, every second, ... power of
 * ten, so that there are about `most` of them, and a minor tick for each power between two labels,
 * or else for 2 ... 9 times each power. Each stands `shift` above its value. */
void plot_decades(FILE *script, double begin, double end, int most, double shift);

/* The axis y, logarithmic, from `lowest` to `highest` > 0 with a margin. */
void plot_logarithmic(FILE *script, double lowest, double highest);

/* A line across the picture at y = level, named in its right margin. */
void plot_level(FILE *script, double level, const char *name);

/* A label in the lane or the key of a picture: its beginning, as a text of gnuplot. */
void plot_label(FILE *script, const char *label);

/* The elements of a picture, each a part of gnuplot's command `plot` behind the first; and, in the
 * same order, what they are: the picture in a page tells it (program/report/picture.h). */
enum plot_pass { PLOT_COMMANDS, PLOT_NAMES };
typedef void plot_elements(FILE *script, enum plot_pass pass, const struct recorded *study,
                           const struct plot_axes *axes);

/* Begin an element: kind is "curve", "marks", "band", "key" (its line in the key) or "bar", of
 * kernels[kernel]. True when its command is to be written. */
bool plot_element(FILE *script, enum plot_pass pass, const char *kind, int kernel,
                  const char *name);

/* The kernel's line in the key, with its mark or without. */
void plot_key(FILE *script, enum plot_pass pass, const struct plot_axes *axes,
              const struct recorded *study, int k, bool marked);

/* What the axes show, as a word each; a logarithmic axis x shows values that are `shift` higher. */
struct plot_panel {
    const char *x, *y;
    bool x_is_logarithmic, y_is_logarithmic;
    double shift;
};

/* Draw the elements, and tell what they are; panel is NULL where places are no values. */
void plot_draw(FILE *script, plot_elements *elements, const struct recorded *study,
               const struct plot_axes *axes, const struct plot_panel *panel);
void plot_names_begin(FILE *script); /* the same in parts: before the pass PLOT_NAMES */

/* How many characters of the longest label of a kernel are shown. */
int plot_widest_label(const struct recorded *study);

/* A lane for each kernel, the first one on top at y = kernels - 1, named on the left, with a margin
 * of its own, so that several pictures beside each other have the same lanes. Gives back that
 * margin as a share of the width. */
double plot_lanes(FILE *script, const struct recorded *study);
int plot_lanes_height(const struct recorded *study);

#endif
