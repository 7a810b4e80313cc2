#include "cgsolve/lanczos.h"

#include "base/clock.h"
#include "base/memory.h"
#include "matrix/statistics.h"
#include "solver/lanczos/basis.h"
#include "solver/lanczos/ritz.h"
#include "solver/residual.h"
#include "solver/time_split.h"
#include "space/vector_norm.h"

#include <inttypes.h>
#include <math.h>

/* How far a true residual may lie above the tolerance. */
static const double GAP = 1.1;

/* A vector that the three terms leave shorter than this, over ||A||, is rounding errors. */
static const double VANISHED = 0x1p-48;

/* A Ritz vector is good when its bound is so much of ||A||. What has been lost to it by then is u
 * ||A|| / bound (Paige 1971), 2^-37, and taking that off is an error in A V = V T + ...; at half
 * the precision, 2^-26, it would be 2^-27, far above the tolerances that are asked for. */
static const double GOOD = 0x1p-16;

/* Where a good Ritz value is looked for again, over ||A||: it moves by bound^2 / gap. Too near
 * costs a look at a copy, too far a vector that is not found. */
static const double NEAR = 0x1p-25;

struct lanczos {
    const struct solver_options *options;
    const struct solver_observer *observer;
    struct solver_result *result;
    struct lanczos_basis basis;
    struct ritz ritz;
    double *border; /* [most] */
    double *known;  /* [known_count], ascending: Ritz values whose vectors were good since the last
                       restart */
    int64_t known_count;
    int64_t restarts;
    int64_t renewed;  /* how often the basis went on with a random vector */
    bool confined;    /* what has been found may lack what b has nothing of */
    bool interrupted; /* by the observer */
    int64_t vectors;  /* of the basis, summed over the steps */
    double projected; /* seconds of the projected matrix */
};

static int64_t memory_bytes(const struct solver_options *options, int64_t n)
{
    int64_t most = ritz_restart(&options->eigen, n);
    bool selective = options->eigen.reorthogonalization == REORTHOGONALIZATION_SELECTIVE;
    return ((most + 1 + (selective ? most : 0)) * n + most * most) * (int64_t)sizeof(double);
}

static int64_t bytes_per_iteration(const struct solver_options *options,
                                   const struct linear_operator *spmv)
{
    int64_t n = spmv->n;
    double columns =
        (double)(ritz_wanted(&options->eigen, n) + ritz_restart(&options->eigen, n)) / 2;
    bool full = options->eigen.reorthogonalization == REORTHOGONALIZATION_FULL;
    double vectors = (spmv->fuses_dot ? 0 : 2) + 4 + columns + 1 + (full ? columns + 2 : 0) + 2;
    return spmv->bytes_per_apply + (int64_t)(vectors * (double)n * (double)sizeof(double));
}

static enum status put_row(struct lanczos *lanczos, const struct history_row *row,
                           struct error *error)
{
    lanczos->result->iterations = row->iteration;
    lanczos->result->residual = row->residual;
    const struct solver_observer *observer = lanczos->observer;
    enum status status =
        observer && observer->row ? observer->row(observer->context, row, error) : STATUS_OK;
    lanczos->interrupted = status == STATUS_INTERRUPTED;
    return lanczos->interrupted ? STATUS_OK : status;
}

static enum status put_step(struct lanczos *lanczos, const struct lanczos_step *step,
                            struct error *error)
{
    const struct ritz *ritz = &lanczos->ritz;
    int64_t last = ritz->size - 1;
    struct history_row row =
        history_row_of(lanczos->result->products, ritz_residual(ritz), step->alpha, step->beta);
    row.more[HISTORY_RITZ_LOW] = ritz->theta[0];
    row.more[HISTORY_RITZ_HIGH] = ritz->theta[last];
    row.more[HISTORY_BOUND_LOW] = ritz->bound[0];
    row.more[HISTORY_BOUND_HIGH] = ritz->bound[last];
    row.more[HISTORY_ORTHOGONALITY] = step->orthogonality;
    row.more[HISTORY_CONVERGED] = (double)ritz_converged(ritz);
    row.more[HISTORY_GHOSTS] = (double)ritz_ghosts(ritz);
    return put_row(lanczos, &row, error);
}

/* The good Ritz values that are not known yet: a known one has hardly moved, and each stands for
 * one. news[] are their places, ascending; how many. */
