#include "study/join.h"

#include "base/memory.h"
#include "study/statistics.h"

#include <math.h>
#include <string.h>

int64_t study_joined_columns(const struct study_kernel *all)
{
    return all->runs[all->runs_count - 1].column - all->runs[0].column + 1;
}

/* The earlier of two iterations, of which -1 is none. */
static int64_t earlier(int64_t a, int64_t b)
{
    return a < 0 || (b >= 0 && b < a) ? b : a;
}

static double wider(double a, double b)
{
    return isnan(a) || a > b ? a : b;
}

static void take_column(struct study_kernel *all, const struct study_kernel *column)
{
    size_t runs = (size_t)column->runs_count;
    memcpy(all->runs + all->runs_count, column->runs, runs * sizeof *column->runs);
    all->runs_count += column->runs_count;
    if (column->iterations_min < all->iterations_min)
        all->iterations_min = column->iterations_min;
    if (column->iterations_max > all->iterations_max)
        all->iterations_max = column->iterations_max;
    if (column->distinct_histories > all->distinct_histories)
        all->distinct_histories = column->distinct_histories;
    if (column->distinct_solutions > all->distinct_solutions)
        all->distinct_solutions = column->distinct_solutions;
    all->first_divergence = earlier(all->first_divergence, column->first_divergence);
    all->first_apart = earlier(all->first_apart, column->first_apart);
    all->solution_spread = wider(all->solution_spread, column->solution_spread);
}

/* What the r-th run of the columns took, over the iterations of its longest column. */
static double seconds_of_run(const struct study_kernel *kernels, int64_t columns, int64_t r)
{
    double seconds = 0;
    int64_t longest = 0;
    for (int64_t j = 0; j < columns; j++) {
        if (r >= kernels[j].runs_count)
            continue;
        const struct solver_result *result = &kernels[j].runs[r].result;
        seconds = fmax(seconds, result->seconds);
        longest = result->iterations > longest ? result->iterations : longest;
    }
    return longest > 0 ? seconds / (double)longest : 0;
}

/* The medians, in values[runs of all columns]. */
static void take_medians(const struct study_kernel *kernels, int64_t columns, double *values,
                         struct study_kernel *all)
{
    int64_t repeats = 0;
    for (int64_t j = 0; j < columns; j++)
        repeats = kernels[j].runs_count > repeats ? kernels[j].runs_count : repeats;
    for (int64_t r = 0; r < repeats; r++)
        values[r] = seconds_of_run(kernels, columns, r);
    all->seconds_per_iteration = median(values, repeats);
    for (int64_t r = 0; r < all->runs_count; r++)
        values[r] = (double)all->runs[r].result.iterations;
    all->iterations_median = median(values, all->runs_count);
}

enum status study_join(const struct study_kernel *kernels, int64_t columns,
                       struct study_kernel *all, struct error *error)
{
    int64_t runs = 0;
    for (int64_t j = 0; j < columns; j++)
        runs += kernels[j].runs_count;
    *all = kernels[0];
    all->runs = memory_array(runs, sizeof *all->runs, "the runs", error);
    double *values = memory_array(runs, sizeof *values, "the statistics", error);
    all->runs_count = all->counts_count = 0;
    all->counts = NULL;
    all->envelope = (struct envelope){0};
    all->has_interrupted = false;
    if (all->runs && values) {
        for (int64_t j = 0; j < columns; j++)
            take_column(all, &kernels[j]);
        take_medians(kernels, columns, values, all);
    }
    enum status status = all->runs && values ? STATUS_OK : STATUS_MEMORY;
    memory_free(values);
    if (status)
        study_joined_free(all);
    return status;
}

void study_joined_free(struct study_kernel *all)
{
    memory_free(all->runs);
    *all = (struct study_kernel){0};
}
