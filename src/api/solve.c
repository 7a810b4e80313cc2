#include "api/solve.h"

#include "api/ranks.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/memory.h"
#include "solver/method.h"
#include "space/values.h"
#include "spmv/device_csr.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Reason 0: not solved; the other reasons are those of solver_rows.h plus 1. */
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

/* --- what a solve shows ----------------------------------------------------------------------- */

/* The data of a solve's observer. */
struct solving {
    struct cgs_solver *solver;
    int64_t first;   /* the column that is the observer's column 0 */
    int residual;    /* index of the residual in a row */
    double *vectors; /* NULL: not wanted */
    bool looked;     /* the look has ended the solve */
};

static int show(const struct cgs_solver *solver, int64_t column, int64_t iteration, double residual)
{
    if (!solver->monitor)
        return 0;
    api_before_callback();
    return solver->monitor(solver->user, column, iteration, residual);
}

/* Whether the caller ends the solve after this row, or has ended it before. */
static bool is_ended(struct cgs_solver *solver, int64_t column, int64_t iteration, double residual)
{
    bool ends = show(solver, column, iteration, residual);
    if (!ends && solver->poll && clock_seconds() - solver->polled >= solver->poll_seconds) {
        api_before_callback();
        ends = solver->poll(solver->poll_user);
        solver->polled = clock_seconds();
    }
    if (ends)
        cgs_solver_cancel(solver);
    return atomic_load(&solver->cancelled);
}

static enum status see_row(struct solving *solving, const struct event *row, struct error *error)
{
    int64_t column = solving->first + row->column;
    enum status status = history_take(&solving->solver->history, column, row, error);
    if (status)
        return status;
    double residual = row->values[solving->residual];
    bool ends = is_ended(solving->solver, column, row->iteration, residual);
    status = api_ranks_any(solving->solver->kernel->context, &ends, error);
    return !status && ends ? STATUS_INTERRUPTED : status;
}

static enum status see(void *context, const struct event *event, struct error *error)
{
    struct solving *solving = context;
    struct cgs_solver *solver = solving->solver;
    int64_t n = solver->kernel->A->n;
    if (event->kind == EVENT_ROW)
        return see_row(solving, event, error);
    if (event->kind == EVENT_VECTOR) {
        if (solving->looked)
            return STATUS_OK;
        api_before_callback();
        solving->looked = solver->look(solver->look_user, event->iteration,
                                       event->values + api_given_first(solver->kernel));
        if (solving->looked)
            cgs_solver_cancel(solver);
        return STATUS_OK;
    }
    memcpy(solving->vectors + event->place * n, event->values, (size_t)n * sizeof(double));
    return STATUS_OK;
}

/* --- a solve ---------------------------------------------------------------------------------- */

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
                             .products = found->products,
                             .eigen_list = (enum cgs_eigen_list)found->eigen_list,
                             .null_vectors = found->null_vectors,
                             .outside = found->outside};
    return api_copy_struct_out("cgs_result", &all, sizeof all, result, error);
}

/* The caller's result j, whose struct may be shorter. */
static struct cgs_result *result_of(const struct api_system *system, int64_t j)
{
    return (struct cgs_result *)((char *)system->results + (size_t)j * system->results->size);
}

/* Initialises the results, after a check of their sizes. */
static enum status begin_results(const struct api_system *system, struct error *error)
{
    const struct solver_result none = {
        .residual = NAN, .true_residual = NAN, .rhs_norm = NAN, .ritz_low = NAN, .ritz_high = NAN};
    enum status status = STATUS_OK;
    if (system->results && system->columns > 1 &&
        system->results->size % _Alignof(struct cgs_result))
        return error_set(error, STATUS_CONFIG,
                         "result 0 says that it has %zu bytes: of several it is a multiple of %zu",
                         system->results->size, _Alignof(struct cgs_result));
    for (int64_t j = 0; system->results && j < system->columns && !status; j++) {
        struct cgs_result *result = result_of(system, j);
        if (result->size != system->results->size)
            return error_set(error, STATUS_CONFIG,
                             "result %" PRId64 " says that it has %zu bytes, and result 0 %zu", j,
                             result->size, system->results->size);
        status = give_result(CGS_NOT_SOLVED, &none, result, error);
    }
    return status;
}

static enum status give_results(const struct api_system *system, const struct solver_result *found,
                                struct error *error)
{
    enum status status = STATUS_OK;
    for (int64_t j = 0; system->results && j < system->columns && !status; j++)
        status = give_result((enum cgs_reason)(found[j].reason + 1), &found[j],
                             result_of(system, j), error);
    return status;
}

static enum status check_look(const struct cgs_solver *solver, int64_t columns, struct error *error)
{
    const struct api_solver_options *own = solver->options.values;
    const struct method *method = own->options.method;
    if (solver->look && !(method->vectors >> VECTOR_X & 1))
        return error_set(error, STATUS_CONFIG, "the method %s has no x to look at",
                         method->component.name);
    if (solver->look && columns > 1)
        return error_set(error, STATUS_CONFIG,
                         "cgs_solver_look shows the x of one column, and there are %" PRId64,
                         columns);
    return STATUS_OK;
}

