#include "solver/probe.h"

#include "base/random.h"
#include "space/ranks/rank_vector.h"
#include "space/ranks/ranks.h"

#include <float.h>
#include <math.h>

/* ||A v|| over ||A (z v)||; |a row of A| over ||A||; and ||v|| in such rows over ||v||. */
static const double NULL_VECTOR = 0x1p-36, PRECONDITIONED = 0x1p-10;
static const double LARGE = 0x1p-20, NEARLY_ALL = 0.995, SMALL = 0x1p-7;

enum status probe_begin(const struct solver *solver, const double *b, const double *x0,
                        struct probe *probe, struct error *error)
{
    struct space *space = solver->space;
    int64_t n = solver->n, first = ranks_first_row(space);
    *probe = (struct probe){.solver = solver,
                            .b = b,
                            .x0 = x0,
                            .n = n,
                            .first = first,
                            .last = first + ranks_rows(space, n)};
    probe->v = rank_vector_create(ranks_partition(space), n, sizeof(double), "a restart", error);
    if (!probe->v)
        return STATUS_MEMORY;
    enum status status = space_vector(space, n, "a restart", &probe->vector, error);
    if (!status)
        status = space_vector(space, n, "a restart", &probe->product, error);
    return status ? status : space_scalars(space, 1, "a restart", &probe->scalar, error);
}

void probe_end(struct probe *probe)
{
    struct space *space = probe->solver->space;
    rank_vector_free(ranks_partition(space), probe->n, sizeof(double), probe->v);
    space_release(space, probe->vector);
    space_release(space, probe->product);
    space_release(space, probe->scalar);
}

static double sign_and_size(int64_t i)
{
    double u = random_uniform(UINT64_C(0x7265737461727421), (uint64_t)i);
    return u < 0 ? (u - 1) / 2 : (u + 1) / 2;
}

static enum status norm_of(struct probe *probe, const double *vector, double *norm,
                           struct error *error)
{
    struct space *space = probe->solver->space;
    enum status status = space_dot(space, probe->n, vector, vector, probe->scalar, error);
    if (!status)
        status = space_download(space, 1, probe->scalar, norm, error);
    *norm = sqrt(*norm);
    return status;
}

static enum status norm_of_host(struct probe *probe, const double *v, double *norm,
                                struct error *error)
{
    enum status status = space_upload(probe->solver->space, probe->n, v, probe->vector, error);
    return status ? status : norm_of(probe, probe->vector, norm, error);
}

/* product = A v, and its norm. */
static enum status multiply(struct probe *probe, const double *v, double *norm, struct error *error)
{
    struct space *space = probe->solver->space;
    double shift = probe->solver->options.shift;
    enum status status = space_upload(space, probe->n, v, probe->vector, error);
    if (!status)
        status = operator_apply(probe->solver->spmv, probe->vector, probe->product, error);
    if (!status && shift != 0)
        status = space_axpy(space, probe->n, shift, probe->vector, probe->product, error);
    return status ? status : norm_of(probe, probe->product, norm, error);
}

/* product = A (z v), and its norm; v = NULL: all ones. */
static enum status multiply_shaken(struct probe *probe, const double *v, double *norm,
                                   struct error *error)
{
    for (int64_t i = probe->first; i < probe->last; i++)
        probe->v[i] = sign_and_size(i) * (v ? v[i] : 1);
    return multiply(probe, probe->v, norm, error);
}

enum status probe_attainable(struct probe *probe, const double *x, double *attainable,
                             struct error *error)
{
    enum status status = multiply_shaken(probe, x, attainable, error);
    *attainable = fmax(DBL_EPSILON * *attainable, DBL_MIN);
    return status;
}

/* --- claims ----------------------------------------------------------------------------------- */

/* vector = b - A x */
static enum status make_residual(struct probe *probe, const double *x, struct error *error)
{
    struct space *space = probe->solver->space;
    double norm;
    enum status status = multiply(probe, x, &norm, error);
    if (!status)
        status = space_upload(space, probe->n, probe->b, probe->vector, error);
    return status ? status : space_axpy(space, probe->n, -1, probe->product, probe->vector, error);
}

