#include "solver/richardson/richardson.h"

#include "solver/krylov.h"
#include "solver/richardson/passes.h"

#include <stddef.h>

struct richardson {
    struct solver base;
    struct richardson_vectors at; /* z where there is an M */
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

static enum status precondition(void *context, struct error *error)
{
    struct richardson *this = context;
    struct richardson_scalars *s = this->at.scalars;
    return operator_apply_to(
        this->base.options.preconditioner,
        &(struct operands){
            .x = this->at.r, .y = this->at.z, .squared = &s->square, .dot = &s->along},
        error);
}

static enum status multiply(void *context, struct error *error)
{
    struct richardson *this = context;
    return operator_apply(this->base.spmv, this->at.z ? this->at.z : this->at.r, this->at.q, error);
}

static enum status step(void *context, struct error *error)
{
    struct richardson *this = context;
    return space_run(this->base.space, step_of(this->base.options.preconditioner), this->base.n,
                     &this->at, error);
}

/* Without relaxation x and r stay. */
static const struct krylov_pieces pieces = {precondition, multiply, step, NULL, NULL};

/* --- a solve --------------------------------------------------------------------------------- */

/* x = x_0, r = b - A x_0, row 0 */
static enum status start(struct solver *solver, const double *b, const double *x0,
                         struct error *error)
{
    struct richardson_vectors *at = &((struct richardson *)solver)->at;
    struct richardson_scalars scalars = {.relaxation = solver->options.relaxation};
    enum status status = krylov_start(solver, &scalars.loop, b, x0, at->q, at->x, at->r,
                                      &at->scalars->square, error);
    return status ? status : space_run(solver->space, &richardson_advance, solver->n, at, error);
}

static const struct krylov_vector vectors[] = {
    {"the vector x", offsetof(struct richardson, at.x), KRYLOV_STATE | KRYLOV_IS_X},
    {"the vector r", offsetof(struct richardson, at.r), KRYLOV_STATE | KRYLOV_IS_R},
    {"the vector q", offsetof(struct richardson, at.q), 0},
    {"the vector z", offsetof(struct richardson, at.z), KRYLOV_WITH_M},
    {0},
};

static const struct krylov_method krylov = {
    .vectors = vectors,
    .scalars = offsetof(struct richardson, at.scalars),
    .scalars_bytes = sizeof(struct richardson_scalars),
    .state = offsetof(struct richardson_scalars, square),
    .start = start,
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
    .bytes_per_iteration = bytes_per_iteration,
};
