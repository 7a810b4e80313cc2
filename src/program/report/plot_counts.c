/* How many iterations every run took: a strip plot, a lane for each kernel. */
#include "program/report/plot.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

enum { BINS = 110, DOTS = 400 /* across the picture; in a lane, at most */, PIECES = 3, TICS = 8 };

static const char *missing(const struct recorded *study, const struct plot_axes *axes)
{
    (void)study;
    (void)axes;
    return NULL;
}

/* The axis, in pieces of one scale: where kernels lie so far apart that the spread of each would
 * not be seen, the iterations between them are left out. Piece k stands at begin[k] of the axis,
 * which ends at `end`. */
struct pieces {
    struct plot_range ranges[PIECES];
    double begin[PIECES], margin, end;
    int count;
};

/* The iterations without a run between the range's last one and the next; 0 where another range
 * goes on. */
static int64_t gap_behind(const struct plot_axes *axes, int64_t last)
{
    int64_t next = INT64_MAX;
    for (int64_t k = 0; k < axes->counts_count; k++) {
        const struct plot_range *range = &axes->counts[k];
        if (range->first <= last && range->last > last)
            return 0;
        if (range->first > last && range->first < next)
            next = range->first;
    }
    return next == INT64_MAX ? 0 : next - last;
}

/* The pieces, ascending: behind each of the others' ends the widest gap but those that are
 * taken. */
static void cut(const struct plot_axes *axes, int64_t least, struct pieces *pieces)
{
    while (pieces->count < PIECES) {
        int64_t widest = least, at = -1;
        for (int64_t k = 0; k < axes->counts_count; k++) {
            int64_t last = axes->counts[k].last, gap = gap_behind(axes, last);
            bool taken = false;
            for (int p = 0; p < pieces->count; p++)
                taken |= pieces->ranges[p].last == last;
            if (!taken && gap > widest) {
                widest = gap;
                at = last;
            }
        }
        if (at < 0)
            return;
        int p = pieces->count++; /* the piece that holds `at` is parted */
        for (; pieces->ranges[p - 1].first > at; p--)
            pieces->ranges[p] = pieces->ranges[p - 1];
        pieces->ranges[p] = (struct plot_range){at + widest, pieces->ranges[p - 1].last};
        pieces->ranges[p - 1].last = at;
    }
}

static struct pieces make_pieces(const struct plot_axes *axes)
{
    struct pieces pieces = {.ranges = {{INT64_MAX, 0}}, .count = 1};
    struct plot_range *all = &pieces.ranges[0];
    int64_t spread = 0;
    for (int64_t k = 0; k < axes->counts_count; k++) {
        const struct plot_range *range = &axes->counts[k];
        all->first = range->first < all->first ? range->first : all->first;
        all->last = range->last > all->last ? range->last : all->last;
        spread = range->last - range->first > spread ? range->last - range->first : spread;
    }
    double length = (double)(all->last - all->first), middle = (double)all->first + 0.5 * length;
    if (spread > 0)
        cut(axes, spread < INT64_MAX / 3 ? 3 * spread : INT64_MAX, &pieces);
    pieces.margin = fmax(2, pieces.count > 1 ? 0.15 * (double)spread
                                             : fmax(0.06 * length, 0.01 * middle - 0.5 * length));
    for (int p = 0; p < pieces.count; p++) {
        pieces.begin[p] = pieces.end;
        pieces.end += (double)(pieces.ranges[p].last - pieces.ranges[p].first) + 2 * pieces.margin;
    }
    return pieces;
}

/* Where so many iterations stand on the axis. */
static double place_of(const struct pieces *pieces, double iterations)
{
    int p = pieces->count - 1;
    while (p > 0 && iterations < (double)pieces->ranges[p].first - pieces->margin)
        p--;
    return pieces->begin[p] + pieces->margin + iterations - (double)pieces->ranges[p].first;
}

static void write_axis(FILE *script, const struct pieces *pieces)
{
    double step = fmax(1, plot_step(pieces->end, TICS));
    const char *between = "";
    fprintf(script, "set xrange [0:%.10g] noextend\nset xtics (", pieces->end);
    for (int p = 0; p < pieces->count; p++) {
        double first = fmax(0, (double)pieces->ranges[p].first - pieces->margin);
        double last = (double)pieces->ranges[p].last + pieces->margin;
        double tick = step * ceil(first / step);
        if (tick > last) { /* no round number: the count itself */
            tick = (double)pieces->ranges[p].first;
            last = tick;
        }
        for (; tick <= last; tick += step, between = ", ")
            fprintf(script, "%s'%.0f' %.10g", between, tick, place_of(pieces, tick));
    }
    fputs(")\nset xlabel 'iterations'\n", script);
    for (int p = 1; p < pieces->count; p++) {
        double at = pieces->begin[p], half = 0.004 * pieces->end;
        fprintf(script,
                "set arrow from %.10g, graph 0 to %.10g, graph 1 nohead dt 3 lc rgb '#808080'\n",
                at, at);
        for (int side = -1; side <= 1; side += 2)
            fprintf(script,
                    "set arrow from %.10g, graph -0.03 to %.10g, graph 0.03 nohead front lw 1.5 "
                    "lc rgb 'black'\n",
                    at + (side - 1) * half, at + (side + 1) * half);
    }
}

