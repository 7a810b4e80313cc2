#include "solver/restart.h"

#include "solver/probe.h"
#include "solver/start.h"
#include "solver/true_residual.h"
#include "space/ranks/rank_vector.h"
#include "space/ranks/ranks.h"
#include "spmv/kernel.h"

#include <math.h>
#include <string.h>

/* Restarts with more caution, at most. */
enum { RESTARTS = 3 };

/* How far ||b - A x|| may lie above the recursive residual. */
static const double GAP = 1.1;

/* Of what rounding leaves of b - A x: above REACHED a gap is worth a restart, and up to STAGNANT
 * stagnation is that. */
static const double REACHED = 2, STAGNANT = 16;

/* By how much b - A x may be larger than b - A x_0 before a first restart from x; and how much of
 * b - A x_0 rounding may leave of it: an x of 1e16 along a null vector has nothing else right. */
static const double HOPELESS = 100, SPOILT = 0x1p-4;

/* The part of ||b - A x|| that a solve afresh may leave for another one to follow. */
static const double LESS = 0.5;

/* Where x is no better than x_0 (struct solver_restart), and what multiplies it at each failure. */
static const double CAUTION = 0x1p20, MORE_CAUTION = 0x1p8;

struct restart {
    struct solver *solver;
    struct probe probe;
    const struct csr *A;
    const double *b, *x0;         /* on the host */
    double *x;                    /* [n], on the host: the best so far */
    int64_t max_iterations;       /* of the whole solve */
    struct solver_restart next;   /* with what the next one begins */
    bool singular;                /* A has been shown to be */
    bool confirmed;               /* the last end is what it says */
    const struct observer *shown; /* the solver's own observer */
};

/* The own rows of a vector on the host; from = NULL: 0. */
static void copy_rows(const struct restart *restart, const double *from, double *to)
{
    const struct solver *solver = restart->solver;
    int64_t first = ranks_first_row(solver->space), rows = ranks_rows(solver->space, solver->n);
    if (from)
        memcpy(to + first, from + first, (size_t)rows * sizeof *to);
    else
        memset(to + first, 0, (size_t)rows * sizeof *to);
}

/* --- what an end is worth --------------------------------------------------------------------- */

/* A product in single precision is one with another matrix, whose solution x is already. */
static bool may_restart(const struct solver *solver)
{
    enum reason reason = solver->result.reason;
    const struct linear_operator *spmv = solver->spmv;
    if (spmv->kernel && kernel_precision(spmv->kernel, &spmv->options) != PRECISION_DOUBLE)
        return false;
    bool short_of = reason == REASON_RESIDUAL_GAP || reason == REASON_STAGNATION ||
                    reason == REASON_SINGULAR || reason == REASON_LEAST_SQUARES;
    return short_of && solver_finds_vector(&solver->options) &&
           isfinite(solver->result.true_residual);
}

/* start = x_0, and *norm = ||b - A x_0||. */
static enum status look_at_start(const struct restart *restart, double *start, double *norm,
                                 struct error *error)
{
    const struct solver *solver = restart->solver;
    copy_rows(restart, restart->x0, start);
    return solver_true_residual(solver->spmv, restart->A, solver->options.shift, restart->b, start,
                                norm, error);
}

static void take(struct restart *restart, const double *x, double norm)
{
    copy_rows(restart, x, restart->x);
    restart->solver->result.true_residual = norm;
}

/* Where x is worse than x_0, also after a restart from it, that is the solution; and MINRES begins
 * there once more, with caution. */
static enum status give_up_x(struct restart *restart, double attainable, struct error *error)
{
    struct solver *solver = restart->solver;
    struct solver_result *result = &solver->result;
    double *start = restart->probe.v, norm;
    bool first = result->restarts == 0;
    if (restart->next.afresh || !(solver->method->traits & METHOD_TAKES_INDEFINITE))
        return STATUS_OK;
    enum status status = look_at_start(restart, start, &norm, error);
    if (status || (result->true_residual <= (first ? HOPELESS : 1) * norm &&
                   (!first || attainable <= SPOILT * norm)))
        return status;
    take(restart, start, norm);
    restart->next.caution = CAUTION;
    return STATUS_OK;
}

/* What is said of an end that was not confirmed. */
static enum reason true_reason(const struct restart *restart, double attainable)
{
    const struct solver_result *result = &restart->solver->result;
    bool agree = result->true_residual <= fmax(GAP * result->residual, STAGNANT * attainable);
    if (restart->singular)
        return REASON_SINGULAR;
    return agree && result->reason != REASON_RESIDUAL_GAP ? REASON_STAGNATION : REASON_RESIDUAL_GAP;
}

