/* The ghosts of Lanczos' method, iteration by iteration: a line for each different history. */
#include "program/report/plot.h"

#include "program/report/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

enum { HEIGHT = 340, TICS = 8 };

static int height(const struct recorded *study)
{
    (void)study;
    return HEIGHT;
}

static const char *missing(const struct recorded *study, const struct plot_axes *axes)
{
    double lowest = INFINITY, highest = 0;
    (void)axes;
    for (int64_t c = 0; c < study->selection.count; c++)
        course_range(&study->ghosts[c].counts, &lowest, &highest);
    if (lowest > highest)
        return "history.csv has no column of ghosts.";
    return highest > 0 ? NULL : "No run has a ghost.";
}

static void write_axes(FILE *script, const struct plot_axes *axes)
{
    plot_whole(script, 0, axes->iterations > 0 ? (double)axes->iterations : 1);
    fprintf(script,
            "set yrange [0:%.10g] noextend\nset ytics %.0f\nset format y '%%.0f'\n"
            "set xlabel 'iteration'\nset ylabel 'ghosts'\n",
            1.03 * axes->ghosts, fmax(1, plot_step(axes->ghosts, TICS)));
}

static void draw(FILE *script, enum plot_pass pass, const struct recorded *study,
                 const struct plot_axes *axes)
{
    for (int64_t c = 0; c < study->selection.count; c++) {
        const struct selected_run *run = &study->selection.runs[c];
        const struct summary_kernel *kernel = &study->summary.kernels[run->kernel];
        struct plot_style style = plot_kernel_style(axes, kernel);
        char name[1200];
        selection_name(&study->summary, run, name, sizeof name);
        if (plot_element(script, pass, "curve", run->kernel, name))
            fprintf(script,
                    ", $ghosts%" PRId64 " using 1:2 with steps lw %s lc rgb '%s' dt %d notitle", c,
                    kernel->histories > 1 ? "0.8" : "1.6", style.color, style.dashes);
    }
    for (int k = 0; k < study->summary.kernels_count; k++)
        plot_key(script, pass, axes, study, k, false);
}

static void write_script(FILE *script, const struct recorded *study, const struct plot_axes *axes)
{
    plot_begin(script);
    write_axes(script, axes);
    for (int64_t c = 0; c < study->selection.count; c++) {
        char name[32];
        snprintf(name, sizeof name, "ghosts%" PRId64, c);
        plot_course(script, name, &study->ghosts[c].counts);
    }
    static const struct plot_panel panel = {"iteration", "ghosts", false, false, 0};
    plot_draw(script, draw, study, axes, &panel);
}

/* The first and the last of the iterations at which the kernel's histories have their first
 * ghost. */
static bool find_first(const struct recorded *study, int kernel, int64_t *earliest, int64_t *latest)
{
    int64_t begin, count = selection_of(&study->selection, kernel, &begin);
    *earliest = INT64_MAX;
    *latest = -1;
    for (int64_t c = begin; c < begin + count; c++) {
        int64_t first = study->ghosts[c].first;
        if (first < 0)
            continue;
        *earliest = first < *earliest ? first : *earliest;
        *latest = first > *latest ? first : *latest;
    }
    return *latest >= 0;
}

static void write_first(FILE *page, const struct recorded *study)
{
    for (int k = 0; k < study->summary.kernels_count; k++) {
        int64_t earliest, latest;
        if (!find_first(study, k, &earliest, &latest))
            continue;
        fputs(" The first one of ", page);
        html_text(page, study->summary.kernels[k].label);
        fprintf(page, ": at iteration %" PRId64, earliest);
        if (latest > earliest)
            fprintf(page, " to %" PRId64, latest);
        fputs(".", page);
    }
}

static void write_caption(FILE *page, const struct recorded *study, const struct plot_axes *axes)
{
    (void)axes;
    fputs("How many Ritz values are copies of another, after each iteration: a line for each "
          "history that is drawn above. An eigenvector that has been found comes back through "
          "rounding errors where the basis is not kept orthogonal to it, and its eigenvalue is "
          "found again: when that is depends on the last bits.",
          page);
    write_first(page, study);
}

const struct plot plot_ghosts = {
    .name = "ghosts",
    .title = "Ghosts",
    .missing = missing,
    .height = height,
    .script = write_script,
    .caption = write_caption,
    .optional = true,
};
