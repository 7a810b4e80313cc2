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
#include "solver/steepest_descent/steepest_descent.h"
#include "solver/krylov.h"

struct descent {
    struct solver base;
    double *x, *r, *q; /* in the space, as are */
    struct descent_scalars *scalars;
};

static enum status run(struct descent *descent, const struct pass *pass, struct error *error)
{
    struct descent_vectors work = {descent->x, descent->r, descent->q, descent->scalars};
    return space_run(descent->base.space, pass, descent->base.n, &work, error);
}

/* x = x_0, r = b - A x_0, row 0 */
static enum status start(struct solver *solver, const double *b, const double *x0,
                         struct error *error)
{
    struct descent *descent = (struct descent *)solver;
    struct descent_scalars scalars = {.curvature = NAN};
    enum status status =
        krylov_start(solver, &scalars.loop, b, x0, descent->q, descent->x, descent->r, error);
    if (!status)
        status = space_dot(solver->space, solver->n, descent->r, descent->r,
                           &descent->scalars->square, error);
    return status ? status : run(descent, &descent_begin, error);
}

static enum status multiply(void *context, struct error *error)
{
    struct descent *descent = context;
    return operator_apply_dot(descent->base.spmv, descent->r, descent->q,
                              &descent->scalars->curvature, error);
}

static enum status step(void *context, struct error *error)
{
    return run(context, &descent_step, error);
}

static enum status turn(void *context, struct error *error)
{
    enum status status = multiply(context, error);
    return status ? status : step(context, error);
}

/* q = r = 0 stay as they are. */
static enum status prepare(struct solver *solver, struct error *error)
{
    struct descent *descent = (struct descent *)solver;
    struct descent_scalars scalars = {
        .loop = {.max_iterations = INT64_MAX, .target = -1}, .square = 1, .curvature = 1};
    enum status status = krylov_put_scalars(solver, &scalars.loop, error);
    if (!status)
        status = space_fill(solver->space, solver->n, 0, descent->r, error);
    return status ? status : space_fill(solver->space, solver->n, 0, descent->q, error);
}

static const struct krylov_pieces pieces = {prepare, step, NULL, multiply};

/* The product of a step that was forbidden is one too. */
static enum status end(struct solver *solver, const struct csr *A, const double *b, double *x,
                       struct error *error)
{
    struct solver_result *result = &solver->result;
    bool forbidden = result->reason == REASON_NOT_POSITIVE ||
                     (result->reason == REASON_NOT_FINITE && isfinite(result->residual));
    result->products += result->iterations + forbidden;
    return krylov_end(solver, A, b, x, error);
}

/* The product, r . q where the kernel does not bring it, and the step */
static int64_t bytes_per_iteration(const struct solver_options *options,
                                   const struct linear_operator *spmv)
{
    const struct space *space = spmv->space;
    int64_t n = spmv->n;
    (void)options;
    int64_t dot = spmv->can & OPERATOR_DOT ? 0 : space_bytes(space, &pass_dot, n);
    return spmv->bytes_per_apply + dot + space_bytes(space, &descent_step, n);
}

static const struct krylov_vector vectors[] = {
    {"the vector x", offsetof(struct descent, x), KRYLOV_STATE | KRYLOV_IS_X},
    {"the vector r", offsetof(struct descent, r), KRYLOV_STATE | KRYLOV_IS_R},
    {"the vector q", offsetof(struct descent, q), 0},
    {0},
};

static const struct krylov_method krylov = {
    .vectors = vectors,
    .scalars = offsetof(struct descent, scalars),
    .scalars_bytes = sizeof(struct descent_scalars),
    .state = offsetof(struct descent_scalars, square),
    .start = start,
    .turn = turn,
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
    .begin = krylov_begin,
    .advance = krylov_advance,
    .end = end,
    .keep = krylov_keep,
    .destroy = krylov_destroy,
    .memory_bytes = krylov_memory_bytes,
    .bytes_per_iteration = bytes_per_iteration,
};
