#include "api/handles.h"
#include "api/history.h"
#include "base/memory.h"
#include "base/random.h"
#include "cgsolve/method.h"
#include "cgsolve/preconditioner.h"

#include <math.h>
#include <string.h>

_Static_assert((int)CGS_CONVERGED == REASON_CONVERGED &&
                   (int)CGS_RESIDUAL_GAP == REASON_RESIDUAL_GAP &&
                   (int)CGS_ITERATION_LIMIT == REASON_ITERATION_LIMIT &&
                   (int)CGS_NOT_POSITIVE_DEFINITE == REASON_NOT_POSITIVE &&
                   (int)CGS_NOT_FINITE == REASON_NOT_FINITE &&
                   (int)CGS_STAGNATION == REASON_STAGNATION &&
                   (int)CGS_SINGULAR == REASON_SINGULAR &&
                   (int)CGS_LEAST_SQUARES == REASON_LEAST_SQUARES &&
                   (int)CGS_CANCELLED == REASON_INTERRUPTED,
               "one is the other");

const char *cgs_reason_name(enum cgs_reason reason)
{
    return reason_name((enum reason)reason);
}

/* --- making one ------------------------------------------------------------------------------- */

/* With the preconditioner that there is. */
static enum status fit(struct cgs_solver *solver, struct error *error)
{
    struct api_solver_options *own = solver->options.values;
    own->options.preconditioner = solver->M.table ? &solver->M : NULL;
    return api_solver_fit(&solver->options, solver->kernel->A, error);
}

/* M by name, for the values that the matrix has now. */
static enum status refresh(struct cgs_solver *solver, struct error *error)
{
    struct cgs_operator *kernel = solver->kernel;
    const struct options *wanted =
        &((const struct api_solver_options *)solver->options.values)->preconditioner;
    enum status status = api_operator_refresh(kernel, error);
    if (status || !preconditioner_is_set(wanted) || solver->updates == kernel->updates)
        return status;
    solver->updates = -1;
    operator_destroy(&solver->M);
    status = preconditioner_create(wanted, kernel->A, NULL, &kernel->spmv, &solver->M, error);
    if (!status)
        solver->updates = kernel->updates;
    return status;
}

static enum status set_up(struct cgs_solver *solver, const char *const *texts, struct error *error)
{
    enum status status = api_options(&api_solver_component, texts, &solver->options, error);
    const struct api_solver_options *own = solver->options.values;
    solver->updates = -1;
    if (!status)
        status = fit(solver, error);
    if (!status && preconditioner_is_set(&own->preconditioner) && !solver->kernel->matrix)
        status = error_set(error, STATUS_CONFIG,
                           "preconditioner %s: needs the entries of A, and this one is known by "
                           "its products",
                           own->preconditioner.component->name);
    if (!status)
        status = refresh(solver, error);
    return status ? status : fit(solver, error);
}

enum cgs_status cgs_solver_create(struct cgs_operator *kernel, const char *const *options,
                                  struct cgs_solver **solver, struct cgs_error *error)
{
    *solver = NULL;
    struct cgs_solver *made = memory_zeros(1, sizeof *made, "a solver", api_error(error));
    if (!made)
        return CGS_NO_MEMORY;
    made->kernel = kernel;
    enum status status = set_up(made, options, api_error(error));
    if (status)
        cgs_solver_destroy(made);
    else
        *solver = made;
    return api_status(status);
}

void cgs_solver_destroy(struct cgs_solver *solver)
{
    if (!solver)
        return;
    operator_destroy(&solver->M);
    options_free(&solver->options);
    history_free(&solver->history);
    memory_free(solver);
}

/* A copy of the options is tried. */
static enum status set(struct cgs_solver *solver, const char *option, const char *value,
                       struct error *error)
{
    struct options before = solver->options;
    if (strncmp(option, "preconditioner", strlen("preconditioner")) == 0)
        return error_set(error, STATUS_CONFIG,
                         "a solver keeps its preconditioner: another one is another solver's");
    enum status status = options_copy(&before, &solver->options, error);
    if (!status)
        status = options_set(&solver->options, option, value, error);
    if (!status)
        status = fit(solver, error);
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
    return api_status(set(solver, option, value, api_error(error)));
}

static enum status precondition(struct cgs_solver *solver, cgs_product *product, void *user,
                                struct error *error)
{
    struct cgs_operator *kernel = solver->kernel;
    if (solver->M.table && solver->M.state != &solver->own)
        return error_set(error, STATUS_CONFIG, "a solver keeps its preconditioner, %s",
                         solver->M.name);
    struct linear_operator before = solver->M;
    solver->own = (struct api_product){product, user, NULL};
    solver->M = product ? api_product_operator(&solver->own, kernel->space, kernel->A->n)
                        : (struct linear_operator){0};
    solver->M.products = 0; /* with A */
    enum status status = fit(solver, error);
    if (status) {
        solver->M = before;
        fit(solver, NULL);
    }
    return status;
}

enum cgs_status cgs_solver_precondition(struct cgs_solver *solver, cgs_product *product, void *user,
                                        struct cgs_error *error)
{
    return api_status(precondition(solver, product, user, api_error(error)));
}

void cgs_solver_monitor(struct cgs_solver *solver, cgs_monitor *monitor, void *user)
{
    solver->monitor = monitor;
    solver->user = user;
}

/* --- a solve ---------------------------------------------------------------------------------- */

