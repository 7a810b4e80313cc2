#include "report/plot.h"

#include "base/memory.h"
#include "report/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { TICS = 8, LABEL_SHOWN = 32, LABEL_SIZE = 4 * (LABEL_SHOWN + 2) };

static const char *const colors[] = {"#d55e00", "#0072b2", "#009e73", "#cc79a7",
                                     "black",   "#e69f00", "#56b4e9"};
static const int marks[] = {7, 5, 9, 11, 13, 6, 4, 8}; /* circle, square, triangles, rhomb, open */

const struct plot *const plots[PLOTS] = {&plot_histories, &plot_error, &plot_ghosts,
                                         &plot_counts,    &plot_ulps,  &plot_speed};

const struct plot *plot_named(const char *name)
{
    for (int k = 0; k < PLOTS; k++)
        if (strcmp(plots[k]->name, name) == 0)
            return plots[k];
    return NULL;
}

static void script_of(FILE *script, const void *of)
{
    const struct plot_of *it = of;
    it->plot->script(script, it->study, it->axes);
}

static void caption_of(FILE *page, const void *of)
{
    const struct plot_of *it = of;
    it->plot->caption(page, it->study, it->axes);
}

struct drawing plot_drawing(const struct plot_of *of)
{
    const struct plot *plot = of->plot;
    return (struct drawing){plot->name,
                            plot->title,
                            plot->missing(of->study, of->axes),
                            plot->height(of->study),
                            script_of,
                            caption_of,
                            of};
}

/* --- what the studies have in common ------------------------------------------------------------ */

static int64_t find_label(const struct plot_axes *axes, const char *label)
{
    int64_t k = 0;
    while (k < axes->labels_count && strcmp(axes->labels[k], label) != 0)
        k++;
    return k;
}

static void take_labels(struct plot_axes *axes, const struct summary *summary)
{
    for (int k = 0; k < summary->kernels_count; k++)
        if (find_label(axes, summary->kernels[k].label) == axes->labels_count)
            axes->labels[axes->labels_count++] = summary->kernels[k].label;
}

static void take_kernel(struct plot_axes *axes, const struct summary_kernel *kernel)
{
    for (int64_t r = 0; r < kernel->runs_count; r++) {
        const struct summary_run *run = &kernel->runs[r];
        axes->iterations = run->iterations > axes->iterations ? run->iterations : axes->iterations;
        axes->fewest = run->iterations < axes->fewest ? run->iterations : axes->fewest;
    }
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
        course_range(&study->histories[k], &axes->lowest, &axes->highest);
        course_range(&study->ghosts[k].counts, &lowest, &axes->ghosts);
    }
}

static bool same_problem(const struct summary *a, const struct summary *b)
{
    return strcmp(a->matrix_hash, b->matrix_hash) == 0 && strcmp(a->rhs_hash, b->rhs_hash) == 0;
}

enum status plot_axes_make(const struct recorded *studies, int count, int study,
                           struct plot_axes *axes, struct error *error)
{
    int64_t kernels = 0;
    for (int s = 0; s < count; s++)
        kernels += studies[s].summary.kernels_count;
    *axes = (struct plot_axes){
        .fewest = INT64_MAX,
        .lowest = INFINITY,
        .labels = memory_array(kernels, sizeof *axes->labels, "the labels", error)};
    if (!axes->labels)
        return STATUS_MEMORY;
    for (int s = 0; s < count; s++) {
        take_labels(axes, &studies[s].summary);
        if (same_problem(&studies[s].summary, &studies[study].summary))
            take_study(axes, &studies[s]);
    }
    return STATUS_OK;
}

void plot_axes_free(struct plot_axes *axes)
{
    memory_free(axes->labels);
    *axes = (struct plot_axes){0};
}

/* --- style -------------------------------------------------------------------------------------- */

const char *plot_color(const struct plot_axes *axes, const char *label)
{
    return colors[find_label(axes, label) % (int64_t)(sizeof colors / sizeof *colors)];
}

int plot_dashes(const struct plot_axes *axes, const char *label)
{
    return 1 + (int)(find_label(axes, label) % 5); /* solid, and gnuplot's four kinds */
}

int plot_mark(const struct plot_axes *axes, const char *label)
{
    return marks[find_label(axes, label) % (int64_t)(sizeof marks / sizeof *marks)];
}