static int64_t find_news(struct lanczos *lanczos, int64_t *news)
{
    const struct ritz *ritz = &lanczos->ritz;
    double near = NEAR * ritz->norm;
    int64_t count = 0, known = 0;
    for (int64_t i = 0; i < ritz->size; i++) {
        if (ritz->bound[i] > GOOD * ritz->norm)
            continue;
        while (known < lanczos->known_count && lanczos->known[known] < ritz->theta[i] - near)
            known++;
        if (known < lanczos->known_count && lanczos->known[known] <= ritz->theta[i] + near)
            known++;
        else
            news[count++] = i;
    }
    return count;
}

/* The Ritz vectors that have become good since they were looked at, for selective
 * reorthogonalization. */
static enum status add_good(struct lanczos *lanczos, bool vanished, struct error *error)
{
    struct ritz *ritz = &lanczos->ritz;
    int64_t size = ritz->size, known = 0;
    int64_t *news = memory_array(size, sizeof *news, "the good Ritz values", error);
    if (!news)
        return STATUS_MEMORY;
    double begin = clock_seconds();
    int64_t count = find_news(lanczos, news);
    enum status status = count > 0 ? ritz_vectors(ritz, error) : STATUS_OK;
    lanczos->projected += clock_seconds() - begin;
    for (int64_t k = 0; k < count && !status; k++)
        status = basis_add_good(&lanczos->basis, size, ritz->S + size * news[k], error);
    if (count > 0 && !status && !vanished)
        status = basis_clean(&lanczos->basis, size, error);
    memory_free(news);
    if (count > 0) /* all that are good now */
        for (int64_t i = 0; i < size; i++)
            if (ritz->bound[i] <= GOOD * ritz->norm)
                lanczos->known[known++] = ritz->theta[i];
    lanczos->known_count = count > 0 ? known : lanczos->known_count;
    return status;
}

/* The basis is full: what is good in what stays need not be found again. */
static enum status restart(struct lanczos *lanczos, struct error *error)
{
    struct ritz *ritz = &lanczos->ritz;
    int64_t size = ritz->size;
    double begin = clock_seconds();
    enum status status = ritz_vectors(ritz, error);
    if (status)
        return status;
    ritz_restart_basis(ritz, lanczos->border);
    lanczos->projected += clock_seconds() - begin;
    lanczos->known_count = 0;
    lanczos->restarts++;
    status = basis_multiply(&lanczos->basis, size, ritz->S, ritz->size, error);
    return status ? status
                  : basis_restart(&lanczos->basis, size, ritz->size, lanczos->border, error);
}

/* One product with A and what follows from it. *ended when the iteration has. */
static enum status advance(struct lanczos *lanczos, bool *ended, struct error *error)
{
    struct ritz *ritz = &lanczos->ritz;
    struct solver_result *result = lanczos->result;
    int64_t n = lanczos->basis.n, j = ritz->size, wanted = ritz->low + ritz->high;
    struct lanczos_step step;
    enum status status = basis_step(&lanczos->basis, j, &step, error);
    if (status)
        return status;
    result->products++;
    lanczos->vectors += j + 1;
    double scale = fmax(ritz->norm, fabs(step.alpha) + (j > 0 ? fabs(ritz->e[j - 1]) : 0));
    /* n orthogonal vectors leave nothing over; n others may */
    bool whole =
        j + 1 == n && lanczos->options->eigen.reorthogonalization == REORTHOGONALIZATION_FULL;
    bool vanished = step.beta <= VANISHED * scale || whole;
    *ended = true;
    if (!isfinite(step.alpha) || !isfinite(step.beta)) {
        if (!vanished || !isfinite(step.alpha)) {
            result->reason = REASON_NOT_FINITE;
            struct history_row row = history_row_of(result->products, NAN, step.alpha, step.beta);
            return put_row(lanczos, &row, error);
        }
    }
    double begin = clock_seconds();
    status = ritz_append(ritz, step.alpha, vanished ? 0 : step.beta, error);
    lanczos->projected += clock_seconds() - begin;
    if (!status)
        status = put_step(lanczos, &step, error);
    if (status)
        return status;
    bool full_basis = ritz->size == ritz->most;
    if (vanished)
        lanczos->confined = lanczos->renewed == 0 && j + 1 < n;
    else if (full_basis)
        lanczos->confined = false;
    result->reason = REASON_CONVERGED;
    if (ritz->size >= wanted && ritz_converged(ritz) == wanted && !lanczos->confined)
        return STATUS_OK;
    result->reason = REASON_ITERATION_LIMIT;
    if (result->products >= lanczos->options->max_iterations)
        return STATUS_OK;
    result->reason = REASON_INTERRUPTED;
    if (lanczos->interrupted)
        return STATUS_OK;
    *ended = false;
    if (lanczos->options->eigen.reorthogonalization == REORTHOGONALIZATION_SELECTIVE && !full_basis)
        status = add_good(lanczos, vanished, error);
    if (!status && full_basis)
        status = restart(lanczos, error);
    if (!status && vanished)
        status = basis_renew(&lanczos->basis, ritz->size, ++lanczos->renewed, error);
    return status;
}

