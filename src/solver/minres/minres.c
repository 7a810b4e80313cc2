#include "solver/minres/minres.h"

#include "solver/minres/work.h"
#include "solver/start.h"
#include "solver/time_split.h"
#include "solver/true_residual.h"

#include <inttypes.h>
#include <math.h>

static int64_t memory_bytes(const struct solver_options *options, int64_t n)
{
    const struct linear_operator *M = options->preconditioner;
    size_t scalars =
        M ? sizeof(struct minres_preconditioned_scalars) : sizeof(struct minres_scalars);
    return (M ? 8 : 6) * n * (int64_t)sizeof(double) + (int64_t)scalars;
}

static int64_t bytes_per_iteration(const struct solver_options *options,
                                   const struct linear_operator *spmv)
{
    const struct linear_operator *M = options->preconditioner;
    bool skew = options->method->kind == CSR_SKEW, dots_apart = !skew && !spmv->fuses_dot;
    return spmv->bytes_per_apply +
           (M ? minres_preconditioned_bytes(M, spmv) : minres_turn_bytes(skew, spmv)) +
           (dots_apart ? space_bytes(spmv->space, &pass_dot, spmv->n) : 0);
}

static enum status create(struct minres *minres, struct error *error)
{
    bool M = minres->M != NULL;
    int64_t n = minres->base.n;
    struct {
        double **vector;
        int64_t count;
        const char *what;
        bool there;
    } wanted[] = {
        {&minres->x, n, "the vector x", true},
        {&minres->q, n, "the vector q", !M},
        {&minres->r, n, "the vector r", M},
        {&minres->z[0], n, "the vector z", M},
        {&minres->z[1], n, "the next vector z", M},
        {&minres->v[0], n, "the vector v", true},
        {&minres->v[1], n, "the next vector v", true},
        {&minres->d[0], n, "the vector d", true},
        {&minres->d[1], n, "the next vector d", true},
    };
    enum status status = STATUS_OK;
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted && !status; k++)
        if (wanted[k].there)
            status = space_vector(minres->base.space, wanted[k].count, wanted[k].what,
                                  wanted[k].vector, error);
    void *scalars = NULL;
    size_t bytes = M ? sizeof(struct minres_preconditioned_scalars) : sizeof(struct minres_scalars);
    if (!status)
        status = minres->base.space->operations->allocate(minres->base.space, 1, bytes,
                                                          "the scalars", &scalars, error);
    minres->scalars = scalars;
    if (M)
        minres->preconditioned = scalars;
    return status ? status : row_loop_begin(&minres->loop, error);
}

enum status minres_put_scalars(struct minres *minres,
                               const struct minres_preconditioned_scalars *scalars,
                               struct error *error)
{
    return space_upload(minres->base.space,
                        minres->M ? MINRES_PRECONDITIONED_SCALARS : MINRES_SCALARS,
                        (const double *)scalars, (double *)minres->scalars, error);
}

enum status minres_get_scalars(const struct minres *minres,
                               struct minres_preconditioned_scalars *scalars, struct error *error)
{
    return space_download(minres->base.space,
                          minres->M ? MINRES_PRECONDITIONED_SCALARS : MINRES_SCALARS,
                          (const double *)minres->scalars, (double *)scalars, error);
}

/* x = x_0, r_0 = b - A x_0, v_0 = d_0 = d_{-1} = 0, row 0, v_1 */
static enum status start(struct minres *minres, const double *b, const double *x0,
                         struct error *error)
{
    const struct solver_options *options = &minres->base.options;
    struct space *space = minres->base.space;
    int64_t n = minres->base.n;
    double *r = minres->M ? minres->r : minres->q;
    double *zeros[] = {minres->v[1], minres->d[0], minres->d[1]};
    struct minres_preconditioned_scalars scalars = {
        .of = {.tolerance = options->tolerance,
               .max_iterations = options->max_iterations,
               .rhs_norm = minres->base.result.rhs_norm,
               .attainable = minres->base.restart.attainable,
               .caution = fmax(minres->base.restart.caution, 1),
               .rows = minres->loop.rows,
               .skew = minres->skew,
               .alpha = minres->skew ? options->shift : 0,
               .iteration = -1}};
    enum status status = minres_put_scalars(minres, &scalars, error);
    if (!status)
        status = space_upload(space, n, b, r, error);
    if (!status)
        status = solver_start(&minres->base, x0, minres->v[1], minres->x, r, error);
    if (!status && x0)
        status = space_dot(space, n, minres->x, minres->x, &minres->scalars->xx, error);
    for (size_t k = 0; k < sizeof zeros / sizeof *zeros && !status; k++)
        status = space_fill(space, n, 0, zeros[k], error);
    if (!status)
        status =
            minres->M ? minres_preconditioned_first(minres, error) : minres_first(minres, error);
    space->ended = &minres->scalars->ended;
    return status;
}

static enum status turn(void *context, struct error *error)
{
    struct minres *minres = context;
    return minres->M
               ? minres_preconditioned_turn(minres, true, error)
               : minres_turn(minres, true, &minres->scalars->alpha, &minres->scalars->upper, error);
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
    double values[MINRES_SERIES] = {row->residual, row->alpha, row->beta, row->rho};
    struct event seen = {.kind = EVENT_ROW, .iteration = row->iteration, .values = values};
    return observer_see(minres->base.observer, &seen, error);
}

