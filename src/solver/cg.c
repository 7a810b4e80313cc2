#include "cgsolve/cg.h"

#include "base/clock.h"
#include "base/memory.h"
#include "solver/residual.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

/* How far the true residual may lie above the tolerance, and how often x must not move. */
static const double GAP = 1.1;
enum { STAGNATION_RUN = 3 };

const char *reason_name(enum reason reason)
{
    switch (reason) {
    case REASON_CONVERGED:
        return "converged";
    case REASON_RESIDUAL_GAP:
        return "residual gap";
    case REASON_ITERATION_LIMIT:
        return "iteration limit";
    case REASON_NOT_POSITIVE:
        return "not positive definite";
    case REASON_NOT_FINITE:
        return "not finite";
    case REASON_STAGNATION:
        return "stagnation";
    }
    return "unknown";
}

int64_t cg_bytes_per_iteration(const struct spmv *spmv)
{
    int64_t vectors = 3 + 5 + (spmv_fuses_dot(spmv) ? 0 : 2);
    return spmv->kernel->bytes_per_apply(spmv->state) +
           vectors * spmv->n * (int64_t)sizeof(double);
}

/* The vectors and scalars of a solve, in the space's memory. */
struct cg {
    struct spmv *spmv;
    struct space *space;
    const struct space_operations *space_do;
    int64_t n;
    double *x, *r, *p, *q;
    double *scalars; /* rho of even and of odd iterations, p . q */
};

/* ||x|| and ||p|| without a pass over them: with x_0 = 0 they follow from the scalars of the
 * iteration (Steihaug 1983, section 2; Conn, Gould, Toint 2000, section 7.5.1). */
struct norms {
    double xx, xp, pp;
};

static struct norms norms_step(struct norms old, double alpha, double beta, double rho)
{
    return (struct norms){
        .xx = old.xx + 2 * alpha * old.xp + alpha * alpha * old.pp,
        .xp = beta * (old.xp + alpha * old.pp),
        .pp = rho + beta * beta * old.pp,
    };
}

static enum status create(struct cg *cg, struct error *error)
{
    struct {
        double **vector;
        int64_t count;
        const char *what;
    } wanted[] = {
        {&cg->x, cg->n, "the vector x"},  {&cg->r, cg->n, "the vector r"},
        {&cg->p, cg->n, "the vector p"},  {&cg->q, cg->n, "the vector q"},
        {&cg->scalars, 3, "the scalars"},
    };
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
        enum status status = cg->space_do->allocate(cg->space, wanted[k].count, wanted[k].what,
                                                    wanted[k].vector, error);
        if (status)
            return status;
    }
    return STATUS_OK;
}

static void destroy(struct cg *cg)
{
    cg->space_do->release(cg->space, cg->x);
    cg->space_do->release(cg->space, cg->r);
    cg->space_do->release(cg->space, cg->p);
    cg->space_do->release(cg->space, cg->q);
    cg->space_do->release(cg->space, cg->scalars);
}

/* x = 0, r = p = b, rho_0 = r . r */
static enum status start(struct cg *cg, const double *b, double *rho, struct error *error)
{
    enum status status = cg->space_do->upload(cg->space, cg->n, b, cg->r, error);
    if (!status)
        status = cg->space_do->copy(cg->space, cg->n, cg->r, cg->p, error);
    if (!status)
        status = cg->space_do->fill(cg->space, cg->n, 0, cg->x, error);
    if (!status)
        status = cg->space_do->dot(cg->space, cg->n, cg->r, cg->r, &cg->scalars[0], error);
    if (!status)
        status = cg->space_do->download(cg->space, 1, &cg->scalars[0], rho, error);
    return status;
}

/* q = A p, and the curvature p . q for the host. */
static enum status product(struct cg *cg, double *curvature, struct error *error)
{
    enum status status = spmv_apply_dot(cg->spmv, cg->p, cg->q, &cg->scalars[2], error);
    if (!status)
        status = cg->space_do->download(cg->space, 1, &cg->scalars[2], curvature, error);
    return status;
}

/* r -= alpha q, rho' = r . r;  x += alpha p, p = r + beta p  with alpha = rho / p.q and
 * beta = rho' / rho; and rho' for the host. */
