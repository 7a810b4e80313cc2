#include "program/terminal/progress.h"

#include "base/clock.h"
#include "program/terminal/layout.h"
#include "solver/method.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const double BETWEEN_WRITES = 0.1, BETWEEN_LINES = 60; /* seconds */

/* A run says nothing about its time before so many seconds and so much of the way: residuals rise
 * before they fall. */
static const double FIRST_SECONDS = 1, FIRST_SHARE = 0.1;

void progress_begin(struct progress *progress, FILE *stream, const struct solver_options *options,
                    int64_t repeats, int kernels)
{
    *progress = (struct progress){.stream = stream,
                                  .rewrites = stream && layout_obeys(stream),
                                  .residual = method_series(options->method, "residual"),
                                  .tolerance = solver_tolerance(options),
                                  .absolute_tolerance = options->absolute_tolerance,
                                  .relative = !solver_finds_vector(options),
                                  .kernels = kernels,
                                  .repeats = repeats,
                                  .shown = clock_seconds()};
    if (progress->rewrites)
        progress->shown = -INFINITY;
}

void progress_beside(struct progress *progress, FILE *other)
{
    if (!progress->rewrites || !layout_is_pipe(other))
        return;
    progress->rewrites = false;
    progress->shown = clock_seconds();
}

/* ---- what can be said ------------------------------------------------------------------------ */

/* How far the logarithm of this run's lowest residual has come to the tolerance, from 0 to 1; NaN:
 * not known. */
static double share_of_run(const struct progress *progress)
{
    double end = fmax(progress->tolerance * (progress->relative ? 1 : progress->start),
                      progress->absolute_tolerance);
    double share = log(progress->lowest / progress->start) / log(end / progress->start);
    return share >= 0 && share <= 1 ? share : NAN;
}

/* Of a finished run, in the mean; NaN without one. */
static double seconds_each(const struct progress *progress)
{
    return progress->done > 0 ? progress->finished / (double)progress->done : NAN;
}

/* Of this run, as far as can be said; else NaN. One that takes longer than those before goes by its
 * residual. */
static double seconds_left_of_run(const struct progress *progress, double now)
{
    double elapsed = now - progress->begun, share = share_of_run(progress);
    double each = seconds_each(progress);
    if (elapsed < each)
        return each - elapsed;
    if (share >= FIRST_SHARE && (progress->done > 0 || elapsed >= FIRST_SECONDS))
        return elapsed * (1 - share) / share;
    return NAN;
}

double progress_seconds_left(const struct progress *progress, double now)
{
    double left = seconds_left_of_run(progress, now), each = seconds_each(progress);
    if (isnan(each))
        each = now - progress->begun + left;
    left += each * (double)(progress->repeats - progress->done - 1);
    return left >= 0 ? left : -1;
}

/* From 0 to 1: how much of the kernel's runs is done. */
static double share_done(const struct progress *progress, double now)
{
    double elapsed = now - progress->begun, left = seconds_left_of_run(progress, now);
    double share = isnan(left) ? share_of_run(progress) : elapsed / (elapsed + left);
    return ((double)progress->done + fmax(share, 0)) / (double)progress->repeats;
}

/* ---- the line -------------------------------------------------------------------------------- */

/* Its parts, in the order in which they stand. */
enum { BAR, RUN, ITERATION, RESIDUAL, RATE, TIME, KERNEL, PARTS };
enum { BAR_SHORT = 5, BAR_LONG = 10, LONG_FROM = 100 /* columns */, PART = 400 };

/* What is left out first, when there is no room. */
static const int least_first[] = {RATE, ITERATION, BAR, RESIDUAL, RUN, TIME};

struct line {
    char parts[PARTS][PART]; /* empty: left out */
};

static void print_duration(char *text, size_t size, double seconds)
{
    double minutes = seconds / 60, hours = minutes / 60;
    if (seconds < 59.5)
        snprintf(text, size, "about %.0f s left", fmax(seconds, 1));
    else if (minutes < 90)
        snprintf(text, size, "about %.0f min left", minutes);
    else if (hours < 48)
        snprintf(text, size, "about %.0f h left", hours);
    else
        snprintf(text, size, "about %.3g days left", hours / 24);
}

/* Of one length, whatever the other parts take, so that it does not jump. */
static void print_bar(char *text, size_t size, double share, int columns)
{
    int length = columns < LONG_FROM ? BAR_SHORT : BAR_LONG;
    int full = (int)(share * length);
    snprintf(text, size, "[%.*s%.*s]", full, "##########", length - full, "..........");
}

