#include "program/command/run_study.h"

#include "base/machine.h"
#include "base/memory.h"
#include "base/processors.h"
#include "base/text.h"
#include "program/command/interruption.h"
#include "program/command/ranks.h"
#include "program/command/run_kernel.h"
#include "program/record/results.h"
#include "program/record/trace.h"
#include "program/record/vector_files.h"
#include "program/terminal/layout.h"
#include "program/terminal/progress.h"
#include "program/terminal/terminal.h"
#include "space/space.h"
#include "study/study.h"

#include <inttypes.h>
#include <stdlib.h>

/* A study that goes on. */
struct running {
    const struct problem_settings *problem;
    const struct solver_settings *solver;
    const struct study_settings *study;
    const struct output_settings *output;
    char *settings_cfg; /* all of them, as a text */
    char *unfinished;   /* the directory that it writes to while it goes on */
    const struct linear_system *system;
    const struct study_shown *shown;
    struct machine machine;
    struct study_kernel *results; /* [study->kernels_count][system->columns], of which */
    int finished;                 /* kernels are there, the last of them perhaps interrupted */
    struct history_csv history;
    struct text_file envelope;
    struct trace_files trace;      /* zeroed without a trace */
    struct npy_file eigenvectors;  /* of the run that goes on; zeroed where it has none */
    struct solution_file solution; /* likewise */
    struct progress progress;
    struct table table;
};

/* --- the files -------------------------------------------------------------------------------- */

static void files_abandon(struct running *running)
{
    history_csv_abandon(&running->history);
    text_file_abandon(&running->envelope);
    trace_abandon(&running->trace);
    npy_abandon(&running->eigenvectors);
    solution_file_abandon(&running->solution);
}

static enum status files_begin(struct running *running, struct error *error)
{
    const struct solver_settings *solver = running->solver;
    const struct trace_settings *trace = &running->study->trace;
    const char *directory = running->unfinished;
    enum status status = results_begin(running->problem, solver, running->output->directory,
                                       directory, running->settings_cfg, error);
    if (!status)
        status = history_csv_begin(directory, solver->options.method,
                                   preconditioner_is_set(&solver->preconditioner),
                                   running->system->columns, &running->history, error);
    if (!status)
        status = envelope_csv_begin(directory, running->system->columns, &running->envelope, error);
    if (!status && trace->every > 0)
        status = trace_begin(directory, trace->keep, running->system->A.n, &running->trace, error);
    if (status)
        files_abandon(running);
    return status;
}

/* Those of kernel k, of each column. */
static struct study_kernel *results_of(const struct running *running, int k)
{
    return &running->results[k * running->system->columns];
}

/* Of all columns of all kernels that are finished. */
static int results_count(const struct running *running)
{
    return running->finished * (int)running->system->columns;
}

/* The last kernel, in the column whose run was interrupted, or in the first. */
static const struct study_kernel *last_of(const struct running *running)
{
    const struct study_kernel *results = results_of(running, running->finished - 1);
    for (int64_t j = 0; j < running->system->columns; j++)
        if (study_kernel_interrupted(&results[j]))
            return &results[j];
    return results;
}

/* The results so far, of `finished` kernels. */
static enum status write_summary(const struct running *running, enum summary_state state,
                                 struct error *error)
{
    return summary_json_write(running->unfinished, running->problem, running->solver,
                              running->system, &running->machine, running->results,
                              running->finished, state, error);
}

/* Whether every run of every kernel is done. */
static bool is_complete(const struct running *running)
{
    const struct study_kernel *last = last_of(running);
    return running->finished == running->study->kernels_count &&
           last->runs_count == running->study->repeats && !study_kernel_interrupted(last);
}

/* All files get their names, summary.json the last; after a failure the rest keep theirs. Those of
 * a study that is complete take the places of the earlier ones. */
static enum status files_end(struct running *running, enum status status, struct error *error)
{
    if (!status && running->study->trace.every > 0)
        status = trace_finish(&running->trace, error);
    if (!status)
        status = history_csv_finish(&running->history, error);
    if (!status)
        status = text_file_finish(&running->envelope, error);
    files_abandon(running);
    bool complete = !status && is_complete(running);
    if (!status)
        status = write_summary(running, complete ? SUMMARY_COMPLETE : SUMMARY_INTERRUPTED, error);
    if (!status && complete)
        status = results_replace(running->output->directory, running->unfinished, error);
    return status;
}

/* --- the solves ------------------------------------------------------------------------------- */

static enum status watch_row(struct running *running, const struct event *row, struct error *error)
{
    progress_row(&running->progress, row);
    enum status status = history_csv_row(&running->history, row, error);
    return status ? status : until_interrupted(error);
}

