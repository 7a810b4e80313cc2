#include "api/handles.h"
#include "api/ranks.h"
#include "base/memory.h"
#include "solver/singular.h"
#include "spmv/distributed/exchanged_rows.h"
#include "spmv/preconditioner.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

/* Whether the solver has a preconditioner by name, set up or not. */
static bool has_named(const struct cgs_solver *solver)
{
    const struct api_solver_options *own = solver->options.values;
    return preconditioner_is_set(&own->preconditioner);
}

static enum status fit(struct cgs_solver *solver, struct error *error)
{
    struct api_solver_options *own = solver->options.values;
    own->options.preconditioner = solver->M.table || has_named(solver) ? &solver->M : NULL;
    return api_solver_fit(&solver->options, solver->kernel->A, error);
}

/* The rows for M: over ranks each rank's own, unless M needs all. */
static enum status take_rows(struct cgs_solver *solver, const struct options *wanted,
                             const struct csr **A, struct error *error)
{
    const struct cgs_operator *kernel = solver->kernel;
    const struct api_division *rows = api_division_of(kernel);
    *A = kernel->A;
    if (!rows || kernel->A->offsets || !preconditioner_reads_rows(wanted, kernel->A, true))
        return STATUS_OK;
    operator_destroy(&solver->M); /* it borrows the old rows */
    csr_free(&solver->replicated);
    *A = &solver->replicated;
    return exchange_all_rows(&rows->parts, kernel->A, &solver->replicated, error);
}

/* each: singular_find. */
static enum status look_for_null_space(struct cgs_solver *solver, bool each, struct error *error)
{
    const struct cgs_operator *kernel = solver->kernel;
    const struct api_solver_options *own = solver->options.values;
    struct space *space = kernel->space;
    null_space_free(&solver->null_space);
    solver->A = *kernel->A;
    solver->null_space_updates = -1;
    enum status status =
        singular_find(space, &solver->A, NULL, &own->options, each, &solver->null_space, error);
    solver->A.null_space = solver->null_space.dimension > 0 ? &solver->null_space : NULL;
    if (!status)
        solver->null_space_updates = kernel->updates;
    solver->null_space_use = own->options.null_space;
    return status;
}

static enum status renew_preconditioner(struct cgs_solver *solver, const struct options *wanted,
                                        struct error *error)
{
    struct cgs_operator *kernel = solver->kernel;
    solver->updates = -1;
    if (solver->M.exponent != -kernel->A->exponent) /* it belongs to another copy of the values */
        operator_destroy(&solver->M);
    if (solver->near_nulls != kernel->matrix->near_nulls)
        operator_destroy(&solver->M);
    solver->near_nulls = kernel->matrix->near_nulls;
    const struct csr *A;
    enum status status = take_rows(solver, wanted, &A, error);
    solver->replicated.null_space = solver->A.null_space;
    if (!status)
        status = preconditioner_renew(wanted, A == kernel->A ? &solver->A : A, NULL, &kernel->spmv,
                                      &solver->M, error);
    if (!status)
        solver->updates = kernel->updates;
    return status;
}

enum status api_solver_refresh(struct cgs_solver *solver, struct error *error)
{
    struct cgs_operator *kernel = solver->kernel;
    const struct api_solver_options *own = solver->options.values;
    enum status status = api_operator_refresh(kernel, error);
    bool looks = solver->A.n == 0 || solver->null_space_updates != kernel->updates ||
                 solver->null_space_use != own->options.null_space;
    if (!status && looks)
        status = look_for_null_space(solver, false, error);
    if (!status && has_named(solver) && solver->updates != kernel->updates)
        status = renew_preconditioner(solver, &own->preconditioner, error);
    if (!status && looks && solver->M.singular && !solver->A.null_space)
        status = look_for_null_space(solver, true, error);
    return status;
}

/* Features of a solver of one rank. */
static enum status check_ranks(const struct cgs_solver *solver, struct error *error)
{
    const struct api_solver_options *own = solver->options.values;
    if (solver->kernel->context->exchange && !solver_finds_vector(&own->options))
        return error_set(error, STATUS_UNAVAILABLE, "the method %s is not over several ranks yet",
                         own->method.component->name);
    return STATUS_OK;
}

static enum status read_options(struct cgs_solver *solver, const char *const *texts,
                                struct error *error)
{
    enum status status = api_options(&api_solver_component, texts, &solver->options, error);
    const struct api_solver_options *own = solver->options.values;
    if (!status)
        status = fit(solver, error);
    if (!status)
        status = check_ranks(solver, error);
    if (!status && has_named(solver) && !solver->kernel->matrix)
        status = error_set(error, STATUS_CONFIG,
                           "preconditioner %s: needs the entries of A, and this one is known by "
                           "its products",
                           own->preconditioner.component->name);
    return api_ranks_agree(solver->kernel->context, status, "options of a solver",
                           api_ranks_hash(texts), error);
}

static enum status set_up(struct cgs_solver *solver, const char *const *texts, struct error *error)
{
    solver->updates = solver->null_space_updates = -1;
    enum status status = read_options(solver, texts, error);
    if (status)
        return status;
    status = api_solver_refresh(solver, error);
    return api_ranks_end(solver->kernel->context, status, error);
}

static void destroy(struct cgs_solver *solver)
{
    operator_destroy(&solver->M);
    csr_free(&solver->replicated);
    null_space_free(&solver->null_space);
    memory_free(solver->own.x);
    memory_free(solver->own.y);
    options_free(&solver->options);
    history_free(&solver->history);
    memory_free(solver);
}

