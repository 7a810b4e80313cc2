/* Steepest descent for a symmetric positive definite A (Saad 2003, section 5.3.1): each step goes
 * along r, to where ||x - A^-1 b||_A is least.
 *
 *     x = x_0,  r = b - A x
 *     for k = 0, 1, ... while ||r|| > tolerance ||b||
 *         q = A r,  alpha_k = r . r / r . q,  x += alpha_k r,  r -= alpha_k q
 *
 * The example of docs/architecture.md: a complete method. It solves several columns and over ranks,
 * is traced, saved and restarted. The build compiles the passes for the host and for a GPU. */
#include "space/elements.h"
#include "space/solver_rows.h"

#include <float.h>

/* In the space. A sum is never written to what the same pass reads. */
struct descent_scalars {
    struct solver_scalars loop;
    double square, next_square; /* r . r before and after the step */
    double curvature;           /* r . A r */
};

struct descent_vectors {
    double *x, *r, *q;
    struct descent_scalars *scalars;
};

/* --- the step, and r . r of the next one ------------------------------------------------------ */

PASS_SCALARS_FOR(descent_step, descent_vectors, alpha, square, curvature)

/* x and r stay where r . A r forbids a step. */
PASS_PREPARE(descent_step)
{
    s->alpha = s->square / s->curvature;
    return s->curvature > 0 && isfinite(s->curvature);
}

PASS_VECTORS(descent_step, descent_vectors, x, r, q)

PASS_MAKE(descent_step, descent_vectors)
{
    work->x[i] = fma(s->alpha, e->r, e->x);
    work->r[i] = e->r = fma(-s->alpha, e->q, e->r);
}

PASS_SQUARE(descent_step, descent_vectors, r, &work->scalars->next_square)

/* The next row, unless r . A r forbade the step. */
PASS_AFTER(descent_step, descent_vectors)
{
    struct descent_scalars *s = work->scalars;
    double alpha = s->square / s->curvature, contraction = sqrt(s->next_square / s->square);
    s->square = s->next_square;
    if (s->curvature > 0 && isfinite(s->curvature))
        solver_scalars_next(&s->loop, sqrt(s->square), alpha, contraction);
    else
        solver_scalars_end(&s->loop,
                           isfinite(s->curvature) ? REASON_NOT_POSITIVE : REASON_NOT_FINITE,
                           s->curvature);
}

PASS_AFTER(descent_begin, descent_vectors)
{
    solver_scalars_next(&work->scalars->loop, sqrt(work->scalars->square), NAN, NAN);
}

#define PASSES_OVER_COLUMNS
#include "space/define_pass.h"

PASS_THEN(descent_step, descent_vectors, CUDA_SOME_STEPS, 1, .name = "a step of steepest descent",
          .reads = 3, .writes = 2)
PASS_OF_SCALARS(descent_begin, descent_vectors, .name = "the first row of steepest descent")

/* --- a solve, on the host alone --------------------------------------------------------------- */

#ifndef __CUDACC__
#include "solver/krylov.h"

struct descent {
    struct solver base;
    struct descent_vectors at; /* in the space */
};

/* x = x_0, r = b - A x_0, row 0 */
static enum status start(struct solver *solver, const double *b, const double *x0,
                         struct error *error)
{
    struct descent_scalars scalars = {0}, *s = ((struct descent *)solver)->at.scalars;
    enum status status = krylov_start(solver, &scalars.loop, b, x0, &s->square, error);
    return status ? status : krylov_run(solver, &descent_begin, error);
}

static enum status multiply(void *context, struct error *error)
{
    struct descent *descent = context;
    return operator_apply_dot(descent->base.spmv, descent->at.r, descent->at.q,
                              &descent->at.scalars->curvature, error);
}

static int64_t bytes_per_iteration(const struct solver_options *options,
                                   const struct linear_operator *spmv)
{
    return krylov_bytes(options, spmv) + operator_dot_bytes(spmv);
}

/* A step of this length leaves x and r as they are, so that it can be timed. */
static const struct descent_scalars tiny_step = {.curvature = DBL_MAX};
static const struct krylov_pieces pieces = {
    .multiply = multiply, .step = {&descent_step}, .scalars = &tiny_step};

static const struct krylov_vector vectors[] = {
    {"the vector x", offsetof(struct descent, at.x), KRYLOV_STATE | KRYLOV_IS_X},
    {"the vector r", offsetof(struct descent, at.r), KRYLOV_STATE | KRYLOV_IS_R | KRYLOV_IN_RANGE},
    {"the vector q", offsetof(struct descent, at.q), KRYLOV_TAKES_PRODUCT},
    {0},
};

static const struct krylov_method krylov = {
    .vectors = vectors,
    .at = offsetof(struct descent, at),
    KRYLOV_SCALARS(struct descent, at.scalars, square),
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
#endif
