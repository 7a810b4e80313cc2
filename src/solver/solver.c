/* The calls that every user of a method goes through. */
#include "base/clock.h"
#include "base/memory.h"
#include "solver/krylov.h"
#include "solver/restart.h"
#include "solver/scale.h"
#include "solver/singular.h"
#include "solver/start.h"
#include "solver/true_residual.h"
#include "space/ranks/rank_vector.h"
#include "space/ranks/ranks.h"
#include "space/vector_norm.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const struct method *method_find(const char *name)
{
    return (const struct method *)component_find(COMPONENT_METHOD, name);
}

const char *method_for(enum csr_kind kind)
{
    int count;
    const struct component *const *list = component_list(COMPONENT_METHOD, &count);
    for (int k = 0; k < count; k++) {
        const struct method *method = (const struct method *)list[k];
        unsigned wanted = METHOD_FINDS_VECTOR | METHOD_TAKES_INDEFINITE;
        if (method->kind == kind && (method->traits & wanted) == wanted)
            return method->component.name;
    }
    return "";
}

int64_t method_memory_bytes(const struct solver_options *options, int64_t n)
{
    const struct method *method = options->method;
    return (method->memory_bytes ? method->memory_bytes : krylov_memory_bytes)(options, n);
}

int method_series(const struct method *method, const char *name)
{
    for (int k = 0; method->series[k].name; k++)
        if (!strcmp(method->series[k].name, name))
            return k;
    return -1;
}

int method_series_count(const struct method *method, bool with_M)
{
    int count = 0;
    while (method->series[count].name && (with_M || method->series[count].rows != SERIES_WITH_M))
        count++;
    return count;
}

const char *reason_name(enum reason reason)
{
    static const char *const names[] = {[REASON_CONVERGED] = "converged",
                                        [REASON_RESIDUAL_GAP] = "residual gap",
                                        [REASON_ITERATION_LIMIT] = "iteration limit",
                                        [REASON_NOT_POSITIVE] = "not positive definite",
                                        [REASON_NOT_FINITE] = "not finite",
                                        [REASON_STAGNATION] = "stagnation",
                                        [REASON_SINGULAR] = "singular",
                                        [REASON_LEAST_SQUARES] = "least squares solution",
                                        [REASON_INTERRUPTED] = "interrupted"};
    return names[reason];
}

const char *const eigen_which_names[] = {
    [EIGEN_SMALLEST] = "smallest", [EIGEN_LARGEST] = "largest", [EIGEN_BOTH] = "both", NULL};

const char *eigen_which_name(enum eigen_which which)
{
    return eigen_which_names[which];
}

const char *const reorthogonalization_names[] = {[REORTHOGONALIZATION_NONE] = "none",
                                                 [REORTHOGONALIZATION_SELECTIVE] = "selective",
                                                 [REORTHOGONALIZATION_FULL] = "full",
                                                 NULL};

const char *const null_space_names[] = {
    [NULL_SPACE_AUTO] = "auto", [NULL_SPACE_PROJECT] = "project", [NULL_SPACE_NONE] = "none", NULL};

const char *const solver_resident_names[] = {
    [SOLVER_RESIDENT_AUTO] = "auto", [SOLVER_RESIDENT_NEVER] = "never", NULL};

const char *const solver_vector_names[] = {[VECTOR_R] = "r",
                                           [VECTOR_X] = "x",
                                           [VECTOR_P] = "p",
                                           [VECTOR_Q] = "q",
                                           [SOLVER_VECTORS] = NULL};

const char *reorthogonalization_name(enum reorthogonalization reorthogonalization)
{
    return reorthogonalization_names[reorthogonalization];
}

const char *eigen_list_name(enum eigen_list list)
{
    static const char *const names[] = {
        [EIGEN_LIST_OPEN] = "open", [EIGEN_LIST_SEARCHED] = "searched", [EIGEN_LIST_ALL] = "all"};
    return names[list];
}

const char *eigen_met_name(enum eigen_met met)
{
    static const char *const names[] = {[EIGEN_MET_NO] = "no",
                                        [EIGEN_MET_TOLERANCE] = "tolerance",
                                        [EIGEN_MET_ROUNDING] = "rounding"};
    return names[met];
}

void solver_result_free(struct solver_result *result)
{
    memory_free(result->eigenvalues);
    memory_free(result->eigen_residuals);
    memory_free(result->eigen_met);
    *result = (struct solver_result){0};
}

double solver_result_condition(const struct solver_result *result)
{
    double low = result->ritz_low, high = result->ritz_high;
    return low > 0 && high > 0 ? fmin(high / low, SOLVER_CONDITION_MOST) : NAN;
}

double solver_tolerance(const struct solver_options *options)
{
    return solver_finds_vector(options) ? options->tolerance : options->eigen.tolerance;
}

bool solver_finds_vector(const struct solver_options *options)
{
    return options->method->traits & METHOD_FINDS_VECTOR;
}