/* Whether a restart may be of use. Attainable is an estimate, so a gap is tried whose tolerance is
 * not far below that. */
static bool is_worth(const struct solver *solver, double residual, double attainable)
{
    bool gap = solver->result.reason == REASON_RESIDUAL_GAP;
    double target = solver->options.tolerance * solver->result.rhs_norm;
    double most = solver->result.reason == REASON_STAGNATION ? STAGNANT : REACHED;
    return residual > most * attainable || (gap && STAGNANT * target >= attainable);
}

/* Measure an end: its reason becomes one that is true, and *again says whether a restart may be of
 * use. */
static enum status measure(struct restart *restart, bool *again, struct error *error)
{
    struct solver_result *result = &restart->solver->result;
    bool holds = false;
    double attainable, residual = result->true_residual;
    enum status status = probe_attainable(&restart->probe, restart->x, &attainable, error);
    if (!status)
        status = probe_claim(&restart->probe, result->reason, restart->x, &holds, error);
    restart->confirmed =
        !status && holds && residual <= fmax(GAP * result->residual, REACHED * attainable);
    if (!status && !restart->confirmed)
        status = give_up_x(restart, attainable, error);
    if (status || restart->confirmed)
        return status;
    restart->next.attainable = holds || restart->next.caution > 0 ? 0
                               : residual > REACHED * attainable  ? attainable
                                                                  : attainable / STAGNANT;
    *again = is_worth(restart->solver, residual, attainable);
    restart->singular = restart->singular || (holds && result->reason == REASON_SINGULAR);
    result->reason = true_reason(restart, attainable);
    return STATUS_OK;
}

static enum status judge(struct restart *restart, bool *again, struct error *error)
{
    struct probe *probe = &restart->probe;
    *again = false;
    if (!may_restart(restart->solver))
        return STATUS_OK;
    enum status status = probe_begin(restart->solver, restart->b, restart->x0, probe, error);
    if (!status)
        status = measure(restart, again, error);
    probe_end(probe);
    return status;
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
    return observer_see(restart->shown, &own, error);
}

/* What the result has come to with that of all before. */
static void add(const struct solver_result *before, struct solver_result *result)
{
    if (result->iterations == 0)
        result->residual = before->residual; /* which was shown */
    result->iterations += before->iterations;
    result->products += before->products;
    result->resident_iterations += before->resident_iterations;
    result->start_seconds += before->start_seconds;
    result->seconds += before->seconds;
    result->exchange_seconds += before->exchange_seconds;
    result->ritz_low = fmin(result->ritz_low, before->ritz_low);
    result->ritz_high = fmax(result->ritz_high, before->ritz_high);
    result->time_split = before->time_split;
    result->restarts = before->restarts + 1;
}

/* From x, on to `next`. */
static enum status solve(struct restart *restart, double *next, struct error *error)
{
    struct solver *solver = restart->solver;
    bool ended;
    solver->restart = restart->next;
    solver->options.max_iterations = restart->max_iterations - restart->next.iterations;
    solver->options.time_split = false;
    enum status status = solver_start_method(solver, restart->b, restart->x, error);
    if (!status)
        status = solver_advance(solver, INT64_MAX, &ended, error);
    if (!status)
        status = solver_end_method(solver, restart->A, restart->b, next, error);
    return status;
}

/* On from x. wherever: also to a worse one. *better: it halved ||b - A x||, or more caution may. */
static enum status go_on(struct restart *restart, bool wherever, bool *better, struct error *error)
{
    struct solver *solver = restart->solver;
    struct solver_result *result = &solver->result, before = *result;
    const struct partition *of = ranks_partition(solver->space);
    double *next = rank_vector_create(of, solver->n, sizeof *next, "a restart", error);
    if (!next)
        return STATUS_MEMORY;
    restart->next.iterations = before.iterations;
    enum status status = solve(restart, next, error);
    bool less = !status && result->true_residual < before.true_residual;
    *better = result->true_residual <= before.true_residual / 2;
    if (less || wherever)
        copy_rows(restart, next, restart->x);
    else
        result->true_residual = before.true_residual;
    if (restart->next.caution > 0 && !less) {
        restart->next.caution *= MORE_CAUTION;
        *better = before.restarts + 1 < RESTARTS;
    }
    add(&before, result);
    rank_vector_free(of, solver->n, sizeof *next, next);
    return status;
}