void plot_begin(FILE *script)
{
    fputs("set encoding utf8\n"
          "set border 3 lw 0.8\n"
          "set tics nomirror out\n"
          "set grid ytics lt 1 lw 0.5 lc rgb '#a0808080'\n"
          "set key tmargin left Left reverse horizontal samplen 3 noenhanced\n",
          script);
}

double plot_step(double length, int most)
{
    double power = pow(10, floor(log10(length / most)));
    static const double factors[] = {1, 2, 5, 10};
    for (size_t k = 0; k < sizeof factors / sizeof *factors; k++)
        if (length / (factors[k] * power) <= most)
            return factors[k] * power;
    return 10 * power;
}

void plot_whole(FILE *script, double begin, double end)
{
    fprintf(script, "set xrange [%.10g:%.10g] noextend\nset xtics %.0f\nset format x '%%.0f'\n",
            begin, end, fmax(1, plot_step(end - begin, TICS)));
}

void plot_logarithmic(FILE *script, double lowest, double highest)
{
    bool wide = highest / lowest > 100;
    double margin = wide ? pow(highest / lowest, 0.03) : 1.1;
    double begin = fmax(lowest / margin, 1e-307), end = fmin(highest * margin, 1e307);
    fprintf(script, "set logscale y\nset format y '10^{%%T}'\nset yrange [%.6g:%.6g] noextend\n",
            begin, end);
    if (wide)
        return;
    /* hardly a power of ten in between */
    double step = plot_step(end - begin, TICS);
    fputs("set format y '%g'\nset ytics (", script);
    for (double k = ceil(begin / step); k * step <= end; k++)
        fprintf(script, "%s%.6g", k == ceil(begin / step) ? "" : ", ", k * step);
    fputs(")\n", script);
}

void plot_level(FILE *script, double level, const char *name)
{
    fprintf(script,
            "set rmargin 12\n"
            "set arrow from graph 0, first %.6g to graph 1, first %.6g nohead lw 0.8 dt 3 lc rgb "
            "'#808080'\n"
            "set label '%s' at graph 1.01, first %.6g left textcolor rgb '#808080'\n",
            level, level, name, level);
}

void plot_label(FILE *script, const char *label)
{
    char shown[LABEL_SIZE];
    gnuplot_text(script, text_short(label, LABEL_SHOWN, shown, sizeof shown));
}

/* Of several iterations those with the lowest and the highest value, as they came. */
static void write_point(FILE *script, const struct course_point *point)
{
    bool rises = point->lowest_at < point->highest_at;
    if (isnan(point->lowest)) {
        fputs("\n", script); /* a gap */
        return;
    }
    if (rises)
        fprintf(script, "%" PRId64 " %.5g\n", point->lowest_at, point->lowest);
    fprintf(script, "%" PRId64 " %.5g\n", point->highest_at, point->highest);
    if (!rises && point->highest_at != point->lowest_at)
        fprintf(script, "%" PRId64 " %.5g\n", point->lowest_at, point->lowest);
}

void plot_course(FILE *script, const char *name, const struct course *course)
{
    fprintf(script, "$%s << EOD\n", name);
    for (int64_t k = 0; k < course->count; k++)
        write_point(script, &course->points[k]);
    fputs("EOD\n", script);
}

/* --- lanes -------------------------------------------------------------------------------------- */

int plot_lanes_height(const struct recorded *study)
{
    return 90 + 56 * study->summary.kernels_count;
}

/* The characters of a text in UTF-8. */
static int characters(const char *text)
{
    int count = 0;
    for (; *text; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

double plot_lanes(FILE *script, const struct recorded *study)
{
    const struct summary *summary = &study->summary;
    int widest = 0;
    fputs("unset key\nset ytics noenhanced scale 0 (", script);
    for (int k = 0; k < summary->kernels_count; k++) {
        const char *label = summary->kernels[k].label;
        int length = characters(label);
        length = length > LABEL_SHOWN ? LABEL_SHOWN : length;
        widest = length > widest ? length : widest;
        fputs(k ? ", " : "", script);
        plot_label(script, label);
        fprintf(script, " %d", summary->kernels_count - 1 - k);
    }
    double margin = (24 + 8.0 * widest) / PLOT_WIDTH; /* a character is at most 8 wide */
    fprintf(script, ")\nset yrange [-0.6:%d.4]\nset lmargin at screen %.4f\nset border 1\n",
            summary->kernels_count - 1, margin);
    fputs("unset grid\nset grid xtics lt 1 lw 0.5 lc rgb '#a0808080'\n", script);
    return margin;
}
