#include "solver/krylov.h"

#include "base/cuda_part.h"
#include "base/memory.h"
#include "solver/drift.h"
#include "solver/row_loop.h"
#include "solver/singular.h"
#include "solver/start.h"
#include "solver/time_split.h"
#include "solver/true_residual.h"

#include <math.h>
#include <string.h>

struct krylov {
    struct row_loop loop;
    struct tracing tracing;
    struct drift drift;
    unsigned holds;            /* of the conditions of enum krylov_trait */
    struct resident *resident; /* NULL: each iteration has its launches */
};

static const struct krylov_method *table_of(const struct solver *solver)
{
    return solver->method->krylov;
}

/* NULL: this solve has no such vector. */
static double *vector_of(struct solver *solver, const struct krylov_vector *vector)
{
    return *(double **)((char *)solver + vector->at);
}

static void **scalars_of(const struct solver *solver)
{
    return (void **)((char *)solver + table_of(solver)->scalars);
}

/* In the space: only their addresses are taken here. */
static struct solver_scalars *loop_scalars(const struct solver *solver)
{
    return *scalars_of(solver);
}

enum { CONDITIONS = KRYLOV_WITH_M | KRYLOV_WITHOUT_M | KRYLOV_MAKES_DIRECTION | KRYLOV_TRACES_X };

static bool exists(const struct krylov_vector *vector, unsigned holds)
{
    return !(vector->traits & CONDITIONS & ~holds);
}

/* Of what the table asks for. */
static unsigned what_holds(const struct solver *solver, const struct tracing *tracing)
{
    unsigned asked = 0, holds = solver->options.preconditioner ? KRYLOV_WITH_M : KRYLOV_WITHOUT_M;
    for (const struct krylov_vector *v = table_of(solver)->vectors; v->name; v++)
        asked |= v->traits;
    if (solver->spmv->can & OPERATOR_DIRECTION)
        holds |= KRYLOV_MAKES_DIRECTION;
    if (tracing_wants(tracing, VECTOR_X))
        holds |= KRYLOV_TRACES_X;
    return asked & holds;
}

int64_t krylov_memory_bytes(const struct solver_options *options, int64_t n)
{
    const struct krylov_method *of = options->method->krylov;
    unsigned holds = options->preconditioner ? KRYLOV_WITH_M : KRYLOV_WITHOUT_M;
    int64_t vectors = 0;
    for (const struct krylov_vector *v = of->vectors; v->name; v++)
        vectors += exists(v, holds);
    return vectors * n * (int64_t)sizeof(double) + (int64_t)of->scalars_bytes;
}

/* --- scalars ---------------------------------------------------------------------------------- */

static int64_t scalars_count(const struct solver *solver)
{
    return (int64_t)(table_of(solver)->scalars_bytes / sizeof(double));
}

enum status krylov_put_scalars(struct solver *solver, struct solver_scalars *scalars,
                               struct error *error)
{
    scalars->rows = solver->krylov->loop.rows;
    return space_upload(solver->space, scalars_count(solver), (const double *)scalars,
                        *scalars_of(solver), error);
}

enum status krylov_get_scalars(const struct solver *solver, struct solver_scalars *scalars,
                               struct error *error)
{
    return space_download(solver->space, scalars_count(solver), *scalars_of(solver),
                          (double *)scalars, error);
}

/* The first vector with the trait, or NULL. */
static double *find(struct solver *solver, enum krylov_trait trait)
{
    for (const struct krylov_vector *v = table_of(solver)->vectors; v->name; v++)
        if (v->traits & trait && vector_of(solver, v))
            return vector_of(solver, v);
    return NULL;
}

enum status krylov_start(struct solver *solver, struct solver_scalars *scalars, const double *b,
                         const double *x0, double *square, struct error *error)
{
    double *r = find(solver, KRYLOV_IS_R);
    scalars->tolerance = solver->options.tolerance;
    scalars->max_iterations = solver->options.max_iterations;
    scalars->rhs_norm = solver->result.rhs_norm;
    scalars->iteration = -1;
    enum status status = krylov_put_scalars(solver, scalars, error);
    if (!status)
        status = solver_bring(solver, b, r, error);
    if (!status)
        status = solver_start(solver, x0, find(solver, KRYLOV_TAKES_PRODUCT),
                              find(solver, KRYLOV_IS_X), r, error);
    if (!status)
        status = drift_take_off(solver, &solver->krylov->drift, r, error);
    return status ? status : space_dot(solver->space, solver->n, r, r, square, error);
}

