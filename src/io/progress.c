#include "io/progress.h"

#include "base/clock.h"

#include <inttypes.h>
#include <math.h>
#include <unistd.h>

static const double INTERVAL = 0.1; /* seconds between two writes */

void progress_begin(struct progress *progress, FILE *stream, const struct solver_options *options,
                    int64_t runs)
{
    *progress = (struct progress){.tolerance = solver_tolerance(options),
                                  .relative = !solver_finds_vector(options),
                                  .runs = runs};
    if (stream && isatty(fileno(stream)))
        progress->stream = stream;
}

/* Seconds that the study still takes, or a negative number when nothing can be said. A finished run
 * tells about those to come; the one that is going is as far as the logarithm of its lowest residual has
 * come on the way to the tolerance. */
static double seconds_left(const struct progress *progress, double elapsed)
{
    double end = progress->tolerance * (progress->relative ? 1 : progress->start);
    double way = log(end / progress->start), gone = log(progress->lowest / progress->start);
    double share = gone / way; /* NaN before a residual has come */
    if (!(share > 0.02) || share > 1)
        return -1;
    double this_run = elapsed / share;
    double each = progress->done > 0 ? progress->finished / (double)progress->done : this_run;
    return this_run - elapsed + each * (double)(progress->runs - progress->done - 1);
}

void progress_row(struct progress *progress, const char *label, int64_t run,
                  const struct history_row *row)
{
    if (!progress->stream)
        return;
    double now = clock_seconds();
    if (row->iteration == 0) {
        progress->begun = now;
        progress->start = progress->lowest = 0;
    }
    if (row->residual > 0 && isfinite(row->residual)) {
        bool first = !(progress->start > 0);
        progress->start = first ? row->residual : progress->start;
        progress->lowest = first ? row->residual : fmin(progress->lowest, row->residual);
    }
    if (now - progress->shown < INTERVAL)
        return;
    progress->shown = now;
    double elapsed = now - progress->begun;
    fprintf(progress->stream,
            "\r\033[K%s, run %" PRId64 " (%" PRId64 "/%" PRId64 "), iteration %" PRId64
            ", residual %.2e",
            label, run, progress->done + 1, progress->runs, row->iteration, row->residual);
    if (row->iteration > 0 && elapsed > 0)
        fprintf(progress->stream, ", %.3g iterations/s", (double)row->iteration / elapsed);
    double left = seconds_left(progress, elapsed);
    if (left >= 0)
        fprintf(progress->stream, ", about %.0f s left", left);
    fflush(progress->stream);
}

void progress_run_finished(struct progress *progress, double seconds)
{
    progress->done++;
    progress->finished += seconds;
}

void progress_clear(struct progress *progress)
{
    if (!progress->stream)
        return;
    fprintf(progress->stream, "\r\033[K");
    fflush(progress->stream);
}