static void print_run(struct line *line, const struct progress *progress, double now,
                      const struct event *row, int columns)
{
    double elapsed = now - progress->begun, left = progress_seconds_left(progress, now);
    double norm = progress->relative || !(progress->start > 0) ? 1 : progress->start;
    if (progress->rewrites)
        print_bar(line->parts[BAR], PART, share_done(progress, now), columns);
    if (progress->repeats > 1)
        snprintf(line->parts[RUN], PART, "run %" PRId64 "/%" PRId64, row->run, progress->repeats);
    snprintf(line->parts[ITERATION], PART, "iteration %" PRId64, row->iteration);
    if (row->column == 0) /* start is of that one */
        snprintf(line->parts[RESIDUAL], PART, "residual %.1e",
                 row->values[progress->residual] / norm);
    if (row->iteration > 0 && elapsed > 0)
        snprintf(line->parts[RATE], PART, "%.3g iterations/s", (double)row->iteration / elapsed);
    if (left >= 0)
        print_duration(line->parts[TIME], PART, left);
}

/* What stands between part k and the one before it that is not left out. */
static const char *glue(int before, int k)
{
    return before < 0 ? "" : before == BAR ? " " : before == TIME && k == KERNEL ? " in " : ", ";
}

static int width_of(const struct line *line)
{
    int width = 0;
    for (int k = 0, before = -1; k < PARTS; k++) {
        if (!*line->parts[k])
            continue;
        width += layout_width(glue(before, k)) + layout_width(line->parts[k]);
        before = k;
    }
    return width;
}

const char *progress_text(const struct progress *progress, double now, const struct event *row,
                          int columns, char *text, size_t size)
{
    struct line line = {{""}};
    snprintf(line.parts[KERNEL], PART, "%s%s (%d/%d)", row ? "" : "setting up ", progress->label,
             progress->kernel, progress->kernels);
    if (row)
        print_run(&line, progress, now, row, columns);
    for (size_t k = 0; k < sizeof least_first / sizeof *least_first; k++)
        if (width_of(&line) > columns)
            *line.parts[least_first[k]] = '\0';
    int length = 0;
    *text = '\0';
    for (int k = 0, before = -1; k < PARTS && length < (int)size; k++) {
        if (!*line.parts[k])
            continue;
        length +=
            snprintf(text + length, size - (size_t)length, "%s%s", glue(before, k), line.parts[k]);
        before = k;
    }
    text[layout_fitting(text, columns)] = '\0';
    return text;
}

/* ---- when it is shown ------------------------------------------------------------------------ */

static void show(struct progress *progress, double now, const struct event *row)
{
    char text[1024];
    if (!progress->stream ||
        now - progress->shown < (progress->rewrites ? BETWEEN_WRITES : BETWEEN_LINES))
        return;
    int columns = progress->rewrites ? layout_columns(progress->stream) - 1 : (int)sizeof text;
    progress_text(progress, now, row, columns, text, sizeof text);
    fprintf(progress->stream, progress->rewrites ? "\r\033[K%s" : "%s\n", text);
    fflush(progress->stream);
    progress->shown = now;
}

void progress_kernel(struct progress *progress, const char *label)
{
    progress->label = label;
    progress->kernel++;
    progress->done = 0;
    progress->finished = 0;
    show(progress, clock_seconds(), NULL);
}

void progress_row(struct progress *progress, const struct event *row)
{
    if (!progress->stream)
        return;
    double now = clock_seconds(), residual = row->values[progress->residual];
    if (row->column == 0 && row->iteration == 0) {
        progress->begun = now;
        progress->start = progress->lowest = 0;
    }
    if (row->column == 0 && residual > 0 && isfinite(residual)) {
        bool first = !(progress->start > 0);
        progress->start = first ? residual : progress->start;
        progress->lowest = first ? residual : fmin(progress->lowest, residual);
    }
    show(progress, now, row);
}

void progress_run_finished(struct progress *progress)
{
    progress->done++;
    progress->finished += clock_seconds() - progress->begun;
}

void progress_clear(struct progress *progress)
{
    if (!progress->stream || !progress->rewrites)
        return;
    fprintf(progress->stream, "\r\033[K");
    fflush(progress->stream);
    progress->shown = -INFINITY;
}
