#include "solver/richardson/richardson.h"

#include "solver/richardson/passes.h"
#include "solver/row_loop.h"
#include "solver/start.h"
#include "solver/time_split.h"
#include "solver/trace.h"
#include "solver/true_residual.h"

#include <stdbool.h>
#include <stddef.h>

/* They travel as doubles; a place, and before it what a saved solve goes on with. */
enum {
    SCALARS = sizeof(struct richardson_scalars) / sizeof(double),
    LAST = offsetof(struct richardson_scalars, square) / sizeof(double),
    PLACE = offsetof(struct richardson_scalars, iteration) / sizeof(double),
};

/* Its vectors and scalars are in the space's memory. */
struct richardson {
    struct solver base;
    double *x, *r, *q;
    const struct linear_operator *M;
    double *z; /* M^-1 r, where there is an M */
    struct richardson_scalars *scalars;
    struct row_loop loop;
    struct tracing tracing;
};

static int64_t memory_bytes(const struct solver_options *options, int64_t n)
{
    int64_t vectors = options->preconditioner ? 4 : 3;
    return (vectors * n + SCALARS) * (int64_t)sizeof(double);
}

static const struct pass *step_of(const struct linear_operator *M)
{
    return M ? &richardson_step : &richardson_step_alone;
}

static int64_t bytes_per_iteration(const struct solver_options *options,
                                   const struct linear_operator *spmv)
{
    const struct linear_operator *M = options->preconditioner;
    return spmv->bytes_per_apply + (M ? M->bytes_per_apply : 0) +
           space_bytes(spmv->space, step_of(M), spmv->n);
}

/* --- an iteration ---------------------------------------------------------------------------- */

static enum status run(struct richardson *this, const struct pass *pass, struct error *error)
{
    struct richardson_vectors work = {this->x, this->r, this->M ? this->z : NULL, this->q,
                                      this->scalars};
    return space_run(this->base.space, pass, this->base.n, &work, error);
}

static enum status step(void *context, struct error *error)
{
    struct richardson *this = context;
    return run(this, step_of(this->M), error);
}

static enum status precondition(void *context, struct error *error)
{
    struct richardson *this = context;
    struct richardson_scalars *s = this->scalars;
    return operator_apply_dot_to(this->M, this->r, &s->square, this->z, &s->along, error);
}

static enum status multiply(void *context, struct error *error)
{
    struct richardson *this = context;
    return operator_apply(this->base.spmv, this->M ? this->z : this->r, this->q, error);
}

static enum status turn(void *context, struct error *error)
{
    struct richardson *this = context;
    enum status status = this->M ? precondition(this, error) : STATUS_OK;
    if (!status)
        status = multiply(this, error);
    return status ? status : step(this, error);
}

/* --- a solve --------------------------------------------------------------------------------- */

static enum status create(struct richardson *this, struct error *error)
{
    struct {
        double **vector;
        int64_t count;
        const char *what;
    } wanted[] = {
        {&this->x, this->base.n, "the vector x"},
        {&this->r, this->base.n, "the vector r"},
        {&this->q, this->base.n, "the vector q"},
        {&this->z, this->M ? this->base.n : 0, "the vector z"},
    };
    enum status status = STATUS_OK;
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted && !status; k++)
        status = space_vector(this->base.space, wanted[k].count, wanted[k].what, wanted[k].vector,
                              error);
    void *scalars = NULL;
    if (!status)
        status = this->base.space->operations->allocate(this->base.space, 1, sizeof *this->scalars,
                                                        "the scalars", &scalars, error);
    this->scalars = scalars;
    return status ? status : row_loop_begin(&this->loop, error);
}

/* x = x_0, r = b - A x_0, row 0 */
static enum status start(struct richardson *this, const double *b, const double *x0,
                         struct error *error)
{
    struct space *space = this->base.space;
    const struct solver_options *options = &this->base.options;
    struct richardson_scalars scalars = {.tolerance = options->tolerance,
                                         .max_iterations = options->max_iterations,
                                         .rhs_norm = this->base.result.rhs_norm,
                                         .relaxation = options->relaxation,
                                         .rows = this->loop.rows,
                                         .iteration = -1};
    enum status status =
        space_upload(space, SCALARS, (const double *)&scalars, (double *)this->scalars, error);
    if (!status)
        status = space_upload(space, this->base.n, b, this->r, error);
    if (!status)
        status = solver_start(&this->base, x0, this->q, this->x, this->r, error);
    if (!status)
        status = space_dot(space, this->base.n, this->r, this->r, &this->scalars->square, error);
    if (!status)
        status = run(this, &richardson_advance, error);
    space->ended = &this->scalars->ended;
    return status;
}

static enum status take_row(void *context, const struct solver_row *row, struct error *error)
{
    struct richardson *this = context;
    struct solver_result *result = &this->base.result;
    if (row->iteration == 0 && result->rhs_norm == 0) /* x_0 = 0 */
        result->rhs_norm = row->residual;
    result->iterations = row->iteration;
    result->residual = row->residual;
    double values[RICHARDSON_SERIES] = {row->residual, row->alpha};
    struct event seen = {.kind = EVENT_ROW, .iteration = row->iteration, .values = values};
    return observer_see(this->base.observer, &seen, error);
}

