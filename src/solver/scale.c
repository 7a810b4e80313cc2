#include "solver/scale.h"

#include "base/memory.h"
#include "base/threads.h"
#include "matrix/scale.h"
#include "solver/true_residual.h"
#include "space/ranks/rank_vector.h"
#include "space/ranks/ranks.h"
#include "space/values.h"
#include "space/vector_norm.h"

#include <float.h>
#include <math.h>

/* --- units ------------------------------------------------------------------------------------ */

static int exponent_of(const struct solver_scale *scale, enum unit unit)
{
    int b = scale->b, A = scale->matrix, M = scale->inverse;
    switch (unit) {
    case UNIT_ONE:
        return 0;
    case UNIT_B:
        return b;
    case UNIT_X:
        return b - A;
    case UNIT_MATRIX:
        return A;
    case UNIT_PRECONDITIONED:
        return M + A;
    case UNIT_STEP:
        return -(M + A);
    case UNIT_DIRECTION:
        return M + b;
    case UNIT_PRODUCT:
        return A + M + b;
    case UNIT_CURVATURE:
        return b + M + A + M + b;
    case UNIT_PRECONDITIONED_B:
        return b + M / 2;
    case UNIT_ENERGY:
        return b - A / 2;
    }
    return 0;
}

static bool is_scaled(const struct solver_scale *scale)
{
    return scale->b != 0 || scale->matrix != 0;
}

/* --- vectors ---------------------------------------------------------------------------------- */

/* Of those on the host a rank has its own rows alone. */

/* 2^exponent v, of the own rows; NULL on failure. */
static double *scaled_copy(const struct solver *solver, int exponent, const double *v,
                           struct error *error)
{
    int64_t first = ranks_first_row(solver->space), n = solver->n;
    double *copy = rank_vector_create(ranks_partition(solver->space), n, sizeof *copy, "b", error);
    if (copy)
        scale_values(solver->space->threads, ranks_rows(solver->space, n), exponent, v + first,
                     copy + first);
    return copy;
}

/* --- the matrix ------------------------------------------------------------------------------- */

/* Of what is stored, or of the rows that a rank keeps; a generator's rows are taken as they are. */
static enum status find_values(const struct csr *A, double *least, double *largest,
                               struct error *error)
{
    const struct csr *own = A->maker && A->maker->kept ? A->maker->kept(A->maker_options) : A;
    int64_t count = own->offsets ? own->nnz : 0;
    return values_range(own->space, count, own->values, least, largest, error);
}

static enum status scale_on_device(const struct csr *A, int exponent, struct csr *scaled,
                                   struct error *error)
{
    *scaled = *A;
    scaled->exponent += exponent;
    scaled->host = NULL;
    enum status status =
        space_vector(A->space, A->nnz, "the scaled matrix", &scaled->values, error);
    if (!status)
        status = space_run(A->space, &pass_values_scaling, A->nnz,
                           &(struct values_scaling){-exponent, A->values, scaled->values}, error);
    if (status)
        solver_scale_matrix_free(scaled);
    return status;
}

enum status solver_scale_matrix(struct space *space, const struct csr *A, struct csr *scaled,
                                struct error *error)
{
    double least, largest;
    *scaled = (struct csr){0};
    enum status status = find_values(A, &least, &largest, error);
    if (!status)
        status = ranks_largest(space, &largest, error);
    if (!status)
        status = ranks_least(space, &least, error);
    int exponent = status ? 0 : csr_scale_exponent(A->kind, least, largest);
    if (exponent == 0)
        return status;
    return (A->space ? scale_on_device : csr_scale)(A, exponent, scaled, error);
}

void solver_scale_matrix_free(struct csr *scaled)
{
    if (scaled->space)
        space_release(scaled->space, scaled->values);
    else if (scaled->n > 0 && !scaled->maker)
        memory_free(scaled->values);
    *scaled = (struct csr){0};
}

/* --- the start -------------------------------------------------------------------------------- */

/* The largest |v_i| of all ranks; to a power of two of several. */
static enum status find_largest(const struct solver *solver, const double *v, double *largest,
                                struct error *error)
{
    int64_t rows = ranks_rows(solver->space, solver->n);
    *largest = vector_norm_largest(solver->space->threads, rows, 1,
                                   v + ranks_first_row(solver->space), 0, vector_norm_parts(rows));
    return ranks_largest(solver->space, largest, error);
}

/* The least |v_i| of all ranks that is not 0. */
static enum status find_least(const struct solver *solver, const double *v, double *least,
                              struct error *error)
{
    int64_t first = ranks_first_row(solver->space), rows = ranks_rows(solver->space, solver->n);
    *least = DBL_MAX;
    for (int64_t i = first; i < first + rows; i++)
        *least = v[i] != 0 && fabs(v[i]) < *least ? fabs(v[i]) : *least;
    return ranks_least(solver->space, least, error);
}

