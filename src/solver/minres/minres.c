#include "cgsolve/minres.h"

#include "base/clock.h"
#include "solver/confirm.h"
#include "solver/minres/passes.h"
#include "solver/recurrence.h"
#include "solver/row_loop.h"
#include "solver/start.h"
#include "solver/time_split.h"
#include "solver/trace.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* A solve while it goes on; its vectors and scalars are in the space's memory. */
struct minres {
    struct solver base;
    bool skew;
    double *x, *q;       /* q = A v, then w */
    double *v[2], *d[2]; /* v_k at v[(k - 1) % 2], d_k at d[(k - 1) % 2] */
    int64_t turns;       /* of the loop that were recorded or done: k - 1 */
    struct minres_scalars *scalars;
    struct row_loop loop;
    struct tracing tracing;
};

/* The scalars travel as doubles; the state of a solve is those from MINRES_STATE on. */
enum {
    MINRES_SCALARS = sizeof(struct minres_scalars) / sizeof(double),
    MINRES_STATE = offsetof(struct minres_scalars, alpha) / sizeof(double),
    MINRES_VECTORS = 6,
};
_Static_assert(sizeof(struct minres_scalars) % sizeof(double) == 0, "whole doubles");

static int64_t memory_bytes(const struct solver_options *options, int64_t n)
{
    (void)options;
    return MINRES_VECTORS * n * (int64_t)sizeof(double) + (int64_t)sizeof(struct minres_scalars);
}

/* The norm of x is taken every second time. */
static int64_t bytes_per_iteration(const struct solver_options *options,
                                   const struct linear_operator *spmv)
{
    const struct space *space = spmv->space;
    int64_t n = spmv->n, norm_of_x = n * (int64_t)sizeof(double) / 2;
    bool skew = options->method->kind == CSR_SKEW;
    int64_t passes =
        skew ? space_bytes(space, &one_term, n) + space_bytes(space, &minres_skew_step, n)
             : space_bytes(space, &two_terms, n) + space_bytes(space, &minres_step, n);
    bool dots_apart = !skew && !spmv->fuses_dot;
    return spmv->bytes_per_apply + passes + norm_of_x +
           (dots_apart ? space_bytes(space, &pass_dot, n) : 0);
}

static enum status create(struct minres *minres, struct error *error)
{
    struct {
        double **vector;
        int64_t count;
        const char *what;
    } wanted[] = {
        {&minres->x, minres->base.n, "the vector x"},
        {&minres->q, minres->base.n, "the vector q"},
        {&minres->v[0], minres->base.n, "the vector v"},
        {&minres->v[1], minres->base.n, "the next vector v"},
        {&minres->d[0], minres->base.n, "the vector d"},
        {&minres->d[1], minres->base.n, "the next vector d"},
        {(double **)&minres->scalars, MINRES_SCALARS, "the scalars"},
    };
    enum status status = STATUS_OK;
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted && !status; k++)
        status = space_vector(minres->base.space, wanted[k].count, wanted[k].what, wanted[k].vector,
                              error);
    return status ? status : row_loop_begin(&minres->loop, error);
}

/* The next row, and what the vectors do then. */
static enum status move(struct minres *minres, const struct pass *pass,
                        const struct minres_vectors *vectors, struct error *error)
{
    enum status status =
        space_run(minres->base.space, &minres_advance, minres->base.n, vectors, error);
    return status ? status : space_run(minres->base.space, pass, minres->base.n, vectors, error);
}

