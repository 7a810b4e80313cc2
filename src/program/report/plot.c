#include "program/report/plot.h"

#include "base/memory.h"
#include "program/report/text.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

const struct plot *const plots_of_study[] = {
    &plot_last,   &plot_histories, &plot_error, &plot_ritz,    &plot_ghosts,
    &plot_counts, &plot_ulps,      &plot_speed, &plot_pattern, NULL};

const struct plot *plot_named(const struct plot *const *plots, const char *name)
{
    while (*plots && strcmp((*plots)->name, name) != 0)
        plots++;
    return *plots;
}

const char *plot_title(const struct plot *plot, const void *of)
{
    const struct recorded *study = plot->title_of_columns ? of : NULL;
    return study && study->summary.columns > 1 ? plot->title_of_columns : plot->title;
}

/* --- what the studies have in common ---------------------------------------------------------- */

static void take_kernel(struct plot_axes *axes, const struct summary_kernel *kernel)
{
    int64_t fewest = kernel->by_count[0].iterations;
    int64_t most = kernel->by_count[kernel->runs_count - 1].iterations;
    axes->iterations = most > axes->iterations ? most : axes->iterations;
    axes->counts[axes->counts_count++] = (struct plot_range){fewest, most};
    axes->milliseconds = fmax(axes->milliseconds, 1e3 * kernel->seconds_high);
    axes->rate = fmax(axes->rate, summary_rate(kernel));
}

static void take_study(struct plot_axes *axes, const struct recorded *study)
{
    for (int k = 0; k < study->summary.kernels_count; k++) {
        const struct recorded_envelope *envelope = &study->envelope[k];
        double lowest = INFINITY;
        take_kernel(axes, &study->summary.kernels[k]);
        course_range(&envelope->residuals, &axes->lowest, &axes->highest);
        course_range(&envelope->ulps, &lowest, &axes->ulps);
    }
    for (int64_t k = 0; k < study->selection.count; k++) {
        double lowest = INFINITY;
        course_range(&study->curves[k].history, &axes->lowest, &axes->highest);
        course_range(&study->curves[k].ghosts, &lowest, &axes->ghosts);
    }
}

static bool same_problem(const struct summary *a, const struct summary *b)
{
    return strcmp(a->matrix_hash, b->matrix_hash) == 0 && strcmp(a->rhs_hash, b->rhs_hash) == 0 &&
           strcmp(a->start_hash, b->start_hash) == 0;
}

enum status plot_axes_make(const struct recorded *studies, int count, int study,
                           struct plot_axes *axes, struct error *error)
{
    int64_t kernels = 0;
    for (int s = 0; s < count; s++)
        kernels += studies[s].summary.kernels_count;
    *axes = (struct plot_axes){
        .lowest = INFINITY,
        .labels = memory_array(kernels, sizeof *axes->labels, "the labels", error),
        .counts = memory_array(kernels, sizeof *axes->counts, "the counts", error)};
    if (!axes->labels || !axes->counts) {
        plot_axes_free(axes);
        return STATUS_MEMORY;
    }
    for (int s = 0; s < count; s++) {
        for (int k = 0; k < studies[s].summary.kernels_count; k++)
            plot_take_label(axes, studies[s].summary.kernels[k].label,
                            studies[s].summary.kernels[k].kernel);
        if (same_problem(&studies[s].summary, &studies[study].summary))
            take_study(axes, &studies[s]);
    }
    return STATUS_OK;
}

void plot_axes_free(struct plot_axes *axes)
{
    memory_free(axes->labels);
    memory_free(axes->counts);
    *axes = (struct plot_axes){0};
}

/* --- what they share -------------------------------------------------------------------------- */

struct axis plot_iterations(double begin, double end)
{
    return (struct axis){
        .title = "iteration", .values = "iteration", .begin = begin, .end = fmax(end, begin + 1)};
}

struct axis plot_residuals(const struct recorded *study, double lowest, double highest)
{
    bool eigen = summary_has_eigenvalues(&study->summary);
    struct axis axis = axis_logarithmic(
        eigen ? "residual ‖A v − θ v‖ / |θ|, bound" : "residual ‖r‖", lowest, highest);
    axis.values = "residual";
    return axis;
}

static void draw_to(struct canvas *canvas, bool steps, double at, double value, double *last)
{
    if (steps && canvas->drawing)
        path_to(canvas, at, *last);
    path_to(canvas, at, value);
    *last = value;
}

void plot_course(struct canvas *canvas, const struct course *course, bool steps)
{
    double last = 0;
    path_begin(canvas);
    for (int64_t k = 0; k < course->count; k++) {
        const struct course_point *point = &course->points[k];
        bool rises = point->lowest_at < point->highest_at;
        if (isnan(point->lowest)) {
            path_gap(canvas);
            continue;
        }
        if (rises)
            draw_to(canvas, steps, (double)point->lowest_at, point->lowest, &last);
        draw_to(canvas, steps, (double)point->highest_at, point->highest, &last);
        if (!rises && point->highest_at != point->lowest_at)
            draw_to(canvas, steps, (double)point->lowest_at, point->lowest, &last);
    }
}

