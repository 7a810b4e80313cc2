/* The ghosts of Lanczos' method, iteration by iteration: a line for each different history. */
#include "program/report/plot.h"

#include "program/report/text.h"

#include <math.h>
#include <stdbool.h>

enum { HEIGHT = 250 };

static const char *missing(const void *of)
{
    const struct recorded *study = of;
    double lowest = INFINITY, highest = 0;
    for (int64_t c = 0; c < study->selection.count; c++)
        course_range(&study->curves[c].ghosts, &lowest, &highest);
    if (lowest > highest)
        return "history.csv has no column of ghosts.";
    return highest > 0 ? NULL : "No run has a ghost.";
}

static void draw(struct canvas *canvas, const void *of)
{
    const struct recorded *study = of;
    int kernels = study->summary.kernels_count;
    const struct axis x = plot_iterations(0, (double)study->axes->iterations);
    const struct axis y = {
        .title = "ghosts", .values = "ghosts", .end = 1.03 * study->axes->ghosts};
    canvas_begin(canvas, HEIGHT, kernels, plot_widest_label(study));
    canvas_whole(canvas, HEIGHT, &x, &y, false);
    for (int64_t c = 0; c < study->selection.count; c++) {
        const struct selected_run *run = &study->selection.runs[c];
        const struct summary_kernel *kernel = &study->summary.kernels[run->kernel];
        char name[1200];
        plot_course(canvas, &study->curves[c].ghosts, true);
        path_end(canvas, "curve", run->kernel,
                 selection_name(&study->summary, run, name, sizeof name),
                 plot_kernel_style(study, run->kernel), kernel->histories > 1 ? 0.8 : 1.6);
    }
    for (int k = 0; k < kernels; k++)
        canvas_key(canvas, k, study->summary.kernels[k].label, NULL, plot_kernel_style(study, k),
                   CANVAS_LINE);
}

/* The first and the last of the iterations at which a kernel's histories have their first ghost. */
static void write_first(FILE *page, const struct recorded *study, int kernel)
{
    int64_t begin, count = selection_of(&study->selection, kernel, &begin);
    int64_t earliest = INT64_MAX, latest = -1;
    for (int64_t c = begin; c < begin + count; c++) {
        int64_t first = study->curves[c].first_ghost;
        if (first < 0)
            continue;
        earliest = first < earliest ? first : earliest;
        latest = first > latest ? first : latest;
    }
    if (latest < 0)
        return;
    html_print(page, " The first one of %s: at iteration %ld", study->summary.kernels[kernel].label,
               earliest);
    if (latest > earliest)
        html_print(page, " to %ld", latest);
    html_print(page, ".");
}

static void write_caption(FILE *page, const void *of)
{
    const struct recorded *study = of;
    fputs("How many Ritz values are copies of another, after each iteration: a line for each "
          "history that is drawn above. An eigenvector that has been found comes back through "
          "rounding errors where the basis is not kept orthogonal to it, and its eigenvalue is "
          "found again: when that is depends on the last bits.",
          page);
    for (int k = 0; k < study->summary.kernels_count; k++)
        write_first(page, study, k);
}

const struct plot plot_ghosts = {
    .name = "ghosts",
    .title = "Ghosts",
    .missing = missing,
    .draw = draw,
    .caption = write_caption,
    .optional = true,
};
