#include "solver/cg/cg.h"

#include "base/clock.h"
#include "solver/cg/work.h"

#include <math.h>
#include <stdbool.h>

static int64_t bytes_per_iteration(const struct solver_options *options,
                                   const struct linear_operator *spmv)
{
    const struct linear_operator *M = options->preconditioner;
    const struct space *space = spmv->space;
    int64_t n = spmv->n;
    return space_bytes(space, &cg_residual, n) + (M ? M->bytes_per_apply : 0) +
           (spmv->can & OPERATOR_DIRECTION ? operator_direction_bytes(spmv)
                                           : space_bytes(space, &cg_direction, n)) +
           spmv->bytes_per_apply + operator_dot_bytes(spmv);
}

static enum status run(struct cg *cg, const struct pass *pass, struct error *error)
{
    struct cg_vectors vectors = {.x = cg->x,
                                 .r = cg->r,
                                 .p = cg->p[0],
                                 .q = cg->q,
                                 .z = cg->M ? cg->z : NULL,
                                 .scalars = cg->scalars};
    return space_run(cg->base.space, pass, cg->base.n, &vectors, error);
}

enum status cg_precondition(struct cg *cg, double *rho, struct error *error)
{
    return operator_apply_to(
        cg->M,
        &(struct operands){
            .x = cg->r, .y = cg->z, .squared = &cg->scalars->residual_squared, .dot = rho},
        error);
}

/* x = x_0, r = b - A x_0, z, p = z, rho = r . z, row 0 */
static enum status start(struct solver *solver, const double *b, const double *x0,
                         struct error *error)
{
    struct cg *cg = (struct cg *)solver;
    cg->makes_direction = solver->spmv->can & OPERATOR_DIRECTION;
    cg->M = solver->options.preconditioner;
    struct cg_scalars scalars = {.preconditioned = cg->M != NULL,
                                 .patient = solver->restart.afresh,
                                 .curvature = NAN}; /* until there is a p . A p */
    struct cg_scalars *s = cg->scalars;
    enum status status =
        krylov_start(solver, &scalars.loop, b, x0, cg->M ? &s->residual_squared : &s->rho, error);
    if (!status && cg->M)
        status = cg_precondition(cg, &s->rho, error);
    if (!status)
        status = space_copy(solver->space, solver->n, cg->M ? cg->z : cg->r, cg->p[0], error);
    if (!status && cg->makes_direction) /* it is saved before the first product too */
        status = space_fill(solver->space, solver->n, 0, cg->p[1], error);
    return status ? status : run(cg, &cg_advance, error);
}

enum status cg_multiply(struct cg *cg, double *dot, struct error *error)
{
    struct cg_scalars *s = cg->scalars;
    struct operands product = {.x = cg->p[0], .y = cg->q, .dot = dot};
    if (!cg->makes_direction)
        return operator_apply_to(cg->base.spmv, &product, error);
    bool second = cg->turns % 2 == 1;
    struct direction step = {.r = cg->M ? cg->z : cg->r,
                             .p = cg->p[second],
                             .next = cg->p[!second],
                             .beta = &s->beta,
                             .x = second ? cg->x : NULL,
                             .alpha_before = &s->alpha_before,
                             .alpha = &s->alpha};
    cg->turns++;
    product.direction = &step;
    return operator_apply_to(cg->base.spmv, &product, error);
}

enum status cg_step(struct cg *cg, bool applies, struct error *error)
{
    /* r -= alpha q, ||r||; rho without an M */
    enum status status = run(cg, cg->M ? &cg_residual_before_M : &cg_residual, error);
    if (!status && cg->M && applies)
        status = cg_precondition(cg, &cg->scalars->next_rho, error); /* z = M^-1 r, rho = r . z */
    if (!status && cg->M)
        status = run(cg, &cg_advance, error); /* alpha, beta */
    if (!status && !cg->makes_direction)
        status = run(cg, &cg_direction, error); /* x += alpha p, p = z + beta p */
    return status;
}

/* One turn of the loop of solver/cg/cg.h, which begins behind the first product. */
static enum status turn(void *context, struct error *error)
{
    struct cg *cg = context;
    enum status status = cg_step(cg, true, error);
    return status ? status : cg_multiply(cg, &cg->scalars->curvature, error); /* q = A p, p . q */
}

/* The steps of x that the loop has not come to. Of K iterations, the last one's direction was made
 * only when it was the next p . A p that ended the loop, or when it was interrupted: then there is
 * no curvature. */
