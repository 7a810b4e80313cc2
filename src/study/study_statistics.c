#include "study/study_statistics.h"

#include "base/memory.h"
#include "study/statistics.h"

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

/* iterations[runs_count], ascending, as pairs of a count and how often it stands there. */
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

/* Which runs have the same history, and how many different histories and solutions there are. */
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