/* By b, or by 2^matrix x0 where that is larger: r_0 has both in it. A search for eigenvalues begins
 * with one of them. */
static enum status choose_b(struct solver *solver, const double *b, const double *x0,
                            struct error *error)
{
    bool both = x0 && solver_finds_vector(&solver->options);
    const double *start = x0 && !both ? x0 : b;
    double largest, other = 0, least = 0;
    enum status status = find_largest(solver, start, &largest, error);
    if (!status && both)
        status = find_largest(solver, x0, &other, error);
    if (status)
        return status;
    other = ldexp(other, solver->scale.matrix);
    if (other > largest)
        largest = fmin(other, DBL_MAX);
    if (scale_exponent(largest, largest) > 0)
        status = find_least(solver, start, &least, error);
    solver->scale.b = scale_exponent(least, largest);
    return status;
}

bool solver_scales(const struct linear_operator *spmv, double largest_b, double largest_x0)
{
    double other = ldexp(largest_x0, spmv->exponent);
    double largest = other > largest_b ? fmin(other, DBL_MAX) : largest_b;
    return spmv->exponent != 0 || scale_exponent(largest, largest) != 0;
}

/* What it asks for in the units of what is solved. */
static void scale_options(struct solver *solver)
{
    struct solver_options *options = &solver->options;
    const struct solver_scale *scale = &solver->scale;
    options->shift = ldexp(options->shift, -exponent_of(scale, UNIT_MATRIX));
    options->relaxation = ldexp(options->relaxation, -exponent_of(scale, UNIT_STEP));
    options->absolute_tolerance = ldexp(options->absolute_tolerance, -scale->b);
}

/* --- what is shown ---------------------------------------------------------------------------- */

static enum status show_row(const struct solver *solver, struct event event, struct error *error)
{
    const struct series *series = solver->method->series;
    double values[SERIES_MOST];
    for (int k = 0; series[k].name; k++)
        values[k] = ldexp(event.values[k], exponent_of(&solver->scale, series[k].unit));
    event.values = values;
    return observer_see(solver->scale.shown, &event, error);
}

static enum status show_vector(const struct solver *solver, struct event event, struct error *error)
{
    static const enum unit units[SOLVER_VECTORS] = {[VECTOR_R] = UNIT_B,
                                                    [VECTOR_X] = UNIT_X,
                                                    [VECTOR_P] = UNIT_DIRECTION,
                                                    [VECTOR_Q] = UNIT_PRODUCT};
    scale_values(solver->space->threads, solver->n, exponent_of(&solver->scale, units[event.place]),
                 event.values, solver->scale.vector);
    event.values = solver->scale.vector;
    return observer_see(solver->scale.shown, &event, error);
}

static enum status see(void *context, const struct event *event, struct error *error)
{
    const struct solver *solver = context;
    struct event own = *event;
    if (event->kind == EVENT_ROW)
        return show_row(solver, own, error);
    if (event->kind == EVENT_VECTOR)
        return show_vector(solver, own, error);
    own.eigenvalue = ldexp(own.eigenvalue, exponent_of(&solver->scale, UNIT_MATRIX));
    return observer_see(solver->scale.shown, &own, error);
}

static enum status begin_showing(struct solver *solver, struct error *error)
{
    struct solver_scale *scale = &solver->scale;
    if (!solver->observer)
        return STATUS_OK;
    scale->shown = solver->observer;
    scale->observer = *solver->observer;
    scale->observer.see = see;
    scale->observer.context = solver;
    solver->observer = &scale->observer;
    if (!observer_wants(scale->shown, EVENT_VECTOR))
        return STATUS_OK;
    scale->vector = memory_array(solver->n, sizeof *scale->vector, "a vector of the trace", error);
    return scale->vector ? STATUS_OK : STATUS_MEMORY;
}

enum status solver_scale_begin(struct solver *solver, const double *b, const double *x0,
                               struct scaled_start *start, struct error *error)
{
    const struct linear_operator *M = solver->options.preconditioner;
    struct solver_scale *scale = &solver->scale;
    *start = (struct scaled_start){.b = b, .x0 = x0};
    scale->matrix = solver->spmv->exponent;
    scale->inverse = M ? M->exponent : 0;
    enum status status = solver->options.memory ? STATUS_OK : choose_b(solver, b, x0, error);
    if (status || !is_scaled(scale))
        return status;
    scale_options(solver);
    status = solver_scale_start(solver, b, x0, start, error);
    return status ? status : begin_showing(solver, error);
}