/* What rounding may leave of a residual: cgsolve/lanczos.h says by what reasons. */
static enum status find_rounding(const struct lanczos *lanczos, const struct csr *A, double *bound,
                                 struct error *error)
{
    int64_t longest = 0, *lengths = memory_array(A->n, sizeof *lengths, "the row lengths", error);
    if (!lengths)
        return STATUS_MEMORY;
    csr_row_lengths(A, lengths);
    for (int64_t i = 0; i < A->n; i++)
        longest = lengths[i] > longest ? lengths[i] : longest;
    memory_free(lengths);
    *bound = (double)(longest + lanczos->ritz.most) * sqrt((double)(lanczos->restarts + 1)) *
             0x1p-53 * lanczos->ritz.norm;
    return STATUS_OK;
}

/* The wanted eigenpairs, each looked at on the host: their residuals are computed, not believed. */
static enum status take_eigenpairs(struct lanczos *lanczos, const struct csr *A, double *v,
                                   struct error *error)
{
    struct ritz *ritz = &lanczos->ritz;
    struct solver_result *result = lanczos->result;
    const struct solver_observer *observer = lanczos->observer;
    int64_t size = ritz->size, count = 0;
    bool open = false;
    enum status status = find_rounding(lanczos, A, &result->eigen_rounding, error);
    if (!status)
        status = ritz_vectors(ritz, error);
    if (status)
        return status;
    for (int64_t i = 0; i < size; i++)
        if (ritz_is_wanted(ritz, i)) {
            for (int64_t k = 0; k < size; k++)
                ritz->S[k + size * count] = ritz->S[k + size * i];
            result->eigenvalues[count++] = ritz->theta[i];
        }
    result->eigen_count = count;
    result->true_residual = 0;
    status = basis_multiply(&lanczos->basis, size, ritz->S, count, error);
    for (int64_t k = 0; k < count && !status; k++) {
        double theta = result->eigenvalues[k], norm, residual, scale = ritz_scale(ritz, theta);
        status = basis_download(&lanczos->basis, k, v, error);
        if (status)
            break;
        norm = vector_norm(A->n, v);
        for (int64_t i = 0; i < A->n; i++)
            v[i] = v[i] / norm;
        status = residual_norm(A, -theta, NULL, v, &residual, error);
        if (status)
            break;
        double relative = residual == 0 ? 0 : residual / scale;
        result->eigen_residuals[k] = residual;
        result->eigen_met[k] = residual <= GAP * ritz->tolerance * scale ? EIGEN_MET_TOLERANCE
                               : residual <= result->eigen_rounding      ? EIGEN_MET_ROUNDING
                                                                         : EIGEN_MET_NO;
        open = open || result->eigen_met[k] == EIGEN_MET_NO;
        if (!(relative <= result->true_residual) && !isnan(result->true_residual))
            result->true_residual = relative;
        if (observer && observer->eigenvector)
            status = observer->eigenvector(observer->context, k, theta, v, error);
    }
    if (!status && result->reason == REASON_CONVERGED && open)
        result->reason = REASON_RESIDUAL_GAP;
    result->eigen_all = result->reason == REASON_CONVERGED && count == A->n &&
                        lanczos->options->eigen.reorthogonalization == REORTHOGONALIZATION_FULL;
    return status;
}

static enum status confirm(struct lanczos *lanczos, const struct csr *A, double *eigenvalues,
                           struct error *error)
{
    struct solver_result *result = lanczos->result;
    struct ritz *ritz = &lanczos->ritz;
    int64_t wanted = ritz->low + ritz->high;
    result->eigenvalues = memory_array(wanted, sizeof(double), "the eigenvalues", error);
    result->eigen_residuals = memory_array(wanted, sizeof(double), "the eigenvalues", error);
    result->eigen_met = memory_array(wanted, sizeof *result->eigen_met, "the eigenvalues", error);
    double *v = memory_array(A->n, sizeof *v, "an eigenvector", error);
    enum status status = STATUS_MEMORY;
    if (result->eigenvalues && result->eigen_residuals && result->eigen_met && v)
        status = result->reason == REASON_NOT_FINITE || ritz->size == 0
                     ? STATUS_OK
                     : take_eigenpairs(lanczos, A, v, error);
    for (int64_t k = 0; k < wanted; k++)
        eigenvalues[k] = !status && k < result->eigen_count ? result->eigenvalues[k] : NAN;
    memory_free(v);
    return status;
}

