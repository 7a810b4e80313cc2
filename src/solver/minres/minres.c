#include "cgsolve/minres.h"

#include "base/clock.h"
#include "solver/confirm.h"
#include "solver/row_loop.h"
#include "solver/time_split.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

/* A solve while it goes on; its vectors and scalars are in the space's memory. */
struct minres {
    struct linear_operator *spmv;
    struct space *space;
    const struct space_operations *space_do;
    int64_t n;
    bool skew;
    double *x, *q;       /* q = A v, then w */
    double *v[2], *d[2]; /* v_k at v[(k - 1) % 2], d_k at d[(k - 1) % 2] */
    int64_t turns;       /* of the loop that were recorded or done: k - 1 */
    struct minres_scalars *scalars;
    struct row_loop loop;
    const struct solver_observer *observer;
    struct solver_result *result;
};

enum { MINRES_SCALARS = sizeof(struct minres_scalars) / sizeof(double), MINRES_VECTORS = 6 };
_Static_assert(sizeof(struct minres_scalars) % sizeof(double) == 0, "it travels as doubles");

static int64_t memory_bytes(const struct solver_options *options, int64_t n)
{
    (void)options;
    return MINRES_VECTORS * n * (int64_t)sizeof(double) + (int64_t)sizeof(struct minres_scalars);
}

/* Whether the space norms w in a pass of its own. */
static bool norms_apart(const struct space *space)
{
    return space->reductions == REDUCTIONS_BLAS ||
           (space->operations->kind == SPACE_CUDA &&
            (space->reductions == REDUCTIONS_ATOMIC || space->reductions == REDUCTIONS_EXACT));
}

static int64_t bytes_per_iteration(const struct solver_options *options,
                                   const struct linear_operator *spmv)
{
    bool skew = options->method->kind == CSR_SKEW;
    int64_t halves = /* of a vector */
        1 + 2 * (skew ? 7 + 3 : 8 + 4 + (spmv->fuses_dot ? 0 : 2)) + 2 * norms_apart(spmv->space);
    return spmv->bytes_per_apply + halves * spmv->n * (int64_t)sizeof(double) / 2;
}

static enum status create(struct minres *minres, struct error *error)
{
    struct {
        double **vector;
        int64_t count;
        const char *what;
    } wanted[] = {
        {&minres->x, minres->n, "the vector x"},
        {&minres->q, minres->n, "the vector q"},
        {&minres->v[0], minres->n, "the vector v"},
        {&minres->v[1], minres->n, "the next vector v"},
        {&minres->d[0], minres->n, "the vector d"},
        {&minres->d[1], minres->n, "the next vector d"},
        {(double **)&minres->scalars, MINRES_SCALARS, "the scalars"},
    };
    enum status status = STATUS_OK;
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted && !status; k++)
        status = minres->space_do->allocate(minres->space, wanted[k].count, wanted[k].what,
                                            wanted[k].vector, error);
    return status ? status : row_loop_begin(&minres->loop, error);
}

static void destroy(struct minres *minres)
{
    row_loop_end(&minres->loop);
    minres->space->ended = NULL;
    double *vectors[] = {minres->x,
                         minres->q,
                         minres->v[0],
                         minres->v[1],
                         minres->d[0],
                         minres->d[1],
                         (double *)minres->scalars};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        minres->space_do->release(minres->space, vectors[k]);
}

/* w = b, x = 0, v_0 = d_0 = d_{-1} = 0, row 0, v_1 = w / ||w|| */
static enum status start(struct minres *minres, const double *b,
                         const struct solver_options *options, struct error *error)
{
    struct minres_scalars scalars = {.tolerance = options->tolerance,
                                     .max_iterations = options->max_iterations,
                                     .rows = minres->loop.rows,
                                     .skew = minres->skew,
                                     .alpha = minres->skew ? options->shift : 0,
                                     .iteration = -1};
    double *zeros[] = {minres->x, minres->v[1], minres->d[0], minres->d[1]};
    struct minres_vectors first = {.w = minres->q, .v_next = minres->v[0]};
    enum status status = minres->space_do->upload(
        minres->space, MINRES_SCALARS, (const double *)&scalars, (double *)minres->scalars, error);
    if (!status)
        status = minres->space_do->upload(minres->space, minres->n, b, minres->q, error);
    for (size_t k = 0; k < sizeof zeros / sizeof *zeros && !status; k++)
        status = minres->space_do->fill(minres->space, minres->n, 0, zeros[k], error);
    if (!status)
        status = minres->space_do->dot(minres->space, minres->n, minres->q, minres->q,
                                       &minres->scalars->norm_squared, error);
    if (!status)
        status =
            minres->space_do->minres_step(minres->space, minres->n, &first, minres->scalars, error);
    minres->space->ended = &minres->scalars->ended;
    return status;
}

