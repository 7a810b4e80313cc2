#include "solver/restart.h"

#include "base/random.h"
#include "cgsolve/method.h"
#include "solver/confirm.h"
#include "space/rank_vector.h"
#include "space/ranks.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { RESTARTS = 3 };

/* How far ||b - A x|| may lie above the recursive residual. */
static const double GAP = 1.1;

/* Of what rounding leaves of b - A x: above REACHED a gap is worth a restart, and up to STAGNANT
 * stagnation is that. */
static const double REACHED = 2, STAGNANT = 16;

/* By how much b - A x may be larger than b - A x_0 before a first restart from x. */
static const double HOPELESS = 100;

/* Where x is no better than x_0 (struct solver_restart), and what multiplies it at each failure. */
static const double CAUTION = 0x1p20, MORE_CAUTION = 0x1p8;

/* ||A v|| over ||A (z v)||; |a row of A| over ||A||; and ||v|| in such rows over ||v||. */
static const double SINGULAR = 0x1p-36, ALONE = 0x1p-20, PRECONDITIONED = 0x1p-10;
static const double LARGE = 0x1p-20, NEARLY_ALL = 0.995;

struct restart {
    struct linear_operator *spmv;
    struct space *space;
    const struct csr *A;
    const double *b, *x0;
    const struct solver_options *options;
    const struct observer *observer; /* the caller's */
    struct partition *of;            /* NULL: one rank */
    int64_t n, first, last;          /* the own rows */
    double *v;                       /* [n], on the host */
    double *vector, *product;        /* [n], in the space */
    double *scalar;                  /* in the space */
    struct solver_restart next;      /* with what the next one begins */
    bool singular;                   /* A has been shown to be */
};

static double sign_and_size(int64_t i)
{
    double u = random_uniform(UINT64_C(0x7265737461727421), (uint64_t)i);
    return u < 0 ? (u - 1) / 2 : (u + 1) / 2;
}

static enum status begin(struct restart *restart, struct error *error)
{
    struct space *space = restart->space;
    int64_t n = restart->n;
    restart->v = rank_vector_create(restart->of, n, sizeof(double), "a restart", error);
    if (!restart->v)
        return STATUS_MEMORY;
    enum status status = space_vector(space, n, "a restart", &restart->vector, error);
    if (!status)
        status = space_vector(space, n, "a restart", &restart->product, error);
    return status ? status : space_scalars(space, 1, "a restart", &restart->scalar, error);
}

static void end(struct restart *restart)
{
    rank_vector_free(restart->of, restart->n, sizeof(double), restart->v);
    space_release(restart->space, restart->vector);
    space_release(restart->space, restart->product);
    space_release(restart->space, restart->scalar);
    restart->v = restart->vector = restart->product = restart->scalar = NULL;
}

static enum status norm_of(struct restart *restart, const double *vector, double *norm,
                           struct error *error)
{
    enum status status =
        space_dot(restart->space, restart->n, vector, vector, restart->scalar, error);
    if (!status)
        status = space_download(restart->space, 1, restart->scalar, norm, error);
    *norm = sqrt(*norm);
    return status;
}

static enum status norm_of_host(struct restart *restart, const double *v, double *norm,
                                struct error *error)
{
    enum status status = space_upload(restart->space, restart->n, v, restart->vector, error);
    return status ? status : norm_of(restart, restart->vector, norm, error);
}

/* product = (shift I + A) v, and its norm. */
static enum status multiply(struct restart *restart, const double *v, double *norm,
                            struct error *error)
{
    struct space *space = restart->space;
    double shift = restart->options->shift;
    enum status status = space_upload(space, restart->n, v, restart->vector, error);
    if (!status)
        status = operator_apply(restart->spmv, restart->vector, restart->product, error);
    if (!status && shift != 0)
        status = space_axpy(space, restart->n, shift, restart->vector, restart->product, error);
    return status ? status : norm_of(restart, restart->product, norm, error);
}

/* ||A (z v)||, which is in restart->v then. */
static enum status multiply_shaken(struct restart *restart, const double *v, double *norm,
                                   struct error *error)
{
    for (int64_t i = restart->first; i < restart->last; i++)
        restart->v[i] = sign_and_size(i) * (v ? v[i] : 1);
    return multiply(restart, restart->v, norm, error);
}