/* Dots that fall into one bin of the axis are stacked. */
struct bins {
    const struct pieces *pieces;
    int64_t step; /* of the sorted runs, each step-th is a dot */
};

static double bin_of(const struct bins *bins, const struct summary_run *run)
{
    return floor(place_of(bins->pieces, (double)run->iterations) * BINS / bins->pieces->end);
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

/* Dots of one bin lie above and below each other: 0, 1, -1, 2, -2, ... steps from the middle of the
 * lane. */
static double offset_of(int64_t place, int64_t highest)
{
    double step = highest > 1 ? fmin(0.13, 0.58 / (double)highest) : 0;
    return (place % 2 ? 1 : -1) * (double)((place + 1) / 2) * step;
}

/* The dots of a lane: those of the runs that converged, or of the others. */
static void write_dots(FILE *script, const struct summary_kernel *kernel, bool converged, int lane,
                       const struct pieces *pieces)
{
    struct bins bins = {pieces, (kernel->runs_count + DOTS - 1) / DOTS};
    int64_t highest = highest_stack(&bins, kernel), place = 0;
    fprintf(script, "$%s%d << EOD\n", converged ? "good" : "bad", lane);
    for (int64_t r = 0; r < kernel->runs_count; r += bins.step) {
        const struct summary_run *run = &kernel->by_count[r];
        bool same = r > 0 && bin_of(&bins, run) == bin_of(&bins, &kernel->by_count[r - bins.step]);
        place = same ? place + 1 : 0;
        if (run->converged == converged)
            fprintf(script, "%.10g %.4f\n", place_of(pieces, (double)run->iterations),
                    lane + offset_of(place, highest));
    }
    fputs("EOD\n", script);
}

/* The median stands above and below the dots, so that it covers none. Several columns have none:
 * each has its own count. */
static void write_lane(FILE *script, const struct recorded *study, int k,
                       const struct pieces *pieces)
{
    const struct summary_kernel *kernel = &study->summary.kernels[k];
    int lane = study->summary.kernels_count - 1 - k;
    double at = place_of(pieces, kernel->iterations_median);
    write_dots(script, kernel, true, lane, pieces);
    write_dots(script, kernel, false, lane, pieces);
    if (kernel->columns > 1)
        return;
    for (int side = -1; side <= 1; side += 2)
        fprintf(script,
                "set arrow from %.10g, %.2f to %.10g, %.2f nohead front lw 2 lc rgb 'black'\n", at,
                lane + side * 0.36, at, lane + side * 0.48);
}

static void draw(FILE *script, enum plot_pass pass, const struct recorded *study,
                 const struct plot_axes *axes)
{
    for (int k = 0; k < study->summary.kernels_count; k++) {
        const struct summary_kernel *kernel = &study->summary.kernels[k];
        struct plot_style style = plot_kernel_style(axes, kernel);
        int lane = study->summary.kernels_count - 1 - k;
        char name[1200];
        int length = snprintf(name, sizeof name, "%.1000s: %" PRId64 " to %" PRId64 " iterations",
                              kernel->label, kernel->iterations_min, kernel->iterations_max);
        if (kernel->columns == 1)
            snprintf(name + length, sizeof name - (size_t)length, ", median %.10g",
                     kernel->iterations_median);
        if (plot_element(script, pass, "marks", k, name))
            fprintf(script, ", $good%d using 1:2 with points pt %d ps 0.55 lc rgb '%s' notitle",
                    lane, style.mark, style.color);
        if (plot_element(script, pass, "marks", k, name))
            fprintf(script, ", $bad%d using 1:2 with points pt 2 ps 0.9 lw 1.5 lc rgb '%s' notitle",
                    lane, style.color);
    }
}

static void write_script(FILE *script, const struct recorded *study, const struct plot_axes *axes)
{
    const struct pieces pieces = make_pieces(axes);
    plot_begin(script);
    plot_lanes(script, study);
    for (int k = 0; k < study->summary.kernels_count; k++)
        write_lane(script, study, k, &pieces);
    write_axis(script, &pieces);
    plot_draw(script, draw, study, axes, NULL);
}

static void write_caption(FILE *page, const struct recorded *study, const struct plot_axes *axes)
{
    const struct pieces pieces = make_pieces(axes);
    int64_t most = 0, failures = 0;
    for (int k = 0; k < study->summary.kernels_count; k++) {
        const struct summary_kernel *kernel = &study->summary.kernels[k];
        most = kernel->runs_count > most ? kernel->runs_count : most;
        failures += summary_failures(kernel);
    }
    bool several = study->summary.columns > 1;
    fprintf(page, "A mark for each run%s; those with nearly the same count are stacked.",
            several ? " and column" : "");
    if (!several)
        fputs(" The short upright lines stand at the median.", page);
    if (pieces.count > 1)
        fputs(" The axis is broken where no run ends, so that the spread of each kernel is seen; "
              "its scale is the same on all sides.",
              page);
    if (most > DOTS)
        fprintf(page,
                " Of %" PRId64 " runs, every %" PRId64 "th is drawn, in the order of the counts.",
                most, (most + DOTS - 1) / DOTS);
    if (failures > 0)
        fputs(" A cross is a run that did not converge.", page);
}

const struct plot plot_counts = {
    .name = "counts",
    .title = "Iterations of each run",
    .missing = missing,
    .height = plot_lanes_height,
    .script = write_script,
    .caption = write_caption,
};