int64_t solver_solution_length(const struct solver_options *options, int64_t n)
{
    if (solver_finds_vector(options))
        return n;
    int64_t wanted = options->eigen.count * (options->eigen.which == EIGEN_BOTH ? 2 : 1);
    return wanted < n ? wanted : n;
}

enum status solver_takes(const struct solver_options *options, const struct csr *A,
                         struct error *error)
{
    const struct method *method = options->method;
    char other[128] = "";
    if (A->kind != CSR_GENERAL && solver_finds_vector(options))
        snprintf(other, sizeof other, "%s the method \"%s\" takes it", method->refusal ? ";" : ":",
                 method_for(A->kind));
    if (A->kind == CSR_GENERAL)
        return error_set(error, STATUS_CONFIG,
                         "%s a %s matrix, and this one is general, which is for products alone",
                         method->needs, csr_kind_name(method->kind));
    if (A->kind != method->kind)
        return error_set(error, STATUS_CONFIG, "%s a %s matrix, and this one is %s%s%s%s",
                         method->needs, csr_kind_name(method->kind), csr_kind_name(A->kind),
                         method->refusal ? ": " : "", method->refusal ? method->refusal : "",
                         other);
    if (options->preconditioner && !(method->traits & METHOD_TAKES_PRECONDITIONER))
        return error_set(error, STATUS_CONFIG, "the method %s takes no preconditioner",
                         method->component.name);
    return method->check ? method->check(options, A, error) : STATUS_OK;
}

/* Of b, for a solve from an x_0 that is not 0. */
static enum status check_norm(const struct solver_options *options, double norm,
                              struct error *error)
{
    if (!solver_finds_vector(options) || (norm > 0 && isfinite(norm)))
        return STATUS_OK;
    return error_set(error, STATUS_CONFIG,
                     "the norm of b is %g: a solve from a start other than 0 ends when "
                     "||r|| <= tolerance ||b||, which must be above 0 and finite",
                     norm);
}

/* What both tolerances are of ||b||. A norm that is 0 or not finite leaves it as it is. */
static double relative_tolerance(const struct solver_options *options, double norm)
{
    double relative = options->tolerance, absolute = options->absolute_tolerance;
    return norm > 0 ? fmax(relative, fmin(absolute / norm, DBL_MAX)) : relative;
}

static enum status begin(struct solver *solver, const double *b, const double *x0,
                         struct error *error)
{
    enum status status = solver_start_method(solver, b, x0, error);
    if (!solver_finds_vector(&solver->options)) /* the end is of A alone */
        solver->result.rhs_norm = ldexp(solver->result.rhs_norm, solver->scale.b);
    return status;
}

/* Of b, of which a rank has its own rows and fetches others, so beside b. */
static enum status find_norm(const struct solver *solver, const double *b, double *norm,
                             struct error *error)
{
    const struct linear_operator *spmv = solver->spmv;
    struct ranks *ranks = ranks_of(spmv->space);
    if (solver->options.memory)
        return vector_norm_in(solver->options.memory, spmv->n, b, norm, error);
    if (!ranks) {
        *norm = vector_norm(spmv->space->threads, spmv->n, b);
        return STATUS_OK;
    }
    struct partition *of = &ranks->partition;
    int64_t n = spmv->n, first = partition_first(of);
    double *copy = rank_vector_create(of, n, sizeof *copy, "the norm of b", error);
    if (!copy)
        return STATUS_MEMORY;
    memcpy(copy + first, b + first, (size_t)partition_rows(of) * sizeof *b);
    enum status status = rank_vector_norm(spmv->space->threads, of, n, copy, norm, error);
    rank_vector_free(of, n, sizeof *copy, copy);
    return status;
}

/* The scale, and the null space; and the norm of b, where row 0 does not tell it, or not in
 * time. */
static enum status prepare(struct solver *solver, const struct csr *A, const double *b,
                           const double *x0, struct scaled_start *start, struct error *error)
{
    struct solver_options *options = &solver->options;
    double norm = 0;
    enum status status = solver_scale_begin(solver, b, x0, start, error);
    if (!status)
        status = singular_begin(solver, A, start, error);
    if (!status && (start->x0 || options->absolute_tolerance > 0))
        status = find_norm(solver, start->b, &norm, error);
    if (!status && start->x0)
        status = check_norm(options, norm, error);
    options->tolerance = relative_tolerance(options, norm);
    solver->result.rhs_norm = start->x0 ? norm : 0;
    return status;
}

enum status solver_begin(struct linear_operator *spmv, const struct csr *A, const double *b,
                         const double *x0, const struct solver_options *options,
                         const struct observer *observer, struct solver **made, struct error *error)
{
    *made = NULL;
    enum status status = solver_takes(options, A, error);
    if (status)
        return status;
    struct solver *solver =
        memory_zeros(1, options->method->size, options->method->component.name, error);
    if (!solver)
        return STATUS_MEMORY;
    *solver = (struct solver){.method = options->method,
                              .options = *options,
                              .spmv = spmv,
                              .space = spmv->space,
                              .n = A->n,
                              .x0 = x0,
                              .restart_by = {spmv, options->preconditioner},
                              .observer = observer,
                              .confirming_bytes = solver_confirming_bytes(spmv->space, A)};
    struct scaled_start start;
    status = prepare(solver, A, b, x0, &start, error);
    if (!status)
        status = begin(solver, start.b, start.x0, error);
    solver_scale_release(solver, &start);
    if (status)
        solver_free(solver);
    else
        *made = solver;
    return status;
}