static enum status create(struct cgs_operator *kernel, const char *const *options,
                          struct cgs_solver **solver, struct error *error)
{
    struct cgs_solver *made = memory_zeros(1, sizeof *made, "a solver", error);
    if (!made)
        return STATUS_MEMORY;
    made->kernel = kernel;
    enum status status = set_up(made, options, error);
    if (status)
        destroy(made);
    else
        *solver = made;
    return status;
}

enum cgs_status cgs_solver_create(struct cgs_operator *kernel, const char *const *options,
                                  struct cgs_solver **solver, struct cgs_error *error)
{
    if (!solver)
        return api_missing("the pointer to a solver", error);
    *solver = NULL;
    if (!kernel)
        return api_missing("an operator", error);
    if (!api_begin(kernel, error))
        return CGS_BAD_OPTION;
    return api_end(kernel, create(kernel, options, solver, api_error(error)));
}

void cgs_solver_destroy(struct cgs_solver *solver)
{
    if (solver && !atomic_load(&solver->kernel->at_work))
        destroy(solver);
}

/* A copy of the options is tried. */
static enum status set(struct cgs_solver *solver, const char *option, const char *value,
                       struct error *error)
{
    struct options before = solver->options;
    enum status status = options_copy(&before, &solver->options, error);
    if (!status && strncmp(option, "preconditioner", strlen("preconditioner")) == 0)
        status = error_set(error, STATUS_CONFIG,
                           "a solver keeps its preconditioner: another one is another solver's");
    if (!status)
        status = options_set(&solver->options, option, value, error);
    if (!status)
        status = fit(solver, error);
    if (!status)
        status = check_ranks(solver, error);
    status = api_ranks_agree(solver->kernel->context, status, "option of a solver",
                             api_ranks_hash((const char *const[]){option, value, NULL}), error);
    if (status) {
        options_free(&solver->options);
        solver->options = before;
    } else
        options_free(&before);
    return status;
}

enum cgs_status cgs_solver_set(struct cgs_solver *solver, const char *option, const char *value,
                               struct cgs_error *error)
{
    if (!solver || !option || !value)
        return api_missing(!solver ? "a solver" : !option ? "an option" : "a value", error);
    if (!api_begin(solver->kernel, error))
        return CGS_BAD_OPTION;
    return api_end(solver->kernel, set(solver, option, value, api_error(error)));
}

/* Over ranks its vectors have the caller's distribution. */
static enum status prepare_product(struct api_product *own, const struct cgs_operator *kernel,
                                   struct error *error)
{
    int64_t rows = api_given_rows(kernel);
    own->context = kernel->context;
    own->rows = api_division_of(kernel);
    if (!own->rows || own->y)
        return STATUS_OK;
    if (!own->x)
        own->x = memory_array(rows, sizeof *own->x, "r of the caller's rows", error);
    if (own->x)
        own->y = memory_array(rows, sizeof *own->y, "z of the caller's rows", error);
    return own->y ? STATUS_OK : STATUS_MEMORY;
}

static enum status precondition(struct cgs_solver *solver, cgs_product *product, int several,
                                void *user, struct error *error)
{
    const struct api_solver_options *options = solver->options.values;
    if (has_named(solver))
        return error_set(error, STATUS_CONFIG, "a solver keeps its preconditioner, %s",
                         options->preconditioner.component->name);
    struct linear_operator before = solver->M;
    solver->own.product = product;
    solver->own.several = product && several && !api_division_of(solver->kernel);
    solver->own.user = user;
    enum status status = prepare_product(&solver->own, solver->kernel, error);
    if (status)
        return status;
    solver->M =
        product ? api_product_operator(&solver->own, solver->kernel) : (struct linear_operator){0};
    solver->M.products = 0; /* with A */
    status = fit(solver, error);
    if (status) {
        solver->M = before;
        fit(solver, NULL);
    }
    return status;
}

enum cgs_status cgs_solver_precondition(struct cgs_solver *solver, cgs_product *product,
                                        int several, void *user, struct cgs_error *error)
{
    if (!solver)
        return api_missing("a solver", error);
    if (!api_begin(solver->kernel, error))
        return CGS_BAD_OPTION;
    return api_end(solver->kernel, precondition(solver, product, several, user, api_error(error)));
}

void cgs_solver_monitor(struct cgs_solver *solver, cgs_monitor *monitor, void *user)
{
    if (!solver)
        return;
    solver->monitor = monitor;
    solver->user = user;
}

static enum status look_on(struct cgs_solver *solver, int64_t every, cgs_look *look, void *user,
                           struct error *error)
{
    if (every < 1)
        return error_set(error, STATUS_CONFIG, "every = %" PRId64 " must be at least 1", every);
    solver->look = look;
    solver->look_user = user;
    solver->look_every = every;
    return STATUS_OK;
}

enum cgs_status cgs_solver_look(struct cgs_solver *solver, int64_t every, cgs_look *look,
                                void *user, struct cgs_error *error)
{
    if (!solver)
        return api_missing("a solver", error);
    if (!api_begin(solver->kernel, error))
        return CGS_BAD_OPTION;
    return api_end(solver->kernel, look_on(solver, every, look, user, api_error(error)));
}

void cgs_solver_poll(struct cgs_solver *solver, double seconds, cgs_poll *poll, void *user)
{
    if (!solver)
        return;
    solver->poll = poll;
    solver->poll_user = user;
    solver->poll_seconds = seconds;
}

void cgs_solver_cancel(struct cgs_solver *solver)
{
    if (solver)
        atomic_store(&solver->cancelled, true);
}
