#include "solver/cg/cg.h"

#include "base/clock.h"
#include "base/memory.h"
#include "solver/cg/work.h"
#include "solver/start.h"
#include "solver/time_split.h"
#include "solver/true_residual.h"

#include <math.h>
#include <stdbool.h>

static int64_t bytes_per_iteration(const struct solver_options *options,
                                   const struct linear_operator *spmv)
{
    const struct linear_operator *M = options->preconditioner;
    const struct space *space = spmv->space;
    int64_t n = spmv->n;
    return space_bytes(space, &cg_residual, n) + (M ? M->bytes_per_apply : 0) +
           (operator_makes_direction(spmv) ? operator_direction_bytes(spmv)
                                           : space_bytes(space, &cg_direction, n)) +
           spmv->bytes_per_apply + (spmv->fuses_dot ? 0 : space_bytes(space, &pass_dot, n));
}

static int64_t memory_bytes(const struct solver_options *options, int64_t n)
{
    int64_t vectors = options->preconditioner ? 5 : 4;
    return vectors * n * (int64_t)sizeof(double) + (int64_t)sizeof(struct cg_scalars);
}

static enum status create(struct cg *cg, struct error *error)
{
    struct {
        double **vector;
        int64_t count;
        const char *what;
    } wanted[] = {
        {&cg->x, cg->base.n, "the vector x"},
        {&cg->r, cg->base.n, "the vector r"},
        {&cg->p[0], cg->base.n, "the vector p"},
        {&cg->p[1], cg->makes_direction ? cg->base.n : 0, "the next vector p"},
        {&cg->q, cg->base.n, "the vector q"},
        {&cg->z, cg->M ? cg->base.n : 0, "the vector z"},
        {&cg->x_shown,
         cg->makes_direction && tracing_wants(&cg->tracing, VECTOR_X) ? cg->base.n : 0,
         "the traced vector x"},
    };
    enum status status = STATUS_OK;
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted && !status; k++)
        status =
            space_vector(cg->base.space, wanted[k].count, wanted[k].what, wanted[k].vector, error);
    void *scalars = NULL;
    if (!status)
        status = cg->base.space->operations->allocate(cg->base.space, 1, sizeof *cg->scalars,
                                                      "the scalars", &scalars, error);
    cg->scalars = scalars;
    return status ? status : row_loop_begin(&cg->loop, error);
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
    return operator_apply_dot_to(cg->M, cg->r, &cg->scalars->residual_squared, cg->z, rho, error);
}

/* r . r, z where there is an M, rho */
static enum status first_rho(struct cg *cg, struct error *error)
{
    struct cg_scalars *s = cg->scalars;
    double *squared = cg->M ? &s->residual_squared : &s->rho;
    enum status status = space_dot(cg->base.space, cg->base.n, cg->r, cg->r, squared, error);
    return status || !cg->M ? status : cg_precondition(cg, &s->rho, error);
}

/* x = x_0, r = b - A x_0, z, p = z, rho = r . z, row 0 */
static enum status start(struct cg *cg, const double *b, const double *x0, struct error *error)
{
    struct cg_scalars scalars = {.tolerance = cg->base.options.tolerance,
                                 .max_iterations = cg->base.options.max_iterations,
                                 .rhs_norm = cg->base.result.rhs_norm,
                                 .preconditioned = cg->M != NULL,
                                 .patient = cg->base.restart.afresh,
                                 .rows = cg->loop.rows,
                                 .iteration = -1,
                                 .curvature = NAN}; /* until there is a p . A p */
    enum status status = space_upload(cg->base.space, CG_SCALARS, (const double *)&scalars,
                                      (double *)cg->scalars, error);
    if (!status)
        status = space_upload(cg->base.space, cg->base.n, b, cg->r, error);
    if (!status)
        status = solver_start(&cg->base, x0, cg->q, cg->x, cg->r, error);
    if (!status)
        status = first_rho(cg, error);
    if (!status)
        status = space_copy(cg->base.space, cg->base.n, cg->M ? cg->z : cg->r, cg->p[0], error);
    if (!status)
        status = run(cg, &cg_advance, error);
    cg->base.space->ended = &cg->scalars->ended;
    return status;
}

