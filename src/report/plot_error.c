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

static void write_script(FILE *script, const struct recorded *study, const struct plot_axes *axes)
{
    const struct course *residual = &study->histories[0], *error = &study->error;
    const char *label = study->summary.kernels[study->selection.runs[0].kernel].label;
    double lowest = INFINITY, highest = 0;
    course_range(residual, &lowest, &highest);
    course_range(error, &lowest, &highest);
    plot_begin(script);
    plot_logarithmic(script, lowest, highest);
    plot_whole(script, 0, axes->iterations > 0 ? (double)axes->iterations : 1);
    fputs("set xlabel 'iteration'\n", script);
    plot_course(script, "residual", residual);
    plot_course(script, "error", error);
    fprintf(script,
            "plot $residual using 1:2 with lines lw 1.2 lc rgb '%s' title 'residual ‖r‖', "
            "$error using 1:2 with lines lw 2 lc rgb '#808080' "
            "title 'error ‖x − x_k‖_A, estimated'\n",
            plot_color(axes, label));
}

static void write_caption(FILE *page, const struct recorded *study, const struct plot_axes *axes)
{
    (void)axes;
    fputs("Of the first run of ", page);
    html_text(page, study->summary.kernels[study->selection.runs[0].kernel].label);
    fputs(": the norm of the residual, which ends the solve, and an estimate of the error in the "
          "norm of A, from the coefficients of the iteration (the column error_norm). Each has a "
          "unit of its own. The error falls with every iteration, the residual need not.",
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
