#include "cgsolve/cg.h"

#include "base/clock.h"
#include "base/memory.h"
#include "solver/cg/trace.h"
#include "solver/cg/work.h"
#include "solver/confirm.h"
#include "solver/time_split.h"

#include <math.h>
#include <stdbool.h>

static int64_t bytes_per_iteration(const struct solver_options *options,
                                   const struct linear_operator *spmv)
{
    const struct linear_operator *M = options->preconditioner;
    double vectors = 3 + (operator_makes_direction(spmv) ? 3.5 : 5) + (spmv->fuses_dot ? 0 : 2) +
                     (spmv->space->reductions == REDUCTIONS_BLAS ? 1 : 0);
    return spmv->bytes_per_apply + (int64_t)(vectors * (double)spmv->n * (double)sizeof(double)) +
           (M ? M->bytes_per_apply : 0);
}

static int64_t memory_bytes(const struct solver_options *options, int64_t n)
{
    int64_t vectors = options->preconditioner ? 5 : 4;
    return vectors * n * (int64_t)sizeof(double) + (int64_t)sizeof(struct cg_scalars);
}

static enum status create(struct cg *cg, struct error *error)
{
    struct {
        double **vector;
        int64_t count;
        const char *what;
    } wanted[] = {
        {&cg->x, cg->n, "the vector x"},
        {&cg->r, cg->n, "the vector r"},
        {&cg->p[0], cg->n, "the vector p"},
        {&cg->p[1], cg->makes_direction ? cg->n : 0, "the next vector p"},
        {&cg->q, cg->n, "the vector q"},
        {&cg->z, cg->M ? cg->n : 0, "the vector z"},
        {(double **)&cg->scalars, CG_SCALARS, "the scalars"},
    };
    enum status status = STATUS_OK;
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted && !status; k++)
        status = cg->space_do->allocate(cg->space, wanted[k].count, wanted[k].what,
                                        wanted[k].vector, error);
    return status ? status : row_loop_begin(&cg->loop, error);
}

/* Where the next direction starts from: r, or what M makes of it. */
static const double *source(const struct cg *cg)
{
    return cg->M ? cg->z : cg->r;
}

static void destroy(struct cg *cg)
{
    row_loop_end(&cg->loop);
    cg->space->ended = NULL;
    cg->space_do->release(cg->space, cg->x);
    cg->space_do->release(cg->space, cg->r);
    cg->space_do->release(cg->space, cg->p[0]);
    cg->space_do->release(cg->space, cg->p[1]);
    cg->space_do->release(cg->space, cg->q);
    cg->space_do->release(cg->space, cg->z);
    cg->space_do->release(cg->space, (double *)cg->scalars);
}

/* z = M^-1 r, *rho = r . z */
static enum status precondition(struct cg *cg, double *rho, struct error *error)
{
    return operator_apply_dot(cg->M, cg->r, cg->z, rho, error);
}

/* r . r, z where there is an M, rho */
static enum status first_rho(struct cg *cg, struct error *error)
{
    struct cg_scalars *s = cg->scalars;
    double *squared = cg->M ? &s->residual_squared : &s->rho;
    enum status status = cg->space_do->dot(cg->space, cg->n, cg->r, cg->r, squared, error);
    return status || !cg->M ? status : precondition(cg, &s->rho, error);
}

/* x = 0, r = b, z, p = z, rho = r . z, row 0 */
static enum status start(struct cg *cg, const double *b, const struct solver_options *options,
                         struct error *error)
{
    struct cg_scalars scalars = {.tolerance = options->tolerance,
                                 .max_iterations = options->max_iterations,
                                 .preconditioned = cg->M != NULL,
                                 .rows = cg->loop.rows,
                                 .iteration = -1};
    enum status status = cg->space_do->upload(cg->space, CG_SCALARS, (const double *)&scalars,
                                              (double *)cg->scalars, error);
    if (!status)
        status = cg->space_do->upload(cg->space, cg->n, b, cg->r, error);
    if (!status)
        status = cg->space_do->fill(cg->space, cg->n, 0, cg->x, error);
    if (!status)
        status = first_rho(cg, error);
    if (!status)
        status = cg->space_do->copy(cg->space, cg->n, source(cg), cg->p[0], error);
    if (!status)
        status = cg->space_do->cg_advance(cg->space, cg->scalars, error);
    cg->space->ended = &cg->scalars->ended;
    return status;
}

/* What a turn does with A: q = A p and, unless dot is NULL, *dot = p . q. Where the kernel makes
 * p = z + beta p, that too, and x takes its steps two at a time, in every second turn: the first of
 * them is along the p that is about to be overwritten. */
