/* How many iterations every run took: a strip plot, a lane for each kernel. */
#include "report/plot.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

enum { BINS = 110, DOTS = 400 }; /* across the picture; in a lane, at most */

static const char *missing(const struct recorded *study, const struct plot_axes *axes)
{
    (void)study;
    (void)axes;
    return NULL;
}

/* The axis: a margin on both sides, and a few iterations at least. */
static void axis(const struct plot_axes *axes, double *begin, double *end)
{
    double middle = 0.5 * ((double)axes->fewest + (double)axes->iterations);
    double half = fmax(0.56 * (double)(axes->iterations - axes->fewest), 0.01 * middle);
    half = fmax(half, 2);
    *begin = fmax(middle - half, -0.5);
    *end = middle + half;
}

/* Dots that fall into one bin of the axis are stacked. */
struct bins {
    double begin, width;
    int64_t step; /* of the sorted runs, each step-th is a dot */
};

static double bin_of(const struct bins *bins, const struct summary_run *run)
{
    return floor(((double)run->iterations - bins->begin) / bins->width);
}

static int64_t highest_stack(const struct bins *bins, const struct summary_kernel *kernel)
{
    int64_t highest = 0, stack = 0;
    for (int64_t r = 0; r < kernel->runs_count; r += bins->step) {
        bool same = r > 0 && bin_of(bins, &kernel->by_count[r]) ==
                                 bin_of(bins, &kernel->by_count[r - bins->step]);
        stack = same ? stack + 1 : 1;
        highest = stack > highest ? stack : highest;
    }
    return highest;
}

/* Dots of one bin lie above and below each other: 0, 1, -1, 2, -2, ... steps from the middle of the lane. */
static double offset_of(int64_t place, int64_t highest)
{
    double step = highest > 1 ? fmin(0.13, 0.7 / (double)(highest - 1)) : 0;
    return (place % 2 ? 1 : -1) * (double)((place + 1) / 2) * step;
}

/* The dots of a lane: those of the runs that converged, or of the others. */
static void write_dots(FILE *script, const struct summary_kernel *kernel, bool converged, int lane,
                       const struct plot_axes *axes)
{
    double begin, end;
    axis(axes, &begin, &end);
    struct bins bins = {begin, (end - begin) / BINS, (kernel->runs_count + DOTS - 1) / DOTS};
    int64_t highest = highest_stack(&bins, kernel), place = 0;
    fprintf(script, "$%s%d << EOD\n", converged ? "good" : "bad", lane);
    for (int64_t r = 0; r < kernel->runs_count; r += bins.step) {
        const struct summary_run *run = &kernel->by_count[r];
        bool same = r > 0 && bin_of(&bins, run) == bin_of(&bins, &kernel->by_count[r - bins.step]);
        place = same ? place + 1 : 0;
        if (run->converged == converged)
            fprintf(script, "%" PRId64 " %.4f\n", run->iterations,
                    lane + offset_of(place, highest));
    }
    fputs("EOD\n", script);
}

static void write_lane(FILE *script, const struct recorded *study, int k,
                       const struct plot_axes *axes)
{
    const struct summary_kernel *kernel = &study->summary.kernels[k];
    int lane = study->summary.kernels_count - 1 - k;
    write_dots(script, kernel, true, lane, axes);
    write_dots(script, kernel, false, lane, axes);
    fprintf(script, "set arrow from %.10g, %.2f to %.10g, %.2f nohead front lw 2 lc rgb 'black'\n",
            kernel->iterations_median, lane - 0.42, kernel->iterations_median, lane + 0.42);
}

static void write_script(FILE *script, const struct recorded *study, const struct plot_axes *axes)
{
    const struct summary *summary = &study->summary;
    double begin, end;
    axis(axes, &begin, &end);
    plot_begin(script);
    plot_lanes(script, study);
    for (int k = 0; k < summary->kernels_count; k++)
        write_lane(script, study, k, axes);
    plot_whole(script, begin, end);
    fputs("set xlabel 'iterations'\nplot NaN notitle", script);
    for (int k = 0; k < summary->kernels_count; k++) {
        const char *label = summary->kernels[k].label, *color = plot_color(axes, label);
        int lane = summary->kernels_count - 1 - k;
        fprintf(script,
                ", $good%d using 1:2 with points pt %d ps 0.55 lc rgb '%s' notitle"
                ", $bad%d using 1:2 with points pt 2 ps 0.9 lw 1.5 lc rgb '%s' notitle",
                lane, plot_mark(axes, label), color, lane, color);
    }
    fputs("\n", script);
}

static void write_caption(FILE *page, const struct recorded *study, const struct plot_axes *axes)
{
    (void)axes;
    int64_t most = 0, failures = 0;
    for (int k = 0; k < study->summary.kernels_count; k++) {
        const struct summary_kernel *kernel = &study->summary.kernels[k];
        most = kernel->runs_count > most ? kernel->runs_count : most;
        failures += summary_failures(kernel);
    }
    fputs("A mark for each run; those with nearly the same count are stacked. The upright line is "
          "the "
          "median.",
          page);
    if (most > DOTS)
        fprintf(page,
                " Of %" PRId64 " runs, every %" PRId64 "th is drawn, in the order of the counts.",
                most, (most + DOTS - 1) / DOTS);
    if (failures > 0)
        fputs(" A cross is a run that did not converge.", page);
}

const struct plot plot_counts = {
    "counts", "Iterations of each run", missing, plot_lanes_height, write_script, write_caption,
    false,
};