/* v of a least squares solution, and of a singular A. */
static enum status make_null_vector(struct probe *probe, enum reason reason, const double *x,
                                    double *v, struct error *error)
{
    const struct linear_operator *M = probe->solver->options.preconditioner;
    for (int64_t i = probe->first; i < probe->last && reason == REASON_SINGULAR; i++)
        v[i] = x[i] - (probe->x0 ? probe->x0[i] : 0);
    if (reason == REASON_SINGULAR)
        return STATUS_OK;
    enum status status = make_residual(probe, x, error);
    if (!status && M)
        status = operator_apply(M, probe->vector, probe->product, error);
    return status ? status
                  : ranks_download_own(probe->solver->space, probe->n,
                                       M ? probe->product : probe->vector, v, error);
}

/* rows = A z, size = ||A||, from below, by a step of the power method. */
static enum status look_at_rows(struct probe *probe, double *rows, double *size,
                                struct error *error)
{
    double once, twice;
    enum status status = multiply_shaken(probe, NULL, &once, error);
    if (!status)
        status = ranks_download_own(probe->solver->space, probe->n, probe->product, rows, error);
    if (!status)
        status = multiply(probe, rows, &twice, error);
    *size = once > 0 ? twice / once : 0;
    return status;
}

/* The norm of v in the rows of A that are 0, or of at least that size. */
static enum status norm_in_rows(struct probe *probe, const double *v, const double *rows,
                                double least, double *norm, struct error *error)
{
    for (int64_t i = probe->first; i < probe->last; i++)
        probe->v[i] = rows[i] == 0 || fabs(rows[i]) >= least ? v[i] : 0;
    return norm_of_host(probe, probe->v, norm, error);
}

/* The norms that tell whether v is a null vector. */
struct null_vector {
    double plain;         /* ||A v|| */
    double shaken;        /* ||A (z v)||, or size ||v|| in rows of A that are 0: what is more */
    double length, large; /* ||v||, in all rows and in those that are 0 or not far below ||A|| */
    double size;          /* ||A||, from below */
};

static enum status look_at(struct probe *probe, const double *v, double *rows,
                           struct null_vector *seen, struct error *error)
{
    double empty;
    enum status status = norm_of_host(probe, v, &seen->length, error);
    if (!status)
        status = multiply(probe, v, &seen->plain, error);
    if (!status)
        status = multiply_shaken(probe, v, &seen->shaken, error);
    if (!status)
        status = look_at_rows(probe, rows, &seen->size, error);
    if (!status)
        status = norm_in_rows(probe, v, rows, INFINITY, &empty, error);
    if (!status)
        status = norm_in_rows(probe, v, rows, LARGE * seen->size, &seen->large, error);
    if (!status)
        seen->shaken = fmax(seen->shaken, seen->size * empty);
    return status;
}

/* MINRES without an M has shown that A v is small beside ||A|| ||v||, of its own r: so it does in
 * large rows, unless b - A x has become another one. */
static bool is_null_vector(const struct null_vector *seen, enum reason reason, bool preconditioned)
{
    bool least_squares = reason == REASON_LEAST_SQUARES;
    double share = least_squares && preconditioned ? PRECONDITIONED : NULL_VECTOR;
    bool small =
        least_squares && !preconditioned && seen->plain <= SMALL * seen->size * seen->length;
    return seen->plain <= share * seen->shaken ||
           (small && seen->large >= NEARLY_ALL * seen->length);
}

enum status probe_claim(struct probe *probe, enum reason reason, const double *x, bool *holds,
                        struct error *error)
{
    *holds = false;
    if (reason != REASON_LEAST_SQUARES && reason != REASON_SINGULAR)
        return STATUS_OK;
    const struct partition *of = ranks_partition(probe->solver->space);
    size_t size = sizeof(double);
    double *v = rank_vector_create(of, probe->n, size, "a null vector", error);
    double *rows = rank_vector_create(of, probe->n, size, "the rows of A", error);
    struct null_vector seen;
    enum status status = v && rows ? make_null_vector(probe, reason, x, v, error) : STATUS_MEMORY;
    if (!status)
        status = look_at(probe, v, rows, &seen, error);
    *holds = !status && is_null_vector(&seen, reason, probe->solver->options.preconditioner);
    rank_vector_free(of, probe->n, size, v);
    rank_vector_free(of, probe->n, size, rows);
    return status;
}