/* x = x_0, w = b - A x_0, v_0 = d_0 = d_{-1} = 0, row 0, v_1 = w / ||w|| */
static enum status start(struct minres *minres, const double *b, const double *x0,
                         struct error *error)
{
    const struct solver_options *options = &minres->base.options;
    struct minres_scalars scalars = {.tolerance = options->tolerance,
                                     .max_iterations = options->max_iterations,
                                     .rhs_norm = minres->base.result.rhs_norm,
                                     .rows = minres->loop.rows,
                                     .skew = minres->skew,
                                     .alpha = minres->skew ? options->shift : 0,
                                     .iteration = -1};
    double *zeros[] = {minres->v[1], minres->d[0], minres->d[1]};
    struct minres_vectors first = {
        .w = minres->q, .v_next = minres->v[0], .scalars = minres->scalars};
    enum status status = space_upload(minres->base.space, MINRES_SCALARS, (const double *)&scalars,
                                      (double *)minres->scalars, error);
    if (!status)
        status = space_upload(minres->base.space, minres->base.n, b, minres->q, error);
    if (!status)
        status = solver_start(&minres->base, x0, minres->v[1], minres->x, minres->q, error);
    if (!status && x0)
        status = space_dot(minres->base.space, minres->base.n, minres->x, minres->x,
                           &minres->scalars->xx, error);
    for (size_t k = 0; k < sizeof zeros / sizeof *zeros && !status; k++)
        status = space_fill(minres->base.space, minres->base.n, 0, zeros[k], error);
    if (!status)
        status = space_dot(minres->base.space, minres->base.n, minres->q, minres->q,
                           &minres->scalars->norm_squared, error);
    if (!status)
        status = move(minres, &minres_step, &first, error);
    minres->base.space->ended = &minres->scalars->ended;
    return status;
}

/* q = A v, and v . q, which S v has none of. */
static enum status multiply(struct minres *minres, const double *v, struct error *error)
{
    return minres->skew ? operator_apply(minres->base.spmv, v, minres->q, error)
                        : operator_apply_dot(minres->base.spmv, v, minres->q,
                                             &minres->scalars->alpha, error);
}

/* w = q - alpha v - upper v_before, and its norm; S v has no part along v. The coefficients are in
 * the space. */
static enum status recur(struct minres *minres, const double *alpha, const double *v,
                         const double *upper, const double *v_before, struct error *error)
{
    bool skew = minres->skew;
    struct recurrence work = {.a = skew ? upper : alpha,
                              .x = skew ? v_before : v,
                              .b = upper,
                              .u = skew ? NULL : v_before,
                              .y = minres->q,
                              .squared = &minres->scalars->norm_squared};
    return space_run(minres->base.space, skew ? &one_term : &two_terms, minres->base.n, &work,
                     error);
}

/* One turn of the loop of cgsolve/minres.h, or what it does besides the product, with other
 * coefficients of the recurrence. v_{k+1} goes where v_{k-1} was, d_k where d_{k-2} was. */
static enum status take_turn(struct minres *minres, bool multiplies, const double *alpha,
                             const double *upper, struct error *error)
{
    bool second = minres->turns % 2 == 1;
    struct minres_vectors step = {.v = minres->v[second],
                                  .d_before = minres->skew ? NULL : minres->d[!second],
                                  .d = minres->d[second],
                                  .x = minres->x,
                                  .w = minres->q,
                                  .v_next = minres->v[!second],
                                  .scalars = minres->scalars};
    minres->turns++;
    enum status status = multiplies ? multiply(minres, step.v, error) : STATUS_OK;
    if (!status)
        status = recur(minres, alpha, step.v, upper, step.v_next, error);
    if (!status)
        status = move(minres, minres->skew ? &minres_skew_step : &minres_step, &step, error);
    if (!status && second)
        status = space_dot(minres->base.space, minres->base.n, minres->x, minres->x,
                           &minres->scalars->xx, error);
    return status;
}

static enum status turn(void *context, struct error *error)
{
    struct minres *minres = context;
    return take_turn(minres, true, &minres->scalars->alpha, &minres->scalars->upper, error);
}

/* A row of the history has come. */
static enum status take_row(void *context, const struct solver_row *row, struct error *error)
{
    struct minres *minres = context;
    struct solver_result *result = &minres->base.result;
    if (row->iteration == 0 && result->rhs_norm == 0) /* x_0 = 0 */
        result->rhs_norm = row->residual;
    result->iterations = row->iteration;
    result->residual = row->residual;
    double values[MINRES_SERIES] = {row->residual, row->alpha, row->beta};
    struct event seen = {.kind = EVENT_ROW, .iteration = row->iteration, .values = values};
    return observer_see(minres->base.observer, &seen, error);
}

static enum status look(void *context, struct error *error)
{
    struct minres *minres = context;
    enum status status = tracing_show(&minres->tracing, VECTOR_X, minres->x, error);
    tracing_move(&minres->tracing);
    return status;
}

/* Of the turns: the product of one that made no row is one too. */
static int64_t products(const struct solver_result *result)
{
    bool without_row = result->reason == REASON_LEAST_SQUARES ||
                       (result->reason == REASON_NOT_FINITE && isfinite(result->residual));
    return result->iterations + without_row;
}