/* --- what is said of A ------------------------------------------------------------------------ */

/* vector = b - A x */
static enum status make_residual(struct restart *restart, const double *x, struct error *error)
{
    double norm;
    enum status status = multiply(restart, x, &norm, error);
    if (!status)
        status = space_upload(restart->space, restart->n, restart->b, restart->vector, error);
    return status ? status
                  : space_axpy(restart->space, restart->n, -1, restart->product, restart->vector,
                               error);
}

/* v of a least squares solution, and of a singular A. */
static enum status make_null_vector(struct restart *restart, enum reason reason, const double *x,
                                    double *v, struct error *error)
{
    const struct linear_operator *M = restart->options->preconditioner;
    for (int64_t i = restart->first; i < restart->last && reason == REASON_SINGULAR; i++)
        v[i] = x[i] - (restart->x0 ? restart->x0[i] : 0);
    if (reason == REASON_SINGULAR)
        return STATUS_OK;
    enum status status = make_residual(restart, x, error);
    if (!status && M)
        status = operator_apply(M, restart->vector, restart->product, error);
    return status ? status
                  : ranks_download_own(restart->space, restart->n,
                                       M ? restart->product : restart->vector, v, error);
}

/* rows = A z, size = ||A||, from below, by a step of the power method. */
static enum status look_at_rows(struct restart *restart, double *rows, double *size,
                                struct error *error)
{
    double once, twice;
    enum status status = multiply_shaken(restart, NULL, &once, error);
    if (!status)
        status = ranks_download_own(restart->space, restart->n, restart->product, rows, error);
    if (!status)
        status = multiply(restart, rows, &twice, error);
    *size = once > 0 ? twice / once : 0;
    return status;
}

/* The norm of v in the rows of A that are 0, or of at least that size. */
static enum status norm_in_rows(struct restart *restart, const double *v, const double *rows,
                                double least, double *norm, struct error *error)
{
    for (int64_t i = restart->first; i < restart->last; i++)
        restart->v[i] = rows[i] == 0 || fabs(rows[i]) >= least ? v[i] : 0;
    return norm_of_host(restart, restart->v, norm, error);
}

/* The norms that tell whether v is a null vector. */
struct null_vector {
    double plain;         /* ||A v|| */
    double shaken;        /* ||A (z v)||, with size |v_i| in rows of A that are 0 */
    double length, large; /* ||v||, in all rows and in those that are 0 or not far below ||A|| */
};

static enum status look_at(struct restart *restart, const double *v, double *rows,
                           struct null_vector *seen, struct error *error)
{
    double size, empty;
    enum status status = norm_of_host(restart, v, &seen->length, error);
    if (!status)
        status = multiply(restart, v, &seen->plain, error);
    if (!status)
        status = multiply_shaken(restart, v, &seen->shaken, error);
    if (!status)
        status = look_at_rows(restart, rows, &size, error);
    if (!status)
        status = norm_in_rows(restart, v, rows, INFINITY, &empty, error);
    if (!status)
        status = norm_in_rows(restart, v, rows, LARGE * size, &seen->large, error);
    if (!status)
        seen->shaken = hypot(seen->shaken, size * empty);
    return status;
}

/* MINRES without an M has shown that A v is small beside ||A|| ||v||: so it does in large rows. */
static bool is_null_vector(const struct null_vector *seen, enum reason reason, bool preconditioned)
{
    double share = reason == REASON_SINGULAR ? SINGULAR : preconditioned ? PRECONDITIONED : ALONE;
    bool in_large_rows = reason == REASON_LEAST_SQUARES && !preconditioned;
    return seen->plain <= share * seen->shaken ||
           (in_large_rows && seen->large >= NEARLY_ALL * seen->length);
}

