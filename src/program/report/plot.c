#include "program/report/plot.h"

#include "base/memory.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { KEY_LINE = 18 };

const struct plot *const plots[PLOTS] = {&plot_last,   &plot_histories, &plot_error, &plot_ghosts,
                                         &plot_counts, &plot_ulps,      &plot_speed};

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
    bool several = of->study->summary.columns > 1;
    int key = KEY_LINE * of->study->summary.kernels_count; /* a line for each label */
    return (struct drawing){
        .name = plot->name,
        .title = several && plot->title_of_columns ? plot->title_of_columns : plot->title,
        .missing = plot->missing(of->study, of->axes),
        .height = plot->height(of->study),
        .narrow = plot->narrow ? plot->height(of->study) + key : 0,
        .script = script_of,
        .caption = caption_of,
        .of = of,
    };
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
        course_range(&study->histories[k], &axes->lowest, &axes->highest);
        course_range(&study->ghosts[k].counts, &lowest, &axes->ghosts);
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

/* --- lanes ------------------------------------------------------------------------------------ */

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

int plot_widest_label(const struct recorded *study)
{
    int widest = 0;
    for (int k = 0; k < study->summary.kernels_count; k++) {
        int length = characters(study->summary.kernels[k].label);
        widest = length > widest ? length : widest;
    }
    return widest > PLOT_LABEL_SHOWN ? PLOT_LABEL_SHOWN : widest;
}

double plot_lanes(FILE *script, const struct recorded *study)
{
    const struct summary *summary = &study->summary;
    fputs("unset key\nset ytics noenhanced scale 0 (", script);
    for (int k = 0; k < summary->kernels_count; k++) {
        fputs(k ? ", " : "", script);
        plot_label(script, summary->kernels[k].label);
        fprintf(script, " %d", summary->kernels_count - 1 - k);
    }
    double margin =
        (24 + 9.0 * plot_widest_label(study)) / PLOT_WIDTH; /* a character is at most 9 wide */
    fprintf(script, ")\nset yrange [-0.6:%d.4]\nset lmargin at screen %.4f\nset border 1\n",
            summary->kernels_count - 1, margin);
    fputs("unset grid\nset grid xtics lt 1 lw 0.5 lc rgb '#a0808080'\n", script);
    return margin;
}
