/* The residual of a run beside the estimate of its error, which is what a user is after. */
#include "program/report/plot.h"

#include "program/report/text.h"

#include <math.h>
#include <stdbool.h>

enum { HEIGHT = 250, WIDEST = 24 /* characters in the key */ };

static const char *missing(const void *of)
{
    const struct recorded *study = of;
    double lowest = INFINITY, highest = 0;
    if (study->summary.columns > 1)
        return PLOT_OF_ONE_COLUMN;
    course_range(&study->error, &lowest, &highest);
    return lowest > highest ? "history.csv has no estimate of the error." : NULL;
}

/* ‖x − x_k‖_A */
static const char error_shown[] =
    "error ‖<tspan font-style=\"italic\">x</tspan> − <tspan font-style=\"italic\">x</tspan>"
    "<tspan dy=\"4\" font-size=\"13\">k</tspan><tspan dy=\"-4\">‖</tspan>"
    "<tspan dy=\"4\" font-size=\"13\">A</tspan><tspan dy=\"-4\">, estimated</tspan>";

static void draw(struct canvas *canvas, const void *of)
{
    const struct recorded *study = of;
    const char *color = plot_kernel_style(study, study->selection.runs[0].kernel).color;
    const struct {
        const struct course *course;
        const char *name, *shown;
        struct canvas_style style;
        double width;
    } curves[] = {{&study->curves[0].history, "residual", "residual ‖r‖", {color, 0, 0}, 1.2},
                  {&study->error, "error, estimated", error_shown, {"#808080", 0, 0}, 2}};
    double lowest = INFINITY, highest = 0;
    for (int k = 0; k < 2; k++)
        course_range(curves[k].course, &lowest, &highest);
    const struct axis x = plot_iterations(0, (double)study->axes->iterations);
    struct axis y = axis_logarithmic(NULL, lowest, highest);
    y.values = "norm";
    canvas_begin(canvas, HEIGHT, 2, WIDEST);
    canvas_whole(canvas, HEIGHT, &x, &y, false);
    for (int k = 0; k < 2; k++) {
        plot_course(canvas, curves[k].course, false);
        path_end(canvas, "curve", k, curves[k].name, curves[k].style, curves[k].width);
        canvas_key(canvas, k, curves[k].name, curves[k].shown, curves[k].style,
                   CANVAS_LINE | CANVAS_SVG);
    }
}

static void write_caption(FILE *page, const void *of)
{
    const struct recorded *study = of;
    html_print(page,
               "Of the first run of %s: the norm of the residual ‖<i>r</i>‖, which ends the solve, "
               "and an estimate of the error ‖<i>x</i> − <i>x<sub>k</sub></i>‖<sub><i>A</i></sub>, "
               "from the coefficients of the iteration (the column error_norm). The two curves "
               "have different units. The error falls with every iteration, the residual need not.",
               study->summary.kernels[study->selection.runs[0].kernel].label);
}

const struct plot plot_error = {
    .name = "error",
    .title = "Residual and estimated error",
    .missing = missing,
    .draw = draw,
    .caption = write_caption,
    .optional = true,
};
