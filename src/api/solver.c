#include "api/handles.h"
#include "api/history.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "cgsolve/method.h"
#include "cgsolve/preconditioner.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Reason 0 is that nothing was solved; the others follow those of solver_rows.h. */
_Static_assert((int)CGS_CONVERGED == REASON_CONVERGED + 1 &&
                   (int)CGS_RESIDUAL_GAP == REASON_RESIDUAL_GAP + 1 &&
                   (int)CGS_ITERATION_LIMIT == REASON_ITERATION_LIMIT + 1 &&
                   (int)CGS_NOT_POSITIVE_DEFINITE == REASON_NOT_POSITIVE + 1 &&
                   (int)CGS_NOT_FINITE == REASON_NOT_FINITE + 1 &&
                   (int)CGS_STAGNATION == REASON_STAGNATION + 1 &&
                   (int)CGS_SINGULAR == REASON_SINGULAR + 1 &&
                   (int)CGS_LEAST_SQUARES == REASON_LEAST_SQUARES + 1 &&
                   (int)CGS_CANCELLED == REASON_INTERRUPTED + 1,
               "one follows from the other");

const char *cgs_reason_name(enum cgs_reason reason)
{
    if ((int)reason < CGS_NOT_SOLVED || (int)reason > CGS_CANCELLED)
        return "unknown";
    return reason == CGS_NOT_SOLVED  ? "not solved"
           : reason == CGS_CANCELLED ? "cancelled"
                                     : reason_name((enum reason)(reason - 1));
}

/* --- making one ------------------------------------------------------------------------------- */

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

/* M by name, for the values that the matrix has now. */
static enum status refresh(struct cgs_solver *solver, struct error *error)
{
    struct cgs_operator *kernel = solver->kernel;
    const struct options *wanted =
        &((const struct api_solver_options *)solver->options.values)->preconditioner;
    enum status status = api_operator_refresh(kernel, error);
    if (status || !has_named(solver) || solver->updates == kernel->updates)
        return status;
    solver->updates = -1;
    status = preconditioner_renew(wanted, kernel->A, NULL, &kernel->spmv, &solver->M, error);
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
    if (!status && has_named(solver) && !solver->kernel->matrix)
        status = error_set(error, STATUS_CONFIG,
                           "preconditioner %s: needs the entries of A, and this one is known by "
                           "its products",
                           own->preconditioner.component->name);
    return status ? status : refresh(solver, error);
}

enum cgs_status cgs_solver_create(struct cgs_operator *kernel, const char *const *options,
                                  struct cgs_solver **solver, struct cgs_error *error)
{
    *solver = NULL;
    if (!kernel)
        return api_missing("an operator", error);
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
    if (!solver || !option || !value)
        return api_missing(!solver ? "a solver" : !option ? "an option" : "a value", error);
    return api_status(set(solver, option, value, api_error(error)));
}

static enum status precondition(struct cgs_solver *solver, cgs_product *product, void *user,
                                struct error *error)
{
    struct cgs_operator *kernel = solver->kernel;
    const struct api_solver_options *options = solver->options.values;
    if (has_named(solver))
        return error_set(error, STATUS_CONFIG, "a solver keeps its preconditioner, %s",
                         options->preconditioner.component->name);
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
    return solver ? api_status(precondition(solver, product, user, api_error(error)))
                  : api_missing("a solver", error);
}

void cgs_solver_monitor(struct cgs_solver *solver, cgs_monitor *monitor, void *user)
{
    if (!solver)
        return;
    solver->monitor = monitor;
    solver->user = user;
}

