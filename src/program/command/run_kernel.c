#include "program/command/run_kernel.h"

#include "base/memory.h"
#include "base/processors.h"
#include "base/threads.h"
#include "program/command/interruption.h"
#include "program/command/rank_threads.h"
#include "program/command/ranks.h"
#include "space/ranks/ranks.h"
#include "space/space.h"

/* What is solved, by one rank or by several. */
struct solves {
    const struct solver_settings *solver;
    const struct study_settings *study;
    const struct kernel_settings *kernel;
    const struct linear_system *system;
    const struct observer *observer;
    struct study_kernel *results;
    const int64_t *devices;
    int threads; /* of each rank */
};

/* One process of several: prints the error at once, and ends all ranks. Freeing memory would wait
 * for kernels, which may wait for those of other ranks. */
static enum status see_or_leave(void *context, const struct event *event, struct error *error)
{
    const struct observer *observer = context;
    enum status status = observer->see(observer->context, event, error);
    if (status && status != STATUS_INTERRUPTED)
        program_ranks_leave(status, error);
    return status;
}

/* rank: of threads; else the program's, or one alone. */
static enum status solve(const struct solves *solves, int device, struct rank_thread *rank,
                         const struct observer *observer, struct study_kernel *results,
                         struct error *error)
{
    const struct kernel_settings *kernel = solves->kernel;
    const struct linear_system *system = solves->system;
    struct space *space;
    struct space_options options = {.reductions = kernel->reductions,
                                    .threads = solves->threads,
                                    .device = device,
                                    .exchange = rank ? rank->exchange : program_exchange(),
                                    .rows = system->A.n};
    enum status status = space_create(kernel->kernel->space, &options, &space, error);
    if (status)
        return status;
    struct study_entry entry = {kernel->kernel, kernel->options, kernel->label,
                                solves->solver->preconditioner};
    struct study_system given = {&system->A, system->b, system->number, system->x0,
                                 system->columns};
    status = study_kernel_run(&entry, &given, space, &solves->solver->options,
                              solves->study->repeats, observer, results, error);
    if (status && rank)
        rank_thread_fails(rank, status, error);
    if (status && !rank &&
        ranks_need_matching_launches(space)) /* the end of its link waits for the other ranks */
        program_ranks_leave(status, error);
    space->operations->destroy(space);
    return status;
}

/* --- ranks that are threads ------------------------------------------------------------------- */

struct watching {
    struct rank_thread *rank;
    const struct observer *observer;
};

/* Only rank 0 observes and writes. It tells the other ranks whether the solve ends here. */
static enum status see(void *context, const struct event *event, struct error *error)
{
    const struct watching *watching = context;
    struct exchange *exchange = watching->rank->exchange;
    const struct observer *observer = watching->observer;
    int wish = STATUS_OK, wishes[DEVICES_MAX];
    if (exchange->rank == 0)
        wish = (int)observer->see(observer->context, event, error);
    bool asks = event->kind == EVENT_ROW || event->kind == EVENT_RUN_ENDED;
    bool failed = wish != STATUS_OK && wish != STATUS_INTERRUPTED;
    if (failed)
        rank_thread_fails(watching->rank, (enum status)wish, error);
    if (failed || !asks)
        return (enum status)wish;
    enum status status = exchange_gather_each(exchange, &wish, sizeof wish, wishes, error);
    return status ? status : (enum status)wishes[0];
}

static enum status solve_in_rank(void *context, struct rank_thread *rank, struct error *error)
{
    const struct solves *solves = context;
    int64_t columns = solves->system->columns;
    struct watching watching = {rank, solves->observer};
    struct observer observer = *solves->observer;
    struct study_kernel *results = solves->results, *own = NULL;
    observer.see = see;
    observer.context = &watching;
    int number = rank->exchange->rank;
    if (number > 0)
        results = own = memory_zeros(columns, sizeof *own, "the results of a rank", error);
    enum status status =
        results ? solve(solves, (int)solves->devices[number], rank, &observer, results, error)
                : STATUS_MEMORY;
    for (int64_t j = 0; j < columns && own; j++)
        study_kernel_free(&own[j]);
    memory_free(own);
    return status;
}

static int threads_of(const struct study_settings *study, const struct kernel_settings *kernel)
{
    return (int)(kernel->threads > 0 ? kernel->threads : study->threads);
}

enum status run_kernel_by_ranks(const struct solver_settings *solver,
                                const struct study_settings *study,
                                const struct kernel_settings *kernel,
                                const struct linear_system *system, int count,
                                const int64_t *devices, const struct observer *observer,
                                struct study_kernel *results, struct error *error)
{
    int threads = threads_of(study, kernel);
    threads = (threads > 0 ? threads : processors_wanted()) / count;
    struct solves solves = {solver,   study,   kernel,  system,
                            observer, results, devices, threads > 0 ? threads : 1};
    return rank_threads_run(count, kernel->kernel->space == SPACE_CUDA ? devices : NULL,
                            solve_in_rank, &solves, error);
}

enum status run_kernel(const struct solver_settings *solver, const struct study_settings *study,
                       const struct kernel_settings *kernel, const struct linear_system *system,
                       const struct observer *observer, struct study_kernel *results,
                       struct error *error)
{
    int count = settings_devices(study, kernel->kernel);
    if (count > 1)
        return run_kernel_by_ranks(solver, study, kernel, system, count, study->devices, observer,
                                   results, error);
    struct exchange *exchange = program_exchange();
    struct solves solves = {solver,   study,   kernel, system,
                            observer, results, NULL,   threads_of(study, kernel)};
    struct observer leaving = *observer;
    leaving.see = see_or_leave;
    leaving.context = (void *)observer;
    return solve(&solves, program_device(study), NULL, exchange ? &leaving : observer, results,
                 error);
}

/* --- ranks that are processes ----------------------------------------------------------------- */

enum status until_interrupted(struct error *error)
{
    bool interrupted;
    enum status status = program_ranks_interrupted(&interrupted, error);
    return status ? status : interrupted ? STATUS_INTERRUPTED : STATUS_OK;
}

static enum status ask(void *context, const struct event *event, struct error *error)
{
    (void)context;
    bool asks = event->kind == EVENT_ROW || event->kind == EVENT_RUN_ENDED;
    return asks ? until_interrupted(error) : STATUS_OK;
}

static enum status follow_kernel(const struct solver_settings *solver,
                                 const struct study_settings *study, int k,
                                 const struct linear_system *system,
                                 const struct observer *observer, struct error *error)
{
    struct study_kernel *results =
        memory_zeros(system->columns, sizeof *results, "the results", error);
    enum status status =
        results ? run_kernel(solver, study, &study->kernels[k], system, observer, results, error)
                : STATUS_MEMORY;
    for (int64_t j = 0; j < system->columns && results; j++)
        study_kernel_free(&results[j]);
    memory_free(results);
    return status;
}

enum status worker_rank(const struct solver_settings *solver, const struct study_settings *study,
                        const struct linear_system *system, const struct observer *like,
                        struct error *error)
{
    struct observer observer = {.wants = like->wants, .trace = like->trace, .see = ask};
    enum status status = STATUS_OK;
    interruption_watch();
    for (int k = 0; k < study->kernels_count && !status; k++) {
        status = k > 0 ? until_interrupted(error) : STATUS_OK;
        if (!status)
            status = follow_kernel(solver, study, k, system, &observer, error);
    }
    interruption_leave();
    return status == STATUS_INTERRUPTED ? STATUS_OK : status;
}