/* All columns at once if the caller's products take several. */
static struct solver_options options_of(const struct cgs_solver *solver,
                                        const struct api_system *system)
{
    const struct api_solver_options *own = solver->options.values;
    struct solver_options options = own->options;
    options.memory = system->memory;
    if ((solver->kernel->own.several || solver->own.several) &&
        (options.method->traits & METHOD_TAKES_COLUMNS))
        options.columns = SOLVER_COLUMNS_TOGETHER;
    return options;
}

enum status api_solve_part(struct cgs_solver *solver, const struct api_system *part, int64_t first,
                           struct solver_result *found, struct error *error)
{
    const struct solver_options options = options_of(solver, part);
    struct linear_operator *spmv = &solver->kernel->spmv;
    const struct csr *A = &solver->A;
    struct csr copy = {0};
    enum status status =
        solver_finds_vector(&options) ? STATUS_OK : device_csr_on_host(A, &A, &copy, error);
    if (status)
        return status;
    struct solving solving = {solver, first, method_series(options.method, "residual"),
                              part->vectors, false};
    struct observer observer = {.wants = 1u << EVENT_ROW |
                                         (part->vectors ? 1u << EVENT_EIGENVECTOR : 0) |
                                         (solver->look ? 1u << EVENT_VECTOR : 0),
                                .trace = {solver->look_every, 1u << VECTOR_X},
                                .see = see,
                                .context = &solving};
    status = part->columns == 1 ? solver_solve(spmv, A, part->b, part->x0, &options, &observer,
                                               part->x, found, error)
                                : solver_solve_columns(spmv, A, part->columns, part->b, part->x0,
                                                       &options, &observer, part->x, found, error);
    csr_free(&copy);
    return status;
}

/* If ||b|| of a column is 0 or not finite, a solve from x_0 has no relative tolerance. *largest: of
 * the column. */
static enum status has_norm(const struct api_system *system, int64_t n, int64_t j, double *largest,
                            bool *has, struct error *error)
{
    double least;
    enum status status = values_range(system->memory, n, system->b + j * n, &least, largest, error);
    *has = !status && isfinite(*largest) && *largest > 0;
    return status;
}

/* Whether column `first` begins from x0, and the next column that differs in this. */
static enum status find_part(const struct api_system *system, int64_t n, int64_t first,
                             bool *from_x0, int64_t *next, struct error *error)
{
    double largest;
    bool has;
    enum status status = has_norm(system, n, first, &largest, from_x0, error);
    for (*next = first + 1; *next < system->columns && !status; ++*next) {
        status = has_norm(system, n, *next, &largest, &has, error);
        if (has != *from_x0)
            break;
    }
    return status;
}

/* Solves consecutive columns that begin from x0, or that cannot, together. */
static enum status solve_parts(struct cgs_solver *solver, const struct api_system *system,
                               struct solver_result *found, struct error *error)
{
    int64_t n = solver->kernel->A->n, columns = system->columns;
    if (!system->x0)
        return api_solve_part(solver, system, 0, found, error);
    enum status status = STATUS_OK;
    for (int64_t first = 0, next; first < columns && !status; first = next) {
        struct api_system part = *system;
        bool from_x0;
        status = find_part(system, n, first, &from_x0, &next, error);
        part.columns = next - first;
        part.b = system->b + first * n;
        part.x0 = from_x0 ? system->x0 + first * n : NULL;
        part.x = system->x + first * n;
        if (!status)
            status = api_solve_part(solver, &part, first, &found[first], error);
    }
    return status;
}

/* In the memory of the host. */
static enum status solve_copies(struct cgs_solver *solver, const struct api_system *system,
                                struct solver_result *found, struct error *error)
{
    struct space *memory = system->memory;
    int64_t count = solver->kernel->A->n * system->columns;
    double *b = memory_array(count, sizeof *b, "b", error);
    double *x0 = system->x0 && b ? memory_array(count, sizeof *x0, "x0", error) : NULL;
    double *x = b && !x0 == !system->x0 ? memory_array(count, sizeof *x, "x", error) : NULL;
    struct api_system own = *system;
    own.memory = NULL;
    own.b = b;
    own.x0 = x0;
    own.x = x;
    enum status status = x ? space_download(memory, count, system->b, b, error) : STATUS_MEMORY;
    if (!status && x0)
        status = space_download(memory, count, system->x0, x0, error);
    if (!status)
        status = solve_parts(solver, &own, found, error);
    if (!status)
        status = space_upload(memory, count, x, system->x, error);
    memory_free(b);
    memory_free(x0);
    memory_free(x);
    return status;
}

/* Whether a column of the system is scaled. */
static enum status scales(const struct cgs_solver *solver, const struct api_system *system,
                          bool *scaled, struct error *error)
{
    int64_t n = solver->kernel->A->n;
    enum status status = STATUS_OK;
    *scaled = false;
    for (int64_t j = 0; j < system->columns && !status && !*scaled; j++) {
        double least, of_b, of_x0 = 0;
        bool has;
        status = has_norm(system, n, j, &of_b, &has, error);
        if (!status && system->x0 && has)
            status = values_range(system->memory, n, system->x0 + j * n, &least, &of_x0, error);
        *scaled = !status && solver_scales(&solver->kernel->spmv, of_b, of_x0);
    }
    return status;
}

