/* The residual of a run beside the estimate of its error, which is what a user is after. */
#include "report/plot.h"

#include "report/text.h"

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
    course_range(&study->error, &lowest, &highest);
    return lowest > highest ? "history.csv has no estimate of the error." : NULL;
}

static const struct summary_kernel *first_kernel(const struct recorded *study)
{
    return &study->summary.kernels[study->selection.runs[0].kernel];
}

static void draw(FILE *script, enum plot_pass pass, const struct recorded *study,
                 const struct plot_axes *axes)
{
    if (plot_element(script, pass, "curve", 0, "residual"))
        fprintf(script, ", $residual using 1:2 with lines lw 1.2 lc rgb '%s' title 'residual ‖r‖'",
                plot_kernel_style(axes, first_kernel(study)).color);
    if (plot_element(script, pass, "curve", 1, "error, estimated"))
        fputs(", $error using 1:2 with lines lw 2 lc rgb '#808080' "
              "title 'error ‖{/:Italic x} − {/:Italic x}_k‖_A, estimated' enhanced",
              script);
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
          "the iteration (the column error_norm). Each has its own unit. The error falls with "
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