/* Whether what the reason says of A is true. */
static enum status look_at_claim(struct restart *restart, enum reason reason, const double *x,
                                 bool *holds, struct error *error)
{
    *holds = false;
    if (reason != REASON_LEAST_SQUARES && reason != REASON_SINGULAR)
        return STATUS_OK;
    bool preconditioned = restart->options->preconditioner != NULL;
    size_t size = sizeof(double);
    double *v = rank_vector_create(restart->of, restart->n, size, "a null vector", error);
    double *rows = rank_vector_create(restart->of, restart->n, size, "the rows of A", error);
    struct null_vector seen;
    enum status status = v && rows ? make_null_vector(restart, reason, x, v, error) : STATUS_MEMORY;
    if (!status)
        status = look_at(restart, v, rows, &seen, error);
    *holds = !status && is_null_vector(&seen, reason, preconditioned);
    rank_vector_free(restart->of, restart->n, size, v);
    rank_vector_free(restart->of, restart->n, size, rows);
    return status;
}

/* Systems that are scaled (solver/scale.h) are left as they ended: the norms here are not. */
static bool in_range(const struct restart *restart, double norm)
{
    return restart->spmv->exponent == 0 && norm >= 0x1p-128 && norm <= 0x1p128;
}

/* A product in single precision is one with another matrix, whose solution x is already. */
static bool may_restart(const struct restart *restart, const struct solver_result *result)
{
    enum reason reason = result->reason;
    const struct linear_operator *spmv = restart->spmv;
    if (spmv->kernel && kernel_precision(spmv->kernel, &spmv->options) != PRECISION_DOUBLE)
        return false;
    bool short_of = reason == REASON_RESIDUAL_GAP || reason == REASON_STAGNATION ||
                    reason == REASON_SINGULAR || reason == REASON_LEAST_SQUARES;
    return short_of && solver_finds_vector(restart->options) && isfinite(result->true_residual) &&
           in_range(restart, result->rhs_norm);
}

/* Where x is worse than x_0, also after a restart from it, that is the solution; and MINRES begins
 * there once more, with caution. */
static enum status give_up_x(struct restart *restart, double *x, struct solver_result *result,
                             struct error *error)
{
    double *v = restart->v, start;
    size_t bytes = (size_t)(restart->last - restart->first) * sizeof *v;
    if (!(restart->options->method->traits & METHOD_TAKES_INDEFINITE))
        return STATUS_OK;
    for (int64_t i = restart->first; i < restart->last; i++)
        v[i] = restart->x0 ? restart->x0[i] : 0;
    enum status status = solver_true_residual(restart->spmv, restart->A, restart->options->shift,
                                              restart->b, v, &start, error);
    double allowed = result->restarts == 0 ? HOPELESS : 1;
    if (status || result->true_residual <= allowed * start)
        return status;
    memcpy(x + restart->first, v + restart->first, bytes);
    result->true_residual = start;
    restart->next.caution = CAUTION;
    return STATUS_OK;
}

/* Measure what rounding leaves, and whether what the reason says of A holds. */
static enum status measure(struct restart *restart, enum reason reason, const double *x,
                           double *attainable, bool *holds, struct error *error)
{
    enum status status = multiply_shaken(restart, x, attainable, error);
    *attainable = fmax(DBL_EPSILON * *attainable, DBL_MIN);
    return status ? status : look_at_claim(restart, reason, x, holds, error);
}

/* Look at an end: its reason becomes one that is true, and *again says whether a restart may be of
 * use. */
static enum status judge(struct restart *restart, double *x, struct solver_result *result,
                         bool *again, struct error *error)
{
    bool holds = false;
    double attainable, residual = result->true_residual;
    *again = false;
    if (!may_restart(restart, result))
        return STATUS_OK;
    enum status status = begin(restart, error);
    if (!status)
        status = measure(restart, result->reason, x, &attainable, &holds, error);
    bool confirmed =
        !status && holds && residual <= fmax(GAP * result->residual, REACHED * attainable);
    if (!status && !confirmed)
        status = give_up_x(restart, x, result, error);
    end(restart);
    if (status || confirmed)
        return status;
    restart->next.attainable = holds || restart->next.caution > 0 ? 0 : attainable;
    *again = residual > (result->reason == REASON_STAGNATION ? STAGNANT : REACHED) * attainable;
    bool agree = residual <= fmax(GAP * result->residual, STAGNANT * attainable);
    restart->singular = restart->singular || (holds && result->reason == REASON_SINGULAR);
    if (restart->singular)
        result->reason = REASON_SINGULAR;
    else if (!agree || result->reason == REASON_RESIDUAL_GAP)
        result->reason = REASON_RESIDUAL_GAP;
    else
        result->reason = REASON_STAGNATION;
    return STATUS_OK;
}

