/* The residual histories: a curve for each different one, over the envelope of all. */
#include "program/report/plot.h"
#include "program/report/text.h"

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
    if (study->summary.columns > 1 && !study->has_envelope)
        return "There is no envelope.csv, of which the histories of several columns are drawn.";
    return axes->lowest > axes->highest
               ? "No residual is a positive number, so there is nothing to draw."
               : NULL;
}

static void write_curves(FILE *script, const struct recorded *study, const struct course *courses)
{
    for (int64_t c = 0; c < study->selection.count; c++) {
        char name[32];
        snprintf(name, sizeof name, "curve%" PRId64, c);
        plot_course(script, name, &courses[c]);
    }
}

/* A few marks on the first curve of a kernel, at other places than those of the kernels before
 * it. */
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
    return (study->summary.columns > 1 || study->summary.kernels[kernel].histories > 1) &&
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

/* Where a solve ends: in each of several columns elsewhere. */
static void write_tolerance(FILE *script, const struct recorded *study, double lowest,
                            double highest)
{
    if (study->summary.columns > 1)
        return;
    double wanted = study->summary.tolerance *
                    (summary_has_eigenvalues(&study->summary) ? 1 : study->summary.rhs_norm);
    wanted = fmax(wanted, study->summary.absolute_tolerance);
    if (!(wanted > lowest / 10 && wanted < highest))
        return;
    plot_level(script, wanted, "tolerance");
}

static void write_axes(FILE *script, const struct recorded *study, double lowest, double highest,
                       double begin, double end)
{
    plot_logarithmic(script, lowest, highest);
    plot_whole(script, begin, end);
    fprintf(script, "set xlabel 'iteration'\nset ylabel 'residual %s'\n",
            summary_has_eigenvalues(&study->summary) ? "‖A v − θ v‖ / |θ|, bound" : "‖r‖");
}

static const struct plot_panel panel = {"iteration", "residual", false, true, 0};

/* One history of a kernel is to be seen among many of another: it is drawn over them, and
 * broader. */
static void draw_curves(FILE *script, enum plot_pass pass, const struct recorded *study,
                        const struct plot_axes *axes, bool alone, double broad)
{
    const struct selection *selection = &study->selection;
    for (int64_t c = 0; c < selection->count; c++) {
        const struct selected_run *run = &selection->runs[c];
        const struct summary_kernel *kernel = &study->summary.kernels[run->kernel];
        struct plot_style style = plot_kernel_style(axes, kernel);
        char name[1200];
        if ((kernel->histories == 1) != alone)
            continue;
        selection_name(&study->summary, run, name, sizeof name);
        if (plot_element(script, pass, "curve", run->kernel, name))
            fprintf(script,
                    ", $curve%" PRId64 " using 1:2 with lines lw %g lc rgb '%s' dt %d notitle", c,
                    alone ? broad : 0.8, style.color, style.dashes);
    }
}

static void draw_bands(FILE *script, enum plot_pass pass, const struct recorded *study,
                       const struct plot_axes *axes)
{
    for (int k = 0; k < study->summary.kernels_count; k++) {
        const struct summary_kernel *kernel = &study->summary.kernels[k];
        if (has_band(study, k) && plot_element(script, pass, "band", k, kernel->label))
            fprintf(script,
                    ", $envelope%d using 1:2:3 with filledcurves fs transparent solid 0.2 noborder "
                    "fc rgb '%s' notitle",
                    k, plot_kernel_style(axes, kernel).color);
    }
}

static void draw_marks(FILE *script, enum plot_pass pass, const struct recorded *study,
                       const struct plot_axes *axes)
{
    for (int k = 0; k < study->summary.kernels_count; k++) {
        const struct summary_kernel *kernel = &study->summary.kernels[k];
        struct plot_style style = plot_kernel_style(axes, kernel);
        int64_t begin;
        if (selection_of(&study->selection, k, &begin) > 0 &&
            plot_element(script, pass, "marks", k, kernel->label))
            fprintf(script, ", $marks%d using 1:2 with points pt %d ps 0.7 lc rgb '%s' notitle", k,
                    style.mark, style.color);
    }
}