static enum status watch_end(struct running *running, struct error *error)
{
    progress_run_finished(&running->progress);
    enum status status = running->trace.n > 0 ? trace_flush(&running->trace, error) : STATUS_OK;
    if (!status && running->eigenvectors.path)
        status = npy_finish(&running->eigenvectors, error);
    if (!status)
        status = history_csv_flush(&running->history, error);
    return status ? status : until_interrupted(error);
}

static enum status watch_solution(struct running *running, const struct event *piece,
                                  struct error *error)
{
    const struct output_settings *output = running->output;
    if (piece->run > 1 && output->solution_of == SOLUTION_OF_FIRST)
        return STATUS_OK;
    return solution_file_take(&running->solution, running->unfinished, output->solution, piece,
                              running->system->A.n, running->system->columns, error);
}

static enum status watch(void *context, const struct event *event, struct error *error)
{
    struct running *running = context;
    switch (event->kind) {
    case EVENT_ROW:
        return watch_row(running, event, error);
    case EVENT_VECTOR:
        return trace_vector(&running->trace, event, error);
    case EVENT_EIGENVECTOR:
        return eigenvector_file_take(&running->eigenvectors, running->unfinished, event,
                                     running->system->A.n, error);
    case EVENT_SOLUTION:
        return watch_solution(running, event, error);
    case EVENT_RUN_ENDED:
        return watch_end(running, error);
    }
    return STATUS_OK;
}

static struct observer observer_of(const struct output_settings *output,
                                   const struct trace_settings *trace)
{
    unsigned wants = 1u << EVENT_ROW | 1u << EVENT_RUN_ENDED |
                     (unsigned)(trace->every > 0) << EVENT_VECTOR |
                     (unsigned)(output->solution != SOLUTION_NONE) << EVENT_SOLUTION |
                     (unsigned)(output->eigenvectors == SWITCH_ON) << EVENT_EIGENVECTOR;
    return (struct observer){.wants = wants, .trace = {trace->every, trace->vectors}};
}

/* Its row in the table. */
static enum status print_kernel(const struct running *running, const struct study_kernel *results,
                                struct error *error)
{
    const struct linear_system *system = running->system;
    struct study_kernel all;
    enum status status = study_join(results, system->columns, &all, error);
    if (status)
        return status;
    terminal_print_kernel(&running->table, &running->solver->options, system->rhs_norms, &all);
    study_joined_free(&all);
    return STATUS_OK;
}

/* All kernels. Each is on the disk before the next begins. */
static enum status run_kernels(struct running *running, struct error *error)
{
    const struct solver_settings *solver = running->solver;
    const struct study_settings *study = running->study;
    int count = study->kernels_count;
    enum status status = STATUS_OK;
    struct observer observer = observer_of(running->output, &study->trace);
    struct processor_time begun = processor_time_now(), ended;
    observer.see = watch;
    observer.context = running;
    progress_begin(&running->progress, running->shown->quiet ? NULL : stderr, &solver->options,
                   study->repeats, count);
    progress_beside(&running->progress, stdout);
    if (!running->shown->quiet)
        terminal_table_begin(&running->table, stdout, &solver->options, study,
                             running->shown->wide);
    for (int k = 0; k < count && !status; k++) {
        status = k > 0 ? until_interrupted(error) : STATUS_OK;
        if (status)
            break;
        struct study_kernel *results = results_of(running, k);
        progress_kernel(&running->progress, study->kernels[k].label);
        status = run_kernel(solver, study, &study->kernels[k], running->system, &observer, results,
                            error);
        running->finished += !status;
        progress_clear(&running->progress);
        if (!status && !running->shown->quiet)
            status = print_kernel(running, results, error);
        for (int64_t j = 0; j < running->system->columns && !status; j++)
            status = envelope_csv_kernel(&running->envelope, &running->history, &results[j], error);
        if (!status && k + 1 < count)
            status = write_summary(running, SUMMARY_GOES_ON, error);
    }
    ended = processor_time_now();
    if (running->machine.ranks == 1) /* other ranks are other programs, too */
        running->machine.others = processor_time_of_others(&begun, &ended);
    return status == STATUS_INTERRUPTED ? STATUS_OK : status;
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
            verdict.column = run->column;
            verdict.iterations = run->result.iterations;
            verdict.reason = run->result.reason;
        }
        if (!verdict.broken && promise_is_broken(kernels, k, &other))
            verdict.broken = kernel->label;
    }
    return verdict;
}

