/* The residual histories: a curve for each different one, over the envelope of all. */
#include "program/report/plot.h"
#include "program/report/text.h"

#include <math.h>
#include <stdbool.h>

enum { HEIGHT = 360, LAST_HEIGHT = 280 };

static const char *missing(const void *of)
{
    const struct recorded *study = of;
    if (study->summary.columns > 1 && !study->has_envelope)
        return "There is no envelope.csv, of which the histories of several columns are drawn.";
    return study->axes->lowest > study->axes->highest
               ? "No residual is a positive number, so there is nothing to draw."
               : NULL;
}

/* One history alone lies in no band; thinned out, it would seem to. */
static bool has_band(const struct recorded *study, int kernel)
{
    return (study->summary.columns > 1 || study->summary.kernels[kernel].histories > 1) &&
           study->envelope[kernel].residuals.count > 0;
}

static double middle_of(const struct course_point *point)
{
    return 0.5 * (double)(point->begin + point->end);
}

/* Along the highest residuals and back along the lowest. */
static void draw_band(struct canvas *canvas, const struct recorded *study, int kernel,
                      struct canvas_style style)
{
    const struct course *course = &study->envelope[kernel].residuals;
    path_begin(canvas);
    for (int64_t begin = 0, end; begin < course->count; begin = end + 1) {
        for (end = begin; end < course->count && !isnan(course->points[end].lowest); end++)
            path_to(canvas, middle_of(&course->points[end]), course->points[end].highest);
        for (int64_t k = end - 1; k >= begin; k--)
            path_to(canvas, middle_of(&course->points[k]), course->points[k].lowest);
        path_gap(canvas);
    }
    style.dashes = 0;
    path_end(canvas, "band", kernel, study->summary.kernels[kernel].label, style, 0);
}

/* Where a solve ends, if it is to be seen: in each of several columns elsewhere; or 0. */
static double tolerance_of(const struct recorded *study, double lowest, double highest)
{
    const struct summary *summary = &study->summary;
    double wanted = summary->tolerance * (summary_has_eigenvalues(summary) ? 1 : summary->rhs_norm);
    wanted = fmax(wanted, summary->absolute_tolerance);
    return summary->columns == 1 && wanted > lowest / 10 && wanted < highest ? wanted : 0;
}

/* One history of a kernel is to be seen among many of another: it is drawn over them, and
 * broader. */
static void draw_curves(struct canvas *canvas, const struct recorded *study, bool last,
                        double broad)
{
    const struct selection *selection = &study->selection;
    for (int alone = 0; alone < 2; alone++)
        for (int64_t c = 0; c < selection->count; c++) {
            const struct selected_run *run = &selection->runs[c];
            const struct summary_kernel *kernel = &study->summary.kernels[run->kernel];
            char name[1200];
            if ((kernel->histories == 1) != alone)
                continue;
            plot_course(canvas, last ? &study->curves[c].last : &study->curves[c].history, false);
            path_end(canvas, "curve", run->kernel,
                     selection_name(&study->summary, run, name, sizeof name),
                     plot_kernel_style(study, run->kernel), alone ? broad : 0.8);
        }
}

static void begin(struct canvas *canvas, const struct recorded *study, double height, int keys,
                  const struct axis *x, double lowest, double highest)
{
    const struct axis y = plot_residuals(study, lowest, highest);
    double tolerance = tolerance_of(study, lowest, highest);
    canvas_begin(canvas, height, keys, plot_widest_label(study));
    canvas_whole(canvas, height, x, &y, tolerance > 0);
    if (tolerance > 0)
        canvas_level(canvas, fmax(tolerance, y.begin), "tolerance");
}

static void draw(struct canvas *canvas, const void *of)
{
    const struct recorded *study = of;
    int kernels = study->summary.kernels_count;
    const struct axis x = plot_iterations(0, (double)study->axes->iterations);
    begin(canvas, study, HEIGHT, kernels, &x, study->axes->lowest, study->axes->highest);
    for (int k = 0; k < kernels; k++)
        if (has_band(study, k))
            draw_band(canvas, study, k, plot_kernel_style(study, k));
    draw_curves(canvas, study, false, 1.4);
    for (int k = 0; k < kernels; k++) {
        int64_t first; /* of its curves */
        if (selection_of(&study->selection, k, &first) > 0)
            plot_marks(canvas, study, &study->curves[first].history, k, 0);
    }
    for (int k = 0; k < kernels; k++)
        canvas_key(canvas, k, study->summary.kernels[k].label, NULL, plot_kernel_style(study, k),
                   CANVAS_LINE | CANVAS_MARK);
}

