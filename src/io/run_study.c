#include "io/run_study.h"

#include "base/machine.h"
#include "base/memory.h"
#include "base/threads.h"
#include "cgsolve/space.h"
#include "io/progress.h"
#include "io/results.h"
#include "io/terminal.h"
#include "io/trace_write.h"
#include "io/vector_files.h"
#include "study/promise.h"
#include "study/study.h"

/* A study that goes on. */
struct running {
    const struct settings *settings;
    const struct linear_system *system;
    bool quiet;
    struct machine machine;
    struct study_kernel *results; /* [settings->kernels_count] */
    struct history_csv history;
    struct text_file envelope;
    struct trace_files trace;     /* zeroed without a trace */
    struct npy_file eigenvectors; /* of the run that goes on; zeroed where it has none */
    struct progress progress;
    struct table table;
};

/* --- the files ---------------------------------------------------------------------------------- */

static void files_abandon(struct running *running)
{
    history_csv_abandon(&running->history);
    text_file_abandon(&running->envelope);
    trace_abandon(&running->trace);
    npy_abandon(&running->eigenvectors);
}

static enum status files_begin(struct running *running, struct error *error)
{
    const struct settings *settings = running->settings;
    const char *directory = settings->output_directory;
    enum status status = results_begin(settings, error);
    if (!status)
        status = history_csv_begin(directory, settings->solver.method, &running->history, error);
    if (!status)
        status = envelope_csv_begin(directory, &running->envelope, error);
    if (!status && settings->trace.every > 0)
        status = trace_begin(directory, settings->trace.keep, running->system->A.n, &running->trace,
                             error);
    if (status)
        files_abandon(running);
    return status;
}

/* What is known when `finished` kernels are. */
static enum status write_summary(const struct running *running, int finished, struct error *error)
{
    return summary_json_write(running->settings, running->system, &running->machine,
                              running->results, finished, error);
}

/* All files get their names, summary.json the last; after a failure the rest keep theirs. */
static enum status files_end(struct running *running, enum status status, struct error *error)
{
    if (!status && running->settings->trace.every > 0)
        status = trace_finish(&running->trace, error);
    if (!status)
        status = history_csv_finish(&running->history, error);
    if (!status)
        status = text_file_finish(&running->envelope, error);
    files_abandon(running);
    return status ? status : write_summary(running, running->settings->kernels_count, error);
}

/* --- the solves --------------------------------------------------------------------------------- */

static enum status watch_row(void *context, const char *label, int64_t run,
                             const struct history_row *row, struct error *error)
{
    struct running *running = context;
    progress_row(&running->progress, run, row);
    return history_csv_row(&running->history, label, run, row, error);
}

static enum status watch_run(void *context, const char *label, const struct study_run *run,
                             struct error *error)
{
    struct running *running = context;
    (void)label, (void)run;
    progress_run_finished(&running->progress);
    enum status status = running->trace.n > 0 ? trace_flush(&running->trace, error) : STATUS_OK;
    if (!status && running->eigenvectors.path)
        status = npy_finish(&running->eigenvectors, error);
    return status ? status : history_csv_flush(&running->history, error);
}

static enum status watch_vector(void *context, const char *label, int64_t run, int64_t iteration,
                                enum cg_vector vector, const double *values, struct error *error)
{
    struct running *running = context;
    return trace_vector(&running->trace, label, run, iteration, vector, values, error);
}

static enum status watch_eigenvector(void *context, const char *label, int64_t run, int64_t k,
                                     double eigenvalue, const double *v, struct error *error)
{
    struct running *running = context;
    (void)eigenvalue;
    return eigenvector_file_take(&running->eigenvectors, running->settings->output_directory, label,
                                 run, k, v, running->system->A.n, error);
}

static enum status watch_solution(void *context, const char *label, int64_t run, const double *x,
                                  struct error *error)
{
    const struct running *running = context;
    const struct settings *settings = running->settings;
    if (run > 1 && settings->solution_of == SOLUTION_OF_FIRST)
        return STATUS_OK;
    return solution_file_write(settings->output_directory, settings->solution, label, run, x,
                               running->system->A.n, error);
}

