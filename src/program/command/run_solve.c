#include "program/command/run_solve.h"

#include "base/processors.h"
#include "base/text.h"
#include "base/threads.h"
#include "io/text_file.h"
#include "program/command/interruption.h"
#include "program/command/ranks.h"
#include "program/command/run_kernel.h"
#include "program/config/system.h"
#include "program/record/vector_files.h"
#include "program/terminal/progress.h"
#include "program/terminal/terminal.h"

#include <inttypes.h>

/* A solve that goes on. */
struct solving {
    const struct problem_settings *problem;
    const struct solver_settings *solver;
    struct study_settings study; /* with the threads that A asks for */
    const struct output_settings *output;
    const struct solve_request *request;
    struct linear_system system;
    struct progress progress;
    struct solution_file solution; /* zeroed without one */
    struct npy_file vectors;       /* likewise */
    double others;                 /* the share of the processors' time that other programs took */
};

static enum status watch_row(struct solving *solving, const struct event *row, struct error *error)
{
    if (solving->request->monitor) {
        terminal_print_row(stdout, &solving->solver->options, solving->system.rhs_norm, row);
        fflush(stdout); /* for the reader of a pipe */
    } else {
        progress_row(&solving->progress, row);
    }
    return until_interrupted(error);
}

static enum status watch(void *context, const struct event *event, struct error *error)
{
    struct solving *solving = context;
    if (event->kind == EVENT_ROW)
        return watch_row(solving, event, error);
    if (!program_is_first())
        return STATUS_OK;
    switch (event->kind) {
    case EVENT_EIGENVECTOR:
        return npy_append(&solving->vectors, event->values, error);
    case EVENT_SOLUTION:
        return solution_file_piece(&solving->solution, event, error);
    case EVENT_ROW:
    case EVENT_VECTOR:
    case EVENT_RUN_ENDED:
        break;
    }
    return STATUS_OK;
}

/* The rename would destroy the input. The file of x_0 may be replaced: it has been read by then,
 * and a solve can continue from its own file. */
static enum status check_output(const struct solving *solving, const char *output,
                                struct error *error)
{
    const struct options *const read_from[] = {&solving->problem->matrix, &solving->problem->rhs,
                                               &solving->solver->preconditioner};
    const char *path;
    for (int k = 0; output && k < 3; k++)
        for (int f = 0; (path = options_file(read_from[k], f, NULL)); f++)
            if (directory_is_same(path, output))
                return error_set(error, STATUS_CONFIG, "%s: cannot be written: the solve reads it",
                                 output);
    return STATUS_OK;
}

static enum status check(const struct solving *solving, struct error *error)
{
    const struct study_settings *study = &solving->study;
    const struct solve_request *request = solving->request;
    const struct kernel *kernel = study->kernels[0].kernel;
    int64_t columns = solving->problem->rhs_columns;
    const char *reason = kernel_unavailable(kernel);
    if (!reason)
        reason = program_ranks_refuse(study, kernel);
    if (study->kernels_count != 1)
        return error_set(error, STATUS_CONFIG, "%s: solved by one kernel, and kernels has %d",
                         request->matrix, study->kernels_count);
    if (reason)
        return error_set(error, STATUS_UNAVAILABLE, "kernel %s is not available here: %s",
                         kernel->component.name, reason);
    if (solving->output->eigenvectors == SWITCH_ON && !request->output)
        return error_set(error, STATUS_CONFIG, "eigen.vectors: --vectors FILE says where to");
    if (columns > 1)
        return error_set(error, STATUS_CONFIG,
                         "rhs.columns = %" PRId64
                         ": cgsolve solve takes one right-hand side. Use a config for several.",
                         columns);
    return check_output(solving, request->output, error);
}

static enum status output_begin(struct solving *solving, struct error *error)
{
    enum solution_format format = solving->output->solution;
    const char *path = solving->request->output;
    int64_t n = solving->system.A.n;
    if (!path || !program_is_first())
        return STATUS_OK;
    return format != SOLUTION_NONE
               ? solution_file_begin(path, format, n, 1, &solving->solution, error)
               : npy_begin(NULL, path, n, NPY_COLUMNS, &solving->vectors, error);
}