/* Whether v . A v is a pass of its own. */
static bool dots_apart(const struct minres *minres)
{
    return !minres->skew && !minres->base.spmv->fuses_dot;
}

/* alpha = 0 stays, and no part of w is taken off. No row but the first reads the tolerance. */
static enum status update(void *context, struct error *error)
{
    struct minres *minres = context;
    struct minres_scalars *s = minres->scalars;
    enum status status = take_turn(minres, false, &s->alpha, &s->alpha, error);
    if (status || !dots_apart(minres))
        return status;
    return space_dot(minres->base.space, minres->base.n, minres->v[0], minres->q, &s->tolerance,
                     error);
}

static enum status product(void *context, struct error *error)
{
    struct minres *minres = context;
    return dots_apart(minres) ? operator_apply(minres->base.spmv, minres->v[0], minres->q, error)
                              : multiply(minres, minres->v[0], error);
}

/* The pieces of a turn over and over, from a state in which they can be: w is a v, of norm 1, and
 * stays, so that T has 0 on its diagonal and 1 beside it; |phi| falls like 1 / sqrt(k) then, and d
 * and x grow like powers of k. It is known if a row ended it all the same: then what followed did
 * nothing. */
static enum status split_time(struct minres *minres, struct error *error)
{
    struct solver_split *split = &minres->base.result.time_split;
    struct minres_scalars scalars = {.max_iterations = INT64_MAX,
                                     .rows = minres->loop.rows,
                                     .skew = minres->skew,
                                     .iteration = 1,
                                     .upper = minres->skew ? -1 : 1,
                                     .scale = INFINITY,
                                     .target = -1,
                                     .phi = 1,
                                     .cosine = 1,
                                     .cosine_before = 1};
    double *zeros[] = {minres->x, minres->d[0], minres->d[1]};
    const double *last =
        minres->v[(minres->base.result.iterations - 1) % 2]; /* the next may be 0 */
    minres->turns = 0;
    enum status status = space_upload(minres->base.space, MINRES_SCALARS, (const double *)&scalars,
                                      (double *)minres->scalars, error);
    for (size_t k = 0; k < sizeof zeros / sizeof *zeros && !status; k++)
        status = space_fill(minres->base.space, minres->base.n, 0, zeros[k], error);
    if (!status)
        status = space_copy(minres->base.space, minres->base.n, last, minres->q, error);
    if (!status)
        status = time_split_take(minres->base.space, update, minres, &minres->base.result,
                                 &split->updates, error);
    if (!status)
        status = time_split_take(minres->base.space, product, minres, &minres->base.result,
                                 &split->product, error);
    if (!status)
        status = space_download(minres->base.space, MINRES_SCALARS, (const double *)minres->scalars,
                                (double *)&scalars, error);
    if (scalars.ended)
        *split = (struct solver_split){0};
    return status;
}

static enum status begin(struct solver *solver, const double *b, const double *x0,
                         struct error *error)
{
    struct minres *minres = (struct minres *)solver;
    minres->skew = solver->method->kind == CSR_SKEW;
    minres->loop = (struct row_loop){
        .space = solver->space,
        .turn = turn,
        .take = take_row,
        .context = minres,
        .due = observer_wants(solver->observer, EVENT_VECTOR) ? &minres->tracing.due : NULL,
        .look = look};
    enum status status = tracing_begin(&minres->tracing, solver, error);
    if (!status)
        status = create(minres, error);
    if (!status)
        status = start(minres, b, x0, error);
    return status ? status : row_loop_record(&minres->loop, solver->n, error);
}

static enum status advance(struct solver *solver, int64_t until, struct error *error)
{
    struct minres *minres = (struct minres *)solver;
    enum status status = row_loop_run(&minres->loop, until, error);
    solver->ended = minres->loop.ended;
    if (solver->ended)
        solver->result.reason = (enum reason)minres->loop.rows->reason;
    return status;
}

static enum status end(struct solver *solver, const struct csr *A, const double *b, double *x,
                       struct error *error)
{
    struct minres *minres = (struct minres *)solver;
    struct solver_result *result = &solver->result;
    result->products += products(result);
    enum status status = space_download(solver->space, solver->n, minres->x, x, error);
    if (!status && minres->tracing.due == result->iterations)
        status = tracing_show(&minres->tracing, VECTOR_X, minres->x, error);
    if (!status)
        status = solver_confirm(solver, A, b, x, error);
    if (!status && time_split_wanted(&solver->options, result))
        status = split_time(minres, error);
    return status;
}

