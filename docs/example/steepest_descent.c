/* Steepest descent for a symmetric positive definite A (Saad 2003, section 5.3.1): each step goes
 * along r, to where ||x - A^-1 b||_A is least.
 *
 *     x = 0,  r = b
 *     for k = 0, 1, ... while ||r|| > tolerance ||b||
 *         q = A r,  alpha_k = r . r / r . q,  x += alpha_k r,  r -= alpha_k q
 *
 * The example of docs/architecture.md: the whole of a new method. The host waits for the scalars of
 * each step, which is short to write; a faster method sends its steps ahead (solver/row_loop.h). */
#include "cgsolve/method.h"

#include "base/clock.h"
#include "solver/confirm.h"

#include <math.h>

enum { SQUARE, CURVATURE, SCALARS }; /* r . r, r . q */

struct descent {
    struct linear_operator *spmv;
    struct space *space;
    double *x, *r, *q, *scalars; /* in the space */
    const struct solver_options *options;
    const struct solver_observer *observer;
    struct solver_result *result;
};

/* x = 0, r = b */
static enum status start(struct descent *descent, const double *b, struct error *error)
{
    struct {
        double **vector;
        int64_t count;
        const char *what;
    } wanted[] = {{&descent->x, descent->spmv->n, "the vector x"},
                  {&descent->r, descent->spmv->n, "the vector r"},
                  {&descent->q, descent->spmv->n, "the vector q"},
                  {&descent->scalars, SCALARS, "the scalars"}};
    struct space *space = descent->space;
    enum status status = STATUS_OK;
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted && !status; k++)
        status = space->operations->allocate(space, wanted[k].count, wanted[k].what,
                                             wanted[k].vector, error);
    if (!status)
        status = space->operations->fill(space, descent->spmv->n, 0, descent->x, error);
    return status ? status
                  : space->operations->upload(space, descent->spmv->n, b, descent->r, error);
}

/* The row of this iteration, and whether it was the last. */
static enum status put_row(struct descent *descent, double alpha, bool *ended, struct error *error)
{
    struct solver_result *result = descent->result;
    const struct solver_options *options = descent->options;
    const struct solver_observer *observer = descent->observer;
    struct history_row row = history_row_of(result->iterations, result->residual, alpha, NAN);
    enum status status =
        observer && observer->row ? observer->row(observer->context, &row, error) : STATUS_OK;
    *ended = true;
    if (!isfinite(result->residual))
        result->reason = REASON_NOT_FINITE;
    else if (result->residual <= options->tolerance * result->rhs_norm)
        result->reason = REASON_CONVERGED;
    else if (result->iterations >= options->max_iterations)
        result->reason = REASON_ITERATION_LIMIT;
    else if (status == STATUS_INTERRUPTED)
        result->reason = REASON_INTERRUPTED;
    else
        *ended = false;
    return status == STATUS_INTERRUPTED ? STATUS_OK : status;
}

/* *square = r . r */
static enum status find_square(struct descent *descent, double *square, struct error *error)
{
    struct space *space = descent->space;
    double *there = &descent->scalars[SQUARE];
    enum status status =
        space->operations->dot(space, descent->spmv->n, descent->r, descent->r, there, error);
    return status ? status : space->operations->download(space, 1, there, square, error);
}

/* One step along r, unless r . A r forbids it. */
static enum status step(struct descent *descent, double *square, double *alpha, bool *ended,
                        struct error *error)
{
    struct space *space = descent->space;
    struct solver_result *result = descent->result;
    double curvature = NAN, *there = &descent->scalars[CURVATURE];
    enum status status = operator_apply_dot(descent->spmv, descent->r, descent->q, there, error);
    if (!status)
        status = space->operations->download(space, 1, there, &curvature, error);
    result->products++;
    result->curvature = curvature;
    *ended = !(curvature > 0 && isfinite(curvature));
    if (*ended)
        result->reason = isfinite(curvature) ? REASON_NOT_POSITIVE : REASON_NOT_FINITE;
    if (status || *ended)
        return status;
    *alpha = *square / curvature;
    status =
        space->operations->axpy(space, descent->spmv->n, *alpha, descent->r, descent->x, error);
    if (!status)
        status = space->operations->axpy(space, descent->spmv->n, -*alpha, descent->q, descent->r,
                                         error);
    return status ? status : find_square(descent, square, error);
}

static enum status iterate(struct descent *descent, struct error *error)
{
    struct solver_result *result = descent->result;
    double square = NAN, alpha = NAN;
    bool ended = false;
    enum status status = find_square(descent, &square, error);
    result->rhs_norm = sqrt(square);
    for (int64_t k = 0; !status && !ended; k++) {
        result->iterations = k;
        result->residual = sqrt(square);
        status = put_row(descent, alpha, &ended, error);
        if (!status && !ended)
            status = step(descent, &square, &alpha, &ended, error);
    }
    return status;
}

static enum status solve(struct linear_operator *spmv, const struct csr *A, const double *b,
                         const struct solver_options *options,
                         const struct solver_observer *observer, double *x,
                         struct solver_result *result, struct error *error)
{
    *result = (struct solver_result){.curvature = NAN, .ritz_low = NAN, .ritz_high = NAN};
    struct space *space = spmv->space;
    struct descent descent = {
        .spmv = spmv, .space = space, .options = options, .observer = observer, .result = result};
    double called = clock_seconds();
    enum status status = start(&descent, b, error);
    double begin = clock_seconds();
    result->start_seconds = begin - called;
    if (!status)
        status = iterate(&descent, error);
    result->seconds = clock_seconds() - begin;
    if (!status)
        status = space->operations->download(space, spmv->n, descent.x, x, error);
    if (!status)
        status = solver_confirm(A, b, x, options, result, error);
    double *vectors[] = {descent.x, descent.r, descent.q, descent.scalars};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        space->operations->release(space, vectors[k]);
    return status;
}

static int64_t memory_bytes(const struct solver_options *options, int64_t n)
{
    (void)options;
    return (3 * n + SCALARS) * (int64_t)sizeof(double);
}

/* The product, r . q where the kernel does not bring it, two updates and r . r */
static int64_t bytes_per_iteration(const struct solver_options *options,
                                   const struct linear_operator *spmv)
{
    (void)options;
    int64_t vectors = (spmv->fuses_dot ? 0 : 2) + 3 + 3 + 1;
    return spmv->bytes_per_apply + vectors * spmv->n * (int64_t)sizeof(double);
}

const struct method method_steepest_descent = {
    .component = {COMPONENT_METHOD, "steepest_descent",
                  "steepest descent, for a symmetric positive definite matrix"},
    .title = "steepest descent",
    .needs = "steepest descent needs",
    .traits = METHOD_FINDS_VECTOR,
    .kind = CSR_SYMMETRIC,
    .matrix = "A",
    .refusal = "r . A r = 0 for every r",
    .solve = solve,
    .memory_bytes = memory_bytes,
    .bytes_per_iteration = bytes_per_iteration,
};