/* The line on a signal: the interrupted run, and the kept files. */
static void print_interruption(FILE *stream, const struct running *running)
{
    const struct study_kernel *last = last_of(running);
    const struct study_run *run = study_kernel_interrupted(last);
    bool complete = is_complete(running);
    char shown[1024];
    struct layout layout;
    stream = layout_begin(&layout, stream);
    shown_text(complete ? running->output->directory : running->unfinished, shown, sizeof shown);
    if (run)
        fprintf(stream, "interrupted in run %" PRId64 " of %s at iteration %" PRId64, run->run,
                last->label, run->result.iterations);
    else
        fprintf(stream, "interrupted after run %" PRId64 " of %s", last->runs_count, last->label);
    if (run && running->system->columns > 1)
        fprintf(stream, " of column %" PRId64, run->column);
    fprintf(stream, "; %s: %s (its page: cgsolve report %s)\n",
            complete ? "the study is complete" : "kept", shown, shown);
    layout_end(&layout);
}

static enum status print_end(const struct running *running, struct error *error)
{
    int64_t columns = running->system->columns;
    struct study_kernel *all =
        memory_zeros(running->finished, sizeof *all, "what is printed", error);
    enum status status = all ? STATUS_OK : STATUS_MEMORY;
    for (int k = 0; k < running->finished && !status; k++)
        status = study_join(results_of(running, k), columns, &all[k], error);
    if (!status)
        terminal_print_end(&running->table, &running->problem->rhs, running->solver, all,
                           running->finished, running->machine.others);
    if (!status && running->shown->details)
        terminal_print_details(stdout, all, running->finished);
    if (!status)
        terminal_print_files(
            stdout, is_complete(running) ? running->output->directory : running->unfinished,
            running->output, &running->study->trace);
    for (int k = 0; k < running->finished && all; k++)
        study_joined_free(&all[k]);
    memory_free(all);
    return status;
}

/* Runs the study, writes its files, and prints its results. */
static enum status run_into_files(struct running *running, struct study_verdict *verdict,
                                  struct error *error)
{
    enum status status = files_begin(running, error);
    if (status)
        return status;
    interruption_watch();
    status = files_end(running, run_kernels(running, error), error);
    interruption_leave();
    if (status)
        return status;
    if (!running->shown->quiet)
        status = print_end(running, error);
    if (status)
        return status;
    terminal_print_promises(stdout, running->results, results_count(running));
    *verdict = verdict_on(running->results, results_count(running));
    verdict->columns = running->system->columns;
    if (!interruption_came())
        return STATUS_OK;
    print_interruption(running->shown->quiet ? stderr : stdout, running);
    return STATUS_INTERRUPTED;
}

enum status run_study(const char *config, const struct settings *settings,
                      const struct linear_system *system, const struct study_shown *shown,
                      struct study_verdict *verdict, struct error *error)
{
    const struct study_settings *study = &settings->study;
    enum status status = kernels_check(study, &system->A, error);
    status = program_ranks_agree(status, "kernels", 0, error);
    if (status)
        return status;
    if (!program_is_first()) {
        struct observer like = observer_of(&settings->output, &study->trace);
        *verdict = (struct study_verdict){.runs = 0};
        return worker_rank(&settings->solver, study, system, &like, error);
    }
    struct running running = {
        .problem = &settings->problem,
        .solver = &settings->solver,
        .study = study,
        .output = &settings->output,
        .settings_cfg = settings_text(settings),
        .unfinished = path_join(settings->output.directory, RESULTS_UNFINISHED, error),
        .results = memory_zeros(study->kernels_count * system->columns, sizeof *running.results,
                                "the results", error),
        .system = system,
        .shown = shown};
    if (!running.settings_cfg)
        error_set(error, STATUS_MEMORY, "out of memory: settings.cfg");
    status =
        running.unfinished && running.results && running.settings_cfg ? STATUS_OK : STATUS_MEMORY;
    if (!status) {
        machine_describe(&running.machine);
        running.machine.ranks = program_exchange() ? program_exchange()->count : 1;
        running.machine.devices = study->devices;
        running.machine.devices_count = settings_devices_most(study);
        space_describe_device((int)study->devices[0], running.machine.device,
                              sizeof running.machine.device);
        if (!shown->quiet)
            terminal_print_problem(stdout, config, running.problem, running.solver, study, system,
                                   &running.machine);
        status = run_into_files(&running, verdict, error);
    }
    for (int k = 0; k < results_count(&running); k++)
        study_kernel_free(&running.results[k]);
    memory_free(running.results);
    memory_free(running.unfinished);
    free(running.settings_cfg);
    return status;
}