static enum status trace_vectors(void *context, struct error *error)
{
    struct richardson *this = context;
    enum status status = tracing_show(&this->tracing, VECTOR_R, this->r, error);
    if (!status)
        status = tracing_show(&this->tracing, VECTOR_X, this->x, error);
    tracing_move(&this->tracing);
    return status;
}

static enum status begin(struct solver *solver, const double *b, const double *x0,
                         struct error *error)
{
    struct richardson *this = (struct richardson *)solver;
    this->M = solver->options.preconditioner;
    this->loop = (struct row_loop){
        .space = solver->space,
        .turn = turn,
        .take = take_row,
        .context = this,
        .due = observer_wants(solver->observer, EVENT_VECTOR) ? &this->tracing.due : NULL,
        .trace_vectors = trace_vectors};
    enum status status = tracing_begin(&this->tracing, solver, error);
    if (!status)
        status = create(this, error);
    if (!status)
        status = start(this, b, x0, error);
    return status ? status : row_loop_record(&this->loop, solver->n, error);
}

static enum status advance(struct solver *solver, int64_t until, struct error *error)
{
    return row_loop_advance(&((struct richardson *)solver)->loop, solver, until, error);
}

/* The pieces of a turn over and over: without relaxation x and r stay, and no row ends it. */
static enum status split_time(struct richardson *this, struct error *error)
{
    struct space *space = this->base.space;
    struct solver_result *result = &this->base.result;
    struct richardson_scalars scalars = {
        .max_iterations = INT64_MAX, .rows = this->loop.rows, .target = -1};
    space->ended = &this->scalars->ended;
    enum status status =
        space_upload(space, SCALARS, (const double *)&scalars, (double *)this->scalars, error);
    if (!status)
        status = time_split_take(space, step, this, result, &result->time_split.updates, error);
    if (!status && this->M)
        status = time_split_take(space, precondition, this, result,
                                 &result->time_split.preconditioner, error);
    if (!status)
        status = time_split_take(space, multiply, this, result, &result->time_split.product, error);
    space->ended = NULL;
    return status;
}

static enum status end(struct solver *solver, const struct csr *A, const double *b, double *x,
                       struct error *error)
{
    struct richardson *this = (struct richardson *)solver;
    struct solver_result *result = &solver->result;
    result->products += result->iterations * (1 + (this->M ? this->M->products : 0));
    enum status status = solver_download(solver, this->x, x, error);
    if (!status && this->tracing.due == result->iterations)
        status = trace_vectors(this, error);
    if (!status)
        status = solver_confirm(solver, A, b, x, error);
    if (!status && time_split_wanted(&solver->options, result))
        status = split_time(this, error);
    return status;
}

/* The iteration and its end, among the scalars. */
static enum status go_on(struct richardson *this, struct error *error)
{
    int64_t place[] = {this->base.result.iterations, this->base.ended};
    row_loop_resume(&this->loop, place[0], this->base.ended);
    tracing_go_on(&this->tracing);
    return space_upload(this->base.space, SCALARS - PLACE, (const double *)place,
                        (double *)this->scalars + PLACE, error);
}

static enum status keep(struct solver *solver, struct archive *archive, struct error *error)
{
    struct richardson *this = (struct richardson *)solver;
    struct {
        const char *name;
        double *vector;
        int64_t count;
    } vectors[] = {{"x", this->x, solver->n},
                   {"r", this->r, solver->n},
                   {"the last residual", (double *)this->scalars + LAST, PLACE - LAST}};
    enum status status = STATUS_OK;
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors && !status; k++)
        status = archive_vector(archive, solver->space, vectors[k].name, vectors[k].count,
                                vectors[k].vector, error);
    return status || !archive->loads ? status : go_on(this, error);
}

static void destroy(struct solver *solver)
{
    struct richardson *this = (struct richardson *)solver;
    tracing_end(&this->tracing);
    row_loop_end(&this->loop);
    solver->space->ended = NULL;
    double *vectors[] = {this->x, this->r, this->q, this->z, (double *)this->scalars};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        space_release(solver->space, vectors[k]);
}

static const struct series series[] = {
    [RICHARDSON_RESIDUAL] = {"residual", "||r||_2, of the recursive r", SERIES_IN_ALL_ROWS, UNIT_B},
    [RICHARDSON_CONTRACTION] = {"contraction", "||r|| over that of the row before",
                                SERIES_FROM_ROW_1},
    [RICHARDSON_SERIES] = {NULL},
};

const struct method method_richardson = {
    .component = {COMPONENT_METHOD, "richardson",
                  "Richardson's iteration: a preconditioner by itself, as a multigrid iteration"},
    .title = "Richardson's iteration",
    .needs = "Richardson's iteration needs",
    .traits = METHOD_FINDS_VECTOR | METHOD_TAKES_PRECONDITIONER | METHOD_TAKES_RELAXATION |
              METHOD_TAKES_TRACE | METHOD_TAKES_COLUMNS,
    .kind = CSR_SYMMETRIC,
    .matrix = "A",
    .series = series,
    .vectors = 1u << VECTOR_R | 1u << VECTOR_X,
    .size = sizeof(struct richardson),
    .begin = begin,
    .advance = advance,
    .end = end,
    .keep = keep,
    .destroy = destroy,
    .memory_bytes = memory_bytes,
    .bytes_per_iteration = bytes_per_iteration,
};