static enum status run_kernel(struct running *running, const struct kernel_settings *kernel,
                              struct study_kernel *result, struct error *error)
{
    const struct settings *settings = running->settings;
    const struct linear_system *system = running->system;
    struct space *space;
    threads_use((int)(kernel->threads > 0 ? kernel->threads : settings->threads));
    enum status status = space_create(kernel->kernel->space, kernel->reductions, &space, error);
    if (status)
        return status;
    struct study_entry entry = {kernel->kernel, kernel->options, kernel->label,
                                settings->preconditioner};
    struct study_observer observer = {
        .row = watch_row,
        .run_finished = watch_run,
        .context = running,
        .trace_every = settings->trace.every,
        .trace_vectors = settings->trace.vectors,
        .vector = settings->trace.every > 0 ? watch_vector : NULL,
        .solution = settings->solution != SOLUTION_NONE ? watch_solution : NULL,
        .eigenvector = settings->eigenvectors == SWITCH_ON ? watch_eigenvector : NULL};
    struct study_system given = {&system->A, system->b, system->number};
    status = study_kernel_run(&entry, &given, space, &settings->solver, settings->repeats,
                              &observer, result, error);
    space->operations->destroy(space);
    return status;
}

/* Every kernel of the list. What is finished is on the disk when the next one begins. */
static enum status run_kernels(struct running *running, struct error *error)
{
    const struct settings *settings = running->settings;
    int count = settings->kernels_count;
    enum status status = STATUS_OK;
    progress_begin(&running->progress, running->quiet ? NULL : stderr, &settings->solver,
                   settings->repeats, count);
    if (!running->quiet)
        terminal_table_begin(&running->table, stdout, settings);
    for (int k = 0; k < count && !status; k++) {
        struct study_kernel *result = &running->results[k];
        progress_kernel(&running->progress, settings->kernels[k].label);
        status = run_kernel(running, &settings->kernels[k], result, error);
        progress_clear(&running->progress);
        if (!status && !running->quiet)
            terminal_print_kernel(&running->table, settings, running->system->rhs_norm, result);
        if (!status)
            status = envelope_csv_kernel(&running->envelope, &running->history, result, error);
        if (!status && k + 1 < count)
            status = write_summary(running, k + 1, error);
    }
    return status;
}

static struct study_verdict verdict_on(const struct study_kernel *kernels, int count)
{
    struct study_verdict verdict = {0};
    const struct study_kernel *other;
    for (int k = 0; k < count; k++) {
        const struct study_kernel *kernel = &kernels[k];
        verdict.runs += kernel->runs_count;
        verdict.failed += kernel->runs_count - study_kernel_converged(kernel);
        for (int64_t r = 0; r < kernel->runs_count && !verdict.label; r++) {
            const struct study_run *run = &kernel->runs[r];
            if (run->result.reason == REASON_CONVERGED)
                continue;
            verdict.label = kernel->label;
            verdict.run = run->run;
            verdict.iterations = run->result.iterations;
            verdict.reason = run->result.reason;
        }
        if (!verdict.broken && promise_is_broken(kernels, k, &other))
            verdict.broken = kernel->label;
    }
    return verdict;
}

enum status run_study(const char *config, const struct settings *settings,
                      const struct linear_system *system, bool quiet, struct study_verdict *verdict,
                      struct error *error)
{
    int count = settings->kernels_count;
    struct running running = {.settings = settings, .system = system, .quiet = quiet};
    running.results = memory_zeros(count, sizeof *running.results, "the results", error);
    if (!running.results)
        return STATUS_MEMORY;
    machine_describe(&running.machine);
    space_describe_device(running.machine.device, sizeof running.machine.device);
    if (!quiet)
        terminal_print_problem(stdout, config, settings, system, &running.machine);
    enum status status = files_begin(&running, error);
    if (!status)
        status = files_end(&running, run_kernels(&running, error), error);
    if (!status) {
        if (!quiet)
            terminal_print_end(&running.table, settings, running.results, count);
        terminal_print_promises(stdout, running.results, count);
        *verdict = verdict_on(running.results, count);
    }
    for (int k = 0; k < count; k++)
        study_kernel_free(&running.results[k]);
    memory_free(running.results);
    return status;
}