void plot_marks(struct canvas *canvas, const struct recorded *study, const struct course *course,
                int kernel, double shift)
{
    enum { MARKS = 9 };
    struct canvas_style style = plot_kernel_style(study, kernel);
    int64_t step = course->count / MARKS + 1;
    path_begin(canvas);
    for (int64_t k = step * kernel / study->summary.kernels_count; k < course->count; k += step)
        if (!isnan(course->points[k].lowest))
            path_mark(canvas, (double)course->points[k].highest_at + shift,
                      course->points[k].highest, style.mark, 4);
    path_end(canvas, "marks", kernel, study->summary.kernels[kernel].label, style, 1.2);
}

int plot_widest_label(const struct recorded *study)
{
    int widest = 0;
    for (int k = 0; k < study->summary.kernels_count; k++) {
        int length = text_characters(study->summary.kernels[k].label);
        widest = length > widest ? length : widest;
    }
    return widest;
}

enum { LANE = 56, SHOWN = 32, SHOWN_ON_A_PHONE = 16 /* characters */, CHARACTER = 9, SPACE = 24 };

void plot_lanes_begin(struct canvas *canvas, const struct recorded *study, int panels)
{
    double height = LANE * study->summary.kernels_count;
    if (canvas->place == CANVAS_PHONE)
        height = panels * (height + CANVAS_AXIS) - CANVAS_AXIS;
    canvas_begin(canvas, height, 0, 0);
}

void plot_lanes(struct canvas *canvas, const struct recorded *study, const struct axis *x,
                int panel, int panels)
{
    char shown[4 * (SHOWN + 2)];
    bool phone = canvas->place == CANVAS_PHONE;
    int kernels = study->summary.kernels_count, widest = plot_widest_label(study);
    int most = phone ? SHOWN_ON_A_PHONE : SHOWN;
    double margin = SPACE + CHARACTER * (widest < most ? widest : most), height = LANE * kernels;
    double width = (canvas->width - margin) / (phone ? 1 : panels);
    double left = margin + (phone ? 0 : panel * width);
    double below = phone ? panel * (height + CANVAS_AXIS) : 0;
    const struct axis y = {.begin = -0.6, .end = kernels - 0.6, .bare = true};
    canvas_panel(canvas, left + (left > margin ? SPACE : 0), left + width - SPACE, below, height, x,
                 &y);
    for (int k = 0; k < kernels && (phone || panel == 0); k++)
        canvas_label(canvas, left - 10, canvas_y(canvas, kernels - 1 - k) + 5, "end",
                     text_short(study->summary.kernels[k].label, most, shown, sizeof shown));
}

/* --- colours, dashes and marks ---------------------------------------------------------------- */

static const char *const colors[] = {"#d55e00",      "#cc79a7", "#0072b2", "#009e73",
                                     "currentColor", "#e69f00", "#56b4e9"};
enum { COLORS = sizeof colors / sizeof *colors };

/* Kernels of one kind on a CPU and on a GPU have the same. */
static const struct {
    const char *kernel;
    int color;
} assigned[] = {
    {"cpu_sym_atomic", 0},
    {"cuda_sym_atomic", 0},
    {"cpu_sym_compensated", 1},
    {"cuda_sym_compensated", 1},
    {"cpu_sym_bitwise", 2},
    {"cuda_sym_bitwise", 2},
    {"cpu_sym_exact", 3},
    {"cuda_sym_exact", 3},
    {"cpu_csr", 4},
    {"cusparse_full", 4},
    {"cuda_csr_scalar", 4},
    {"cpu_merge", 5},
    {"cuda_merge", 5},
    {"cuda_csr_subwarp", 5},
    {"cpu_sym", 6},
    {"cusparse_half", 6},
    {"cuda_csr_vector", 6},
    {"cuda_segscan", 1},
    {"cuda_rode", 3},
};

static int color_of(const char *kernel)
{
    for (size_t k = 0; k < sizeof assigned / sizeof *assigned; k++)
        if (strcmp(assigned[k].kernel, kernel) == 0)
            return assigned[k].color;
    unsigned letters = 0; /* of a kernel that is new here */
    for (; *kernel; kernel++)
        letters = 31 * letters + (unsigned char)*kernel;
    return (int)(letters % COLORS);
}

/* The place of the label among those of its colour, and whether it is there. A CPU and a GPU kernel
 * of one kind under one label are one. */
static bool find_label(const struct plot_axes *axes, const char *label, int color, int *before)
{
    *before = 0;
    for (int64_t k = 0; k < axes->labels_count; k++) {
        if (color_of(axes->labels[k].kernel) != color)
            continue;
        if (strcmp(axes->labels[k].text, label) == 0)
            return true;
        ++*before;
    }
    return false;
}

void plot_take_label(struct plot_axes *axes, const char *label, const char *kernel)
{
    int before;
    if (!find_label(axes, label, color_of(kernel), &before))
        axes->labels[axes->labels_count++] = (struct plot_label){label, kernel};
}

struct canvas_style plot_style(const struct plot_axes *axes, const char *label, const char *kernel)
{
    int color = color_of(kernel), before;
    find_label(axes, label, color, &before);
    return (struct canvas_style){colors[color], before % CANVAS_DASHES,
                                 (color + before) % CANVAS_MARKS};
}

struct canvas_style plot_kernel_style(const struct recorded *study, int kernel)
{
    const struct summary_kernel *of = &study->summary.kernels[kernel];
    return plot_style(study->axes, of->label, of->kernel);
}
