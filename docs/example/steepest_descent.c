/* Steepest descent for a symmetric positive definite A (Saad 2003, section 5.3.1): each step goes
 * along r, to where ||x - A^-1 b||_A is least.
 *
 *     x = x_0,  r = b - A x
 *     for k = 0, 1, ... while ||r|| > tolerance ||b||
 *         q = A r,  alpha_k = r . r / r . q,  x += alpha_k r,  r -= alpha_k q
 *
 * The example of docs/architecture.md: a complete method, with its pass in steepest_descent.h and
 * steepest_descent_pass.c, which the build compiles for the host and for a GPU. The host waits for
 * the scalars of each step, which is short to write; a faster method sends its steps ahead
 * (solver/row_loop.h). */
#include "solver/steepest_descent/steepest_descent.h"

#include "solver/method.h"
#include "solver/start.h"
#include "solver/true_residual.h"

/* What its rows have: the columns of history.csv. */
enum { RESIDUAL, ALPHA, CONTRACTION, SERIES };

static const struct series series[] = {
    [RESIDUAL] = {"residual", "||r||_2, of the recursive r", SERIES_IN_ALL_ROWS, UNIT_B},
    [ALPHA] = {"alpha", "the length of the step along r", SERIES_FROM_ROW_1, UNIT_STEP},
    [CONTRACTION] = {"contraction", "||r|| over that of the row before", SERIES_FROM_ROW_1},
    [SERIES] = {NULL},
};

struct descent {
    struct solver base;
    double *x, *r, *q, *scalars; /* in the space */
    bool shown;                  /* row 0 */
};

/* x = x_0, r = b - A x, r . r */
static enum status start(struct descent *descent, const double *b, const double *x0,
                         struct error *error)
{
    struct space *space = descent->base.space;
    int64_t n = descent->base.n;
    double none[SCALARS] = {0};
    enum status status = space_upload(space, SCALARS, none, descent->scalars, error);
    if (!status)
        status = space_upload(space, n, b, descent->r, error);
    if (!status)
        status = solver_start(&descent->base, x0, descent->q, descent->x, descent->r, error);
    return status ? status
                  : space_dot(space, n, descent->r, descent->r, &descent->scalars[SQUARE], error);
}

static enum status begin(struct solver *solver, const double *b, const double *x0,
                         struct error *error)
{
    struct descent *descent = (struct descent *)solver;
    struct {
        double **vector;
        int64_t count;
        const char *what;
    } wanted[] = {{&descent->x, solver->n, "the vector x"},
                  {&descent->r, solver->n, "the vector r"},
                  {&descent->q, solver->n, "the vector q"},
                  {&descent->scalars, SCALARS, "the scalars"}};
    enum status status = STATUS_OK;
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted && !status; k++)
        status =
            space_vector(solver->space, wanted[k].count, wanted[k].what, wanted[k].vector, error);
    return status ? status : start(descent, b, x0, error);
}

/* The row of this iteration, and whether it was the last. */
static enum status put_row(struct solver *solver, const double values[SERIES], struct error *error)
{
    struct solver_result *result = &solver->result;
    struct event row = {.kind = EVENT_ROW, .iteration = result->iterations, .values = values};
    result->residual = values[RESIDUAL];
    enum status status = observer_see(solver->observer, &row, error);
    solver->ended = true;
    if (!isfinite(result->residual))
        result->reason = REASON_NOT_FINITE;
    else if (result->residual <= solver->options.tolerance * result->rhs_norm)
        result->reason = REASON_CONVERGED;
    else if (result->iterations >= solver->options.max_iterations)
        result->reason = REASON_ITERATION_LIMIT;
    else if (status != STATUS_INTERRUPTED) /* that is the reason until there is another */
        solver->ended = false;
    return status == STATUS_INTERRUPTED ? STATUS_OK : status;
}

static enum status put_first_row(struct descent *descent, struct error *error)
{
    struct solver *solver = &descent->base;
    double square, values[SERIES] = {NAN, NAN, NAN};
    enum status status =
        space_download(solver->space, 1, &descent->scalars[SQUARE], &square, error);
    if (status)
        return status;
    values[RESIDUAL] = sqrt(square);
    if (solver->result.rhs_norm == 0) /* x_0 = 0: r is b */
        solver->result.rhs_norm = values[RESIDUAL];
    descent->shown = true;
    return put_row(solver, values, error);
}

