#include "solver/richardson/richardson.h"

#include "solver/krylov.h"
#include "solver/richardson/passes.h"

#include <stdbool.h>
#include <stddef.h>

/* Its vectors and scalars are in the space's memory. */
struct richardson {
    struct solver base;
    double *x, *r, *q;
    const struct linear_operator *M;
    double *z; /* M^-1 r, where there is an M */
    struct richardson_scalars *scalars;
};

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
    return operator_apply_to(
        this->M,
        &(struct operands){.x = this->r, .y = this->z, .squared = &s->square, .dot = &s->along},
        error);
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

/* x = x_0, r = b - A x_0, row 0 */
static enum status start(struct solver *solver, const double *b, const double *x0,
                         struct error *error)
{
    struct richardson *this = (struct richardson *)solver;
    struct richardson_scalars scalars = {.relaxation = solver->options.relaxation};
    this->M = solver->options.preconditioner;
    enum status status =
        krylov_start(solver, &scalars.loop, b, x0, this->q, this->x, this->r, error);
    if (!status)
        status =
            space_dot(solver->space, solver->n, this->r, this->r, &this->scalars->square, error);
    return status ? status : run(this, &richardson_advance, error);
}

/* Without relaxation x and r stay. */
static enum status prepare(struct solver *solver, struct error *error)
{
    struct richardson_scalars scalars = {.loop = {.max_iterations = INT64_MAX, .target = -1}};
    return krylov_put_scalars(solver, &scalars.loop, error);
}

static const struct krylov_pieces pieces = {prepare, step, precondition, multiply};

static enum status end(struct solver *solver, const struct csr *A, const double *b, double *x,
                       struct error *error)
{
    const struct linear_operator *M = solver->options.preconditioner;
    struct solver_result *result = &solver->result;
    result->products += result->iterations * (1 + (M ? M->products : 0));
    return krylov_end(solver, A, b, x, error);
}

static const struct krylov_vector vectors[] = {
    {"the vector x", offsetof(struct richardson, x), KRYLOV_STATE | KRYLOV_IS_X},
    {"the vector r", offsetof(struct richardson, r), KRYLOV_STATE | KRYLOV_IS_R},
    {"the vector q", offsetof(struct richardson, q), 0},
    {"the vector z", offsetof(struct richardson, z), KRYLOV_WITH_M},
    {0},
};

static const struct krylov_method krylov = {
    .vectors = vectors,
    .scalars = offsetof(struct richardson, scalars),
    .scalars_bytes = sizeof(struct richardson_scalars),
    .state = offsetof(struct richardson_scalars, square),
    .start = start,
    .turn = turn,
    .pieces = &pieces,
};

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
    .krylov = &krylov,
    .size = sizeof(struct richardson),
    .begin = krylov_begin,
    .advance = krylov_advance,
    .end = end,
    .keep = krylov_keep,
    .destroy = krylov_destroy,
    .memory_bytes = krylov_memory_bytes,
    .bytes_per_iteration = bytes_per_iteration,
};
