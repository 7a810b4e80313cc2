/* Steepest descent for a symmetric positive definite A (Saad 2003, section 5.3.1): each step goes
 * along r, to where ||x - A^-1 b||_A is least.
 *
 *     x = x_0,  r = b - A x
 *     for k = 0, 1, ... while ||r|| > tolerance ||b||
 *         q = A r,  alpha_k = r . r / r . q,  x += alpha_k r,  r -= alpha_k q
 *
 * The example of docs/architecture.md: a complete method, with its passes in steepest_descent.h and
 * steepest_descent_pass.c, which the build compiles for the host and for a GPU. It solves several
 * columns and over ranks, is traced, saved and restarted. */
#include "steepest_descent.h"
#include "solver/krylov.h"

#include <float.h>

struct descent {
    struct solver base;
    struct descent_vectors at; /* in the space */
};

/* x = x_0, r = b - A x_0, row 0 */
static enum status start(struct solver *solver, const double *b, const double *x0,
                         struct error *error)
{
    struct descent_vectors *at = &((struct descent *)solver)->at;
    struct descent_scalars scalars = {.curvature = NAN};
    enum status status = krylov_start(solver, &scalars.loop, b, x0, at->q, at->x, at->r,
                                      &at->scalars->square, error);
    return status ? status : space_run(solver->space, &descent_begin, solver->n, at, error);
}

static enum status multiply(void *context, struct error *error)
{
    struct descent *descent = context;
    return operator_apply_dot(descent->base.spmv, descent->at.r, descent->at.q,
                              &descent->at.scalars->curvature, error);
}

static enum status step(void *context, struct error *error)
{
    struct descent *descent = context;
    return space_run(descent->base.space, &descent_step, descent->base.n, &descent->at, error);
}

static int64_t bytes_per_iteration(const struct solver_options *options,
                                   const struct linear_operator *spmv)
{
    (void)options;
    return spmv->bytes_per_apply + operator_dot_bytes(spmv) +
           space_bytes(spmv->space, &descent_step, spmv->n);
}

/* A step of this length leaves x and r as they are, so that it can be timed. */
static const struct descent_scalars tiny_step = {.curvature = DBL_MAX};
static const struct krylov_pieces pieces = {NULL, multiply, step, NULL, &tiny_step};

static const struct krylov_vector vectors[] = {
    {"the vector x", offsetof(struct descent, at.x), KRYLOV_STATE | KRYLOV_IS_X},
    {"the vector r", offsetof(struct descent, at.r), KRYLOV_STATE | KRYLOV_IS_R},
    {"the vector q", offsetof(struct descent, at.q), 0},
    {0},
};

static const struct krylov_method krylov = {
    .vectors = vectors,
    .scalars = offsetof(struct descent, at.scalars),
    .scalars_bytes = sizeof(struct descent_scalars),
    .state = offsetof(struct descent_scalars, square),
    .start = start,
    .pieces = &pieces,
};

/* What its rows have: the columns of history.csv. */
static const struct series series[] = {
    {"residual", "||r||_2, of the recursive r", SERIES_IN_ALL_ROWS, UNIT_B},
    {"alpha", "the length of the step along r", SERIES_FROM_ROW_1, UNIT_STEP},
    {"contraction", "||r|| over that of the row before", SERIES_FROM_ROW_1, UNIT_ONE},
    {0},
};

const struct method method_steepest_descent = {
    .component = {COMPONENT_METHOD, "steepest_descent",
                  "steepest descent, for a symmetric positive definite matrix"},
    .title = "steepest descent",
    .needs = "steepest descent needs",
    .traits = METHOD_FINDS_VECTOR | METHOD_TAKES_TRACE | METHOD_TAKES_COLUMNS,
    .kind = CSR_SYMMETRIC,
    .matrix = "A",
    .refusal = "r . A r = 0 for every r",
    .series = series,
    .vectors = 1u << VECTOR_R | 1u << VECTOR_X,
    .krylov = &krylov,
    .size = sizeof(struct descent),
    .bytes_per_iteration = bytes_per_iteration,
};