/* q = A r, and a step along r, unless r . q forbids it. */
static enum status step(struct descent *descent, double scalars[SCALARS], struct error *error)
{
    struct solver *solver = &descent->base;
    struct descent_step work = {descent->x, descent->r, descent->q, descent->scalars};
    enum status status = operator_apply_dot(solver->spmv, descent->r, descent->q,
                                            &descent->scalars[CURVATURE], error);
    if (!status)
        status = space_run(solver->space, &descent_step, solver->n, &work, error);
    return status ? status
                  : space_download(solver->space, SCALARS, descent->scalars, scalars, error);
}

/* One iteration and its row; there is none where the step was forbidden. */
static enum status iterate(struct descent *descent, struct error *error)
{
    struct solver *solver = &descent->base;
    struct solver_result *result = &solver->result;
    double scalars[SCALARS], before = result->residual;
    enum status status = step(descent, scalars, error);
    if (status)
        return status;
    result->curvature = scalars[CURVATURE];
    solver->ended = !(scalars[CURVATURE] > 0 && isfinite(scalars[CURVATURE]));
    if (solver->ended) {
        result->reason = isfinite(scalars[CURVATURE]) ? REASON_NOT_POSITIVE : REASON_NOT_FINITE;
        return STATUS_OK;
    }
    double residual = sqrt(scalars[SQUARE]);
    double values[SERIES] = {residual, scalars[STEP], residual / before};
    result->iterations++;
    return put_row(solver, values, error);
}

static enum status advance(struct solver *solver, int64_t until, struct error *error)
{
    struct descent *descent = (struct descent *)solver;
    enum status status = descent->shown ? STATUS_OK : put_first_row(descent, error);
    while (!status && !solver->ended && solver->result.iterations < until)
        status = iterate(descent, error);
    return status;
}

/* The product of a step that was forbidden is one too. */
static enum status end(struct solver *solver, const struct csr *A, const double *b, double *x,
                       struct error *error)
{
    struct descent *descent = (struct descent *)solver;
    struct solver_result *result = &solver->result;
    bool forbidden = result->reason == REASON_NOT_POSITIVE ||
                     (result->reason == REASON_NOT_FINITE && isfinite(result->residual));
    result->products = result->iterations + forbidden;
    enum status status = space_download(solver->space, solver->n, descent->x, x, error);
    return status ? status : solver_confirm(solver, A, b, x, error);
}

/* What is not in solver->result. */
static enum status keep(struct solver *solver, struct archive *archive, struct error *error)
{
    struct descent *descent = (struct descent *)solver;
    struct {
        const char *name;
        double *vector;
        int64_t count;
    } vectors[] = {{"x", descent->x, solver->n},
                   {"r", descent->r, solver->n},
                   {"scalars", descent->scalars, SCALARS}};
    enum status status = STATUS_OK;
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors && !status; k++)
        status = archive_vector(archive, solver->space, vectors[k].name, vectors[k].count,
                                vectors[k].vector, error);
    descent->shown = true; /* before a solve is saved */
    return status;
}

static void destroy(struct solver *solver)
{
    struct descent *descent = (struct descent *)solver;
    double *vectors[] = {descent->x, descent->r, descent->q, descent->scalars};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        space_release(solver->space, vectors[k]);
}

static int64_t memory_bytes(const struct solver_options *options, int64_t n)
{
    (void)options;
    return (3 * n + SCALARS) * (int64_t)sizeof(double);
}

/* The product, r . q where the kernel does not bring it, and the step */
static int64_t bytes_per_iteration(const struct solver_options *options,
                                   const struct linear_operator *spmv)
{
    const struct space *space = spmv->space;
    int64_t n = spmv->n;
    (void)options;
    return spmv->bytes_per_apply + (spmv->fuses_dot ? 0 : space_bytes(space, &pass_dot, n)) +
           space_bytes(space, &descent_step, n);
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
    .series = series,
    .size = sizeof(struct descent),
    .begin = begin,
    .advance = advance,
    .end = end,
    .keep = keep,
    .destroy = destroy,
    .memory_bytes = memory_bytes,
    .bytes_per_iteration = bytes_per_iteration,
};