static enum status multiply(struct cg *cg, double *dot, struct error *error)
{
    struct cg_scalars *s = cg->scalars;
    if (!cg->makes_direction)
        return dot ? operator_apply_dot(cg->spmv, cg->p[0], cg->q, dot, error)
                   : operator_apply(cg->spmv, cg->p[0], cg->q, error);
    bool second = cg->turns % 2 == 1;
    struct direction step = {.r = source(cg),
                             .p = cg->p[second],
                             .next = cg->p[!second],
                             .beta = &s->beta,
                             .x = second ? cg->x : NULL,
                             .alpha_before = &s->alpha_before,
                             .alpha = &s->alpha};
    cg->turns++;
    return operator_apply_direction(cg->spmv, &step, cg->q, dot, error);
}

/* What it does besides: r -= alpha q, ||r||, with an M, if it is to be applied, z and rho; the next
 * row; and x += alpha p, p = z + beta p, unless the kernel does that. */
static enum status step(struct cg *cg, bool applies, struct error *error)
{
    const struct space_operations *space_do = cg->space_do;
    struct cg_scalars *s = cg->scalars;
    struct quotient alpha = {&s->rho, &s->curvature};
    enum status status = cg->M ? space_do->axmy_norm_squared(cg->space, cg->n, alpha, cg->q, cg->r,
                                                             &s->residual_squared, error)
                               : space_do->cg_step(cg->space, cg->n, cg->q, cg->r, s, error);
    if (!status && cg->M && applies)
        status = precondition(cg, &s->next_rho, error);
    if (!status && cg->M)
        status = space_do->cg_advance(cg->space, s, error);
    if (!status && !cg->makes_direction)
        status = space_do->axpy_xpby(cg->space, cg->n, &s->alpha, &s->beta, source(cg), cg->p[0],
                                     cg->x, error);
    return status;
}

/* One turn of the loop of cgsolve/cg.h, which begins behind the first product. */
static enum status turn(void *context, struct error *error)
{
    struct cg *cg = context;
    enum status status = step(cg, true, error);
    return status ? status : multiply(cg, &cg->scalars->curvature, error);
}

/* The steps of x that the loop has not come to. Of K iterations, the last one's direction was made
 * only when it was the next p . A p that ended the loop, or when it was interrupted: then there is
 * no curvature. */
static enum status catch_up(struct cg *cg, struct error *error)
{
    const struct solver_result *result = cg->result;
    int64_t iterations = result->iterations;
    if (iterations == 0)
        return STATUS_OK;
    int64_t turned = cg_may_divide(result->curvature) ? iterations - 1 : iterations;
    int64_t done = cg->makes_direction ? turned / 2 * 2 : turned;
    enum status status = STATUS_OK;
    for (int64_t k = done; k < iterations && !status; k++)
        status = cg->space_do->axpy(cg->space, cg->n, cg->alphas[k % 2],
                                    cg->p[cg->makes_direction ? k % 2 : 0], cg->x, error);
    return status;
}

/* A row of the history has come. */
static enum status take_row(void *context, const struct solver_row *row, struct error *error)
{
    struct cg *cg = context;
    struct solver_result *result = cg->result;
    if (row->iteration == 0)
        result->rhs_norm = row->residual;
    else
        cg->alphas[(row->iteration - 1) % 2] = row->alpha;
    result->iterations = row->iteration;
    result->residual = row->residual;
    struct history_row seen = history_row_of(row->iteration, row->residual, row->alpha, row->beta);
    enum status status = cg_spectrum_take(&cg->spectrum, row, &seen, error);
    if (status || !cg->observer || !cg->observer->row)
        return status;
    return cg->observer->row(cg->observer->context, &seen, error);
}

static enum status look(void *context, struct error *error)
{
    struct cg *cg = context;
    return tracing_take(&cg->tracing, cg, error);
}

/* All that is timed: q = A p, the loop until its last row is there, and the steps of x that are
 * left. What was sent ahead and does nothing is waited for in between, off the clock. */
static enum status iterate(struct cg *cg, struct error *error)
{
    struct solver_result *result = cg->result;
    double begin = clock_seconds();
    enum status status =
        operator_apply_dot(cg->spmv, cg->p[0], cg->q, &cg->scalars->curvature, error);
    if (!status)
        status = row_loop_run(&cg->loop, error);
    result->seconds = clock_seconds() - begin;
    result->reason = (enum reason)cg->loop.rows->reason;
    result->curvature = cg->loop.rows->curvature;
    if (status)
        return status;
    cg->space_do->forget(cg->space);
    cg->space->ended = NULL;
    begin = clock_seconds();
    status = catch_up(cg, error);
    cg->space_do->forget(cg->space); /* it waits */
    result->seconds += clock_seconds() - begin;
    return status;
}

/* p . q belongs to the product where the kernel brings it along. No row but the first reads the
 * tolerance. */
static enum status update(void *context, struct error *error)
{
    struct cg *cg = context;
    enum status status = step(cg, false, error);
    if (status || cg->spmv->fuses_dot)
        return status;
    return cg->space_do->dot(cg->space, cg->n, cg->p[0], cg->q, &cg->scalars->tolerance, error);
}

