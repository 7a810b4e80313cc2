/* How far the residuals of a kernel's runs lie apart, in ulps, iteration by iteration. */
#include "program/report/plot.h"
#include "program/report/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

enum { HEIGHT = 340, MARKS = 9 };

/* Two doubles that are a factor of two apart: as many lie between them as there are between 1 and
 * 2. */
static const double FACTOR_OF_TWO = 4503599627370496.0;

static int height(const struct recorded *study)
{
    (void)study;
    return HEIGHT;
}

static const char *missing(const struct recorded *study, const struct plot_axes *axes)
{
    if (!study->has_envelope)
        return "There is no envelope.csv, so it cannot be told how far the residuals lie apart.";
    return axes->ulps > 0 ? NULL : "No iteration has the residuals of two runs that are numbers.";
}

/* Each at its iteration + 1: the axis is logarithmic, and begins with iteration 0. */
static void write_courses(FILE *script, const struct recorded *study)
{
    for (int kernel = 0; kernel < study->summary.kernels_count; kernel++) {
        const struct course *course = &study->envelope[kernel].ulps;
        fprintf(script, "$ulps%d << EOD\n", kernel);
        for (int64_t k = 0; k < course->count; k++) {
            const struct course_point *point = &course->points[k];
            if (isnan(point->highest))
                fputs("\n", script);
            else
                fprintf(script, "%" PRId64 " %.5g\n", point->highest_at + 1, point->highest);
        }
        fputs("EOD\n", script);
    }
}

static void write_axes(FILE *script, const struct plot_axes *axes)
{
    bool far = axes->ulps > FACTOR_OF_TWO / 1e6;
    double most = fmax(axes->ulps, far ? 10 * FACTOR_OF_TWO : 1000);
    double end = fmax((double)axes->iterations, 1);
    plot_logarithmic(script, RECORDED_NO_ULPS, most);
    fprintf(script, "set ytics ('0' %g, ", RECORDED_NO_ULPS);
    plot_decades(script, 1, most, 7, 0);
    fprintf(script, ")\nset logscale x\nset xrange [1:%.10g] noextend\nset xtics ('0' 1, ",
            end + 1);
    plot_decades(script, 1, end, 8, 1);
    fputs(")\nset xlabel 'iteration, logarithmic'\nset ylabel 'ulps'\n", script);
    if (far)
        plot_level(script, FACTOR_OF_TWO, "factor of 2");
}

static void draw(FILE *script, enum plot_pass pass, const struct recorded *study,
                 const struct plot_axes *axes)
{
    for (int k = 0; k < study->summary.kernels_count; k++) {
        const struct summary_kernel *kernel = &study->summary.kernels[k];
        struct plot_style style = plot_kernel_style(axes, kernel);
        int64_t every = study->envelope[k].ulps.count / MARKS + 1;
        if (study->envelope[k].ulps.count == 0)
            continue;
        if (plot_element(script, pass, "curve", k, kernel->label))
            fprintf(script, ", $ulps%d using 1:2 with lines lw 1.2 lc rgb '%s' dt %d notitle", k,
                    style.color, style.dashes);
        if (plot_element(script, pass, "marks", k, kernel->label))
            fprintf(script,
                    ", $ulps%d using 1:2 every %" PRId64 "::%" PRId64
                    " with points pt %d ps 0.7 lc rgb '%s' notitle",
                    k, every, every * k / study->summary.kernels_count, style.mark, style.color);
        plot_key(script, pass, axes, study, k, true);
    }
}

static void write_script(FILE *script, const struct recorded *study, const struct plot_axes *axes)
{
    static const struct plot_panel panel = {"iteration", "ulps", true, true, 1};
    plot_begin(script);
    write_axes(script, axes);
    write_courses(script, study);
    plot_draw(script, draw, study, axes, &panel);
}

static void write_caption(FILE *page, const struct recorded *study, const struct plot_axes *axes)
{
    fputs("How many doubles lie from the lowest to the highest residual of the runs; 0 where all "
          "are equal in every bit. A line ends where fewer than two runs go on.",
          page);
    if (study->summary.columns > 1)
        fputs(" Of several columns the one is drawn where that is the most.", page);
    if (axes->iterations >= COURSE_CLOSE)
        fprintf(page,
                " Each of the first %d iterations is drawn, and then the largest distance of those "
                "that lie close on the axis.",
                COURSE_CLOSE);
    for (int k = 0; k < study->summary.kernels_count; k++)
        if (study->envelope[k].ulps.count == 0) {
            fputs(" No line: ", page);
            html_text(page, study->summary.kernels[k].label);
            fputs(", which ran once.", page);
        }
}

const struct plot plot_ulps = {
    .name = "ulps",
    .title = "How far the residuals lie apart",
    .missing = missing,
    .height = height,
    .script = write_script,
    .caption = write_caption,
};