/* What the observer of a solve needs. */
struct solving {
    struct cgs_solver *solver;
    int residual;    /* the place of the residual in a row */
    double *vectors; /* NULL: not wanted */
};

static enum status see_row(struct solving *solving, const struct event *row, struct error *error)
{
    struct cgs_solver *solver = solving->solver;
    enum status status = history_take(&solver->history, row, error);
    if (status || !solver->monitor)
        return status;
    return solver->monitor(solver->user, row->iteration, row->values[solving->residual])
               ? STATUS_INTERRUPTED
               : STATUS_OK;
}

static enum status see(void *context, const struct event *event, struct error *error)
{
    struct solving *solving = context;
    int64_t n = solving->solver->kernel->A->n;
    if (event->kind == EVENT_ROW)
        return see_row(solving, event, error);
    memcpy(solving->vectors + event->place * n, event->values, (size_t)n * sizeof(double));
    return STATUS_OK;
}

static enum status give_result(const struct solver_result *found, struct cgs_result *result,
                               struct error *error)
{
    struct cgs_result all = {.reason = (enum cgs_reason)found->reason,
                             .iterations = found->iterations,
                             .residual = found->residual,
                             .true_residual = found->true_residual,
                             .rhs_norm = found->rhs_norm,
                             .ritz_low = found->ritz_low,
                             .ritz_high = found->ritz_high,
                             .start_seconds = found->start_seconds,
                             .seconds = found->seconds,
                             .products = found->products};
    return api_give("cgs_result", &all, sizeof all, result, error);
}

static enum status solve(struct cgs_solver *solver, const double *b, const double *x0, double *x,
                         double *vectors, struct cgs_result *result, struct error *error)
{
    struct api_solver_options *own = solver->options.values;
    const struct method *method = own->options.method;
    struct solving solving = {solver, method_series(method, "residual"), vectors};
    struct observer observer = {.wants = 1u << EVENT_ROW | (vectors ? 1u << EVENT_EIGENVECTOR : 0),
                                .see = see,
                                .context = &solving};
    struct solver_result found;
    enum status status = refresh(solver, error);
    if (status)
        return status;
    own->options.preconditioner = solver->M.table ? &solver->M : NULL;
    solver->solved_by = NULL;
    history_begin(&solver->history, method);
    status = solver_solve(&solver->kernel->spmv, solver->kernel->A, b, x0, &own->options, &observer,
                          x, &found, error);
    if (!status)
        status = history_end(&solver->history, error);
    if (!status)
        solver->solved_by = method;
    if (!status && result)
        status = give_result(&found, result, error);
    solver_result_free(&found);
    return status;
}

static enum status expect_method(const struct cgs_solver *solver, unsigned trait,
                                 const char *instead, struct error *error)
{
    const struct api_solver_options *own = solver->options.values;
    return own->options.method->traits & trait
               ? STATUS_OK
               : error_set(error, STATUS_CONFIG, "the method %s is for %s",
                           own->options.method->component.name, instead);
}

enum cgs_status cgs_solve(struct cgs_solver *solver, const double *b, const double *x0, double *x,
                          struct cgs_result *result, struct cgs_error *error)
{
    enum status status =
        expect_method(solver, METHOD_FINDS_VECTOR, "cgs_solve_eigen", api_error(error));
    return api_status(status ? status : solve(solver, b, x0, x, NULL, result, api_error(error)));
}

int64_t cgs_solver_eigen_count(const struct cgs_solver *solver)
{
    const struct api_solver_options *own = solver->options.values;
    return solver_finds_vector(&own->options)
               ? 0
               : solver_solution_length(&own->options, solver->kernel->A->n);
}

/* Of an end that gave fewer, what is left stays NaN. */
static enum status solve_eigen(struct cgs_solver *solver, const double *start, double *values,
                               double *vectors, struct cgs_result *result, struct error *error)
{
    int64_t n = solver->kernel->A->n, count = cgs_solver_eigen_count(solver);
    double *drawn = NULL;
    if (!start) {
        drawn = memory_array(n, sizeof *drawn, "the first vector", error);
        if (!drawn)
            return STATUS_MEMORY;
        random_vector(1, n, drawn);
    }
    for (int64_t k = 0; vectors && k < count * n; k++)
        vectors[k] = NAN;
    enum status status = solve(solver, start ? start : drawn, NULL, values, vectors, result, error);
    memory_free(drawn);
    return status;
}

enum cgs_status cgs_solve_eigen(struct cgs_solver *solver, const double *start, double *values,
                                double *vectors, struct cgs_result *result, struct cgs_error *error)
{
    enum status status =
        expect_method(solver, METHOD_FINDS_EIGENVALUES, "cgs_solve", api_error(error));
    return api_status(
        status ? status : solve_eigen(solver, start, values, vectors, result, api_error(error)));
}

enum cgs_status cgs_solver_history(const struct cgs_solver *solver, const char *series,
                                   const double **values, int64_t *rows, struct cgs_error *error)
{
    *values = NULL;
    *rows = 0;
    if (!solver->solved_by)
        return api_status(
            error_set(api_error(error), STATUS_CONFIG, "nothing has been solved: no history"));
    int place = method_series(solver->solved_by, series);
    if (place < 0)
        return api_status(error_set(api_error(error), STATUS_CONFIG,
                                    "the history of %s has no series '%.64s'",
                                    solver->solved_by->component.name, series));
    *rows = solver->history.rows;
    *values = solver->history.values + place * solver->history.rows;
    return CGS_OK;
}
