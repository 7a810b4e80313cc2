/* The pictures of a page, as scripts for gnuplot: what is drawn, on which axes, in which style. A plot says nothing
 * of where it goes: whoever runs the script sets gnuplot's terminal before it. */
#ifndef REPORT_PLOT_H
#define REPORT_PLOT_H

#include "cgsolve/status.h"
#include "report/recorded.h"

#include <stdbool.h>
#include <stdio.h>

enum { PLOT_WIDTH = 900 };

/* A picture of whatever `of` is. */
struct drawing {
    const char *name;    /* a word */
    const char *title;   /* what it shows */
    const char *missing; /* why there is nothing to draw: a sentence; or NULL */
    int height;          /* of PLOT_WIDTH */
    void (*script)(FILE *script, const void *of);
    void (*caption)(FILE *page, const void *of); /* how to read it, in HTML */
    const void *of;
};

/* The ends of the axes, the same for all studies of one problem, so that their pictures can be compared; and the
 * labels, each of which has the same style in all studies. */
struct plot_axes {
    int64_t iterations;     /* the most that a run took */
    int64_t fewest;         /* and the fewest */
    double lowest, highest; /* residuals; lowest > highest when none can be drawn */
    double ulps;            /* the most; 0 when none are known */
    double ghosts;          /* likewise */
    double milliseconds,
        rate;            /* an iteration, and 1e9 bytes a second: where the longest bars end */
    const char **labels; /* [labels_count]: every label once; their texts are borrowed */
    int64_t labels_count;
};

/* Those of studies[study]. The caller calls plot_axes_free. Errors: STATUS_MEMORY. */
enum status plot_axes_make(const struct recorded *studies, int count, int study,
                           struct plot_axes *axes, struct error *error);
void plot_axes_free(struct plot_axes *axes); /* accepts a zeroed one */

struct plot {
    const char *name;  /* a word */
    const char *title; /* what it shows */

    /* Why there is nothing to draw: a sentence; or NULL. */
    const char *(*missing)(const struct recorded *study, const struct plot_axes *axes);

    /* Of PLOT_WIDTH. */
    int (*height)(const struct recorded *study);

    /* The script behind `set terminal`. */
    void (*script)(FILE *script, const struct recorded *study, const struct plot_axes *axes);

    /* How to read it, in HTML. */
    void (*caption)(FILE *page, const struct recorded *study, const struct plot_axes *axes);

    bool optional; /* the page does not speak of it where there is nothing to draw */
};

/* All of them, in the order of the page. */
enum { PLOTS = 6 };
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

extern const struct plot plot_histories; /* the residual histories, and their envelope */
extern const struct plot plot_error;     /* the residual and the estimated error */
extern const struct plot plot_ghosts;    /* the ghosts of Lanczos' method */
extern const struct plot plot_counts;    /* the iterations of every run */
extern const struct plot plot_ulps;      /* how far the histories lie apart */
extern const struct plot plot_speed;     /* the time of an iteration, and the bytes a second */

/* A block of data $NAME: a line for a point, of one that stands for several iterations one for the lowest and one for
 * the highest value, as they came. */
void plot_course(FILE *script, const char *name, const struct course *course);

/* The residual histories for a terminal that draws with characters. */
void plot_histories_in_text(FILE *script, const struct recorded *study,
                            const struct plot_axes *axes);

/* --- what the plots share ----------------------------------------------------------------------- */

/* Colours that colour-blind readers tell apart (M. Okabe and K. Ito, 2008), those first that stand out on white
 * and on black; beside each its own dashes and its own mark, for paper and for everybody. */
const char *plot_color(const struct plot_axes *axes, const char *label);
int plot_dashes(const struct plot_axes *axes, const char *label);
int plot_mark(const struct plot_axes *axes, const char *label);

/* Borders, grid, key above the picture. */
void plot_begin(FILE *script);

/* A step of 1, 2 or 5 times a power of ten that goes into `length` at most `most` times. */
double plot_step(double length, int most);

/* The axis x of whole numbers. */
void plot_whole(FILE *script, double begin, double end);

/* The axis y, logarithmic, from `lowest` to `highest` > 0 with a margin. */
void plot_logarithmic(FILE *script, double lowest, double highest);

/* A line across the picture at y = level, named in its right margin. */
void plot_level(FILE *script, double level, const char *name);

/* A label in the lane or the key of a picture: its beginning, as a text of gnuplot. */
void plot_label(FILE *script, const char *label);

/* A lane for each kernel, the first one on top at y = kernels - 1, named on the left, with a margin of its own,
 * so that several pictures beside each other have the same lanes. Gives back that margin as a share of the width. */
double plot_lanes(FILE *script, const struct recorded *study);
int plot_lanes_height(const struct recorded *study);

#endif