enum cgs_status cgs_solver_look(struct cgs_solver *solver, int64_t every, cgs_look *look,
                                void *user, struct cgs_error *error)
{
    if (!solver)
        return api_missing("a solver", error);
    if (every < 1)
        return api_status(error_set(api_error(error), STATUS_CONFIG,
                                    "every = %" PRId64 " must be at least 1", every));
    solver->look = look;
    solver->look_user = user;
    solver->look_every = every;
    return CGS_OK;
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

/* --- a solve ---------------------------------------------------------------------------------- */

/* What the observer of a solve needs. */
struct solving {
    struct cgs_solver *solver;
    int residual;    /* the place of the residual in a row */
    double *vectors; /* NULL: not wanted */
    bool looked;     /* the caller has seen enough */
};

/* Whether the caller ends the solve behind this row. */
static bool is_ended(struct cgs_solver *solver, int64_t iteration, double residual)
{
    bool ends = solver->monitor && solver->monitor(solver->user, iteration, residual);
    if (!ends && solver->poll && clock_seconds() - solver->polled >= solver->poll_seconds) {
        ends = solver->poll(solver->poll_user);
        solver->polled = clock_seconds();
    }
    return ends || atomic_load(&solver->cancelled);
}

static enum status see_row(struct solving *solving, const struct event *row, struct error *error)
{
    enum status status = history_take(&solving->solver->history, row, error);
    if (status)
        return status;
    double residual = row->values[solving->residual];
    return is_ended(solving->solver, row->iteration, residual) ? STATUS_INTERRUPTED : STATUS_OK;
}

static enum status see(void *context, const struct event *event, struct error *error)
{
    struct solving *solving = context;
    struct cgs_solver *solver = solving->solver;
    int64_t n = solver->kernel->A->n;
    if (event->kind == EVENT_ROW)
        return see_row(solving, event, error);
    if (event->kind == EVENT_VECTOR) {
        if (!solving->looked && solver->look(solver->look_user, event->iteration, event->values)) {
            solving->looked = true;
            cgs_solver_cancel(solver);
        }
        return STATUS_OK;
    }
    memcpy(solving->vectors + event->place * n, event->values, (size_t)n * sizeof(double));
    return STATUS_OK;
}

static enum status give_result(enum cgs_reason reason, const struct solver_result *found,
                               struct cgs_result *result, struct error *error)
{
    struct cgs_result all = {.reason = reason,
                             .iterations = found->iterations,
                             .residual = found->residual,
                             .true_residual = found->true_residual,
                             .rhs_norm = found->rhs_norm,
                             .ritz_low = found->ritz_low,
                             .ritz_high = found->ritz_high,
                             .start_seconds = found->start_seconds,
                             .seconds = found->seconds,
                             .products = found->products};
    return result ? api_give("cgs_result", &all, sizeof all, result, error) : STATUS_OK;
}

/* What stands there until a solve has ended; and whether there is room for it. */
static enum status begin_result(struct cgs_result *result, struct error *error)
{
    const struct solver_result none = {
        .residual = NAN, .true_residual = NAN, .rhs_norm = NAN, .ritz_low = NAN, .ritz_high = NAN};
    return give_result(CGS_NOT_SOLVED, &none, result, error);
}

static enum status solve(struct cgs_solver *solver, const double *b, const double *x0, double *x,
                         double *vectors, struct cgs_result *result, struct error *error)
{
    struct api_solver_options *own = solver->options.values;
    const struct method *method = own->options.method;
    struct solving solving = {solver, method_series(method, "residual"), vectors, false};
    struct observer observer = {.wants = 1u << EVENT_ROW | (vectors ? 1u << EVENT_EIGENVECTOR : 0) |
                                         (solver->look ? 1u << EVENT_VECTOR : 0),
                                .trace = {solver->look_every, 1u << VECTOR_X},
                                .see = see,
                                .context = &solving};
    struct solver_result found;
    enum status status = begin_result(result, error);
    if (!status && solver->look && !(method->vectors >> VECTOR_X & 1))
        status = error_set(error, STATUS_CONFIG, "the method %s has no x to look at",
                           method->component.name);
    if (!status)
        status = refresh(solver, error);
    if (status)
        return status;
    solver->solved_by = NULL;
    atomic_store(&solver->cancelled, false);
    solver->polled = clock_seconds();
    history_begin(&solver->history, method, own->options.preconditioner != NULL);
    status = solver_solve(&solver->kernel->spmv, solver->kernel->A, b, x0, &own->options, &observer,
                          x, &found, error);
    if (!status)
        status = history_end(&solver->history, error);
    if (!status)
        solver->solved_by = method;
    if (!status)
        status = give_result((enum cgs_reason)(found.reason + 1), &found, result, error);
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

/* Where ||b|| is 0 or not finite, a solve from x_0 has nothing to be relative to. */
static bool has_norm(const double *b, int64_t n)
{
    bool finite = true, zero = true;
    for (int64_t i = 0; i < n; i++) {
        finite = finite && isfinite(b[i]);
        zero = zero && b[i] == 0;
    }
    return finite && !zero;
}

/* b is read once more when x is there, so it must be another. */
static enum status solve_system(struct cgs_solver *solver, const double *b, const double *x0,
                                double *x, struct cgs_result *result, struct error *error)
{
    int64_t n = solver->kernel->A->n;
    uintptr_t from = (uintptr_t)b, to = (uintptr_t)x, size = (uintptr_t)n * sizeof *b;
    bool apart = from + size <= to || to + size <= from;
    double *copy = apart ? NULL : memory_array(n, sizeof *copy, "b, where x comes", error);
    if (!apart && !copy)
        return STATUS_MEMORY;
    if (copy)
        memcpy(copy, b, (size_t)n * sizeof *b);
    if (x0 && !has_norm(b, n))
        x0 = NULL;
    enum status status = solve(solver, apart ? b : copy, x0, x, NULL, result, error);
    memory_free(copy);
    return status;
}

enum cgs_status cgs_solve(struct cgs_solver *solver, const double *b, const double *x0, double *x,
                          struct cgs_result *result, struct cgs_error *error)
{
    if (!solver || !b || !x)
        return api_missing(!solver ? "a solver" : !b ? "b" : "x", error);
    enum status status =
        expect_method(solver, METHOD_FINDS_VECTOR, "cgs_solve_eigen", api_error(error));
    return api_status(status ? status : solve_system(solver, b, x0, x, result, api_error(error)));
}

int64_t cgs_solver_eigen_count(const struct cgs_solver *solver)
{
    if (!solver)
        return 0;
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
        int before = threads_openmp_use(1); /* a fork of a thread that has begun others hangs */
        random_vector(1, n, drawn);
        threads_openmp_use(before);
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
    if (!solver || !series)
        return api_missing(solver ? "a series" : "a solver", error);
    if (!solver->solved_by)
        return api_status(
            error_set(api_error(error), STATUS_CONFIG, "nothing has been solved: no history"));
    int place = method_series(solver->solved_by, series);
    if (place < 0 || place >= solver->history.series)
        return api_status(error_set(api_error(error), STATUS_CONFIG,
                                    "the history of %s has no series '%.64s'",
                                    solver->solved_by->component.name, series));
    *rows = solver->history.rows;
    *values = solver->history.values + place * solver->history.rows;
    return CGS_OK;
}
