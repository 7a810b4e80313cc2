/* How far the residuals of a kernel's runs lie apart, in ulps, iteration by iteration. */
#include "report/plot.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

enum { HEIGHT = 340, MARKS = 9 };

/* Two doubles that are a factor of two apart: as many lie between them as there are between 1 and 2. */
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
    return axes->ulps > 0 ? NULL : "No iteration has two residuals that are numbers.";
}

/* At the middle of the iterations that a point stands for, their largest distance. */
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
                fprintf(script, "%.7g %.5g\n", 0.5 * (double)(point->begin + point->end),
                        point->highest);
        }
        fputs("EOD\n", script);
    }
}

/* 0, which has its place below 1, and a few powers of ten. */
static void write_tics(FILE *script, double most)
{
    int step = most > 1e12 ? 3 : most > 1e6 ? 2 : 1;
    fprintf(script, "set ytics ('0' %g", RECORDED_NO_ULPS);
    for (int k = 0; pow(10, k) <= most; k += step)
        fprintf(script, ", '10^{%d}' 1e%d", k, k);
    fputs(")\n", script);
}

static void write_axes(FILE *script, const struct plot_axes *axes)
{
    bool far = axes->ulps > FACTOR_OF_TWO / 1e6;
    double most = fmax(axes->ulps, far ? 10 * FACTOR_OF_TWO : 1000);
    plot_logarithmic(script, RECORDED_NO_ULPS, most);
    write_tics(script, most);
    plot_whole(script, 0, axes->iterations > 0 ? (double)axes->iterations : 1);
    fputs("set xlabel 'iteration'\nset ylabel 'ulps'\n", script);
    if (far)
        plot_level(script, FACTOR_OF_TWO, "factor of 2");
}

static void write_script(FILE *script, const struct recorded *study, const struct plot_axes *axes)
{
    plot_begin(script);
    write_axes(script, axes);
    write_courses(script, study);
    fputs("plot NaN notitle", script);
    for (int k = 0; k < study->summary.kernels_count; k++) {
        const char *label = study->summary.kernels[k].label;
        int64_t every = study->envelope[k].ulps.count / MARKS + 1;
        if (study->envelope[k].ulps.count == 0)
            continue;
        fprintf(script,
                ", $ulps%d using 1:2 with lines lw 1.2 lc rgb '%s' dt %d notitle"
                ", $ulps%d using 1:2 every %" PRId64 "::%" PRId64
                " with points pt %d ps 0.7 lc rgb '%s' notitle"
                ", NaN with linespoints lw 1.2 lc rgb '%s' dt %d pt %d title ",
                k, plot_color(axes, label), plot_dashes(axes, label), k, every,
                every * k / study->summary.kernels_count, plot_mark(axes, label),
                plot_color(axes, label), plot_color(axes, label), plot_dashes(axes, label),
                plot_mark(axes, label));
        plot_label(script, label);
    }
    fputs("\n", script);
}

static void write_caption(FILE *page, const struct recorded *study, const struct plot_axes *axes)
{
    (void)axes;
    int64_t width = study->envelope[0].ulps.width;
    fputs(
        "How many doubles lie from the lowest to the highest residual of the runs that came to the "
        "iteration; 0 where all are equal in every bit.",
        page);
    if (width > 1)
        fprintf(page, " Each point is the largest distance of %" PRId64 " iterations.", width);
}

const struct plot plot_ulps = {
    "ulps", "How far the residuals lie apart", missing, height, write_script, write_caption, false,
};
