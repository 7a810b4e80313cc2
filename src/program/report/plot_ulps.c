/* How far the residuals of a kernel's runs lie apart, in ulps, iteration by iteration. */
#include "program/report/plot.h"
#include "program/report/text.h"

#include <math.h>
#include <stdbool.h>

enum { HEIGHT = 250 };

/* Two doubles that are a factor of two apart: as many lie between them as there are between 1 and
 * 2. */
static const double FACTOR_OF_TWO = 4503599627370496.0;

static const char *missing(const void *of)
{
    const struct recorded *study = of;
    if (!study->has_envelope)
        return "There is no envelope.csv, so it cannot be told how far the residuals lie apart.";
    return study->axes->ulps > 0 ? NULL
                                 : "No iteration has the residuals of two runs that are numbers.";
}

/* Each at its iteration + 1: the axis is logarithmic, and begins with iteration 0. */
static void draw_kernel(struct canvas *canvas, const struct recorded *study, int kernel,
                        struct canvas_style style)
{
    const char *label = study->summary.kernels[kernel].label;
    const struct course *course = &study->envelope[kernel].ulps;
    path_begin(canvas);
    for (int64_t k = 0; k < course->count; k++)
        if (isnan(course->points[k].highest))
            path_gap(canvas);
        else
            path_to(canvas, (double)course->points[k].highest_at + 1, course->points[k].highest);
    path_end(canvas, "curve", kernel, label, style, 1.2);
    plot_marks(canvas, study, course, kernel, 1);
    canvas_key(canvas, kernel, label, NULL, style, CANVAS_LINE | CANVAS_MARK);
}

static void draw(struct canvas *canvas, const void *of)
{
    const struct recorded *study = of;
    int keys = 0, kernels = study->summary.kernels_count;
    bool far = study->axes->ulps > FACTOR_OF_TWO / 1e6;
    double most = fmax(study->axes->ulps, far ? 10 * FACTOR_OF_TWO : 1000);
    const struct axis x = {.title = "iteration, logarithmic",
                           .values = "iteration",
                           .begin = 1,
                           .end = fmax((double)study->axes->iterations, 1) + 1,
                           .logarithmic = true,
                           .shift = 1,
                           .edge = "0",
                           .at = 1,
                           .from = 1};
    struct axis y = axis_logarithmic("ulps", RECORDED_NO_ULPS, most);
    y.values = "ulps";
    y.edge = "0";
    y.at = RECORDED_NO_ULPS;
    y.from = 1;
    for (int k = 0; k < kernels; k++)
        keys += study->envelope[k].ulps.count > 0;
    canvas_begin(canvas, HEIGHT, keys, plot_widest_label(study));
    canvas_whole(canvas, HEIGHT, &x, &y, far);
    if (far)
        canvas_level(canvas, FACTOR_OF_TWO, "factor of 2");
    for (int k = 0; k < kernels; k++)
        if (study->envelope[k].ulps.count > 0)
            draw_kernel(canvas, study, k, plot_kernel_style(study, k));
}

static void write_caption(FILE *page, const void *of)
{
    const struct recorded *study = of;
    fputs("How many doubles lie from the lowest to the highest residual of the runs; 0 where all "
          "are equal in every bit. A line ends where fewer than two runs go on.",
          page);
    if (study->summary.columns > 1)
        fputs(" Of several columns the one is drawn where that is the most.", page);
    if (study->axes->iterations >= COURSE_CLOSE)
        html_print(
            page,
            " Each of the first %d iterations is drawn, and then the largest distance of those "
            "that lie close on the axis.",
            COURSE_CLOSE);
    for (int k = 0; k < study->summary.kernels_count; k++)
        if (study->envelope[k].ulps.count == 0)
            html_print(page, " No line: %s, which ran once.", study->summary.kernels[k].label);
}

const struct plot plot_ulps = {
    .name = "ulps",
    .title = "How far the residuals lie apart",
    .missing = missing,
    .draw = draw,
    .caption = write_caption,
};
