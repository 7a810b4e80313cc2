#include "base/memory.h"
#include "study/statistics.h"
#include "study/study_column.h"

#include <math.h>
#include <string.h>

double study_run_seconds_per_iteration(const struct study_run *run)
{
    return run->result.iterations > 0 ? run->result.seconds / (double)run->result.iterations : 0;
}

int64_t study_kernel_converged(const struct study_kernel *kernel)
{
    int64_t converged = 0;
    for (int64_t k = 0; k < kernel->runs_count; k++)
        converged += kernel->runs[k].result.reason == REASON_CONVERGED;
    return converged;
}

const struct study_run *study_kernel_interrupted(const struct study_kernel *kernel)
{
    const struct study_run *last = &kernel->runs[kernel->runs_count - !kernel->has_interrupted];
    return last->result.reason == REASON_INTERRUPTED ? last : NULL;
}

static bool ends_at_once(const struct study_kernel *kernel)
{
    return !kernel->started && kernel->iterations_min == 1 && kernel->iterations_max == 1 &&
           study_kernel_converged(kernel) == kernel->runs_count;
}

const struct study_kernel *study_of_eigenvector(const struct solver_options *options,
                                                const struct study_kernel *kernels, int count)
{
    for (int k = 0, end; k < count && solver_finds_vector(options); k = end) {
        bool all = ends_at_once(&kernels[k]);
        for (end = k + 1; end < count && kernels[end].column > 0; end++)
            all = all && ends_at_once(&kernels[end]);
        if (all)
            return &kernels[k];
    }
    return NULL;
}

/* Converts iterations[runs_count], ascending, to pairs of a count and its frequency. */
static enum status take_counts(struct study_kernel *result, const double *iterations,
                               struct error *error)
{
    int64_t runs = result->runs_count;
    result->counts = memory_array(runs, sizeof *result->counts, "the statistics", error);
    if (!result->counts)
        return STATUS_MEMORY;
    for (int64_t k = 0; k < runs; k++) {
        if (k == 0 || iterations[k] != iterations[k - 1])
            result->counts[result->counts_count++] =
                (struct study_count){(int64_t)iterations[k], 0};
        result->counts[result->counts_count - 1].runs++;
    }
    return STATUS_OK;
}

/* Groups runs with equal histories, and counts different histories and solutions. */
static enum status take_hashes(struct study_kernel *result, struct error *error)
{
    int64_t count = result->runs_count;
    struct study_run *runs = result->runs;
    uint64_t *hashes = memory_array(count, sizeof *hashes, "the statistics", error);
    int64_t *numbers = memory_array(count, sizeof *numbers, "the statistics", error);
    enum status status = hashes && numbers ? STATUS_OK : STATUS_MEMORY;
    for (int64_t k = 0; k < count && !status; k++)
        hashes[k] = runs[k].solution_hash;
    if (!status)
        result->distinct_solutions = distinct_hashes(hashes, count);
    for (int64_t k = 0; k < count && !status; k++)
        hashes[k] = runs[k].history_hash;
    if (!status)
        status = number_hashes(hashes, count, numbers, &result->distinct_histories, error);
    for (int64_t k = 0; k < count && !status; k++)
        runs[k].history = numbers[k];
    memory_free(hashes);
    memory_free(numbers);
    return status;
}

enum status study_statistics(struct study_kernel *result, struct error *error)
{
    int64_t count = result->runs_count;
    const struct study_run *runs = result->runs;
    double *iterations = memory_array(count, sizeof *iterations, "the statistics", error);
    double *seconds = memory_array(count, sizeof *seconds, "the statistics", error);
    enum status status = iterations && seconds ? STATUS_OK : STATUS_MEMORY;
    if (!status) {
        for (int64_t k = 0; k < count; k++) {
            iterations[k] = (double)runs[k].result.iterations;
            seconds[k] = study_run_seconds_per_iteration(&runs[k]);
        }
        result->iterations_median = median(iterations, count);
        result->iterations_min = (int64_t)iterations[0];
        result->iterations_max = (int64_t)iterations[count - 1];
        result->seconds_per_iteration = median(seconds, count);
        result->first_divergence = envelope_first_difference(&result->envelope, count);
        result->first_apart = envelope_first_apart(&result->envelope, STUDY_APART);
        status = take_counts(result, iterations, error);
    }
    if (!status)
        status = take_hashes(result, error);
    memory_free(iterations);
    memory_free(seconds);
    return status;
}

/* ---- promises -------------------------------------------------------------------------------- */

static enum kernel_guarantee guarantee_of(const struct study_kernel *kernel)
{
    return kernel_guarantee(kernel->kernel, &kernel->options);
}

bool promise_is_made(const struct study_kernel *kernel)
{
    switch (kernel->reductions) {
    case REDUCTIONS_ATOMIC:
    case REDUCTIONS_BLAS:
        return false;
    case REDUCTIONS_REPRODUCIBLE:
    case REDUCTIONS_COMPENSATED:
    case REDUCTIONS_EXACT:
        break;
    }
    enum kernel_guarantee guarantee = guarantee_of(kernel);
    return guarantee == GUARANTEE_RUN || guarantee == GUARANTEE_BITWISE;
}

/* Whether the two are alike but for the threads. */
static bool are_alike(const struct study_kernel *a, const struct study_kernel *b)
{
    size_t parameters = (size_t)kernel_parameter_count(a->kernel);
    return a->kernel == b->kernel && a->reductions == b->reductions &&
           memcmp(a->options.values, b->options.values, parameters * sizeof *a->options.values) ==
               0;
}

bool promise_is_broken(const struct study_kernel *kernels, int k, const struct study_kernel **other)
{
    const struct study_kernel *kernel = &kernels[k];
    *other = NULL;
    if (!promise_is_made(kernel))
        return false;
    if (kernel->distinct_histories > 1)
        return true;
    for (int e = 0; e < k && guarantee_of(kernel) == GUARANTEE_BITWISE; e++) {
        const struct study_kernel *earlier = &kernels[e];
        if (earlier->column != kernel->column || !are_alike(earlier, kernel) ||
            earlier->distinct_histories > 1 ||
            kernel->runs[0].result.reason == REASON_INTERRUPTED ||
            earlier->runs[0].history_hash == kernel->runs[0].history_hash)
            continue;
        *other = earlier;
        return true;
    }
    return false;
}

/* ---- all columns of a kernel together -------------------------------------------------------- */

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

/* The time of run r of all columns, over the iterations of its longest column. */
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
