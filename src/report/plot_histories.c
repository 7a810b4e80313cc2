/* The residual histories: a curve for each different one, over the envelope of all. */
#include "report/plot.h"
#include "report/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

enum { HEIGHT = 460, MARKS = 9 };

static int height(const struct recorded *study)
{
    (void)study;
    return HEIGHT;
}

static const char *missing(const struct recorded *study, const struct plot_axes *axes)
{
    (void)study;
    return axes->lowest > axes->highest
               ? "No residual is a positive number, so there is nothing to draw."
               : NULL;
}

static void write_curves(FILE *script, const struct recorded *study)
{
    for (int64_t c = 0; c < study->selection.count; c++) {
        char name[32];
        snprintf(name, sizeof name, "curve%" PRId64, c);
        plot_course(script, name, &study->histories[c]);
    }
}

/* A few marks on the first curve of a kernel, at other places than those of the kernels before it. */
static void write_marks(FILE *script, const struct recorded *study, int kernel,
                        const struct course *course)
{
    fprintf(script, "$marks%d << EOD\n", kernel);
    int64_t step = course->count / MARKS + 1;
    for (int64_t k = step * kernel / study->summary.kernels_count; k < course->count; k += step)
        if (!isnan(course->points[k].lowest))
            fprintf(script, "%" PRId64 " %.5g\n", course->points[k].highest_at,
                    course->points[k].highest);
    fputs("EOD\n", script);
}

/* One history alone lies in no band; thinned out, it would seem to. */
static bool has_band(const struct recorded *study, int kernel)
{
    return study->summary.kernels[kernel].histories > 1 &&
           study->envelope[kernel].residuals.count > 0;
}

static void write_envelope(FILE *script, int kernel, const struct course *course)
{
    fprintf(script, "$envelope%d << EOD\n", kernel);
    for (int64_t k = 0; k < course->count; k++) {
        const struct course_point *point = &course->points[k];
        if (isnan(point->lowest))
            fputs("\n", script);
        else
            fprintf(script, "%.7g %.5g %.5g\n", 0.5 * (double)(point->begin + point->end),
                    point->lowest, point->highest);
    }
    fputs("EOD\n", script);
}

/* Where a solve ends. */
static void write_tolerance(FILE *script, const struct recorded *study,
                            const struct plot_axes *axes)
{
    double wanted = study->summary.tolerance *
                    (summary_has_eigenvalues(&study->summary) ? 1 : study->summary.rhs_norm);
    if (!(wanted > axes->lowest / 10 && wanted < axes->highest))
        return;
    plot_level(script, wanted, "tolerance");
}

static void write_axes(FILE *script, const struct recorded *study, const struct plot_axes *axes)
{
    plot_logarithmic(script, axes->lowest, axes->highest);
    plot_whole(script, 0, axes->iterations > 0 ? (double)axes->iterations : 1);
    fprintf(script, "set xlabel 'iteration'\nset ylabel 'residual %s'\n",
            summary_has_eigenvalues(&study->summary) ? "‖A v − θ v‖ / |θ|, bound" : "‖r‖");
}

/* An entry of the key: what is drawn of this kernel. */
static void write_entry(FILE *script, const struct recorded *study, const struct plot_axes *axes,
                        int kernel)
{
    const char *label = study->summary.kernels[kernel].label;
    fprintf(script, ", NaN with linespoints lw 1.2 lc rgb '%s' dt %d pt %d title ",
            plot_color(axes, label), plot_dashes(axes, label), plot_mark(axes, label));
    plot_label(script, label);
}

static void plot_kernel(FILE *script, const struct recorded *study, const struct plot_axes *axes,
                        int kernel)
{
    int64_t begin, count = selection_of(&study->selection, kernel, &begin);
    const char *label = study->summary.kernels[kernel].label;
    const char *color = plot_color(axes, label);
    for (int64_t c = begin; c < begin + count; c++)
        fprintf(script, ", $curve%" PRId64 " using 1:2 with lines lw %s lc rgb '%s' dt %d notitle",
                c, count > 1 ? "0.6" : "1.2", color, plot_dashes(axes, label));
    if (count > 0)
        fprintf(script, ", $marks%d using 1:2 with points pt %d ps 0.7 lc rgb '%s' notitle", kernel,
                plot_mark(axes, label), color);
    write_entry(script, study, axes, kernel);
}

static void write_script(FILE *script, const struct recorded *study, const struct plot_axes *axes)
{
    int kernels = study->summary.kernels_count;
    plot_begin(script);
    write_axes(script, study, axes);
    write_tolerance(script, study, axes);
    write_curves(script, study);
    for (int k = 0; k < kernels; k++) {
        int64_t begin;
        if (selection_of(&study->selection, k, &begin) > 0)
            write_marks(script, study, k, &study->histories[begin]);
        if (has_band(study, k))
            write_envelope(script, k, &study->envelope[k].residuals);
    }
    fputs("plot NaN notitle", script);
    for (int k = 0; k < kernels; k++)
        if (has_band(study, k))
            fprintf(script,
                    ", $envelope%d using 1:2:3 with filledcurves fs transparent solid 0.2 noborder "
                    "fc rgb '%s' notitle",
                    k, plot_color(axes, study->summary.kernels[k].label));
    for (int k = 0; k < kernels; k++)
        plot_kernel(script, study, axes, k);
    fputs("\n", script);
}

void plot_histories_in_text(FILE *script, const struct recorded *study,
                            const struct plot_axes *axes)
{
    plot_begin(script);
    write_axes(script, study, axes);
    write_curves(script, study);
    fputs("set format y '%.0e'\nset ylabel ''\nset xlabel ''\nset border 3\nunset grid\n"
          "plot NaN notitle",
          script);
    for (int k = 0; k < study->summary.kernels_count; k++) {
        int64_t begin, count = selection_of(&study->selection, k, &begin);
        for (int64_t c = begin; c < begin + count; c++) {
            fprintf(script, ", $curve%" PRId64 " using 1:2 with lines lt %d ", c, k + 1);
            if (c == begin) {
                fputs("title ", script);
                plot_label(script, study->summary.kernels[k].label);
            } else
                fputs("notitle", script);
        }
    }
    fputs("\n", script);
}

static void write_drawn(FILE *page, const struct recorded *study)
{
    const struct selection *selection = &study->selection;
    if (selection->count == selection->histories)
        fprintf(page,
                "A line for each different history, %" PRId64 " of them: runs that are equal in "
                "every bit lie on one line.",
                selection->count);
    else
        fprintf(page,
                "The %" PRId64 " runs drawn are spread evenly over the %" PRId64
                " different histories; the others are left out of the picture.",
                selection->count, selection->histories);
}

static void write_caption(FILE *page, const struct recorded *study, const struct plot_axes *axes)
{
    (void)axes;
    write_drawn(page, study);
    int64_t width = study->selection.count > 0 ? study->histories[0].width : 1;
    if (width > 1)
        fprintf(page,
                " The lines are thinned out: of every %" PRId64
                " iterations those with the highest and the lowest residual.",
                width);
    if (summary_has_eigenvalues(&study->summary))
        fputs(" The residual is the largest bound of ‖A v − θ v‖ / |θ| among the wanted "
              "eigenpairs.",
              page);
    if (study->has_envelope)
        fputs(" The shaded band lies between the lowest and the highest residual of all runs.",
              page);
    else
        fputs(" There is no envelope.csv, so the band of all runs is not shaded.", page);
}

const struct plot plot_histories = {
    "histories", "Residual histories", missing, height, write_script, write_caption, false,
};