enum status cg_multiply(struct cg *cg, double *dot, struct error *error)
{
    struct cg_scalars *s = cg->scalars;
    if (!cg->makes_direction)
        return dot ? operator_apply_dot(cg->base.spmv, cg->p[0], cg->q, dot, error)
                   : operator_apply(cg->base.spmv, cg->p[0], cg->q, error);
    bool second = cg->turns % 2 == 1;
    struct direction step = {.r = cg->M ? cg->z : cg->r,
                             .p = cg->p[second],
                             .next = cg->p[!second],
                             .beta = &s->beta,
                             .x = second ? cg->x : NULL,
                             .alpha_before = &s->alpha_before,
                             .alpha = &s->alpha};
    cg->turns++;
    return operator_apply_direction(cg->base.spmv, &step, cg->q, dot, error);
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
        status = space_axpy(cg->base.space, cg->base.n, cg->alphas[k % 2],
                            cg->p[cg->makes_direction ? k % 2 : 0], cg->x, error);
    return status;
}

/* A row of the history has come. */
static enum status take_row(void *context, const struct solver_row *row, struct error *error)
{
    struct cg *cg = context;
    struct solver_result *result = &cg->base.result;
    if (row->iteration == 0 && result->rhs_norm == 0) /* x_0 = 0 */
        result->rhs_norm = row->residual;
    if (row->iteration > 0)
        cg->alphas[(row->iteration - 1) % 2] = row->alpha;
    result->iterations = row->iteration;
    result->residual = row->residual;
    double values[CG_SERIES] = {row->residual, row->alpha, row->beta};
    struct event seen = {.kind = EVENT_ROW, .iteration = row->iteration, .values = values};
    enum status status = cg_spectrum_take(&cg->spectrum, row, values, error);
    return status ? status : observer_see(cg->base.observer, &seen, error);
}

/* x_k. Where the kernel makes p, x takes its steps two at a time, and in an odd iteration lacks the
 * last one: it is done in a copy, by the same operation. */
static enum status show_x(const struct cg *cg, struct error *error)
{
    int64_t k = cg->base.result.iterations;
    if (!cg->makes_direction || k % 2 == 0)
        return tracing_show(&cg->tracing, VECTOR_X, cg->x, error);
    enum status status = space_copy(cg->base.space, cg->base.n, cg->x, cg->x_shown, error);
    if (!status)
        status = space_axpy(cg->base.space, cg->base.n, cg->alphas[(k - 1) % 2], cg->p[(k - 1) % 2],
                            cg->x_shown, error);
    return status ? status : tracing_show(&cg->tracing, VECTOR_X, cg->x_shown, error);
}

/* Behind everything on its way. The row is there a moment before the end is known; with that, x is
 * not brought up to date yet. */
static enum status trace_vectors(void *context, struct error *error)
{
    struct cg *cg = context;
    struct cg_scalars scalars;
    enum status status = space_download(cg->base.space, CG_SCALARS, (const double *)cg->scalars,
                                        (double *)&scalars, error);
    if (status || scalars.ended)
        return status;
    status = tracing_show(&cg->tracing, VECTOR_R, cg->r, error);
    if (!status)
        status = show_x(cg, error);
    if (!status)
        status = tracing_show(&cg->tracing, VECTOR_P, cg->p[cg->turns % 2], error);
    if (!status)
        status = tracing_show(&cg->tracing, VECTOR_Q, cg->q, error);
    tracing_move(&cg->tracing);
    return status;
}

/* What the last iteration left, which made no p and q any more. */
static enum status look_at_end(const struct cg *cg, struct error *error)
{
    if (cg->tracing.due != cg->base.result.iterations)
        return STATUS_OK;
    enum status status = tracing_show(&cg->tracing, VECTOR_R, cg->r, error);
    return status ? status : tracing_show(&cg->tracing, VECTOR_X, cg->x, error);
}