/* In the memory of a device, unless the system is scaled, or is projected. */
static enum status solve_on_device(struct cgs_solver *solver, const struct api_system *system,
                                   struct solver_result *found, struct error *error)
{
    bool scaled;
    enum status status = scales(solver, system, &scaled, error);
    if (status)
        return status;
    scaled = scaled || solver->A.null_space;
    return (scaled ? solve_copies : solve_parts)(solver, system, found, error);
}

static enum status solve(struct cgs_solver *solver, const struct api_system *system,
                         struct solver_result *found, struct error *error)
{
    const struct api_solver_options *own = solver->options.values;
    solver->solved_by = NULL;
    solver->polled = clock_seconds();
    enum status status = history_begin(&solver->history, own->options.method,
                                       own->options.preconditioner != NULL, system->columns, error);
    if (!status)
        status = (system->memory                    ? solve_on_device
                  : api_division_of(solver->kernel) ? api_solve_over_ranks
                                                    : solve_parts)(solver, system, found, error);
    if (!status)
        status = history_end(&solver->history, error);
    if (!status)
        solver->solved_by = own->options.method;
    return status ? status : give_results(system, found, error);
}

bool api_solve_begin(struct cgs_solver *solver, struct cgs_error *error)
{
    bool begun = api_begin(solver->kernel, error);
    if (begun)
        atomic_store(&solver->cancelled, false);
    return begun;
}

/* Over several ranks: the common input. */
static enum status agree(const struct cgs_solver *solver, enum status status,
                         const struct api_system *system, struct error *error)
{
    uint64_t hash = hash_word(HASH_START, (uint64_t)system->columns);
    hash = hash_word(hash, solver->look ? (uint64_t)solver->look_every : 0);
    hash = hash_word(hash, solver->own.product != NULL);
    return api_ranks_agree(solver->kernel->context, status,
                           "columns of b, cgs_solver_look and cgs_solver_precondition", hash,
                           error);
}

static enum status solve_all(struct cgs_solver *solver, const struct api_system *system,
                             struct error *error)
{
    struct solver_result *found =
        memory_zeros(system->columns, sizeof *found, "the results of a solve", error);
    if (!found)
        return STATUS_MEMORY;
    enum status status = solve(solver, system, found, error);
    for (int64_t j = 0; j < system->columns; j++)
        solver_result_free(&found[j]);
    memory_free(found);
    return status;
}

enum status api_solve(struct cgs_solver *solver, enum status status,
                      const struct api_system *system, struct error *error)
{
    if (!status)
        status = begin_results(system, error);
    if (!status)
        status = check_look(solver, system->columns, error);
    status = agree(solver, status, system, error);
    if (status)
        return status;
    status = api_solver_refresh(solver, error);
    if (!status)
        status = solve_all(solver, system, error);
    return api_ranks_end(solver->kernel->context, status, error);
}

enum status api_expect_method(const struct cgs_solver *solver, unsigned trait, const char *instead,
                              struct error *error)
{
    const struct api_solver_options *own = solver->options.values;
    return own->options.method->traits & trait
               ? STATUS_OK
               : error_set(error, STATUS_CONFIG, "the method %s is for %s",
                           own->options.method->component.name, instead);
}

/* --- eigenvalues, histories ------------------------------------------------------------------- */

int64_t cgs_solver_eigen_count(const struct cgs_solver *solver)
{
    if (!solver)
        return 0;
    const struct api_solver_options *own = solver->options.values;
    return solver_finds_vector(&own->options)
               ? 0
               : solver_solution_length(&own->options, solver->kernel->A->n);
}

enum cgs_status cgs_solver_history(const struct cgs_solver *solver, int64_t column,
                                   const char *series, const double **values, int64_t *rows,
                                   struct cgs_error *error)
{
    if (!values || !rows)
        return api_missing(values ? "the pointer to the rows" : "the pointer to the values", error);
    *values = NULL;
    *rows = 0;
    if (!solver || !series)
        return api_missing(solver ? "a series" : "a solver", error);
    if (!solver->solved_by)
        return api_status(
            error_set(api_error(error), STATUS_CONFIG, "nothing has been solved: no history"));
    const struct api_history *history = &solver->history;
    if (column < 0 || column >= history->columns)
        return api_status(error_set(api_error(error), STATUS_CONFIG,
                                    "the last solve has no column %" PRId64 ": it had %" PRId64,
                                    column, history->columns));
    int place = method_series(solver->solved_by, series);
    if (place < 0 || place >= history->series)
        return api_status(error_set(api_error(error), STATUS_CONFIG,
                                    "the history of %s has no series '%.64s'",
                                    solver->solved_by->component.name, series));
    *rows = history->of[column].count;
    *values = history->of[column].values + place * *rows;
    return CGS_OK;
}