/* Of a step with as many vectors as the steps had in the mean. */
static enum status split_time(struct lanczos *lanczos, struct error *error)
{
    struct solver_result *result = lanczos->result;
    result->time_split.projected = lanczos->projected / (double)result->products;
    return basis_split_time(&lanczos->basis, lanczos->vectors / result->products - 1, result,
                            &result->time_split, error);
}

static enum status check(const struct csr *A, const struct eigen_options *options,
                         struct error *error)
{
    int64_t most = ritz_restart(options, A->n), wanted = ritz_wanted(options, A->n);
    if (most < A->n && most < wanted + 2)
        return error_set(error, STATUS_CONFIG,
                         "eigen.restart = %" PRId64
                         " is too small: the basis needs room for the %" PRId64
                         " wanted eigenvalues and two more",
                         most, wanted);
    /* ritz_begin's two matrices on the host, and what is small beside them */
    return memory_fits(2.0 * (double)most * (double)most * sizeof(double), "the projected matrix",
                       error);
}

static enum status solve(struct linear_operator *spmv, const struct csr *A, const double *b,
                         const struct solver_options *options,
                         const struct solver_observer *observer, double *eigenvalues,
                         struct solver_result *result, struct error *error)
{
    *result = (struct solver_result){.curvature = NAN,
                                     .true_residual = NAN,
                                     .ritz_low = NAN,
                                     .ritz_high = NAN,
                                     .eigen_rounding = NAN};
    enum status status = check(A, &options->eigen, error);
    if (status)
        return status;
    struct lanczos lanczos = {.options = options, .observer = observer, .result = result};
    struct ritz *ritz = &lanczos.ritz;
    double called = clock_seconds();
    status = ritz_begin(ritz, &options->eigen, A->n, error);
    lanczos.border = status ? NULL : memory_array(ritz->most, sizeof(double), "a border", error);
    lanczos.known =
        status ? NULL : memory_array(ritz->most, sizeof(double), "the good Ritz values", error);
    if (!lanczos.border || !lanczos.known)
        status = STATUS_MEMORY;
    lanczos.basis.space = spmv->space;
    if (!status)
        status = basis_begin(&lanczos.basis, spmv, ritz->most, options->eigen.reorthogonalization,
                             b, &result->rhs_norm, error);
    double begin = clock_seconds();
    result->start_seconds = begin - called;
    struct history_row first = history_row_of(0, 1, NAN, NAN);
    if (!status)
        status = put_row(&lanczos, &first, error);
    bool ended = options->max_iterations == 0 || lanczos.interrupted;
    result->reason = options->max_iterations == 0 ? REASON_ITERATION_LIMIT : REASON_INTERRUPTED;
    while (!status && !ended)
        status = advance(&lanczos, &ended, error);
    result->seconds = clock_seconds() - begin;
    if (!status && ritz->size > 0) {
        result->ritz_low = ritz->theta[0];
        result->ritz_high = ritz->theta[ritz->size - 1];
    }
    if (!status)
        status = confirm(&lanczos, A, eigenvalues, error);
    if (!status && time_split_wanted(options, result))
        status = split_time(&lanczos, error);
    basis_free(&lanczos.basis);
    ritz_free(ritz);
    memory_free(lanczos.border);
    memory_free(lanczos.known);
    if (status)
        solver_result_free(result);
    return status;
}

const struct method method_lanczos = {
    .component = {COMPONENT_METHOD, "lanczos",
                  "eigenvalues of a symmetric matrix, by the Lanczos process with thick restarts"},
    .title = "Lanczos' method",
    .needs = "the Lanczos method needs",
    .traits = METHOD_FINDS_EIGENVALUES,
    .kind = CSR_SYMMETRIC,
    .matrix = "A",
    .refusal = "its eigenvalues are not real",
    .history = 1u << HISTORY_RITZ_LOW | 1u << HISTORY_RITZ_HIGH | 1u << HISTORY_BOUND_LOW |
               1u << HISTORY_BOUND_HIGH | 1u << HISTORY_ORTHOGONALITY | 1u << HISTORY_CONVERGED |
               1u << HISTORY_GHOSTS,
    .solve = solve,
    .memory_bytes = memory_bytes,
    .bytes_per_iteration = bytes_per_iteration,
};