static enum status product(void *context, struct error *error)
{
    struct cg *cg = context;
    return multiply(cg, cg->spmv->fuses_dot ? &cg->scalars->curvature : NULL, error);
}

static enum status apply(void *context, struct error *error)
{
    struct cg *cg = context;
    return precondition(cg, &cg->scalars->next_rho, error);
}

/* The pieces of a turn over and over, from a state in which they can be: q = 0 and r = p leave r as
 * it is, so rho does not change, and no row is one to end with. It is known if one did: then what
 * followed did nothing. */
static enum status split_time(struct cg *cg, struct error *error)
{
    struct solver_split *split = &cg->result->time_split;
    struct cg_scalars scalars = {.max_iterations = INT64_MAX,
                                 .preconditioned = cg->M != NULL,
                                 .rows = cg->loop.rows,
                                 .iteration = 1,
                                 .rho = 1,
                                 .next_rho = 1,
                                 .curvature = 1,
                                 .target = -1};
    cg->turns = 0;
    cg->space->ended = &cg->scalars->ended;
    enum status status = cg->space_do->upload(cg->space, CG_SCALARS, (const double *)&scalars,
                                              (double *)cg->scalars, error);
    if (!status)
        status = cg->space_do->copy(cg->space, cg->n, cg->p[0], cg->r, error);
    if (!status)
        status = cg->space_do->fill(cg->space, cg->n, 0, cg->q, error);
    if (!status)
        status = time_split_take(cg->space, update, cg, cg->result, &split->updates, error);
    if (!status && cg->M)
        status = time_split_take(cg->space, apply, cg, cg->result, &split->preconditioner, error);
    if (!status)
        status = time_split_take(cg->space, product, cg, cg->result, &split->product, error);
    if (!status)
        status = cg->space_do->download(cg->space, CG_SCALARS, (const double *)cg->scalars,
                                        (double *)&scalars, error);
    if (scalars.ended)
        *split = (struct solver_split){0};
    return status;
}

/* The extreme Ritz values. Of a matrix that has shown a p . A p <= 0 the smallest one is not among
 * those of T_k. */
static void take_spectrum(const struct cg *cg)
{
    struct solver_result *result = cg->result;
    cg_spectrum_extremes(&cg->spectrum, &result->ritz_low, &result->ritz_high);
    if (result->reason == REASON_NOT_POSITIVE)
        result->ritz_low = NAN;
}

static enum status solve(struct linear_operator *spmv, const struct csr *A, const double *b,
                         const struct solver_options *options,
                         const struct solver_observer *observer, double *x,
                         struct solver_result *result, struct error *error)
{
    struct cg cg = {.spmv = spmv,
                    .space = spmv->space,
                    .space_do = spmv->space->operations,
                    .n = A->n,
                    .makes_direction = operator_makes_direction(spmv),
                    .M = options->preconditioner,
                    .observer = observer,
                    .result = result};
    const struct cg_trace *trace = observer ? observer->trace : NULL;
    cg.loop = (struct row_loop){.space = cg.space,
                                .turn = turn,
                                .take = take_row,
                                .context = &cg,
                                .due = trace ? &cg.tracing.due : NULL,
                                .look = look};
    double called = clock_seconds();
    enum status status = tracing_begin(&cg.tracing, &cg, trace, error);
    if (!status)
        status = create(&cg, error);
    if (!status)
        status = start(&cg, b, options, error);
    if (!status)
        status = row_loop_record(&cg.loop, cg.n, error);
    result->start_seconds = clock_seconds() - called;
    if (!status)
        status = iterate(&cg, error);
    result->products = (result->iterations + 1) * (1 + (cg.M ? cg.M->products : 0));
    if (!status)
        status = tracing_take_last(&cg.tracing, &cg, result->iterations, error);
    if (!status)
        status = cg.space_do->download(cg.space, cg.n, cg.x, x, error);
    if (!status)
        status = solver_confirm(A, b, x, options, result, error);
    if (!status && time_split_wanted(options, result))
        status = split_time(&cg, error);
    take_spectrum(&cg);
    cg_spectrum_free(&cg.spectrum);
    tracing_end(&cg.tracing, &cg);
    destroy(&cg);
    return status;
}

const struct method method_cg = {
    .component = {COMPONENT_METHOD, "cg",
                  "conjugate gradients, for a symmetric positive definite matrix"},
    .title = "conjugate gradients",
    .needs = "conjugate gradients need",
    .traits = METHOD_FINDS_VECTOR | METHOD_TAKES_PRECONDITIONER | METHOD_TAKES_TRACE,
    .kind = CSR_SYMMETRIC,
    .matrix = "A",
    .refusal = "p . A p = 0 for every p",
    .history = 1u << HISTORY_RITZ_LOW | 1u << HISTORY_RITZ_HIGH | 1u << HISTORY_CONDITION |
               1u << HISTORY_ERROR_NORM,
    .solve = solve,
    .memory_bytes = memory_bytes,
    .bytes_per_iteration = bytes_per_iteration,
};
