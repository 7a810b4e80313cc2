/* How many iterations every run took: a strip plot, a lane for each kernel. */
#include "program/report/plot.h"
#include "program/report/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

enum {
    BINS = 110,
    DOTS = 400 /* across the picture; in a lane, at most */,
    PIECES = 3,
    TICKS = 8,
    TICKS_ON_A_PHONE = 4
};

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
static int64_t gap_after(const struct plot_axes *axes, int64_t last)
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

/* The pieces, ascending: each new one ends before the widest gap that is not taken yet. */
static void cut(const struct plot_axes *axes, int64_t least, struct pieces *pieces)
{
    while (pieces->count < PIECES) {
        int64_t widest = least, at = -1;
        for (int64_t k = 0; k < axes->counts_count; k++) {
            int64_t last = axes->counts[k].last, gap = gap_after(axes, last);
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

static void draw_axis(struct canvas *canvas, const struct pieces *pieces)
{
    const struct canvas_style dotted = {"#808080", 2, 0};
    bool phone = canvas->place == CANVAS_PHONE;
    double step = fmax(1, axis_step(pieces->end, phone ? TICKS_ON_A_PHONE : TICKS));
    for (int p = 0; p < pieces->count; p++) {
        double first = fmax(0, (double)pieces->ranges[p].first - pieces->margin);
        double last = (double)pieces->ranges[p].last + pieces->margin;
        double tick = step * ceil(first / step);
        if (tick > last) { /* no round number: the count itself */
            tick = (double)pieces->ranges[p].first;
            last = tick;
        }
        for (int n = 0; n <= TICKS && tick <= last; n++, tick += step) {
            char label[32];
            snprintf(label, sizeof label, "%.0f", tick);
            canvas_tick(canvas, true, place_of(pieces, tick), label);
        }
    }
    for (int p = 1; p < pieces->count; p++) {
        double at = pieces->begin[p], half = 0.004 * pieces->end;
        path_begin(canvas);
        path_to(canvas, at, canvas->y.begin);
        path_to(canvas, at, canvas->y.end);
        path_end(canvas, "rule", -1, NULL, dotted, 1);
        path_begin(canvas);
        for (int side = -1; side <= 1; side += 2) {
            path_to(canvas, at + (side - 1) * half, canvas->y.begin - 0.12);
            path_to(canvas, at + (side + 1) * half, canvas->y.begin + 0.12);
            path_gap(canvas);
        }
        path_end(canvas, "rule", -1, NULL, CANVAS_BLACK, 1.5);
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

/* The dots of a lane: those of the runs that converged, or crosses for the others. */
static void draw_dots(struct canvas *canvas, const struct recorded *study, int k, bool converged,
                      const struct pieces *pieces, const char *name, struct canvas_style style)
{
    const struct summary_kernel *kernel = &study->summary.kernels[k];
    struct bins bins = {pieces, (kernel->runs_count + DOTS - 1) / DOTS};
    int64_t highest = highest_stack(&bins, kernel), place = 0;
    style.mark = converged ? style.mark : CANVAS_CROSS;
    path_begin(canvas);
    for (int64_t r = 0; r < kernel->runs_count; r += bins.step) {
        const struct summary_run *run = &kernel->by_count[r];
        bool same = r > 0 && bin_of(&bins, run) == bin_of(&bins, &kernel->by_count[r - bins.step]);
        place = same ? place + 1 : 0;
        if (run->converged == converged)
            path_mark(canvas, place_of(pieces, (double)run->iterations),
                      study->summary.kernels_count - 1 - k + offset_of(place, highest), style.mark,
                      converged ? 2.8 : 3.6);
    }
    path_end(canvas, "marks", k, name, style, converged ? 1.2 : 1.5);
}

/* The median stands above and below the dots, so that it covers none. Several columns have none:
 * each has its own count. */
static void draw_lane(struct canvas *canvas, const struct recorded *study, int k,
                      const struct pieces *pieces, struct canvas_style style)
{
    const struct summary_kernel *kernel = &study->summary.kernels[k];
    double at = place_of(pieces, kernel->iterations_median);
    char name[1200];
    int length = snprintf(name, sizeof name, "%.1000s: %" PRId64 " to %" PRId64 " iterations",
                          kernel->label, kernel->iterations_min, kernel->iterations_max);
    if (kernel->columns == 1)
        snprintf(name + length, sizeof name - (size_t)length, ", median %.10g",
                 kernel->iterations_median);
    draw_dots(canvas, study, k, true, pieces, name, style);
    draw_dots(canvas, study, k, false, pieces, name, style);
    if (kernel->columns > 1)
        return;
    path_begin(canvas);
    for (int side = -1; side <= 1; side += 2, path_gap(canvas)) {
        double lane = study->summary.kernels_count - 1 - k;
        path_to(canvas, at, lane + side * 0.36);
        path_to(canvas, at, lane + side * 0.48);
    }
    path_end(canvas, "rule", -1, NULL, CANVAS_BLACK, 2);
}

static void draw(struct canvas *canvas, const void *of)
{
    const struct recorded *study = of;
    const struct pieces pieces = make_pieces(study->axes);
    const struct axis x = {.title = "iterations", .end = pieces.end, .bare = true};
    plot_lanes_begin(canvas, study, 1);
    plot_lanes(canvas, study, &x, 0, 1);
    draw_axis(canvas, &pieces);
    for (int k = 0; k < study->summary.kernels_count; k++)
        draw_lane(canvas, study, k, &pieces, plot_kernel_style(study, k));
}

static void write_caption(FILE *page, const void *of)
{
    const struct recorded *study = of;
    const struct pieces pieces = make_pieces(study->axes);
    int64_t most = 0, failures = 0;
    for (int k = 0; k < study->summary.kernels_count; k++) {
        const struct summary_kernel *kernel = &study->summary.kernels[k];
        most = kernel->runs_count > most ? kernel->runs_count : most;
        failures += summary_failures(kernel);
    }
    bool several = study->summary.columns > 1;
    html_print(page, "A mark for each run%s; those with nearly the same count are stacked.",
               several ? " and column" : "");
    if (!several)
        fputs(" The short upright lines stand at the median.", page);
    if (pieces.count > 1)
        fputs(" The axis is broken where no run ends, so that the spread of each kernel is seen; "
              "its scale is the same on all sides.",
              page);
    if (most > DOTS)
        html_print(page, " Of %ld runs, every %ldth is drawn, in the order of the counts.", most,
                   (most + DOTS - 1) / DOTS);
    if (failures > 0)
        fputs(" A cross is a run that did not converge.", page);
}

const struct plot plot_counts = {
    .name = "counts",
    .title = "Iterations of each run",
    .draw = draw,
    .caption = write_caption,
};
