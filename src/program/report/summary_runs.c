/* What follows from all runs of a kernel, in all columns of the right-hand sides. */
#include "program/report/summary.h"

#include "base/memory.h"
#include "study/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The earlier of two iterations; -1 is none, and SUMMARY_NOT_TOLD stays. */
static int64_t earlier(int64_t a, int64_t b)
{
    return a == SUMMARY_NOT_TOLD || b < 0 || (a >= 0 && a < b) ? a : b;
}

/* Of the runs of a kernel and those in another column, in the array of both. */
static enum status join_runs(struct summary_kernel *kernel, const struct summary_kernel *column,
                             struct error *error)
{
    size_t size = sizeof *kernel->runs;
    int64_t count = kernel->runs_count + column->runs_count;
    const struct summary_run *interrupted =
        kernel->interrupted ? kernel->interrupted : column->interrupted;
    struct summary_run *runs =
        memory_zeros(count + (interrupted != NULL), (int64_t)size, "the runs", error);
    if (!runs)
        return STATUS_MEMORY;
    memcpy(runs, kernel->runs, (size_t)kernel->runs_count * size);
    memcpy(runs + kernel->runs_count, column->runs, (size_t)column->runs_count * size);
    if (interrupted)
        runs[count] = *interrupted;
    kernel->interrupted = interrupted ? &runs[count] : NULL;
    memory_free(kernel->runs);
    kernel->runs = runs;
    kernel->runs_count = count;
    return STATUS_OK;
}

enum status summary_join(struct summary_kernel *kernel, const struct summary_kernel *column,
                         struct error *error)
{
    kernel->columns++;
    kernel->promise_broken = kernel->promise_broken || column->promise_broken;
    if (column->iterations_min < kernel->iterations_min)
        kernel->iterations_min = column->iterations_min;
    if (column->iterations_max > kernel->iterations_max)
        kernel->iterations_max = column->iterations_max;
    if (column->histories > kernel->histories)
        kernel->histories = column->histories;
    kernel->first_difference = earlier(kernel->first_difference, column->first_difference);
    kernel->first_apart = earlier(kernel->first_apart, column->first_apart);
    if (!(kernel->solution_spread >= column->solution_spread))
        kernel->solution_spread = isnan(kernel->solution_spread) ? NAN : column->solution_spread;
    return join_runs(kernel, column, error);
}

static int compare_counts(const void *a, const void *b)
{
    const struct summary_run *one = a, *two = b;
    if (one->iterations != two->iterations)
        return one->iterations < two->iterations ? -1 : 1;
    return (one->run > two->run) - (one->run < two->run);
}

static enum status sort_runs(struct summary_kernel *kernel, struct error *error)
{
    size_t count = (size_t)kernel->runs_count;
    kernel->by_count = memory_array(kernel->runs_count, sizeof *kernel->runs, "the runs", error);
    if (!kernel->by_count)
        return STATUS_MEMORY;
    memcpy(kernel->by_count, kernel->runs, count * sizeof *kernel->runs);
    qsort(kernel->by_count, count, sizeof *kernel->by_count, compare_counts);
    return STATUS_OK;
}

/* What a run of several columns took, over the iterations of the longest. */
static double seconds_of_run(const struct summary_kernel *kernel, int64_t run)
{
    double seconds = 0;
    int64_t longest = 0;
    for (int64_t k = 0; k < kernel->runs_count; k++) {
        const struct summary_run *its = &kernel->runs[k];
        if (its->run != run)
            continue;
        seconds = fmax(seconds, its->seconds * (double)its->iterations);
        longest = its->iterations > longest ? its->iterations : longest;
    }
    return longest > 0 ? seconds / (double)longest : 0;
}

/* Of the runs that count, each once: the columns of one take the same time. */
static enum status take_seconds(struct summary_kernel *kernel, struct error *error)
{
    int64_t count = 0;
    double *seconds = memory_array(kernel->runs_count, sizeof *seconds, "the times", error);
    if (!seconds)
        return STATUS_MEMORY;
    for (int64_t k = 0; k < kernel->runs_count; k++)
        if (kernel->runs[k].column == 0)
            seconds[count++] = kernel->columns > 1 ? seconds_of_run(kernel, kernel->runs[k].run)
                                                   : kernel->runs[k].seconds;
    kernel->seconds = median(seconds, count); /* sorts them */
    kernel->seconds_low = seconds[(count - 1) / 4];
    kernel->seconds_high = seconds[count - 1 - (count - 1) / 4];
    memory_free(seconds);
    return STATUS_OK;
}

enum status summary_finish(struct summary_kernel *kernel, struct error *error)
{
    enum status status = take_seconds(kernel, error);
    if (!status)
        status = sort_runs(kernel, error);
    if (!status && kernel->columns > 1) {
        int64_t count = kernel->runs_count;
        kernel->iterations_median = 0.5 * ((double)kernel->by_count[(count - 1) / 2].iterations +
                                           (double)kernel->by_count[count / 2].iterations);
    }
    return status;
}