/* --- a restart -------------------------------------------------------------------------------- */

/* An event of the restart, as one of the whole solve. */
static enum status see(void *context, const struct event *event, struct error *error)
{
    const struct restart *restart = context;
    struct event own = *event;
    if (event->kind == EVENT_ROW && event->iteration == 0)
        return STATUS_OK;
    own.iteration += restart->next.iterations;
    return observer_see(restart->observer, &own, error);
}

/* What both have come to, of which `later` is the second. */
static void add(struct solver_result *result, const struct solver_result *later)
{
    result->reason = later->reason;
    result->residual = later->residual;
    result->curvature = later->curvature;
    result->iterations += later->iterations;
    result->products += later->products;
    result->start_seconds += later->start_seconds;
    result->seconds += later->seconds;
    result->exchange_seconds += later->exchange_seconds;
    result->ritz_low = fmin(result->ritz_low, later->ritz_low);
    result->ritz_high = fmax(result->ritz_high, later->ritz_high);
    result->restarts++;
}

/* From x, on to `next`. */
static enum status solve(struct restart *restart, const double *x, double *next,
                         struct solver_result *result, struct error *error)
{
    struct observer observer = restart->observer ? *restart->observer : (struct observer){0};
    struct solver_options options = *restart->options;
    struct solver *solver = NULL;
    bool ended;
    observer.see = see;
    observer.context = restart;
    options.max_iterations -= restart->next.iterations;
    options.time_split = false;
    options.restart = restart->next;
    enum status status =
        solver_begin(restart->spmv, restart->A, restart->b, x, &options, &observer, &solver, error);
    if (!status)
        status = solver_advance(solver, INT64_MAX, &ended, error);
    if (!status)
        status = solver_end(solver, restart->A, restart->b, next, result, error);
    solver_free(solver);
    return status;
}

/* *better: it halved ||b - A x||, or more caution may. */
static enum status go_on(struct restart *restart, double *x, struct solver_result *result,
                         bool *better, struct error *error)
{
    struct solver_result later = {0};
    size_t rows = (size_t)(restart->last - restart->first);
    double before = result->true_residual;
    double *next = rank_vector_create(restart->of, restart->n, sizeof *next, "a restart", error);
    if (!next)
        return STATUS_MEMORY;
    restart->next.iterations = result->iterations;
    enum status status = solve(restart, x, next, &later, error);
    if (!status) {
        add(result, &later);
        if (later.true_residual < before) {
            memcpy(x + restart->first, next + restart->first, rows * sizeof *x);
            result->true_residual = later.true_residual;
        }
    }
    *better = later.true_residual <= before / 2;
    if (restart->next.caution > 0 && !(later.true_residual < before)) {
        restart->next.caution *= MORE_CAUTION;
        *better = true;
    }
    rank_vector_free(restart->of, restart->n, sizeof *next, next);
    return status;
}

enum status solver_restart(struct linear_operator *spmv, const struct csr *A, const double *b,
                           const double *x0, const struct solver_options *options,
                           const struct observer *observer, double *x, struct solver_result *result,
                           struct error *error)
{
    struct ranks *ranks = ranks_of(spmv->space);
    struct restart restart = {.spmv = spmv,
                              .space = spmv->space,
                              .A = A,
                              .b = b,
                              .x0 = x0,
                              .options = options,
                              .observer = observer,
                              .of = ranks ? &ranks->partition : NULL,
                              .n = spmv->n,
                              .last = spmv->n};
    if (ranks) {
        restart.first = partition_first(restart.of);
        restart.last = restart.first + partition_rows(restart.of);
    }
    bool again = false;
    enum status status = judge(&restart, x, result, &again, error);
    while (!status && again && result->restarts < RESTARTS &&
           result->iterations < options->max_iterations) {
        bool better = false;
        status = go_on(&restart, x, result, &better, error);
        if (!status)
            status = judge(&restart, x, result, &again, error);
        again = again && better;
    }
    if (status)
        solver_result_free(result);
    return status;
}
