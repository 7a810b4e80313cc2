#include "program/report/summary.h"

#include "base/memory.h"
#include "io/input_file.h"
#include "program/terminal/terminal.h"
#include "solver/method.h"

#include <math.h>
#include <string.h>

/* What is being read, for the messages. */
struct place {
    const char *path;
    struct error *error;
};

/* null stands for NaN and for infinity. */
static double number_or_nan(const json_t *value)
{
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* null stands for what could not be told. */
static const char *text_or_empty(const json_t *value)
{
    return json_is_string(value) ? json_string_value(value) : "";
}

/* null stands for none. */
static int64_t iteration_or_none(const json_t *value)
{
    return json_is_integer(value) ? json_integer_value(value) : -1;
}

static enum status fault(const struct place *place, const char *where, const char *text)
{
    return error_set(place->error, STATUS_INPUT, "%s: %s%s%s", place->path, where,
                     *where ? ": " : "", text);
}

static enum status read_run(const struct place *place, const char *label, json_t *json,
                            struct summary_run *run)
{
    json_t *residual, *true_residual, *low = NULL, *high = NULL, *condition = NULL;
    json_error_t what;
    json_int_t number, iterations;
    if (json_unpack_ex(json, &what, 0, "{s:I, s:s, s:I, s:o, s:o, s:F, s:s, s:s, s?o, s?o, s?o}",
                       "run", &number, "reason", &run->reason, "iterations", &iterations,
                       "residual", &residual, "true_residual", &true_residual,
                       "seconds_per_iteration", &run->seconds, "history_hash", &run->history_hash,
                       "solution_hash", &run->solution_hash, "ritz_low", &low, "ritz_high", &high,
                       "condition", &condition) != 0)
        return fault(place, label, what.text);
    if (number < 1 || iterations < 0)
        return fault(place, label, "the number of a run is at least 1, and of iterations 0");
    run->run = number;
    run->iterations = iterations;
    run->residual = number_or_nan(residual);
    run->true_residual = number_or_nan(true_residual);
    run->ritz_low = number_or_nan(low);
    run->ritz_high = number_or_nan(high);
    run->condition = number_or_nan(condition);
    run->converged = strcmp(run->reason, "converged") == 0;
    return STATUS_OK;
}

static enum status read_runs(const struct place *place, json_t *list, int64_t column,
                             struct summary_kernel *kernel)
{
    int64_t count = (int64_t)json_array_size(list);
    if (count == 0)
        return fault(place, kernel->label, "has no list of runs, or an empty one");
    kernel->runs = memory_zeros(count, sizeof *kernel->runs, "the runs", place->error);
    enum status status = kernel->runs ? STATUS_OK : STATUS_MEMORY;
    for (int64_t k = 0; k < count && !status; k++) {
        status = read_run(place, kernel->label, json_array_get(list, (size_t)k), &kernel->runs[k]);
        kernel->runs[k].column = column;
    }
    if (status)
        return status;
    const struct summary_run *last = &kernel->runs[count - 1];
    if (count > 1 && strcmp(last->reason, reason_name(REASON_INTERRUPTED)) == 0)
        kernel->interrupted = last;
    kernel->runs_count = count - (kernel->interrupted != NULL);
    return STATUS_OK;
}

/* An entry: a kernel in one column. */
static enum status read_entry(const struct place *place, json_t *json, int64_t *column,
                              struct summary_kernel *kernel)
{
    json_t *first, *apart = NULL, *spread, *runs;
    json_error_t what;
    json_int_t lowest, highest, histories, threads = 0, of = 0;
    int declared = 0;
    const char *promise = "none";
    kernel->preconditioner = "";
    if (json_unpack_ex(
            json, &what, 0,
            "{s:s, s?I, s:s, s:s, s:s, s:s, s?s, s?I, s?s, s:F, s?s, s:F, s:{s:I, s:F, s:I}, s:I, "
            "s:o, s?o, s:o, s:o, s?o, s?b}",
            "name", &kernel->label, "column", &of, "kernel", &kernel->kernel, "storage",
            &kernel->storage, "guarantee", &kernel->guarantee, "description", &kernel->description,
            "reductions", &kernel->reductions, "threads", &threads, "promise", &promise,
            "setup_seconds", &kernel->setup_seconds, "preconditioner", &kernel->preconditioner,
            "bytes_per_iteration", &kernel->bytes_an_iteration, "iterations", "min", &lowest,
            "median", &kernel->iterations_median, "max", &highest, "distinct_histories", &histories,
            "first_divergence", &first, "first_apart", &apart, "solution_spread", &spread, "runs",
            &runs, "parameters", &kernel->parameters, "declared", &declared) != 0)
        return fault(place, "a kernel", what.text);
    kernel->threads = threads;
    kernel->declared = declared;
    kernel->promise_broken = strcmp(promise, "broken") == 0;
    kernel->iterations_min = lowest;
    kernel->iterations_max = highest;
    kernel->histories = histories;
    kernel->first_difference = iteration_or_none(first);
    kernel->first_apart = apart ? iteration_or_none(apart) : SUMMARY_NOT_TOLD;
    kernel->solution_spread = number_or_nan(spread);
    kernel->columns = 1;
    *column = of;
    return read_runs(place, runs, of, kernel);
}

/* An entry's residuals are shown relative to ||b|| of its column. */
static void relate(const struct summary *summary, int64_t column, struct summary_kernel *kernel)
{
    const json_t *problem = json_object_get(summary->json, "problem");
    const json_t *norms = json_object_get(problem, "rhs_norms");
    double norm = norms ? number_or_nan(json_array_get(norms, (size_t)column)) : summary->rhs_norm;
    if (summary_has_eigenvalues(summary))
        return;
    for (int64_t k = 0; k < kernel->runs_count; k++) {
        struct summary_run *run = &kernel->runs[k];
        run->residual = relative_residual(run->residual, norm);
        run->true_residual = relative_residual(run->true_residual, norm);
    }
}

/* The next entry: a kernel, or a further column of the last one. */
static enum status read_kernel(const struct place *place, json_t *json, struct summary *summary)
{
    struct summary_kernel *last =
        summary->kernels_count > 0 ? &summary->kernels[summary->kernels_count - 1] : NULL;
    struct summary_kernel read = {0};
    int64_t column = 0;
    enum status status = read_entry(place, json, &column, &read);
    if (!status)
        relate(summary, column, &read);
    if (!status && column == 0) {
        summary->kernels[summary->kernels_count++] = read;
        return STATUS_OK;
    }
    if (!status && (!last || last->columns != column || strcmp(last->label, read.label) != 0))
        status = fault(place, read.label, "its columns do not stand together, from 0 on");
    if (!status)
        status = summary_join(last, &read, place->error);
    memory_free(read.runs);
    return status;
}

static enum status read_kernels(const struct place *place, json_t *list, struct summary *summary)
{
    size_t count = json_array_size(list);
    if (count == 0)
        return fault(place, "kernels", "is no list, or an empty one");
    summary->kernels =
        memory_zeros((int64_t)count, sizeof *summary->kernels, "the kernels", place->error);
    if (!summary->kernels)
        return STATUS_MEMORY;
    enum status status = STATUS_OK;
    for (size_t k = 0; k < count && !status; k++)
        status = read_kernel(place, json_array_get(list, k), summary);
    for (int k = 0; k < summary->kernels_count && !status; k++) {
        struct summary_kernel *kernel = &summary->kernels[k];
        status = kernel->columns == summary->columns
                     ? summary_finish(kernel, place->error)
                     : fault(place, kernel->label, "has other columns than the right-hand side");
    }
    return status;
}

static enum status read_problem(const struct place *place, json_t *json, struct summary *summary)
{
    json_t *norm;
    json_error_t what;
    json_int_t n, full, upper, columns = 1;
    int is_eigenvector = 0;
    if (json_unpack_ex(
            json, &what, 0, "{s:s, s:I, s:I, s:I, s:s, s:o, s:s, s:s, s:{s:s}, s?{s:s}, s?b, s?I}",
            "type", &summary->problem, "n", &n, "nnz_full", &full, "nnz_upper", &upper, "rhs",
            &summary->rhs, "rhs_norm", &norm, "matrix_hash", &summary->matrix_hash, "rhs_hash",
            &summary->rhs_hash, "reorder", "name", &summary->reorder, "file", "path",
            &summary->path, "rhs_is_eigenvector", &is_eigenvector, "columns", &columns) != 0)
        return fault(place, "problem", what.text);
    summary->n = n;
    summary->nnz_full = full;
    summary->nnz_upper = upper;
    summary->rhs_norm = number_or_nan(norm);
    summary->rhs_is_eigenvector = is_eigenvector;
    summary->columns = columns;
    return STATUS_OK;
}

static enum status read_machine(const struct place *place, json_t *json, struct summary *summary)
{
    json_error_t what;
    json_int_t cores, threads;
    json_t *commit = NULL, *host = NULL, *command = NULL, *load = NULL, *others = NULL;
    summary->date = "";
    if (json_unpack_ex(json, &what, 0,
                       "{s:s, s:I, s:I, s:F, s:s, s:s, s:s, s:s, s?o, s?o, s?o, s?s, s?o, s?o}",
                       "cpu", &summary->cpu, "cores", &cores, "threads", &threads, "memory",
                       &summary->memory, "device", &summary->device, "system", &summary->system,
                       "compiler", &summary->compiler, "version", &summary->version, "commit",
                       &commit, "host", &host, "command", &command, "date", &summary->date, "load",
                       &load, "others", &others) != 0)
        return fault(place, "machine", what.text);
    summary->commit = text_or_empty(commit);
    summary->host = text_or_empty(host);
    summary->command = text_or_empty(command);
    summary->load = number_or_nan(load);
    summary->others = number_or_nan(others);
    summary->cores = cores;
    summary->threads = threads;
    return STATUS_OK;
}

static enum status read_solver(const struct place *place, json_t *json, struct summary *summary)
{
    json_error_t what;
    json_int_t limit;
    summary->preconditioner = "none";
    summary->start = "zero";
    summary->start_hash = "";
    if (json_unpack_ex(json, &what, 0, "{s:s, s:F, s?F, s:I, s:s, s?{s:s}, s?{s:s, s?s}}", "method",
                       &summary->method, "tolerance", &summary->tolerance, "absolute_tolerance",
                       &summary->absolute_tolerance, "max_iterations", &limit, "reductions",
                       &summary->reductions, "preconditioner", "type", &summary->preconditioner,
                       "start", "type", &summary->start, "hash", &summary->start_hash) != 0)
        return fault(place, "solver", what.text);
    summary->max_iterations = limit;
    return STATUS_OK;
}

static enum status read_members(const struct place *place, struct summary *summary)
{
    json_t *json = summary->json;
    if (json_integer_value(json_object_get(json, "schema")) != 1)
        return fault(place, "schema", "is not 1: this is no summary.json that this version reads");
    summary->interrupted = json_is_true(json_object_get(json, "interrupted"));
    enum status status = read_problem(place, json_object_get(json, "problem"), summary);
    if (!status)
        status = read_machine(place, json_object_get(json, "machine"), summary);
    if (!status)
        status = read_solver(place, json_object_get(json, "solver"), summary);
    if (!status)
        status = read_kernels(place, json_object_get(json, "kernels"), summary);
    return status;
}

enum status summary_read(const char *path, struct summary *summary, struct error *error)
{
    struct place place = {path, error};
    json_error_t what;
    *summary = (struct summary){0};
    char *text;
    int64_t length;
    enum status status = input_text(path, &text, &length, error);
    if (status)
        return status;
    summary->json = json_loadb(text, (size_t)length, 0, &what);
    memory_free(text);
    if (!summary->json)
        return error_set(error, STATUS_INPUT, "%s:%d: %s", path, what.line, what.text);
    status = read_members(&place, summary);
    if (status)
        summary_free(summary);
    return status;
}

void summary_free(struct summary *summary)
{
    for (int k = 0; k < summary->kernels_count; k++) {
        memory_free(summary->kernels[k].runs);
        memory_free(summary->kernels[k].by_count);
    }
    memory_free(summary->kernels);
    json_decref(summary->json);
    *summary = (struct summary){0};
}

const struct summary_run *summary_worst(const struct summary_kernel *kernel)
{
    const struct summary_run *worst = &kernel->runs[0];
    for (int64_t k = 1; k < kernel->runs_count; k++)
        if (!isnan(worst->true_residual) &&
            !(kernel->runs[k].true_residual <= worst->true_residual))
            worst = &kernel->runs[k];
    return worst;
}

double summary_rate(const struct summary_kernel *kernel)
{
    if (kernel->columns > 1)
        return NAN;
    return kernel->seconds > 0 ? 1e-9 * kernel->bytes_an_iteration / kernel->seconds : 0;
}

bool summary_has_eigenvalues(const struct summary *summary)
{
    const struct method *method = method_find(summary->method);
    return method && method->traits & METHOD_FINDS_EIGENVALUES;
}

int64_t summary_failures(const struct summary_kernel *kernel)
{
    int64_t failures = 0;
    for (int64_t k = 0; k < kernel->runs_count; k++)
        failures += !kernel->runs[k].converged;
    return failures;
}

int64_t summary_longest(const struct summary *summary)
{
    int64_t longest = 0;
    for (int k = 0; k < summary->kernels_count; k++)
        for (int64_t r = 0; r < summary->kernels[k].runs_count; r++)
            if (summary->kernels[k].runs[r].iterations > longest)
                longest = summary->kernels[k].runs[r].iterations;
    return longest;
}

int summary_find(const struct summary *summary, const char *label)
{
    for (int k = 0; k < summary->kernels_count; k++)
        if (strcmp(summary->kernels[k].label, label) == 0)
            return k;
    return -1;
}