/* q = A v, and v . q, which S v has none of. */
static enum status multiply(struct minres *minres, const double *v, struct error *error)
{
    return minres->skew
               ? operator_apply(minres->spmv, v, minres->q, error)
               : operator_apply_dot(minres->spmv, v, minres->q, &minres->scalars->alpha, error);
}

/* w = q - alpha v - upper v_before, and its norm; S v has no part along v. The coefficients are in
 * the space. */
static enum status recur(struct minres *minres, const double *alpha, const double *v,
                         const double *upper, const double *v_before, struct error *error)
{
    double *squared = &minres->scalars->norm_squared;
    return minres->skew
               ? minres->space_do->axmy_axmy_norm_squared(minres->space, minres->n, upper, v_before,
                                                          NULL, NULL, minres->q, squared, error)
               : minres->space_do->axmy_axmy_norm_squared(minres->space, minres->n, alpha, v, upper,
                                                          v_before, minres->q, squared, error);
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
                                  .v_next = minres->v[!second]};
    minres->turns++;
    enum status status = multiplies ? multiply(minres, step.v, error) : STATUS_OK;
    if (!status)
        status = recur(minres, alpha, step.v, upper, step.v_next, error);
    if (!status)
        status =
            minres->space_do->minres_step(minres->space, minres->n, &step, minres->scalars, error);
    if (!status && second)
        status = minres->space_do->dot(minres->space, minres->n, minres->x, minres->x,
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
    struct solver_result *result = minres->result;
    if (row->iteration == 0)
        result->rhs_norm = row->residual;
    result->iterations = row->iteration;
    result->residual = row->residual;
    if (!minres->observer || !minres->observer->row)
        return STATUS_OK;
    struct history_row seen = history_row_of(row->iteration, row->residual, row->alpha, row->beta);
    return minres->observer->row(minres->observer->context, &seen, error);
}

/* The product of a turn that made no row is one too. */
static int64_t products(const struct solver_result *result)
{
    bool without_row = result->reason == REASON_LEAST_SQUARES ||
                       (result->reason == REASON_NOT_FINITE && isfinite(result->residual));
    return result->iterations + without_row;
}

/* Whether v . A v is a pass of its own. */
static bool dots_apart(const struct minres *minres)
{
    return !minres->skew && !minres->spmv->fuses_dot;
}

/* alpha = 0 stays, and no part of w is taken off. No row but the first reads the tolerance. */
static enum status update(void *context, struct error *error)
{
    struct minres *minres = context;
    struct minres_scalars *s = minres->scalars;
    enum status status = take_turn(minres, false, &s->alpha, &s->alpha, error);
    if (status || !dots_apart(minres))
        return status;
    return minres->space_do->dot(minres->space, minres->n, minres->v[0], minres->q, &s->tolerance,
                                 error);
}

static enum status product(void *context, struct error *error)
{
    struct minres *minres = context;
    return dots_apart(minres) ? operator_apply(minres->spmv, minres->v[0], minres->q, error)
                              : multiply(minres, minres->v[0], error);
}

/* The pieces of a turn over and over, from a state in which they can be: w is a v, of norm 1, and
 * stays, so that T has 0 on its diagonal and 1 beside it; |phi| falls like 1 / sqrt(k) then, and d
 * and x grow like powers of k. It is known if a row ended it all the same: then what followed did
 * nothing. */