static enum status trace_vectors(void *context, struct error *error)
{
    struct minres *minres = context;
    enum status status = tracing_show(&minres->tracing, VECTOR_X, minres->x, error);
    tracing_move(&minres->tracing);
    return status;
}

bool minres_dots_apart(const struct minres *minres)
{
    return !minres->skew && !minres->base.spmv->fuses_dot;
}

/* Of the turns: the product of one that made no row is one too. */
static int64_t products(const struct solver_result *result)
{
    bool without_row = result->reason == REASON_LEAST_SQUARES ||
                       (result->reason == REASON_NOT_FINITE && isfinite(result->residual));
    return result->iterations + without_row;
}

/* Those of the turns, and of M^-1, which one application came before. */
static enum status count_products(struct minres *minres, struct error *error)
{
    struct solver_result *result = &minres->base.result;
    struct minres_preconditioned_scalars scalars;
    if (!minres->M) {
        result->products += products(result);
        return STATUS_OK;
    }
    enum status status = minres_get_scalars(minres, &scalars, error);
    if (!status)
        result->products += scalars.turns + (scalars.turns + 1) * minres->M->products;
    return status;
}

static enum status begin(struct solver *solver, const double *b, const double *x0,
                         struct error *error)
{
    struct minres *minres = (struct minres *)solver;
    minres->skew = solver->method->kind == CSR_SKEW;
    minres->M = solver->options.preconditioner;
    minres->loop = (struct row_loop){
        .space = solver->space,
        .turn = turn,
        .take = take_row,
        .context = minres,
        .due = observer_wants(solver->observer, EVENT_VECTOR) ? &minres->tracing.due : NULL,
        .trace_vectors = trace_vectors};
    enum status status = tracing_begin(&minres->tracing, solver, error);
    if (!status)
        status = create(minres, error);
    if (!status)
        status = start(minres, b, x0, error);
    return status ? status : row_loop_record(&minres->loop, solver->n, error);
}

static enum status advance(struct solver *solver, int64_t until, struct error *error)
{
    return row_loop_advance(&((struct minres *)solver)->loop, solver, until, error);
}

static enum status end(struct solver *solver, const struct csr *A, const double *b, double *x,
                       struct error *error)
{
    struct minres *minres = (struct minres *)solver;
    struct solver_result *result = &solver->result;
    enum status status = count_products(minres, error);
    if (!status)
        status = solver_download(solver, minres->x, x, error);
    if (!status && minres->tracing.due == result->iterations)
        status = tracing_show(&minres->tracing, VECTOR_X, minres->x, error);
    if (!status)
        status = solver_confirm(solver, A, b, x, error);
    if (!status && time_split_wanted(&solver->options, result))
        status = minres_split_time(minres, error);
    return status;
}

/* The iteration and its end, among the scalars. */
static enum status go_on(struct minres *minres, struct error *error)
{
    int64_t place[] = {minres->base.result.iterations, minres->base.ended};
    minres->turns = place[0];
    row_loop_resume(&minres->loop, place[0], minres->base.ended);
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
    } vectors[] = {{"x", minres->x},         {"q", minres->q},    {"z", minres->z[0]},
                   {"next z", minres->z[1]}, {"r", minres->r},    {"v", minres->v[0]},
                   {"next v", minres->v[1]}, {"d", minres->d[0]}, {"next d", minres->d[1]}};
    /* what there is none of is NULL */
    int64_t scalars = minres->M ? MINRES_PRECONDITIONED_SCALARS : MINRES_SCALARS;
    enum status status = archive_vector(archive, solver->space, "scalars", scalars - MINRES_STATE,
                                        (double *)minres->scalars + MINRES_STATE, error);
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors && !status; k++)
        if (vectors[k].vector)
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
    double *vectors[] = {
        minres->x,    minres->q,    minres->z[0], minres->z[1], minres->r,
        minres->v[0], minres->v[1], minres->d[0], minres->d[1], (double *)minres->scalars};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        space_release(solver->space, vectors[k]);
}

static const struct series series[] = {
    [MINRES_RESIDUAL] = {"residual", "||r||_2, of the recursive r; without a preconditioner |phi|",
                         SERIES_IN_ALL_ROWS, UNIT_B},
    [MINRES_ALPHA] = {"alpha", "v . A v; with a shift, that", SERIES_FROM_ROW_1,
                      UNIT_PRECONDITIONED},
    [MINRES_BETA] = {"beta", "the norm of what the recurrence leaves of A v", SERIES_FROM_ROW_1,
                     UNIT_PRECONDITIONED},
    [MINRES_PRECONDITIONED] = {"preconditioned_residual", "|phi| = ||r||_{M^-1}", SERIES_WITH_M,
                               UNIT_PRECONDITIONED_B},
    [MINRES_SERIES] = {NULL},
};

const struct method method_minres = {
    .component = {COMPONENT_METHOD, "minres", "minimal residuals, for a symmetric matrix"},
    .title = "MINRES",
    .needs = "MINRES needs",
    .traits = METHOD_FINDS_VECTOR | METHOD_TAKES_PRECONDITIONER | METHOD_TAKES_INDEFINITE |
              METHOD_TAKES_TRACE | METHOD_TAKES_COLUMNS,
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
    .traits = METHOD_FINDS_VECTOR | METHOD_TAKES_SHIFT | METHOD_TAKES_INDEFINITE |
              METHOD_TAKES_TRACE | METHOD_TAKES_COLUMNS,
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
