#include "solver/richardson/richardson.h"

#include "space/elements.h"
#include "space/solver_rows.h"

#include <math.h>

/* In the space's memory. */
struct richardson_scalars {
    struct solver_scalars loop;
    double relaxation;
    double along;    /* r . z, which a preconditioner brings along */
    double square;   /* r . r */
    double residual; /* ||r|| of the last row */
};

struct richardson_vectors {
    double *x, *r, *q;
    double *z; /* M^-1 r, or NULL: r itself */
    struct richardson_scalars *scalars;
};

/* --- x += omega z, r -= omega q, and r . r; the next row follows ------------------------------ */

PASS_SCALARS(richardson_step, richardson_vectors, relaxation)

struct richardson_step_element {
    double x, r, z, q;
};

PASS_LOAD(richardson_step, richardson_vectors)
{
    e->x = work->x[i];
    e->r = work->r[i];
    e->z = work->z ? work->z[i] : e->r;
    e->q = work->q[i];
}

PASS_MAKE(richardson_step, richardson_vectors)
{
    work->x[i] = fma(s->relaxation, e->z, e->x);
    work->r[i] = e->r = fma(-s->relaxation, e->q, e->r);
}

PASS_SQUARE(richardson_step, richardson_vectors, r, &work->scalars->square)

/* The next row, the first one of iteration 0. */
PASS_AFTER(richardson_advance, richardson_vectors)
{
    struct richardson_scalars *s = work->scalars;
    double residual = sqrt(s->square);
    double contraction = s->loop.iteration < 0 ? NAN : residual / s->residual;
    s->residual = residual;
    solver_scalars_next(&s->loop, residual, contraction, NAN);
}

PASS_AFTER(richardson_step, richardson_vectors)
{
    richardson_advance_after(work);
}

#define PASSES_OVER_COLUMNS
#include "space/define_pass.h"

PASS_THEN(richardson_step, richardson_vectors, CUDA_SOME_STEPS, 1,
          .name = "a step of Richardson's iteration", .reads = 4, .writes = 2)
/* z is r. */
PASS(richardson_step_alone, richardson_step, richardson_vectors,
     .name = "a step of Richardson's iteration", .sum = richardson_step_sum,
     .after = richardson_step_after, .reads = 3, .writes = 2, .summed = 1)
PASS_OF_SCALARS(richardson_advance, richardson_vectors,
                .name = "the scalars of Richardson's iteration")

/* --- a solve --------------------------------------------------------------------------------- */

#ifndef __CUDACC__
#include "solver/krylov.h"

struct richardson {
    struct solver base;
    struct richardson_vectors at; /* z where there is an M */
};

/* x = x_0, r = b - A x_0, row 0 */
static enum status start(struct solver *solver, const double *b, const double *x0,
                         struct error *error)
{
    struct richardson *this = (struct richardson *)solver;
    struct richardson_scalars scalars = {.relaxation = solver->options.relaxation};
    enum status status =
        krylov_start(solver, &scalars.loop, b, x0, &this->at.scalars->square, error);
    return status ? status : krylov_run(solver, &richardson_advance, error);
}

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

/* Without relaxation x and r stay, so that the pieces can be timed. */
static const struct krylov_pieces pieces = {precondition, multiply,
                                            .step = {&richardson_step_alone, &richardson_step}};

static const struct krylov_vector vectors[] = {
    {"the vector x", offsetof(struct richardson, at.x), KRYLOV_STATE | KRYLOV_IS_X},
    {"the vector r", offsetof(struct richardson, at.r),
     KRYLOV_STATE | KRYLOV_IS_R | KRYLOV_IN_RANGE},
    {"the vector q", offsetof(struct richardson, at.q), KRYLOV_TAKES_PRODUCT},
    {"the vector z", offsetof(struct richardson, at.z), KRYLOV_WITH_M},
    {0},
};

static const struct krylov_method krylov = {
    .vectors = vectors,
    .at = offsetof(struct richardson, at),
    KRYLOV_SCALARS(struct richardson, at.scalars, square),
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
    .bytes_per_iteration = krylov_bytes,
};
#endif