static enum status catch_up(struct cg *cg, struct error *error)
{
    const struct solver_result *result = &cg->base.result;
    int64_t iterations = result->iterations;
    if (iterations == 0)
        return STATUS_OK;
    int64_t turned = cg_may_divide(result->curvature) ? iterations - 1 : iterations;
    int64_t done = cg->makes_direction ? turned / 2 * 2 : turned;
    enum status status = STATUS_OK;
    for (int64_t k = done; k < iterations && !status; k++)
        if (cg->alphas[k % 2] != 0)
            status = space_axpy(cg->base.space, cg->base.n, cg->alphas[k % 2],
                                cg->p[cg->makes_direction ? k % 2 : 0], cg->x, error);
    return status;
}

static enum status take(struct solver *solver, const struct solver_row *row, double *values,
                        struct error *error)
{
    struct cg *cg = (struct cg *)solver;
    if (row->iteration > 0)
        cg->alphas[(row->iteration - 1) % 2] = row->alpha;
    return cg_spectrum_take(&cg->spectrum, row, values, error);
}

/* x_k. Where the kernel makes p, x takes its steps two at a time, and in an odd iteration lacks the
 * last one: it is done in a copy, by the same operation. */
static enum status show_x(const struct cg *cg, const struct tracing *tracing, struct error *error)
{
    int64_t k = cg->base.result.iterations;
    if (!cg->makes_direction || k % 2 == 0)
        return tracing_show(tracing, VECTOR_X, cg->x, error);
    enum status status = space_copy(cg->base.space, cg->base.n, cg->x, cg->x_shown, error);
    if (!status)
        status = space_axpy(cg->base.space, cg->base.n, cg->alphas[(k - 1) % 2], cg->p[(k - 1) % 2],
                            cg->x_shown, error);
    return status ? status : tracing_show(tracing, VECTOR_X, cg->x_shown, error);
}

/* p and q are those that follow from the last row. */
static enum status trace(struct solver *solver, const struct tracing *tracing, struct error *error)
{
    struct cg *cg = (struct cg *)solver;
    enum status status = tracing_show(tracing, VECTOR_R, cg->r, error);
    if (!status)
        status = show_x(cg, tracing, error);
    if (!status)
        status = tracing_show(tracing, VECTOR_P, cg->p[cg->turns % 2], error);
    return status ? status : tracing_show(tracing, VECTOR_Q, cg->q, error);
}

/* The first product, and the loop. */
static enum status advance(struct solver *solver, int64_t until, struct error *error)
{
    struct cg *cg = (struct cg *)solver;
    enum status status = STATUS_OK;
    if (!cg->multiplied)
        status = operator_apply_dot(solver->spmv, cg->p[0], cg->q, &cg->scalars->curvature, error);
    cg->multiplied = true;
    if (!status)
        status = krylov_advance(solver, until, error);
    if (!status && solver->ended && krylov_ended_in_burst(solver))
        cg->alphas[0] = cg->alphas[1] = 0;
    return status;
}

/* Where the kernel makes p, so that x, p and the turns are as a burst takes and leaves them. */
static bool resident(const struct solver *solver, struct resident_system *system)
{
    const struct cg *cg = (const struct cg *)solver;
    system->p = cg->p[0];
    system->q = cg->q;
    system->x = cg->x;
    system->cg.scalars = cg->scalars;
    system->cg.r = cg->r;
    system->cg.z = cg->z;
    system->cg.inverse = cg->M ? cg->M->diagonal : NULL;
    return cg->makes_direction && (!cg->M || cg->M->diagonal);
}

/* The extreme Ritz values. Of a matrix that has shown a p . A p <= 0 the smallest one is not among
 * those of T_k. */
static void take_spectrum(struct cg *cg)
{
    struct solver_result *result = &cg->base.result;
    cg_spectrum_extremes(&cg->spectrum, &result->ritz_low, &result->ritz_high);
    if (result->reason == REASON_NOT_POSITIVE)
        result->ritz_low = NAN;
}

/* The steps of x that are left belong to the time of the solve. */
static enum status end(struct solver *solver, const struct csr *A, const double *b, double *x,
                       struct error *error)
{
    struct cg *cg = (struct cg *)solver;
    struct solver_result *result = &solver->result;
    result->products += (result->iterations + 1) * (1 + (cg->M ? cg->M->products : 0));
    double called = clock_seconds();
    enum status status = catch_up(cg, error);
    solver->space->operations->forget(solver->space); /* it waits */
    result->seconds += clock_seconds() - called;
    if (!status)
        status = krylov_finish(solver, A, b, x, error);
    take_spectrum(cg);
    return status;
}