enum status solver_advance(struct solver *solver, int64_t iterations, bool *ended,
                           struct error *error)
{
    const struct method *method = solver->method;
    int64_t done = solver->result.iterations;
    int64_t until = iterations > INT64_MAX - done ? INT64_MAX : done + iterations;
    enum status status = STATUS_OK;
    double called = clock_seconds(), exchanged = ranks_exchange_seconds(solver->space);
    if (!solver->ended)
        status = (method->advance ? method->advance : krylov_advance)(solver, until, error);
    solver->result.seconds += clock_seconds() - called;
    solver->result.exchange_seconds += ranks_exchange_seconds(solver->space) - exchanged;
    *ended = solver->ended;
    return status;
}

/* b and x0 as they are solved for, once more. */
static enum status start_again(const struct solver *solver, const double *b, const double *x0,
                               struct scaled_start *start, struct error *error)
{
    const struct solver_singular *singular = &solver->singular;
    if (!singular->space)
        return solver_scale_start(solver, b, x0, start, error);
    *start = (struct scaled_start){.b = singular->b, .x0 = x0 ? singular->x0 : NULL};
    return STATUS_OK;
}

enum status solver_find(struct solver *solver, const struct csr *A, const double *b,
                        double *solution, struct error *error)
{
    struct scaled_start start;
    enum status status = start_again(solver, b, NULL, &start, error);
    if (!status)
        status = solver_end_method(solver, A, start.b, solution, error);
    solver_scale_release(solver, &start);
    return status;
}

/* Restarts and scales. */
static enum status go_on(struct solver *solver, const struct csr *A, const double *b,
                         double *solution, struct error *error)
{
    struct scaled_start start;
    enum status status = start_again(solver, b, solver->x0, &start, error);
    if (!status)
        status = solver_restart(solver, A, start.b, start.x0, solution, error);
    if (!status)
        status = solver_scale_end(solver, A, start.b, solution, error);
    solver_scale_release(solver, &start);
    return status;
}

/* A restart has its vectors on the host. */
static enum status go_on_in_place(struct solver *solver, const struct csr *A, const double *b,
                                  double *solution, struct error *error)
{
    double *given[] = {(double *)b, (double *)solver->x0, solution};
    double *host[3], *copies[3] = {NULL, NULL, NULL};
    struct space *memory = solver->options.memory;
    enum status status = STATUS_OK;
    for (int k = 0; k < 3 && !status; k++)
        status = solver_on_host(solver, given[k], &host[k], &copies[k], error);
    solver->options.memory = NULL;
    if (!status) {
        solver->x0 = host[1];
        status = go_on(solver, A, host[0], host[2], error);
    }
    if (!status)
        status = space_upload(memory, solver->n, host[2], solution, error);
    for (int k = 0; k < 3; k++)
        memory_free(copies[k]);
    return status;
}

enum status solver_settle(struct solver *solver, enum status status, const struct csr *A,
                          const double *b, double *solution, struct solver_result *result,
                          struct error *error)
{
    bool in_place = solver->options.memory;
    if (!status && (!in_place || solver_may_restart(solver)))
        status = (in_place ? go_on_in_place : go_on)(solver, A, b, solution, error);
    if (status)
        solver_result_free(&solver->result);
    else if (solver->singular.space) {
        solver->result.null_vectors = solver->singular.space->dimension;
        solver->result.outside = solver->singular.outside;
        solver->result.projected = solver->singular.projected;
    }
    *result = solver->result; /* the caller's from here on */
    solver->result = (struct solver_result){0};
    return status;
}

enum status solver_end(struct solver *solver, const struct csr *A, const double *b,
                       double *solution, struct solver_result *result, struct error *error)
{
    enum status status = solver_find(solver, A, b, solution, error);
    return solver_settle(solver, status, A, b, solution, result, error);
}

void solver_free(struct solver *solver)
{
    if (!solver)
        return;
    solver_stop(solver);
    solver_scale_free(solver);
    singular_free(solver);
    solver_result_free(&solver->result);
    memory_free(solver);
}

enum status solver_solve(struct linear_operator *spmv, const struct csr *A, const double *b,
                         const double *x0, const struct solver_options *options,
                         const struct observer *observer, double *solution,
                         struct solver_result *result, struct error *error)
{
    struct solver *solver;
    bool ended;
    *result = (struct solver_result){0};
    enum status status = solver_begin(spmv, A, b, x0, options, observer, &solver, error);
    if (!status)
        status = solver_advance(solver, INT64_MAX, &ended, error);
    if (!status)
        status = solver_end(solver, A, b, solution, result, error);
    solver_free(solver);
    return status;
}