static bool may_go_on(const struct restart *restart)
{
    return restart->solver->result.iterations < restart->max_iterations;
}

/* Restart while that halves ||b - A x||. *again: it is still too large. */
static enum status go_on_while_better(struct restart *restart, bool *again, struct error *error)
{
    bool better = true;
    enum status status = judge(restart, again, error);
    while (!status && *again && better && may_go_on(restart)) {
        status = go_on(restart, false, &better, error);
        if (!status)
            status = judge(restart, again, error);
    }
    return status;
}

/* --- afresh ----------------------------------------------------------------------------------- */

/* As a second solve from x, on from wherever that ends. kept[n] is for x as it is, if that remains
 * the best. *again: more may be of use. */
static enum status begin_afresh(struct restart *restart, double *kept, bool *again,
                                struct error *error)
{
    struct solver_result *result = &restart->solver->result;
    double before = result->true_residual;
    enum reason reason = result->reason;
    bool better;
    copy_rows(restart, restart->x, kept);
    restart->next = (struct solver_restart){.afresh = true};
    enum status status = go_on(restart, true, &better, error);
    if (!status)
        status = go_on_while_better(restart, again, error);
    if (!status && !(result->true_residual < before)) {
        take(restart, kept, before);
        if (result->reason != REASON_ITERATION_LIMIT && result->reason != REASON_INTERRUPTED)
            result->reason = reason;
    }
    *again = *again && result->true_residual <= LESS * before;
    return status;
}

/* After restarts that ended short; again: more may be of use. */
static enum status go_on_afresh(struct restart *restart, bool again, struct error *error)
{
    const struct solver *solver = restart->solver;
    const struct partition *of = ranks_partition(solver->space);
    double *kept = rank_vector_create(of, solver->n, sizeof *kept, "a restart", error);
    if (!kept)
        return STATUS_MEMORY;
    enum status status = STATUS_OK;
    while (!status && again && may_go_on(restart))
        status = begin_afresh(restart, kept, &again, error);
    rank_vector_free(of, solver->n, sizeof *kept, kept);
    return status;
}

/* One that is short, or the iteration limit of a method whose r never grows, unlike its b - A x
 * here. */
bool solver_may_restart(const struct solver *solver)
{
    const struct solver_result *result = &solver->result;
    bool grown = solver->method->traits & METHOD_TAKES_INDEFINITE &&
                 result->reason == REASON_ITERATION_LIMIT &&
                 (result->restarts > 0 || result->true_residual > GAP * result->residual);
    return grown || may_restart(solver);
}

/* Whether an end leaves it open that x_0 is better: also an x that has grown along a null
 * vector. */
static bool may_be_worse_than_start(const struct restart *restart)
{
    bool confirmed = restart->confirmed && restart->solver->result.reason != REASON_SINGULAR;
    return !confirmed && solver_may_restart(restart->solver);
}

/* x_0 is the solution where that is better in the end. */
static enum status give_the_better(struct restart *restart, struct error *error)
{
    const struct solver *solver = restart->solver;
    if (!may_be_worse_than_start(restart))
        return STATUS_OK;
    const struct partition *of = ranks_partition(solver->space);
    double norm, *start = rank_vector_create(of, solver->n, sizeof *start, "a restart", error);
    if (!start)
        return STATUS_MEMORY;
    enum status status = look_at_start(restart, start, &norm, error);
    if (!status && norm < solver->result.true_residual)
        take(restart, start, norm);
    rank_vector_free(of, solver->n, sizeof *start, start);
    return status;
}

enum status solver_restart(struct solver *solver, const struct csr *A, const double *b,
                           const double *x0, double *x, struct error *error)
{
    struct restart restart = {.solver = solver,
                              .A = A,
                              .b = b,
                              .x0 = x0,
                              .x = x,
                              .max_iterations = solver->options.max_iterations,
                              .shown = solver->observer};
    struct observer observer = solver->observer ? *solver->observer : (struct observer){0};
    bool again = false;
    observer.see = see;
    observer.context = &restart;
    solver->observer = solver->observer ? &observer : NULL;
    enum status status = go_on_while_better(&restart, &again, error);
    if (!status && may_restart(solver) && !restart.confirmed)
        status = go_on_afresh(&restart, again, error);
    if (!status)
        status = give_the_better(&restart, error);
    solver->observer = restart.shown;
    return status;
}