/* *from becomes a scaled copy of it, which is *own. */
static enum status scale_start(const struct solver *solver, int exponent, const double **from,
                               double **own, struct error *error)
{
    if (exponent == 0 || !*from)
        return STATUS_OK;
    *own = scaled_copy(solver, -exponent, *from, error);
    *from = *own;
    return *own ? STATUS_OK : STATUS_MEMORY;
}

enum status solver_scale_start(const struct solver *solver, const double *b, const double *x0,
                               struct scaled_start *start, struct error *error)
{
    const struct solver_scale *scale = &solver->scale;
    int exponent = exponent_of(scale, solver_finds_vector(&solver->options) ? UNIT_X : UNIT_B);
    *start = (struct scaled_start){.b = b, .x0 = x0};
    enum status status = scale_start(solver, scale->b, &start->b, &start->own_b, error);
    return status ? status : scale_start(solver, exponent, &start->x0, &start->own_x0, error);
}

void solver_scale_release(const struct solver *solver, struct scaled_start *start)
{
    double *own[] = {start->own_b, start->own_x0};
    for (int k = 0; k < 2; k++)
        rank_vector_free(ranks_partition(solver->space), solver->n, sizeof **own, own[k]);
}

/* --- the end ---------------------------------------------------------------------------------- */

/* Each x_i as 2^exponent x_i leaves it. */
static void round_x(const struct solver *solver, int exponent, double *x, int64_t *inexact,
                    int64_t *overflows)
{
    int64_t first = ranks_first_row(solver->space), rows = ranks_rows(solver->space, solver->n);
    for (int64_t i = first; i < first + rows; i++) {
        double scaled = ldexp(x[i], exponent), back = ldexp(scaled, -exponent);
        *overflows = *overflows || (isfinite(x[i]) && !isfinite(scaled));
        *inexact = *inexact || (isfinite(x[i]) && back != x[i]);
        x[i] = back;
    }
}

static enum status scale_x(struct solver *solver, const struct csr *A, const double *b, double *x,
                           struct error *error)
{
    struct solver_result *result = &solver->result;
    int exponent = exponent_of(&solver->scale, UNIT_X);
    int64_t first = ranks_first_row(solver->space), inexact = 0, overflows = 0;
    round_x(solver, exponent, x, &inexact, &overflows);
    enum status status = ranks_max(solver->space, &inexact, error);
    if (!status)
        status = ranks_max(solver->space, &overflows, error);
    if (!status && inexact) {
        space_release(solver->space, solver->b_device); /* beside the x that was found */
        solver->b_device = NULL;
        status = solver_confirm(solver, A, b, x, error);
    }
    if (overflows)
        result->reason = REASON_NOT_FINITE;
    scale_values(solver->space->threads, ranks_rows(solver->space, solver->n), exponent, x + first,
                 x + first);
    return status;
}

static void scale_result(struct solver *solver)
{
    struct solver_result *result = &solver->result;
    const struct method *method = solver->method;
    int residual = method_series(method, "residual");
    bool x = method->traits & METHOD_FINDS_VECTOR;
    struct {
        double *value;
        enum unit unit;
    } values[] = {{&result->residual, residual < 0 ? UNIT_ONE : method->series[residual].unit},
                  {&result->true_residual, x ? UNIT_B : UNIT_ONE},
                  {&result->rhs_norm, x ? UNIT_B : UNIT_ONE},
                  {&result->curvature, UNIT_CURVATURE},
                  {&result->ritz_low, UNIT_PRECONDITIONED},
                  {&result->ritz_high, UNIT_PRECONDITIONED},
                  {&result->eigen_rounding, UNIT_MATRIX}};
    for (size_t k = 0; k < sizeof values / sizeof *values; k++)
        *values[k].value = ldexp(*values[k].value, exponent_of(&solver->scale, values[k].unit));
    for (int64_t k = 0; k < result->eigen_count; k++) {
        result->eigenvalues[k] = ldexp(result->eigenvalues[k], solver->scale.matrix);
        result->eigen_residuals[k] = ldexp(result->eigen_residuals[k], solver->scale.matrix);
    }
}

enum status solver_scale_end(struct solver *solver, const struct csr *A, const double *b,
                             double *solution, struct error *error)
{
    enum status status = STATUS_OK;
    if (!is_scaled(&solver->scale))
        return STATUS_OK;
    if (solver_finds_vector(&solver->options))
        status = scale_x(solver, A, b, solution, error);
    else
        scale_values(solver->space->threads, solver_solution_length(&solver->options, solver->n),
                     solver->scale.matrix, solution, solution);
    scale_result(solver);
    return status;
}

void solver_scale_free(struct solver *solver)
{
    memory_free(solver->scale.vector);
}