static enum status split_time(struct minres *minres, struct error *error)
{
    struct solver_split *split = &minres->result->time_split;
    struct minres_scalars scalars = {.max_iterations = INT64_MAX,
                                     .rows = minres->loop.rows,
                                     .skew = minres->skew,
                                     .iteration = 1,
                                     .upper = minres->skew ? -1 : 1,
                                     .rhs_norm = INFINITY,
                                     .target = -1,
                                     .phi = 1,
                                     .cosine = 1,
                                     .cosine_before = 1};
    double *zeros[] = {minres->x, minres->d[0], minres->d[1]};
    const double *last = minres->v[(minres->result->iterations - 1) % 2]; /* the next may be 0 */
    minres->turns = 0;
    enum status status = minres->space_do->upload(
        minres->space, MINRES_SCALARS, (const double *)&scalars, (double *)minres->scalars, error);
    for (size_t k = 0; k < sizeof zeros / sizeof *zeros && !status; k++)
        status = minres->space_do->fill(minres->space, minres->n, 0, zeros[k], error);
    if (!status)
        status = minres->space_do->copy(minres->space, minres->n, last, minres->q, error);
    if (!status)
        status =
            time_split_take(minres->space, update, minres, minres->result, &split->updates, error);
    if (!status)
        status =
            time_split_take(minres->space, product, minres, minres->result, &split->product, error);
    if (!status)
        status =
            minres->space_do->download(minres->space, MINRES_SCALARS,
                                       (const double *)minres->scalars, (double *)&scalars, error);
    if (scalars.ended)
        *split = (struct solver_split){0};
    return status;
}

static enum status solve(struct linear_operator *spmv, const struct csr *A, const double *b,
                         const struct solver_options *options,
                         const struct solver_observer *observer, double *x,
                         struct solver_result *result, struct error *error)
{
    *result = (struct solver_result){.curvature = NAN, .ritz_low = NAN, .ritz_high = NAN};
    struct minres minres = {.spmv = spmv,
                            .space = spmv->space,
                            .space_do = spmv->space->operations,
                            .n = A->n,
                            .skew = options->method->kind == CSR_SKEW,
                            .observer = observer,
                            .result = result};
    minres.loop = (struct row_loop){
        .space = minres.space, .turn = turn, .take = take_row, .context = &minres};
    double called = clock_seconds();
    enum status status = create(&minres, error);
    if (!status)
        status = start(&minres, b, options, error);
    if (!status)
        status = row_loop_record(&minres.loop, minres.n, error);
    double begin = clock_seconds();
    result->start_seconds = begin - called;
    if (!status)
        status = row_loop_run(&minres.loop, error);
    result->seconds = clock_seconds() - begin;
    if (!status) {
        result->reason = (enum reason)minres.loop.rows->reason;
        result->products = products(result);
        status = minres.space_do->download(minres.space, minres.n, minres.x, x, error);
    }
    if (!status)
        status = solver_confirm(A, b, x, options, result, error);
    if (!status && time_split_wanted(options, result))
        status = split_time(&minres, error);
    destroy(&minres);
    return status;
}

const struct method method_minres = {
    .component = {COMPONENT_METHOD, "minres", "minimal residuals, for a symmetric matrix"},
    .title = "MINRES",
    .needs = "MINRES needs",
    .traits = METHOD_FINDS_VECTOR | METHOD_TAKES_INDEFINITE,
    .kind = CSR_SYMMETRIC,
    .matrix = "A",
    .solve = solve,
    .memory_bytes = memory_bytes,
    .bytes_per_iteration = bytes_per_iteration,
};

static enum status check_order(const struct solver_options *options, const struct csr *A,
                               struct error *error)
{
    if (options->shift != 0 || A->n % 2 == 0)
        return STATUS_OK;
    return error_set(error, STATUS_CONFIG,
                     "solver.shift = 0: a skew-symmetric matrix of odd order is singular, and this "
                     "one has %" PRId64 " rows",
                     A->n);
}

const struct method method_skew = {
    .component = {COMPONENT_METHOD, "skew",
                  "minimal residuals, for shift I + S with a skew-symmetric S"},
    .title = "MINRES for a shifted skew-symmetric matrix",
    .needs = "the method skew needs",
    .traits = METHOD_FINDS_VECTOR | METHOD_TAKES_SHIFT | METHOD_TAKES_INDEFINITE,
    .kind = CSR_SKEW,
    .matrix = "(shift I + S)",
    .check = check_order,
    .solve = solve,
    .memory_bytes = memory_bytes,
    .bytes_per_iteration = bytes_per_iteration,
};