/* The first product, and the loop. */
static enum status advance(struct solver *solver, int64_t until, struct error *error)
{
    struct cg *cg = (struct cg *)solver;
    enum status status = STATUS_OK;
    if (!cg->multiplied)
        status = operator_apply_dot(solver->spmv, cg->p[0], cg->q, &cg->scalars->curvature, error);
    cg->multiplied = true;
    return status ? status : row_loop_advance(&cg->loop, solver, until, error);
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

/* The place of a solve among the scalars. */
static enum status keep_place(struct cg *cg, struct archive *archive, struct error *error)
{
    struct space *space = cg->base.space;
    double *there = (double *)&cg->scalars->iteration;
    int64_t place[CG_PLACE];
    enum status status = space_download(space, CG_PLACE, there, (double *)place, error);
    if (!status)
        status = archive_count(archive, "stagnant", &place[2], CG_STAGNATION_RUN, error);
    place[0] = cg->base.result.iterations;
    place[1] = cg->base.ended;
    return status || !archive->loads
               ? status
               : space_upload(space, CG_PLACE, (const double *)place, there, error);
}

static enum status begin(struct solver *solver, const double *b, const double *x0,
                         struct error *error)
{
    struct cg *cg = (struct cg *)solver;
    cg->makes_direction = operator_makes_direction(solver->spmv);
    cg->M = solver->options.preconditioner;
    cg->loop = (struct row_loop){
        .space = solver->space,
        .turn = turn,
        .take = take_row,
        .context = cg,
        .due = observer_wants(solver->observer, EVENT_VECTOR) ? &cg->tracing.due : NULL,
        .trace_vectors = trace_vectors};
    enum status status = tracing_begin(&cg->tracing, solver, error);
    if (!status)
        status = create(cg, error);
    if (!status)
        status = start(cg, b, x0, error);
    return status ? status : row_loop_record(&cg->loop, solver->n, error);
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
        status = look_at_end(cg, error);
    if (!status)
        status = solver_download(solver, cg->x, x, error);
    if (!status)
        status = solver_confirm(solver, A, b, x, error);
    if (!status && time_split_wanted(&solver->options, result))
        status = cg_split_time(cg, error);
    take_spectrum(cg);
    return status;
}

/* From where the loaded state was left. */
static void go_on(struct cg *cg)
{
    int64_t iterations = cg->base.result.iterations;
    row_loop_resume(&cg->loop, iterations, cg->base.ended);
    tracing_go_on(&cg->tracing);
    cg->turns = cg->makes_direction ? iterations : 0;
    cg->multiplied = true;
}

static enum status keep(struct solver *solver, struct archive *archive, struct error *error)
{
    struct cg *cg = (struct cg *)solver;
    struct space *space = solver->space;
    struct {
        const char *name;
        double *vector;
        bool there;
    } vectors[] = {{"x", cg->x, true},    {"r", cg->r, true},
                   {"p", cg->p[0], true}, {"next p", cg->p[1], cg->makes_direction},
                   {"q", cg->q, true},    {"z", cg->z, cg->M != NULL}};
    enum status status =
        archive_expect(archive, "a kernel that makes p", cg->makes_direction, error);
    if (!status)
        status = keep_place(cg, archive, error);
    if (!status)
        status = archive_vector(archive, space, "scalars", CG_SCALARS - CG_STATE,
                                (double *)cg->scalars + CG_STATE, error);
    if (!status)
        status = archive_bytes(archive, "last alphas", cg->alphas, sizeof cg->alphas, error);
    if (!status)
        status = cg_spectrum_keep(&cg->spectrum, solver->result.iterations, archive, error);
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors && !status; k++)
        if (vectors[k].there)
            status = archive_vector(archive, space, vectors[k].name, solver->n, vectors[k].vector,
                                    error);
    if (archive->loads)
        go_on(cg);
    return status;
}

static void destroy(struct solver *solver)
{
    struct cg *cg = (struct cg *)solver;
    cg_spectrum_free(&cg->spectrum);
    tracing_end(&cg->tracing);
    row_loop_end(&cg->loop);
    solver->space->ended = NULL;
    double *vectors[] = {cg->x, cg->r, cg->p[0],    cg->p[1],
                         cg->q, cg->z, cg->x_shown, (double *)cg->scalars};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        space_release(solver->space, vectors[k]);
}

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
    .size = sizeof(struct cg),
    .begin = begin,
    .advance = advance,
    .end = end,
    .keep = keep,
    .destroy = destroy,
    .memory_bytes = memory_bytes,
    .bytes_per_iteration = bytes_per_iteration,
};
