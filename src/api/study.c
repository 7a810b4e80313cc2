#include "study/study.h"

#include "api/handles.h"
#include "base/memory.h"
#include "solver/method.h"
#include "spmv/device_csr.h"
#include "spmv/kernel.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

struct entry {
    char *label;
    struct options options; /* of api_operator_component */
};

struct cgs_study {
    struct cgs_matrix *matrix; /* borrowed */
    struct options options;    /* of api_solver_component */
    struct entry *entries;     /* [count] */
    int64_t count, capacity;
    struct study_kernel *found; /* [finished] */
    int finished;
    atomic_bool at_work;
};

static void forget(struct cgs_study *study)
{
    for (int k = 0; k < study->finished; k++)
        study_kernel_free(&study->found[k]);
    memory_free(study->found);
    study->found = NULL;
    study->finished = 0;
}

/* --- making one ------------------------------------------------------------------------------- */

enum cgs_status cgs_study_create(struct cgs_matrix *matrix, const char *const *options,
                                 struct cgs_study **study, struct cgs_error *error)
{
    if (!study)
        return api_missing("the pointer to a study", error);
    *study = NULL;
    if (!matrix)
        return api_missing("a matrix", error);
    struct cgs_study *made = memory_zeros(1, sizeof *made, "a study", api_error(error));
    if (!made)
        return CGS_NO_MEMORY;
    made->matrix = matrix;
    enum status status =
        api_options(&api_solver_component, options, &made->options, api_error(error));
    if (!status)
        status = api_solver_fit(&made->options, &matrix->A, api_error(error));
    if (!status && matrix->context->exchange)
        status = error_set(api_error(error), STATUS_UNAVAILABLE,
                           "a study is of one rank, and not of several");
    if (status)
        cgs_study_destroy(made);
    else
        *study = made;
    return api_status(status);
}

void cgs_study_destroy(struct cgs_study *study)
{
    if (!study || atomic_load(&study->at_work))
        return;
    forget(study);
    for (int64_t k = 0; k < study->count; k++) {
        memory_free(study->entries[k].label);
        options_free(&study->entries[k].options);
    }
    memory_free(study->entries);
    options_free(&study->options);
    memory_free(study);
}

static const struct kernel *kernel_of(const struct entry *entry)
{
    const struct api_operator_options *chosen = entry->options.values;
    return (const struct kernel *)chosen->kernel.component;
}

static const struct kernel_options *parameters_of(const struct entry *entry)
{
    return ((const struct api_operator_options *)entry->options.values)->kernel.values;
}

/* Checks that operator_create makes first. */
static enum status check(const struct cgs_study *study, const struct entry *entry,
                         struct error *error)
{
    const struct kernel *kernel = kernel_of(entry);
    enum status status = kernel_check(kernel, &study->matrix->A, parameters_of(entry), error);
    if (status || kernel->space == study->matrix->context->place)
        return status;
    return error_set(error, STATUS_CONFIG, "kernel %s does not work in the place of the context",
                     kernel->component.name);
}

static enum status refuse_work(struct error *error)
{
    return error_set(error, STATUS_CONFIG, "this study is at work: it is left alone until it ends");
}

static enum status name(const struct cgs_study *study, const char *label, struct entry *entry,
                        struct error *error)
{
    if (!label)
        label = kernel_of(entry)->component.name;
    for (int64_t k = 0; k < study->count; k++)
        if (!strcmp(study->entries[k].label, label))
            return error_set(error, STATUS_CONFIG, "two kernels of a study are called '%.64s'",
                             label);
    entry->label = memory_text(label, "a label", error);
    return entry->label ? STATUS_OK : STATUS_MEMORY;
}

static enum status add(struct cgs_study *study, const char *label, const char *const *options,
                       struct error *error)
{
    struct entry entry = {NULL};
    if (atomic_load(&study->at_work))
        return refuse_work(error);
    enum status status = api_operator_read(study->matrix->context, options, &entry.options, error);
    if (!status)
        status = check(study, &entry, error);
    if (!status)
        status = name(study, label, &entry, error);
    if (!status)
        status = memory_grow((void **)&study->entries, &study->capacity, study->count + 1,
                             sizeof *study->entries, "a study", error);
    if (status) {
        memory_free(entry.label);
        options_free(&entry.options);
    } else
        study->entries[study->count++] = entry;
    return status;
}

enum cgs_status cgs_study_add(struct cgs_study *study, const char *label,
                              const char *const *options, struct cgs_error *error)
{
    return study ? api_status(add(study, label, options, api_error(error)))
                 : api_missing("a study", error);
}

/* --- its runs --------------------------------------------------------------------------------- */

struct watching {
    cgs_study_monitor *monitor;
    void *user;
    int residual; /* the place of the residual in a row */
    bool ended;   /* by the monitor */
};

