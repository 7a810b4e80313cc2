#include "solver/minres/minres.h"

#include "solver/minres/work.h"

#include <inttypes.h>
#include <math.h>

static int64_t bytes_per_iteration(const struct solver_options *options,
                                   const struct linear_operator *spmv)
{
    const struct linear_operator *M = options->preconditioner;
    bool skew = options->method->kind == CSR_SKEW;
    return spmv->bytes_per_apply +
           (M ? minres_preconditioned_bytes(M, spmv) : minres_turn_bytes(skew, spmv)) +
           (skew ? 0 : operator_dot_bytes(spmv));
}

/* x = x_0, r_0 = b - A x_0, v_0 = d_0 = d_{-1} = 0, row 0, v_1 */
static enum status start(struct solver *solver, const double *b, const double *x0,
                         struct error *error)
{
    struct minres *minres = (struct minres *)solver;
    struct space *space = solver->space;
    int64_t n = solver->n;
    minres->skew = solver->method->kind == CSR_SKEW;
    minres->M = solver->options.preconditioner;
    minres->scalars = &minres->preconditioned->of;
    double *zeros[] = {minres->v[1], minres->d[0], minres->d[1], minres->z[1]};
    struct minres_preconditioned_scalars scalars = {
        .of = {.attainable = solver->restart.attainable,
               .caution = fmax(solver->restart.caution, 1),
               .skew = minres->skew,
               .alpha = minres->skew ? solver->options.shift : 0}};
    enum status status = krylov_start(solver, &scalars.of.loop, b, x0,
                                      minres->M ? &minres->preconditioned->residual_squared
                                                : &minres->scalars->norm_squared,
                                      error);
    if (!status && x0)
        status = space_dot(space, n, minres->x, minres->x, &minres->scalars->xx, error);
    for (int k = 0; k < (minres->M ? 4 : 3) && !status; k++)
        status = space_fill(space, n, 0, zeros[k], error);
    if (status)
        return status;
    return minres->M ? minres_preconditioned_first(minres, error) : minres_first(minres, error);
}

static enum status turn(void *context, struct error *error)
{
    struct minres *minres = context;
    return minres->M
               ? minres_preconditioned_turn(minres, true, error)
               : minres_turn(minres, true, &minres->scalars->alpha, &minres->scalars->upper, error);
}

static bool resident(const struct solver *solver, struct resident_system *system)
{
    const struct minres *minres = (const struct minres *)solver;
    system->p = minres->v[0];
    system->q = minres->q;
    system->x = minres->x;
    system->minres.scalars = minres->scalars;
    system->minres.v_before = minres->v[1];
    system->minres.d[0] = minres->d[0];
    system->minres.d[1] = minres->d[1];
    return !minres->M && !minres->skew;
}

bool minres_dots_apart(const struct minres *minres)
{
    return !minres->skew && !(minres->base.spmv->can & OPERATOR_DOT);
}

/* With an M its turns are counted on the way, and one application of M^-1 came before them. */
static enum status end(struct solver *solver, const struct csr *A, const double *b, double *x,
                       struct error *error)
{
    const struct linear_operator *M = solver->options.preconditioner;
    struct minres_preconditioned_scalars scalars;
    if (!M)
        return krylov_end(solver, A, b, x, error);
    enum status status = krylov_get_scalars(solver, &scalars.of.loop, error);
    if (status)
        return status;
    solver->result.products += scalars.turns + (scalars.turns + 1) * M->products;
    return krylov_finish(solver, A, b, x, error);
}

static enum status keep(struct solver *solver, struct archive *archive, struct error *error)
{
    if (archive->loads)
        ((struct minres *)solver)->turns = solver->result.iterations;
    return krylov_keep(solver, archive, error);
}

static const struct krylov_vector vectors[] = {
    {"the vector x", offsetof(struct minres, x), KRYLOV_STATE | KRYLOV_IS_X},
    {"the vector q", offsetof(struct minres, q), KRYLOV_WITHOUT_M | KRYLOV_STATE | KRYLOV_IS_R},
    {"the vector r", offsetof(struct minres, r), KRYLOV_WITH_M | KRYLOV_STATE | KRYLOV_IS_R},
    {"the vector z", offsetof(struct minres, z[0]), KRYLOV_WITH_M | KRYLOV_STATE},
    {"the next vector z", offsetof(struct minres, z[1]), KRYLOV_WITH_M | KRYLOV_STATE},
    {"the vector v", offsetof(struct minres, v[0]), KRYLOV_STATE},
    {"the next vector v", offsetof(struct minres, v[1]), KRYLOV_STATE | KRYLOV_TAKES_PRODUCT},
    {"the vector d", offsetof(struct minres, d[0]), KRYLOV_STATE},
    {"the next vector d", offsetof(struct minres, d[1]), KRYLOV_STATE},
    {0},
};

static const struct krylov_method krylov = {
    .vectors = vectors,
    KRYLOV_SCALARS(struct minres, preconditioned, of.alpha),
    .start = start,
    .turn = turn,
    .pieces = &minres_pieces,
    .resident = resident,
};

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
    .krylov = &krylov,
    .size = sizeof(struct minres),
    .end = end,
    .keep = keep,
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
    .krylov = &krylov,
    .size = sizeof(struct minres),
    .end = end,
    .keep = keep,
    .bytes_per_iteration = bytes_per_iteration,
};