/* --- the loop --------------------------------------------------------------------------------- */

static enum status take_row(void *context, const struct solver_row *row, struct error *error)
{
    struct solver *solver = context;
    struct solver_result *result = &solver->result;
    double values[SERIES_MOST] = {row->residual, row->alpha, row->beta, row->rho};
    struct event seen = {.kind = EVENT_ROW, .iteration = row->iteration, .values = values};
    if (row->iteration == 0 && result->rhs_norm == 0) /* x_0 = 0 */
        result->rhs_norm = row->residual;
    result->iterations = row->iteration;
    result->residual = row->residual;
    enum status status = STATUS_OK;
    if (table_of(solver)->take)
        status = table_of(solver)->take(solver, row, values, error);
    return status ? status : observer_see(solver->observer, &seen, error);
}

static enum status show_vectors(struct solver *solver, struct error *error)
{
    const struct tracing *tracing = &solver->krylov->tracing;
    const double *r = find(solver, KRYLOV_IS_R);
    enum status status = r ? tracing_show(tracing, VECTOR_R, r, error) : STATUS_OK;
    return status ? status : tracing_show(tracing, VECTOR_X, find(solver, KRYLOV_IS_X), error);
}

static enum status trace_vectors(void *context, struct error *error)
{
    struct solver *solver = context;
    const struct krylov_method *of = table_of(solver);
    struct tracing *tracing = &solver->krylov->tracing;
    enum status status =
        of->trace ? of->trace(solver, tracing, error) : show_vectors(solver, error);
    tracing_move(tracing);
    return status;
}

enum status krylov_run(struct solver *solver, const struct pass *pass, struct error *error)
{
    return space_run(solver->space, pass, solver->n, (char *)solver + table_of(solver)->at, error);
}

enum status krylov_keep_in_range(struct solver *solver, double *v, struct error *error)
{
    return drift_take_off(solver, &solver->krylov->drift, v, error);
}

int64_t krylov_bytes(const struct solver_options *options, const struct linear_operator *spmv)
{
    const struct linear_operator *M = options->preconditioner;
    return spmv->bytes_per_apply + (M ? M->bytes_per_apply : 0) +
           space_bytes(spmv->space, options->method->krylov->pieces->step[M != NULL], spmv->n);
}

static enum status update(void *context, struct error *error)
{
    struct solver *solver = context;
    const struct krylov_pieces *pieces = table_of(solver)->pieces;
    if (pieces->update)
        return pieces->update(solver, error);
    return krylov_run(solver, pieces->step[solver->options.preconditioner != NULL], error);
}

static enum status pieces_in_order(void *context, struct error *error)
{
    struct solver *solver = context;
    const struct krylov_pieces *pieces = table_of(solver)->pieces;
    enum status status =
        solver->options.preconditioner ? pieces->precondition(solver, error) : STATUS_OK;
    if (!status)
        status = pieces->multiply(solver, error);
    return status ? status : update(solver, error);
}

static enum status turn(void *context, struct error *error)
{
    struct solver *solver = context;
    double *r = find(solver, KRYLOV_IN_RANGE);
    space_work *own = table_of(solver)->turn;
    enum status status = (own ? own : pieces_in_order)(solver, error);
    if (!status && r)
        status = drift_take_off(solver, &solver->krylov->drift, r, error);
    return status;
}

/* --- a solve ---------------------------------------------------------------------------------- */

/* A device reads the terms of a dot product before it sees that the solve has ended. If x_0 is the
 * solution, that may be before the product with A which makes them. */
static bool reads_ahead(const struct solver *solver)
{
    return solver->space->operations->kind == SPACE_CUDA && !(solver->spmv->can & OPERATOR_DOT);
}