static enum status see(void *context, const struct event *event, struct error *error)
{
    struct watching *watching = context;
    (void)error;
    if (!watching->ended && event->kind == EVENT_ROW) {
        api_before_callback();
        watching->ended = watching->monitor(watching->user, event->label, event->run,
                                            event->iteration, event->values[watching->residual]);
    }
    return watching->ended ? STATUS_INTERRUPTED : STATUS_OK;
}

static enum status run_kernel(struct cgs_study *study, const struct entry *entry,
                              const struct study_system *system, int64_t repeats,
                              const struct observer *observer, struct study_kernel *found,
                              struct error *error)
{
    const struct api_operator_options *chosen = entry->options.values;
    const struct api_solver_options *own = study->options.values;
    struct study_entry given = {kernel_of(entry), *parameters_of(entry), entry->label,
                                own->preconditioner};
    struct space *space;
    enum status status = api_space(study->matrix->context, chosen->reductions,
                                   study->matrix->context->threads, 0, &space, error);
    if (status)
        return status;
    status =
        study_kernel_run(&given, system, space, &own->options, repeats, observer, found, error);
    space->operations->destroy(space);
    return status;
}

static enum status run(struct cgs_study *study, const struct study_system *system, int64_t repeats,
                       struct watching *watching, struct error *error)
{
    const struct api_solver_options *own = study->options.values;
    struct observer observer = {
        .wants = 1u << EVENT_ROW | 1u << EVENT_RUN_ENDED, .see = see, .context = watching};
    enum status status = STATUS_OK;
    forget(study);
    if (study->count < 1 || repeats < 1)
        return error_set(error, STATUS_CONFIG,
                         "a study of %" PRId64 " kernels and %" PRId64
                         " runs: there is nothing to do",
                         study->count, repeats);
    study->found = memory_zeros(study->count, sizeof *study->found, "a study", error);
    if (!study->found)
        return STATUS_MEMORY;
    watching->residual = method_series(own->options.method, "residual");
    for (int64_t k = 0; k < study->count && !status && !watching->ended; k++) {
        status = run_kernel(study, &study->entries[k], system, repeats,
                            watching->monitor ? &observer : NULL, &study->found[k], error);
        study->finished += !status;
    }
    return status;
}

enum cgs_status cgs_study_run(struct cgs_study *study, const double *b, const double *x0,
                              int64_t repeats, cgs_study_monitor *monitor, void *user,
                              struct cgs_error *error)
{
    if (!study || !b)
        return api_missing(study ? "b" : "a study", error);
    if (atomic_exchange(&study->at_work, true))
        return api_status(refuse_work(api_error(error)));
    struct csr copy = {0};
    struct study_system system = {NULL, b, NULL, x0, 1};
    struct watching watching = {.monitor = monitor, .user = user};
    fenv_t host;
    api_matrix_begin(study->matrix->context, study->matrix);
    float_state_begin(&host);
    enum status status = device_csr_on_host(&study->matrix->A, &system.A, &copy, api_error(error));
    if (!status)
        status = run(study, &system, repeats, &watching, api_error(error));
    csr_free(&copy);
    float_state_end(&host);
    api_matrix_end(study->matrix->context, study->matrix);
    atomic_store(&study->at_work, false);
    return api_status(status);
}

/* --- what they have in common ----------------------------------------------------------------- */

int64_t cgs_study_kernels(const struct cgs_study *study)
{
    return study ? study->finished : 0;
}

static enum status give(const struct cgs_study *study, int64_t k, struct cgs_study_kernel *kernel,
                        struct error *error)
{
    const struct study_kernel *other;
    if (k < 0 || k >= study->finished)
        return error_set(error, STATUS_CONFIG, "kernel %" PRId64 " of a study that has finished %d",
                         k, study->finished);
    const struct study_kernel *found = &study->found[k];
    struct cgs_study_kernel all = {
        .label = found->label,
        .guarantee = api_guarantee(kernel_guarantee(found->kernel, &found->options)),
        .promise_is_broken = promise_is_broken(study->found, (int)k, &other),
        .runs = found->runs_count,
        .converged = study_kernel_converged(found),
        .iterations_min = found->iterations_min,
        .iterations_max = found->iterations_max,
        .iterations_median = found->iterations_median,
        .histories = found->distinct_histories,
        .solutions = found->distinct_solutions,
        .first_divergence = found->first_divergence,
        .spread = found->solution_spread,
        .setup_seconds = found->setup_seconds,
        .iteration_seconds = found->seconds_per_iteration};
    return api_copy_struct_out("cgs_study_kernel", &all, sizeof all, kernel, error);
}

enum cgs_status cgs_study_get(const struct cgs_study *study, int64_t k,
                              struct cgs_study_kernel *kernel, struct cgs_error *error)
{
    if (!study || !kernel)
        return api_missing(study ? "a kernel of a study" : "a study", error);
    return api_status(give(study, k, kernel, api_error(error)));
}
