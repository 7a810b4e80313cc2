/* The pictures of a page: what is drawn, on which axes, in which style. */
#ifndef PROGRAM_REPORT_PLOT_H
#define PROGRAM_REPORT_PLOT_H

#include "base/status.h"
#include "program/report/canvas.h"
#include "program/report/study_files.h"

#include <stdbool.h>
#include <stdio.h>

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

/* A picture of whatever `of` is: of a study, a struct recorded; of a bench, a struct sweep. */
struct plot {
    const char *name;             /* a word */
    const char *title;            /* what it shows */
    const char *title_of_columns; /* of a study of several right-hand sides; NULL: the same */

    /* Why there is nothing to draw: a sentence; or NULL. */
    const char *(*missing)(const void *of);
    bool optional; /* the page does not speak of it where there is nothing to draw */

    void (*draw)(struct canvas *canvas, const void *of);
    void (*caption)(FILE *page, const void *of); /* how to read it, in HTML */
};

/* All of a study, in the order of the page; ended by NULL. */
extern const struct plot *const plots_of_study[];

/* The plot of that name, or NULL. */
const struct plot *plot_named(const struct plot *const *plots, const char *name);

const char *plot_title(const struct plot *plot, const void *of);

extern const struct plot plot_last;      /* the last iterations of the residual histories */
extern const struct plot plot_histories; /* the residual histories, and their envelope */
extern const struct plot plot_error;     /* the residual and the estimated error */
extern const struct plot plot_ghosts;    /* the ghosts of Lanczos' method */
extern const struct plot plot_ritz;      /* the Ritz values of Lanczos' method */
extern const struct plot plot_pattern;   /* the matrix before and after reordering */
extern const struct plot plot_counts;    /* the iterations of every run */
extern const struct plot plot_ulps;      /* how far the histories lie apart */
extern const struct plot plot_speed;     /* the time of an iteration, and the bytes a second */

/* --- what the plots share --------------------------------------------------------------------- */

/* The label of that kernel; one that is there already is taken once. axes->labels has room for
 * it. */
void plot_take_label(struct plot_axes *axes, const char *label, const char *kernel);

/* Colours that colour-blind readers tell apart (M. Okabe and K. Ito, 2008). Each kernel has its
 * own, whatever its label and its place; kernels outnumber colours, so some share one. Dashes and a
 * mark tell the labels of one colour apart, on paper too. */
struct canvas_style plot_style(const struct plot_axes *axes, const char *label, const char *kernel);
struct canvas_style plot_kernel_style(const struct recorded *study, int kernel);

/* The axis of the iterations, from `begin` to `end`; that of the residuals. */
struct axis plot_iterations(double begin, double end);
struct axis plot_residuals(const struct recorded *study, double lowest, double highest);

/* A curve in the kernel's style; a point that stands for several iterations has the lowest and the
 * highest value, as they came. steps: a value stays until the next. */
void plot_course(struct canvas *canvas, const struct course *course, bool steps);

/* A few marks along the course of a kernel, at other places than those of the kernels before it,
 * `shift` to the right. */
void plot_marks(struct canvas *canvas, const struct recorded *study, const struct course *course,
                int kernel, double shift);

/* The characters of the longest label of a kernel. */
int plot_widest_label(const struct recorded *study);

/* A panel with a lane for each kernel, the first one on top at y = kernels - 1, named on the left;
 * `panel` of `panels`, which stand beside each other, on a phone below. Before it canvas_begin. */
void plot_lanes_begin(struct canvas *canvas, const struct recorded *study, int panels);
void plot_lanes(struct canvas *canvas, const struct recorded *study, const struct axis *x,
                int panel, int panels);

#endif
