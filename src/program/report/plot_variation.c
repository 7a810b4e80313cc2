/* The speed of each kernel against the variation of the row lengths: a mark a matrix. */
#include "program/report/sweep.h"

#include "program/report/text.h"

#include <inttypes.h>
#include <math.h>

enum { HEIGHT = 380, LINE = 22 /* of the key */, NAME = 60 };

static const char *missing(const struct sweep *sweep)
{
    for (int64_t k = 0; k < sweep->kernels_count; k++)
        if (sweep->kernels[k].count > 0)
            return NULL;
    return "No product of the file's last run passed.";
}

static double place(const struct sweep *sweep, const struct sweep_point *point)
{
    return fmax(sweep->matrices[point->matrix].variation, SWEEP_VARIATION_LEAST);
}

static void set_axes(FILE *script, const struct sweep *sweep)
{
    double lowest = INFINITY, highest = 0, widest = 1;
    for (int64_t k = 0; k < sweep->kernels_count; k++)
        for (int64_t p = 0; p < sweep->kernels[k].count; p++) {
            const struct sweep_point *point = &sweep->kernels[k].points[p];
            lowest = fmin(lowest, 1e-9 * point->speed);
            highest = fmax(highest, 1e-9 * point->speed);
            widest = fmax(widest, place(sweep, point));
        }
    plot_logarithmic(script, lowest, highest);
    fprintf(
        script,
        "set logscale x\nset xrange [%g:%.6g] noextend\n"
        "set xtics ('≤ %g' %g, '0.1' 0.1, '1' 1, '10' 10, '100' 100, '1000' 1000, '10000' 1e4)\n"
        "set xlabel 'variation of the row lengths: standard deviation / mean'\n"
        "set ylabel 'GB/s'\n"
        "set title '×: speed at ten times the variation, ρ: rank correlation; '."
        "'entries and mean row length taken out' "
        "offset 0, -0.5 noenhanced\n",
        0.8 * SWEEP_VARIATION_LEAST, 1.3 * widest, SWEEP_VARIATION_LEAST, SWEEP_VARIATION_LEAST);
}

static void write_points(FILE *script, const struct sweep *sweep, int64_t k)
{
    const struct sweep_kernel *kernel = &sweep->kernels[k];
    fprintf(script, "$kernel%" PRId64 " << EOD\n", k);
    for (int64_t p = 0; p < kernel->count; p++)
        fprintf(script, "%.6g %.6g\n", place(sweep, &kernel->points[p]),
                1e-9 * kernel->points[p].speed);
    fputs("EOD\n", script);
}

static void write_title(FILE *script, const struct sweep_kernel *kernel)
{
    char shown[4 * NAME], title[4 * NAME + 40];
    text_short(kernel->name, NAME / 2, shown, sizeof shown);
    if (isnan(kernel->correlation.alone))
        snprintf(title, sizeof title, "%s", shown);
    else
        snprintf(title, sizeof title, "%s: × %.2g, ρ = %.2f", shown, kernel->correlation.factor,
                 kernel->correlation.alone);
    gnuplot_text(script, title);
}

static void write_script(FILE *script, const void *of)
{
    const struct sweep *sweep = of;
    plot_begin(script);
    set_axes(script, sweep);
    for (int64_t k = 0; k < sweep->kernels_count; k++)
        write_points(script, sweep, k);
    fputs("plot NaN notitle", script);
    for (int64_t k = 0; k < sweep->kernels_count; k++) {
        const struct sweep_kernel *kernel = &sweep->kernels[k];
        struct plot_style style = plot_style(&sweep->axes, kernel->name, kernel->kernel);
        if (kernel->count == 0)
            continue;
        fprintf(script,
                ", $kernel%" PRId64 " using 1:2 with points pt %d ps 0.55 lc rgb '%s' title ", k,
                style.mark, style.color);
        write_title(script, kernel);
    }
    fputs("\n", script);
    plot_names_begin(script);
    fputs("print 'none -1 '\n", script);
    for (int64_t k = 0; k < sweep->kernels_count; k++)
        if (sweep->kernels[k].count > 0)
            plot_element(script, PLOT_NAMES, "marks", (int)k, sweep->kernels[k].name);
}

static void write_caption(FILE *page, const void *of)
{
    (void)of;
    fprintf(page,
            "A mark for each matrix and kernel that passed. The speed is the bytes that a product "
            "must move, by the kernel's byte model, over its median time. A variation below %g is "
            "drawn there. The table has the figures.",
            SWEEP_VARIATION_LEAST);
}

const struct sweep_plot sweep_plot_variation = {
    .name = "variation",
    .title = "Speed against the variation of the row lengths",
    .height = HEIGHT,
    .height_a_kernel = LINE,
    .missing = missing,
    .script = write_script,
    .caption = write_caption,
};