/* Of several right-hand sides. */
static void write_columns(FILE *page, const struct recorded *study)
{
    html_print(
        page,
        "The shaded band of a kernel lies between the lowest and the highest residual of all "
        "%ld columns, and the line is their median, at each iteration among the columns that have "
        "come to it. The band jumps where a column ends. A residual is not divided by ‖b‖ of "
        "its column.",
        study->summary.columns);
}

static void write_drawn(FILE *page, const struct recorded *study)
{
    const struct selection *selection = &study->selection;
    if (selection->count == selection->histories)
        html_print(page,
                   "A line for each different history, %ld of them: runs that are equal in "
                   "every bit lie on one line.",
                   selection->count);
    else
        html_print(page,
                   "The %ld runs drawn are spread evenly over the %ld different histories; the "
                   "others are left out of the picture.",
                   selection->count, selection->histories);
}

static void write_caption(FILE *page, const void *of)
{
    const struct recorded *study = of;
    if (study->summary.columns > 1) {
        write_columns(page, study);
        return;
    }
    write_drawn(page, study);
    int64_t width = study->selection.count > 0 ? study->curves[0].history.width : 1;
    if (width > 1)
        html_print(page,
                   " The lines are thinned out: of every %ld iterations those with the highest and "
                   "the lowest residual.",
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
    .draw = draw,
    .caption = write_caption,
};

/* --- the last iterations ---------------------------------------------------------------------- */

static void last_range(const struct recorded *study, double *lowest, double *highest)
{
    *lowest = INFINITY;
    *highest = 0;
    for (int64_t c = 0; c < study->selection.count; c++)
        course_range(&study->curves[c].last, lowest, highest);
}

static const char *last_missing(const void *of)
{
    const struct recorded *study = of;
    double lowest, highest;
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
static void draw_ends(struct canvas *canvas, const struct recorded *study, int kernel,
                      struct canvas_style style)
{
    int64_t begin, count = selection_of(&study->selection, kernel, &begin);
    path_begin(canvas);
    for (int64_t c = begin; c < begin + count; c++) {
        const struct course *course = &study->curves[c].last;
        if (course->count == 0)
            continue;
        const struct course_point *point = &course->points[course->count - 1];
        if (isnan(point->lowest))
            continue;
        if (point->lowest_at > point->highest_at)
            path_mark(canvas, (double)point->lowest_at, point->lowest, style.mark, 4.5);
        else
            path_mark(canvas, (double)point->highest_at, point->highest, style.mark, 4.5);
    }
    path_end(canvas, "marks", kernel, study->summary.kernels[kernel].label, style, 1.2);
}

static void draw_last(struct canvas *canvas, const void *of)
{
    const struct recorded *study = of;
    double lowest, highest;
    int keys = 0, kernels = study->summary.kernels_count;
    const struct axis x = plot_iterations((double)study->ends.begin, (double)study->ends.end);
    last_range(study, &lowest, &highest);
    for (int k = 0; k < kernels; k++)
        keys += ends_here(study, k);
    begin(canvas, study, LAST_HEIGHT, keys, &x, lowest, highest);
    draw_curves(canvas, study, true, 2.4);
    for (int k = 0; k < kernels; k++) {
        const struct summary_kernel *kernel = &study->summary.kernels[k];
        if (!ends_here(study, k))
            continue;
        draw_ends(canvas, study, k, plot_kernel_style(study, k));
        canvas_key(canvas, k, kernel->label, NULL, plot_kernel_style(study, k),
                   CANVAS_LINE | CANVAS_MARK);
    }
}

static void write_last_caption(FILE *page, const void *of)
{
    const struct recorded *study = of;
    html_print(page,
               "The residual histories from iteration %ld on, where the runs end: a line for "
               "each different history, with a mark at its end.",
               study->ends.begin);
    if (study->selection.count < study->selection.histories)
        html_print(page, " Drawn are %ld of %ld different histories.", study->selection.count,
                   study->selection.histories);
    for (int k = 0; k < study->summary.kernels_count; k++) {
        const struct summary_kernel *kernel = &study->summary.kernels[k];
        if (!ends_here(study, k))
            html_print(page, " Not here: %s, which ended at iteration %ld at the latest.",
                       kernel->label, kernel->by_count[kernel->runs_count - 1].iterations);
    }
}

const struct plot plot_last = {
    .name = "last",
    .title = "The last iterations",
    .missing = last_missing,
    .draw = draw_last,
    .caption = write_last_caption,
    .optional = true,
};