static enum status step(struct cg *cg, int64_t k, double *next_rho, struct error *error)
{
    double *rho = &cg->scalars[k % 2], *next = &cg->scalars[(k + 1) % 2];
    struct quotient alpha = {rho, &cg->scalars[2]}, beta = {next, rho};
    enum status status =
        cg->space_do->axmy_norm2(cg->space, cg->n, alpha, cg->q, cg->r, next, error);
    if (!status)
        status = cg->space_do->axpy_xpby(cg->space, cg->n, alpha, beta, cg->r, cg->p, cg->x, error);
    if (!status)
        status = cg->space_do->download(cg->space, 1, next, next_rho, error);
    return status;
}

/* Whether the solve ends before iteration row->iteration + 1, and why. A NaN compares false with
 * everything, so it must not look converged. */
static bool ended(const struct history_row *row, double target, int still,
                  const struct cg_options *options, enum reason *reason)
{
    if (row->residual <= target)
        *reason = REASON_CONVERGED;
    else if (!isfinite(row->residual))
        *reason = REASON_NOT_FINITE;
    else if (still >= STAGNATION_RUN)
        *reason = REASON_STAGNATION;
    else if (row->iteration >= options->max_iterations)
        *reason = REASON_ITERATION_LIMIT;
    else
        return false;
    return true;
}

/* The loop of cgsolve/cg.h. Here REASON_CONVERGED only says that the recursive residual passed. */
static enum status iterate(struct cg *cg, const double *b, const struct cg_options *options,
                           const struct cg_observer *observer, struct cg_result *result,
                           struct error *error)
{
    double rho;
    enum status status = start(cg, b, &rho, error);
    if (status)
        return status;
    result->rhs_norm = sqrt(rho);
    double target = options->tolerance * result->rhs_norm;
    struct norms norms = {.pp = rho};
    struct history_row row = {0, result->rhs_norm, NAN, NAN};
    double beta = 0;
    int still = 0;
    for (;;) {
        result->iterations = row.iteration;
        result->residual = row.residual;
        if (observer && observer->row)
            status = observer->row(observer->context, &row, error);
        if (status || ended(&row, target, still, options, &result->reason))
            return status;
        status = product(cg, &result->curvature, error);
        if (status)
            return status;
        if (!isfinite(result->curvature) || result->curvature <= 0) {
            result->reason = isfinite(result->curvature) ? REASON_NOT_POSITIVE : REASON_NOT_FINITE;
            return STATUS_OK;
        }
        double next_rho;
        status = step(cg, row.iteration, &next_rho, error);
        if (status)
            return status;
        double alpha = rho / result->curvature;
        row = (struct history_row){row.iteration + 1, sqrt(next_rho), alpha, beta};
        beta = next_rho / rho;
        double moved = alpha * alpha * norms.pp;
        norms = norms_step(norms, alpha, beta, next_rho);
        still = moved <= DBL_EPSILON * DBL_EPSILON * norms.xx ? still + 1 : 0;
        rho = next_rho;
    }
}

/* The recursive residual passed: does the true one? */
static enum status confirm(const struct csr *A, const double *b, const double *x,
                           const struct cg_options *options, struct cg_result *result,
                           struct error *error)
{
    enum status status = residual_norm(A, b, x, &result->true_residual, error);
    if (status)
        return status;
    double allowed = GAP * options->tolerance * result->rhs_norm;
    if (result->reason == REASON_CONVERGED && !(result->true_residual <= allowed))
        result->reason = REASON_RESIDUAL_GAP;
    return STATUS_OK;
}

enum status cg_solve(struct spmv *spmv, const struct csr *A, const double *b,
                     const struct cg_options *options, const struct cg_observer *observer,
                     double *x, struct cg_result *result, struct error *error)
{
    *result = (struct cg_result){0};
    if (A->kind != CSR_SYMMETRIC)
        return error_set(
            error, STATUS_CONFIG, "conjugate gradients need a symmetric matrix, and this one is %s",
            A->kind == CSR_SKEW ? "skew-symmetric: p . A p = 0 for every p" : "general");
    struct cg cg = {
        .spmv = spmv, .space = spmv->space, .space_do = spmv->space->operations, .n = A->n};
    enum status status = create(&cg, error);
    double begin = clock_seconds();
    if (!status)
        status = iterate(&cg, b, options, observer, result, error);
    result->seconds = clock_seconds() - begin;
    if (!status)
        status = cg.space_do->download(cg.space, cg.n, cg.x, x, error);
    if (!status)
        status = confirm(A, b, x, options, result, error);
    destroy(&cg);
    return status;
}
