/* The residual of a run beside the estimate of its error, which is what a user is after. */
#include "program/report/plot.h"

#include "program/report/text.h"

#include <math.h>
#include <stdbool.h>

enum { HEIGHT = 340 };

static int height(const struct recorded *study)
{
    (void)study;
    return HEIGHT;
}

static const char *missing(const struct recorded *study, const struct plot_axes *axes)
{
    double lowest = INFINITY, highest = 0;
    (void)axes;
    if (study->summary.columns > 1)
        return PLOT_OF_ONE_COLUMN;
    course_range(&study->error, &lowest, &highest);
    return lowest > highest ? "history.csv has no estimate of the error." : NULL;
}

static const struct summary_kernel *first_kernel(const struct recorded *study)
{
    return &study->summary.kernels[study->selection.runs[0].kernel];
}

/* The two curves, and their lines in the key. */
static void draw(FILE *script, enum plot_pass pass, const struct recorded *study,
                 const struct plot_axes *axes)
{
    const char *color = plot_kernel_style(axes, first_kernel(study)).color;
    const struct {
        const char *data, *name, *title, *color;
        double width;
    } curves[] = {{"residual", "residual", "residual ‖r‖", color, 1.2},
                  {"error", "error, estimated",
                   "error ‖{/:Italic x} − {/:Italic x}_{/*1.15 k}‖_{/*1.15 A}, estimated",
                   "#808080", 2}};
    for (int k = 0; k < 2; k++)
        if (plot_element(script, pass, "curve", k, curves[k].name))
            fprintf(script, ", $%s using 1:2 with lines lw %g lc rgb '%s' notitle", curves[k].data,
                    curves[k].width, curves[k].color);
    for (int k = 0; k < 2; k++)
        if (plot_element(script, pass, "key", k, curves[k].name))
            fprintf(script, ", NaN with lines lw %g lc rgb '%s' title '%s' enhanced",
                    curves[k].width, curves[k].color, curves[k].title);
}

static void write_script(FILE *script, const struct recorded *study, const struct plot_axes *axes)
{
    const struct course *residual = &study->histories[0], *error = &study->error;
    static const struct plot_panel panel = {"iteration", "norm", false, true, 0};
    double lowest = INFINITY, highest = 0;
    course_range(residual, &lowest, &highest);
    course_range(error, &lowest, &highest);
    plot_begin(script);
    plot_logarithmic(script, lowest, highest);
    plot_whole(script, 0, axes->iterations > 0 ? (double)axes->iterations : 1);
    fputs("set xlabel 'iteration'\n", script);
    plot_course(script, "residual", residual);
    plot_course(script, "error", error);
    plot_draw(script, draw, study, axes, &panel);
}

static void write_caption(FILE *page, const struct recorded *study, const struct plot_axes *axes)
{
    (void)axes;
    fputs("Of the first run of ", page);
    html_text(page, first_kernel(study)->label);
    fputs(": the norm of the residual ‖<i>r</i>‖, which ends the solve, and an estimate of the "
          "error ‖<i>x</i> − <i>x<sub>k</sub></i>‖<sub><i>A</i></sub>, from the coefficients of "
          "the iteration (the column error_norm). The two curves have different units. The error "
          "falls with "
          "every iteration, the residual need not.",
          page);
}

const struct plot plot_error = {
    .name = "error",
    .title = "Residual and estimated error",
    .missing = missing,
    .height = height,
    .script = write_script,
    .caption = write_caption,
    .optional = true,
};
