#include "program/command/worker_rank.h"

#include "base/memory.h"
#include "program/command/interruption.h"
#include "program/command/ranks.h"
#include "program/command/run_kernel.h"

enum status until_interrupted(struct error *error)
{
    bool interrupted;
    enum status status = program_ranks_interrupted(&interrupted, error);
    return status ? status : interrupted ? STATUS_INTERRUPTED : STATUS_OK;
}

static enum status see(void *context, const struct event *event, struct error *error)
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
    struct observer observer = {.wants = like->wants, .trace = like->trace, .see = see};
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