static void draw_histories(FILE *script, enum plot_pass pass, const struct recorded *study,
                           const struct plot_axes *axes)
{
    draw_bands(script, pass, study, axes);
    draw_curves(script, pass, study, axes, false, 0);
    draw_curves(script, pass, study, axes, true, 1.4);
    draw_marks(script, pass, study, axes);
    for (int k = 0; k < study->summary.kernels_count; k++)
        plot_key(script, pass, axes, study, k, true);
}

static void write_script(FILE *script, const struct recorded *study, const struct plot_axes *axes)
{
    plot_begin(script);
    write_axes(script, study, axes->lowest, axes->highest, 0,
               axes->iterations > 0 ? (double)axes->iterations : 1);
    write_tolerance(script, study, axes->lowest, axes->highest);
    write_curves(script, study, study->histories);
    for (int k = 0; k < study->summary.kernels_count; k++) {
        int64_t begin;
        if (selection_of(&study->selection, k, &begin) > 0)
            write_marks(script, study, k, &study->histories[begin]);
        if (has_band(study, k))
            write_envelope(script, k, &study->envelope[k].residuals);
    }
    plot_draw(script, draw_histories, study, axes, &panel);
}

int plot_text_labels(const struct recorded *study, int columns)
{
    /* what gnuplot takes for a line before a label, and on the left */
    enum { SAMPLE = 7, AXIS = 13 };
    int labels = (columns - AXIS) / (plot_widest_label(study) + SAMPLE);
    return labels > 1 ? labels : 1;
}

void plot_histories_in_text(FILE *script, const struct recorded *study,
                            const struct plot_axes *axes, int labels)
{
    enum { STRIPS = 3 };
    int kernels = study->summary.kernels_count;
    plot_begin(script);
    write_axes(script, study, axes->lowest, axes->highest, 0,
               axes->iterations > 0 ? (double)axes->iterations : 1);
    write_curves(script, study, study->histories);
    fprintf(script,
            "set key maxcols %d\nset ytics auto\nset format y '%%.0e'\nset ylabel ''\n"
            "set xlabel ''\nset border 3\nunset grid\nplot NaN notitle",
            labels);
    /* Equal curves hide one another: each kernel has strips of the picture in which it is drawn
     * once more, on top. */
    double strip = fmax(2, ceil((double)axes->iterations / (STRIPS * kernels)));
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < kernels; k++) {
            int64_t begin, count = selection_of(&study->selection, k, &begin);
            for (int64_t c = begin; c < begin + count; c++) {
                fprintf(script, ", $curve%" PRId64 " using ", c);
                if (pass == 0)
                    fputs("1", script);
                else
                    fprintf(script, "(int($1 / %.0f) %% %d == %d ? $1 : NaN)", strip, kernels, k);
                fprintf(script, ":2 with lines lt %d ", k + 1);
                if (pass == 0 && c == begin) {
                    fputs("title ", script);
                    plot_label(script, study->summary.kernels[k].label);
                } else
                    fputs("notitle", script);
            }
        }
    fputs("\n", script);
}

/* Of several right-hand sides. */
static void write_columns(FILE *page, const struct recorded *study)
{
    fprintf(page,
            "The shaded band of a kernel lies between the lowest and the highest residual of all "
            "%" PRId64
            " columns, and the line is their median, at each iteration among the columns that have "
            "come to it. The band jumps where a column ends. A residual is not divided by ‖b‖ of "
            "its column.",
            study->summary.columns);
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
    if (study->summary.columns > 1) {
        write_columns(page, study);
        return;
    }
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
    bool shaded = false;
    for (int k = 0; k < study->summary.kernels_count && study->has_envelope; k++)
        shaded = shaded || has_band(study, k);
    if (shaded)
        fputs(" The shaded band lies between the lowest and the highest residual of all runs.",
              page);
    if (!study->has_envelope)
        fputs(" There is no envelope.csv, so the band of all runs is not shaded.", page);
}

const struct plot plot_histories = {
    .name = "histories",
    .title = "Residual histories",
    .missing = missing,
    .height = height,
    .script = write_script,
    .caption = write_caption,
};

/* --- the last iterations ---------------------------------------------------------------------- */

enum { LAST_HEIGHT = 380 };

static int last_height(const struct recorded *study)
{
    (void)study;
    return LAST_HEIGHT;
}