static enum status allocate(struct solver *solver, struct error *error)
{
    const struct krylov_method *of = table_of(solver);
    enum status status = STATUS_OK;
    for (const struct krylov_vector *v = of->vectors; v->name && !status; v++) {
        if (!exists(v, solver->krylov->holds))
            continue;
        double **made = (double **)((char *)solver + v->at);
        status = space_vector(solver->space, solver->n, v->name, made, error);
        if (!status && reads_ahead(solver))
            status = space_fill(solver->space, solver->n, 0, *made, error);
    }
    if (!status)
        status = solver->space->operations->allocate(solver->space, 1, of->scalars_bytes,
                                                     "the scalars", scalars_of(solver), error);
    return status ? status : row_loop_begin(&solver->krylov->loop, error);
}

/* With A, and those in M^-1. */
static int64_t products_of_turn(const struct solver *solver)
{
    const struct linear_operator *M = solver->options.preconditioner;
    return 1 + (M ? M->products : 0);
}

static enum status send_burst(void *context, int64_t count, struct error *error)
{
    const struct solver *solver = context;
    return CUDA_PART(resident_send)(solver->krylov->resident, count, error);
}

/* Where nothing is taken off r after a turn. */
static enum status begin_bursts(struct solver *solver, struct error *error)
{
    const struct krylov_method *of = table_of(solver);
    struct krylov *krylov = solver->krylov;
    struct resident_system system = {.A = solver->spmv, .rows = krylov->loop.rows};
    if (!of->resident || !of->resident(solver, &system) || krylov->drift.count > 0 ||
        solver->options.resident == SOLVER_RESIDENT_NEVER ||
        solver->space->operations->kind != SPACE_CUDA)
        return STATUS_OK;
    enum status status = CUDA_PART(resident_create)(&system, &krylov->resident, error);
    krylov->loop.bursts.send = send_burst;
    krylov->loop.bursts.most = krylov->resident ? RESIDENT_ITERATIONS : 0;
    return status;
}

bool krylov_ended_in_burst(const struct solver *solver)
{
    return solver->krylov->loop.rows->bursts.ended;
}

enum status krylov_begin(struct solver *solver, const double *b, const double *x0,
                         struct error *error)
{
    struct krylov *krylov = memory_zeros(1, sizeof *krylov, "a solve", error);
    if (!krylov)
        return STATUS_MEMORY;
    solver->krylov = krylov;
    krylov->loop = (struct row_loop){
        .space = solver->space,
        .turn = turn,
        .take = take_row,
        .context = solver,
        .due = observer_wants(solver->observer, EVENT_VECTOR) ? &krylov->tracing.due : NULL,
        .trace_vectors = trace_vectors};
    enum status status = tracing_begin(&krylov->tracing, solver, error);
    krylov->holds = what_holds(solver, &krylov->tracing);
    if (!status)
        status = allocate(solver, error);
    if (!status)
        status = drift_begin(solver, &krylov->drift, error);
    if (!status)
        status = table_of(solver)->start(solver, b, x0, error);
    if (!status)
        status = begin_bursts(solver, error);
    if (status)
        return status;
    solver->space->ended = &loop_scalars(solver)->ended;
    return row_loop_record(&krylov->loop, solver->n, products_of_turn(solver), error);
}

enum status krylov_advance(struct solver *solver, int64_t until, struct error *error)
{
    return row_loop_advance(&solver->krylov->loop, solver, until, error);
}

static enum status prepare_pieces(struct solver *solver, struct error *error)
{
    const struct krylov_method *of = table_of(solver);
    if (of->pieces->prepare)
        return of->pieces->prepare(solver, error);
    struct solver_scalars *scalars = memory_zeros(1, of->scalars_bytes, "the scalars", error);
    if (!scalars)
        return STATUS_MEMORY;
    if (of->pieces->scalars)
        memcpy(scalars, of->pieces->scalars, of->scalars_bytes);
    scalars->max_iterations = INT64_MAX;
    scalars->target = -1;
    enum status status = krylov_put_scalars(solver, scalars, error);
    memory_free(scalars);
    return status;
}