/* The solve and its file. */
static enum status solve(struct solving *solving, struct study_kernel *result, struct error *error)
{
    const struct solve_request *request = solving->request;
    const struct solver_settings *solver = solving->solver;
    const struct study_settings *study = &solving->study;
    bool shows_progress = !request->quiet && !request->monitor && program_is_first();
    struct observer observer = {.wants = 1u << EVENT_ROW, .see = watch, .context = solving};
    if (request->output)
        observer.wants |=
            1u << (solving->output->solution != SOLUTION_NONE ? EVENT_SOLUTION : EVENT_EIGENVECTOR);
    enum status status = output_begin(solving, error);
    if (status)
        return status;
    progress_begin(&solving->progress, shows_progress ? stderr : NULL, &solver->options, 1, 1);
    progress_beside(&solving->progress, stdout);
    progress_kernel(&solving->progress, study->kernels[0].label);
    interruption_watch();
    struct processor_time begun = processor_time_now(), ended;
    status =
        run_kernel(solver, study, &study->kernels[0], &solving->system, &observer, result, error);
    ended = processor_time_now();
    interruption_leave();
    solving->others = program_exchange() ? -1 : processor_time_of_others(&begun, &ended);
    progress_clear(&solving->progress);
    if (!status && solving->vectors.path)
        status = npy_finish(&solving->vectors, error);
    solution_file_abandon(&solving->solution);
    npy_abandon(&solving->vectors);
    return status;
}

static void print(const struct solving *solving, const struct study_kernel *kernel)
{
    const struct solve_request *request = solving->request;
    const struct solver_result *result = &kernel->runs[0].result;
    char shown[1024];
    if (!request->quiet) {
        terminal_print_solve(stdout, &solving->solver->options, solving->system.rhs_norm, kernel,
                             solving->others);
        if (request->output)
            terminal_print_written(request->output);
    } else if (result->reason != REASON_CONVERGED && program_is_first()) {
        fprintf(stderr, "cgsolve: %s: %s at iteration %" PRId64 "\n",
                shown_text(request->matrix, shown, sizeof shown), reason_name(result->reason),
                result->iterations);
    }
}

static enum status load_and_solve(struct solving *solving, bool *good, struct error *error)
{
    struct study_settings *study = &solving->study;
    struct study_kernel kernel = {0};
    struct threads *before;
    enum status status = threads_begin((int)study->threads, &before, error);
    if (!status)
        status =
            program_load_system(solving->problem, solving->solver, study, &solving->system, error);
    threads_end(before);
    study->threads = threads_for((int)study->threads, solving->system.A.nnz);
    if (!status && solving->system.columns > 1)
        status = error_set(error, STATUS_CONFIG,
                           "%s: has %" PRId64
                           " columns: cgsolve solve takes one right-hand side. Use a config for "
                           "several.",
                           options_file(&solving->problem->rhs, 0, NULL), solving->system.columns);
    if (!status)
        status = kernels_check(study, &solving->system.A, error);
    if (!status && !solving->request->quiet)
        terminal_print_system(stdout, solving->problem, solving->solver, study, &solving->system);
    if (!status)
        status = solve(solving, &kernel, error);
    if (!status) {
        print(solving, &kernel);
        *good = kernel.runs[0].result.reason == REASON_CONVERGED;
        status = interruption_came() && program_is_first() ? STATUS_INTERRUPTED : STATUS_OK;
    }
    study_kernel_free(&kernel);
    system_free(&solving->system);
    return status;
}

enum status run_solve(const struct settings *settings, const struct solve_request *request,
                      bool *good, struct error *error)
{
    struct solving solving = {.problem = &settings->problem,
                              .solver = &settings->solver,
                              .study = settings->study,
                              .output = &settings->output,
                              .request = request};
    enum status status = program_ranks_prepare(&settings->study, error);
    if (!status)
        status = check(&solving, error);
    status = program_ranks_agree_on_settings(status, settings_hash(settings, 1), error);
    return status ? status : load_and_solve(&solving, good, error);
}