static void last_range(const struct recorded *study, double *lowest, double *highest)
{
    *lowest = INFINITY;
    *highest = 0;
    for (int64_t c = 0; c < study->selection.count; c++)
        course_range(&study->last[c], lowest, highest);
}

static const char *last_missing(const struct recorded *study, const struct plot_axes *axes)
{
    double lowest, highest;
    (void)axes;
    if (study->summary.columns > 1)
        return PLOT_OF_ONE_COLUMN;
    last_range(study, &lowest, &highest);
    if (study->ends.begin > study->ends.end)
        return "The runs end so far apart that the whole histories show it.";
    return lowest > highest ? "None of the last residuals is a positive number." : NULL;
}

/* Whether the iterations drawn are those of the kernel's end. */
static bool ends_here(const struct recorded *study, int k)
{
    const struct summary_kernel *kernel = &study->summary.kernels[k];
    return kernel->by_count[kernel->runs_count - 1].iterations >= study->ends.begin;
}

/* A mark where each run ends. */
static void write_ends(FILE *script, const struct recorded *study, int kernel)
{
    int64_t begin, count = selection_of(&study->selection, kernel, &begin);
    fprintf(script, "$ends%d << EOD\n", kernel);
    for (int64_t c = begin; c < begin + count; c++) {
        const struct course *course = &study->last[c];
        if (course->count == 0)
            continue;
        const struct course_point *point = &course->points[course->count - 1];
        if (!isnan(point->lowest))
            fprintf(script, "%" PRId64 " %.5g\n",
                    point->lowest_at > point->highest_at ? point->lowest_at : point->highest_at,
                    point->lowest_at > point->highest_at ? point->lowest : point->highest);
    }
    fputs("EOD\n", script);
}

static void draw_last(FILE *script, enum plot_pass pass, const struct recorded *study,
                      const struct plot_axes *axes)
{
    draw_curves(script, pass, study, axes, false, 0);
    draw_curves(script, pass, study, axes, true, 2.4);
    for (int k = 0; k < study->summary.kernels_count; k++) {
        const struct summary_kernel *kernel = &study->summary.kernels[k];
        struct plot_style style = plot_kernel_style(axes, kernel);
        if (ends_here(study, k) && plot_element(script, pass, "marks", k, kernel->label))
            fprintf(script, ", $ends%d using 1:2 with points pt %d ps 0.8 lc rgb '%s' notitle", k,
                    style.mark, style.color);
    }
    for (int k = 0; k < study->summary.kernels_count; k++)
        if (ends_here(study, k))
            plot_key(script, pass, axes, study, k, true);
}

static void write_last(FILE *script, const struct recorded *study, const struct plot_axes *axes)
{
    double lowest, highest;
    last_range(study, &lowest, &highest);
    plot_begin(script);
    write_axes(script, study, lowest, highest, (double)study->ends.begin, (double)study->ends.end);
    write_tolerance(script, study, lowest, highest);
    write_curves(script, study, study->last);
    for (int k = 0; k < study->summary.kernels_count; k++)
        write_ends(script, study, k);
    plot_draw(script, draw_last, study, axes, &panel);
}

static void write_last_caption(FILE *page, const struct recorded *study,
                               const struct plot_axes *axes)
{
    (void)axes;
    fprintf(page,
            "The residual histories from iteration %" PRId64 " on, where the runs end: a line for "
            "each different history, with a mark at its end.",
            study->ends.begin);
    if (study->selection.count < study->selection.histories)
        fprintf(page, " Drawn are %" PRId64 " of %" PRId64 " different histories.",
                study->selection.count, study->selection.histories);
    for (int k = 0; k < study->summary.kernels_count; k++) {
        const struct summary_kernel *kernel = &study->summary.kernels[k];
        if (ends_here(study, k))
            continue;
        fputs(" Not here: ", page);
        html_text(page, kernel->label);
        fprintf(page, ", which ended at iteration %" PRId64 " at the latest.",
                kernel->by_count[kernel->runs_count - 1].iterations);
    }
}

const struct plot plot_last = {
    .name = "last",
    .title = "The last iterations",
    .missing = last_missing,
    .height = last_height,
    .script = write_last,
    .caption = write_last_caption,
    .optional = true,
    .narrow = true,
};