/* If a row has ended the loop all the same, the times say nothing. */
static enum status split_time(struct solver *solver, struct error *error)
{
    const struct krylov_pieces *pieces = table_of(solver)->pieces;
    struct space *space = solver->space;
    struct solver_result *result = &solver->result;
    struct solver_split *split = &result->time_split;
    const int64_t *device_ended = &loop_scalars(solver)->ended;
    int64_t ended = 0;
    space->ended = device_ended;
    enum status status = prepare_pieces(solver, error);
    if (!status)
        status = time_split_take(space, update, solver, result, &split->updates, error);
    if (!status && solver->options.preconditioner)
        status = time_split_take(space, pieces->precondition, solver, result,
                                 &split->preconditioner, error);
    if (!status)
        status = time_split_take(space, pieces->multiply, solver, result, &split->product, error);
    space->ended = NULL;
    if (!status)
        status = space_download(space, 1, (const double *)device_ended, (double *)&ended, error);
    if (ended)
        *split = (struct solver_split){0};
    return status;
}

enum status krylov_end(struct solver *solver, const struct csr *A, const double *b,
                       double *solution, struct error *error)
{
    struct solver_result *result = &solver->result;
    bool without_row = result->reason == REASON_NOT_POSITIVE ||
                       result->reason == REASON_LEAST_SQUARES ||
                       (result->reason == REASON_NOT_FINITE && isfinite(result->residual));
    result->products += (result->iterations + without_row) * products_of_turn(solver);
    return krylov_finish(solver, A, b, solution, error);
}

enum status krylov_finish(struct solver *solver, const struct csr *A, const double *b,
                          double *solution, struct error *error)
{
    struct solver_result *result = &solver->result;
    enum status status = STATUS_OK;
    result->resident_iterations = solver->krylov->loop.rows->bursts.iterations;
    if (solver->krylov->tracing.due == result->iterations)
        status = show_vectors(solver, error);
    if (!status)
        status = singular_end(solver, find(solver, KRYLOV_IS_X), error);
    if (!status)
        status = solver_give(solver, find(solver, KRYLOV_IS_X), solution, error);
    if (!status)
        status = solver_confirm(solver, A, b, solution, error);
    if (!status && time_split_wanted(&solver->options, result))
        status = split_time(solver, error);
    return status;
}

/* The solve goes on from the loaded iteration; `ended` follows `iteration` in the scalars. */
static enum status resume(struct solver *solver, struct error *error)
{
    int64_t place[] = {solver->result.iterations, solver->ended};
    row_loop_resume(&solver->krylov->loop, place[0], solver->ended);
    tracing_go_on(&solver->krylov->tracing);
    return space_upload(solver->space, 2, (const double *)place,
                        (double *)&loop_scalars(solver)->iteration, error);
}

enum status krylov_keep(struct solver *solver, struct archive *archive, struct error *error)
{
    const struct krylov_method *of = table_of(solver);
    int64_t state = (int64_t)(of->state / sizeof(double));
    enum status status =
        archive_expect(archive, "a kernel that makes p",
                       (solver->krylov->holds & KRYLOV_MAKES_DIRECTION) != 0, error);
    if (!status)
        status =
            archive_vector(archive, solver->space, "the scalars", scalars_count(solver) - state,
                           (double *)*scalars_of(solver) + state, error);
    for (const struct krylov_vector *v = of->vectors; v->name && !status; v++)
        if (v->traits & KRYLOV_STATE && vector_of(solver, v))
            status = archive_vector(archive, solver->space, v->name, solver->n,
                                    vector_of(solver, v), error);
    return status || !archive->loads ? status : resume(solver, error);
}

void krylov_destroy(struct solver *solver)
{
    const struct krylov_method *of = table_of(solver);
    if (!solver->krylov)
        return;
    if (solver->krylov->resident)
        CUDA_PART(resident_destroy)(solver->krylov->resident);
    tracing_end(&solver->krylov->tracing);
    drift_end(solver, &solver->krylov->drift);
    row_loop_end(&solver->krylov->loop);
    solver->space->ended = NULL;
    for (const struct krylov_vector *v = of->vectors; v->name; v++)
        space_release(solver->space, vector_of(solver, v));
    space_release(solver->space, *scalars_of(solver));
    memory_free(solver->krylov);
    solver->krylov = NULL;
}