/* Also what the host knows of the last two turns. */
static enum status keep(struct solver *solver, struct archive *archive, struct error *error)
{
    struct cg *cg = (struct cg *)solver;
    double *device_stagnant = (double *)&cg->scalars->stagnant;
    int64_t stagnant;
    enum status status =
        space_download(solver->space, 1, device_stagnant, (double *)&stagnant, error);
    if (!status)
        status = archive_count(archive, "stagnant", &stagnant, CG_STAGNATION_RUN, error);
    if (!status)
        status = space_upload(solver->space, 1, (const double *)&stagnant, device_stagnant, error);
    if (!status)
        status = archive_bytes(archive, "last alphas", cg->alphas, sizeof cg->alphas, error);
    if (!status)
        status = cg_spectrum_keep(&cg->spectrum, solver->result.iterations, archive, error);
    if (archive->loads) {
        cg->turns = cg->makes_direction ? solver->result.iterations : 0;
        cg->multiplied = true;
    }
    return status ? status : krylov_keep(solver, archive, error);
}

static void destroy(struct solver *solver)
{
    cg_spectrum_free(&((struct cg *)solver)->spectrum);
    krylov_destroy(solver);
}

static const struct krylov_vector vectors[] = {
    {"the vector x", offsetof(struct cg, x), KRYLOV_STATE | KRYLOV_IS_X},
    {"the vector r", offsetof(struct cg, r), KRYLOV_STATE | KRYLOV_IS_R | KRYLOV_IN_RANGE},
    {"the vector p", offsetof(struct cg, p[0]), KRYLOV_STATE},
    {"the next vector p", offsetof(struct cg, p[1]), KRYLOV_MAKES_DIRECTION | KRYLOV_STATE},
    {"the vector q", offsetof(struct cg, q), KRYLOV_STATE | KRYLOV_TAKES_PRODUCT},
    {"the vector z", offsetof(struct cg, z), KRYLOV_WITH_M | KRYLOV_STATE},
    {"the traced vector x", offsetof(struct cg, x_shown), KRYLOV_MAKES_DIRECTION | KRYLOV_TRACES_X},
    {0},
};

static const struct krylov_method krylov = {
    .vectors = vectors,
    KRYLOV_SCALARS(struct cg, scalars, rho),
    .start = start,
    .turn = turn,
    .take = take,
    .trace = trace,
    .pieces = &cg_pieces,
    .resident = resident,
};

static const struct series series[] = {
    [CG_RESIDUAL] = {"residual", "||r||_2, of the recursive r", SERIES_IN_ALL_ROWS, UNIT_B},
    [CG_ALPHA] = {"alpha", "the length of the step along p that made x and r", SERIES_FROM_ROW_1,
                  UNIT_STEP},
    [CG_BETA] = {"beta", "the share of the direction before in that p", SERIES_FROM_ROW_1},
    [CG_RITZ_LOW] = {"ritz_low", "an estimate of the smallest Ritz value, of M^-1 A",
                     SERIES_WHERE_KNOWN, UNIT_PRECONDITIONED},
    [CG_RITZ_HIGH] = {"ritz_high", "an estimate of the largest Ritz value, of M^-1 A",
                      SERIES_WHERE_KNOWN, UNIT_PRECONDITIONED},
    [CG_CONDITION] = {"condition", "ritz_high / ritz_low", SERIES_WHERE_KNOWN},
    [CG_ERROR_NORM] = {"error_norm", "an estimate of the error ||x - A^-1 b||_A",
                       SERIES_WHERE_KNOWN, UNIT_ENERGY},
    [CG_SERIES] = {NULL},
};

const struct method method_cg = {
    .component = {COMPONENT_METHOD, "cg",
                  "conjugate gradients, for a symmetric positive definite matrix"},
    .title = "conjugate gradients",
    .needs = "conjugate gradients need",
    .traits = METHOD_FINDS_VECTOR | METHOD_TAKES_PRECONDITIONER | METHOD_TAKES_TRACE |
              METHOD_TAKES_COLUMNS,
    .kind = CSR_SYMMETRIC,
    .matrix = "A",
    .refusal = "p . A p = 0 for every p",
    .series = series,
    .vectors = 1u << VECTOR_R | 1u << VECTOR_X | 1u << VECTOR_P | 1u << VECTOR_Q,
    .krylov = &krylov,
    .size = sizeof(struct cg),
    .advance = advance,
    .end = end,
    .keep = keep,
    .destroy = destroy,
    .bytes_per_iteration = bytes_per_iteration,
};