/* The iteration and its end, among the scalars. */
static enum status go_on(struct minres *minres, struct error *error)
{
    int64_t place[] = {minres->base.result.iterations, minres->base.ended};
    minres->turns = place[0];
    row_loop_go_on(&minres->loop, place[0], minres->base.ended);
    tracing_go_on(&minres->tracing);
    return space_upload(minres->base.space, 2, (const double *)place,
                        (double *)&minres->scalars->iteration, error);
}

static enum status keep(struct solver *solver, struct archive *archive, struct error *error)
{
    struct minres *minres = (struct minres *)solver;
    struct {
        const char *name;
        double *vector;
    } vectors[] = {{"x", minres->x},         {"q", minres->q},    {"v", minres->v[0]},
                   {"next v", minres->v[1]}, {"d", minres->d[0]}, {"next d", minres->d[1]}};
    enum status status =
        archive_vector(archive, solver->space, "scalars", MINRES_SCALARS - MINRES_STATE,
                       (double *)minres->scalars + MINRES_STATE, error);
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors && !status; k++)
        status = archive_vector(archive, solver->space, vectors[k].name, solver->n,
                                vectors[k].vector, error);
    return status || !archive->loads ? status : go_on(minres, error);
}

static void destroy(struct solver *solver)
{
    struct minres *minres = (struct minres *)solver;
    tracing_end(&minres->tracing);
    row_loop_end(&minres->loop);
    solver->space->ended = NULL;
    double *vectors[] = {minres->x,
                         minres->q,
                         minres->v[0],
                         minres->v[1],
                         minres->d[0],
                         minres->d[1],
                         (double *)minres->scalars};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        space_release(solver->space, vectors[k]);
}

static const struct series series[] = {
    [MINRES_RESIDUAL] = {"residual", "|phi| = ||r||_2, of the recursive r", SERIES_IN_ALL_ROWS},
    [MINRES_ALPHA] = {"alpha", "v . A v; with a shift, that", SERIES_FROM_ROW_1},
    [MINRES_BETA] = {"beta", "the norm of what the recurrence leaves of A v", SERIES_FROM_ROW_1},
    [MINRES_SERIES] = {NULL},
};

const struct method method_minres = {
    .component = {COMPONENT_METHOD, "minres", "minimal residuals, for a symmetric matrix"},
    .title = "MINRES",
    .needs = "MINRES needs",
    .traits = METHOD_FINDS_VECTOR | METHOD_TAKES_INDEFINITE | METHOD_TAKES_TRACE,
    .kind = CSR_SYMMETRIC,
    .matrix = "A",
    .series = series,
    .vectors = 1u << VECTOR_X,
    .size = sizeof(struct minres),
    .begin = begin,
    .advance = advance,
    .end = end,
    .keep = keep,
    .destroy = destroy,
    .memory_bytes = memory_bytes,
    .bytes_per_iteration = bytes_per_iteration,
};

static enum status check_order(const struct solver_options *options, const struct csr *A,
                               struct error *error)
{
    if (options->shift != 0 || A->n % 2 == 0)
        return STATUS_OK;
    return error_set(error, STATUS_CONFIG,
                     "shift = 0: a skew-symmetric matrix of odd order is singular, and this one "
                     "has %" PRId64 " rows",
                     A->n);
}

const struct method method_skew = {
    .component = {COMPONENT_METHOD, "skew",
                  "minimal residuals, for shift I + S with a skew-symmetric S"},
    .title = "MINRES for a shifted skew-symmetric matrix",
    .needs = "the method skew needs",
    .traits =
        METHOD_FINDS_VECTOR | METHOD_TAKES_SHIFT | METHOD_TAKES_INDEFINITE | METHOD_TAKES_TRACE,
    .kind = CSR_SKEW,
    .matrix = "(shift I + S)",
    .series = series,
    .vectors = 1u << VECTOR_X,
    .check = check_order,
    .size = sizeof(struct minres),
    .begin = begin,
    .advance = advance,
    .end = end,
    .keep = keep,
    .destroy = destroy,
    .memory_bytes = memory_bytes,
    .bytes_per_iteration = bytes_per_iteration,
};
