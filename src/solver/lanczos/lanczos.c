#include "solver/lanczos/lanczos.h"

#include "base/clock.h"
#include "base/memory.h"
#include "solver/lanczos/row.h"
#include "solver/lanczos/work.h"
#include "solver/recurrence.h"
#include "solver/time_split.h"

#include <inttypes.h>
#include <math.h>

/* A vector that the three terms leave shorter than this, over ||A||, is rounding errors. */
static const double VANISHED = 0x1p-48;

/* A Ritz vector is good when its bound is so much of ||A||. What has been lost to it by then is u
 * ||A|| / bound (Paige 1971), 2^-37, and taking that off is an error in A V = V T + ...; at half
 * the precision, 2^-26, it would be 2^-27, far above the tolerances that are asked for. */
static const double GOOD = 0x1p-16;

/* Where a good Ritz value is looked for again, over ||A||: it moves by bound^2 / gap. Too near
 * costs a look at a copy, too far a vector that is not found. */
static const double NEAR = 0x1p-25;

static int64_t memory_bytes(const struct solver_options *options, int64_t n)
{
    int64_t most = ritz_restart(&options->eigen, n);
    bool selective = options->eigen.reorthogonalization == REORTHOGONALIZATION_SELECTIVE;
    return ((most + 1 + (selective ? most : 0)) * n + most * most) * (int64_t)sizeof(double);
}

static int64_t bytes_per_iteration(const struct solver_options *options,
                                   const struct linear_operator *spmv)
{
    const struct space *space = spmv->space;
    int64_t n = spmv->n;
    double columns =
        (double)(ritz_wanted(&options->eigen, n) + ritz_restart(&options->eigen, n)) / 2;
    bool full = options->eigen.reorthogonalization == REORTHOGONALIZATION_FULL;
    return spmv->bytes_per_apply + operator_dot_bytes(spmv) + space_bytes(space, &two_terms, n) +
           space_bytes(space, &panel_dot, n) + (full ? space_bytes(space, &panel_subtract, n) : 0) +
           space_bytes(space, &normalise, n) +
           (int64_t)((full ? 2 : 1) * columns * (double)n * (double)sizeof(double));
}

/* The row of this iteration. */
static enum status put_row(struct lanczos *lanczos, const double values[LANCZOS_SERIES],
                           struct error *error)
{
    struct solver_result *result = &lanczos->base.result;
    result->residual = values[LANCZOS_RESIDUAL];
    struct event seen = {.kind = EVENT_ROW, .iteration = result->iterations, .values = values};
    enum status status = observer_see(lanczos->base.observer, &seen, error);
    lanczos->interrupted = status == STATUS_INTERRUPTED;
    return lanczos->interrupted ? STATUS_OK : status;
}

static enum status put_step(struct lanczos *lanczos, const struct lanczos_step *step,
                            struct error *error)
{
    double values[LANCZOS_SERIES];
    lanczos_row(&lanczos->ritz, step, values);
    return put_row(lanczos, values, error);
}

static enum status put_bare_row(struct lanczos *lanczos, double residual, double alpha, double beta,
                                struct error *error)
{
    double values[LANCZOS_SERIES];
    lanczos_bare_row(residual, alpha, beta, values);
    return put_row(lanczos, values, error);
}

/* The good Ritz values that are not known yet: a known one has hardly moved, and each stands for
 * one. news[] are their places, ascending; how many. */
static int64_t find_news(struct lanczos *lanczos, int64_t *news)
{
    const struct ritz *ritz = &lanczos->ritz;
    double suggestion = NEAR * ritz->norm;
    int64_t count = 0, known = 0;
    for (int64_t i = 0; i < ritz->size; i++) {
        if (ritz->bound[i] > GOOD * ritz->norm)
            continue;
        while (known < lanczos->known_count && lanczos->known[known] < ritz->theta[i] - suggestion)
            known++;
        if (known < lanczos->known_count && lanczos->known[known] <= ritz->theta[i] + suggestion)
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

static void see_confined(struct lanczos *lanczos, bool vanished)
{
    const struct ritz *ritz = &lanczos->ritz;
    if (vanished)
        lanczos->confined = lanczos->renewed == 0 && ritz->size < lanczos->basis.n;
    else if (ritz->size == ritz->most)
        lanczos->confined = false;
}

/* Whether the solve has ended behind a step, and why; or else what follows. */
static void decide(struct lanczos *lanczos, bool vanished)
{
    const struct ritz *ritz = &lanczos->ritz;
    struct solver_result *result = &lanczos->base.result;
    const struct solver_options *options = &lanczos->base.options;
    int64_t wanted = ritz->low + ritz->high;
    bool found = ritz->size >= wanted && ritz_converged(ritz) == wanted && !lanczos->confined;
    bool too_soon = found && ritz_was_locked_too_soon(ritz), converged = found && !too_soon;
    bool at_limit = result->iterations >= options->max_iterations;
    bool known =
        converged && (lanczos_list(lanczos) != EIGEN_LIST_OPEN || !lanczos_can_search(lanczos));
    lanczos->base.ended = known || at_limit || lanczos->interrupted;
    result->reason = known || (converged && at_limit) ? REASON_CONVERGED
                     : at_limit                       ? REASON_ITERATION_LIMIT
                                                      : REASON_INTERRUPTED;
    lanczos->goes_on = !lanczos->base.ended;
    lanczos->vanished = vanished;
    lanczos->round_over = converged && lanczos_round_is_over(lanczos);
    lanczos->starts_over = too_soon;
}

/* One product with A and its row. */
static enum status step_once(struct lanczos *lanczos, struct error *error)
{
    bool *ended = &lanczos->base.ended;
    struct ritz *ritz = &lanczos->ritz;
    struct solver_result *result = &lanczos->base.result;
    int64_t j = ritz->size;
    struct lanczos_step step;
    enum status status = basis_step(&lanczos->basis, j, &step, error);
    if (status)
        return status;
    result->iterations++;
    lanczos->vectors += j + 1;
    double scale = fmax(ritz->norm, fabs(step.alpha) + (j > 0 ? fabs(ritz->e[j - 1]) : 0));
    bool small = step.beta <= VANISHED * scale;
    bool vanished = small || lanczos_spans_all(lanczos, j + 1);
    if (small)
        lanczos->dropped = sqrt(lanczos->dropped * lanczos->dropped + step.beta * step.beta);
    *ended = true;
    if (!isfinite(step.alpha) || !isfinite(step.beta)) {
        if (!vanished || !isfinite(step.alpha)) {
            result->reason = REASON_NOT_FINITE;
            return put_bare_row(lanczos, NAN, step.alpha, step.beta, error);
        }
    }
    double begin = clock_seconds();
    status = ritz_append(ritz, step.alpha, vanished ? 0 : step.beta, error);
    lanczos->projected += clock_seconds() - begin;
    if (!status)
        status = put_step(lanczos, &step, error);
    if (status)
        return status;
    see_confined(lanczos, vanished);
    decide(lanczos, vanished);
    return STATUS_OK;
}

/* What follows from the last step, before the next. */
static enum status go_on(struct lanczos *lanczos, struct error *error)
{
    struct ritz *ritz = &lanczos->ritz;
    bool restarts = ritz->size == ritz->most || lanczos->round_over;
    enum status status = STATUS_OK;
    lanczos->goes_on = false;
    if (lanczos->starts_over)
        return lanczos_start_over(lanczos, error);
    if (restarts)
        status = lanczos_restart(lanczos, lanczos->round_over, error);
    else if (lanczos->basis.reorthogonalization == REORTHOGONALIZATION_SELECTIVE)
        status = add_good(lanczos, lanczos->vanished, error);
    if (!status && (lanczos->vanished || lanczos->round_over))
        status = basis_renew(&lanczos->basis, ritz->size, ++lanczos->renewed, error);
    return status;
}

/* Of a step with as many vectors as the steps had in the mean. */
static enum status split_time(struct lanczos *lanczos, struct error *error)
{
    struct solver_result *result = &lanczos->base.result;
    result->time_split.projected = lanczos->projected / (double)result->iterations;
    return basis_split_time(&lanczos->basis, lanczos->vectors / result->iterations - 1, result,
                            &result->time_split, error);
}

static enum status check(const struct solver_options *options, const struct csr *A,
                         struct error *error)
{
    const struct eigen_options *eigen = &options->eigen;
    int64_t most = ritz_restart(eigen, A->n), wanted = ritz_wanted(eigen, A->n);
    if (most >= A->n || most >= wanted + 2)
        return STATUS_OK;
    return error_set(error, STATUS_CONFIG,
                     "eigen.restart = %" PRId64
                     " is too small: the basis needs room for the %" PRId64
                     " wanted eigenvalues and two more",
                     most, wanted);
}

static enum status begin(struct solver *solver, const double *b, const double *x0,
                         struct error *error)
{
    struct lanczos *lanczos = (struct lanczos *)solver;
    const struct eigen_options *options = &solver->options.eigen;
    struct ritz *ritz = &lanczos->ritz;
    double most = (double)ritz_restart(options, solver->n);
    lanczos->basis.space = solver->space;
    /* ritz_begin's two matrices on the host, and what is small beside them */
    enum status status =
        memory_fits(2 * most * most * sizeof(double), "the projected matrix", error);
    if (!status)
        status = ritz_begin(ritz, options, solver->n, error);
    if (status)
        return status;
    lanczos->border = memory_array(ritz->most, sizeof(double), "a border", error);
    lanczos->known = memory_array(ritz->most, sizeof(double), "the good Ritz values", error);
    lanczos->locked = memory_zeros(ritz->most, sizeof(double), "the locked eigenvalues", error);
    if (!lanczos->border || !lanczos->known || !lanczos->locked)
        return STATUS_MEMORY;
    double norm = 0;
    status = basis_begin(&lanczos->basis, solver->spmv, ritz->most, options->reorthogonalization,
                         x0 ? x0 : b, &norm, error);
    if (!x0)
        solver->result.rhs_norm = norm;
    return status;
}

/* Row 0 is of no product. */
static enum status show_first(struct lanczos *lanczos, struct error *error)
{
    struct solver *solver = &lanczos->base;
    enum status status = put_bare_row(lanczos, 1, NAN, NAN, error);
    bool none = solver->options.max_iterations == 0;
    lanczos->shown = true;
    solver->ended = none || lanczos->interrupted;
    solver->result.reason = none ? REASON_ITERATION_LIMIT : REASON_INTERRUPTED;
    return status;
}

static enum status advance(struct solver *solver, int64_t until, struct error *error)
{
    struct lanczos *lanczos = (struct lanczos *)solver;
    enum status status = lanczos->shown ? STATUS_OK : show_first(lanczos, error);
    while (!status && !solver->ended && solver->result.iterations < until) {
        if (lanczos->goes_on)
            status = go_on(lanczos, error);
        if (!status)
            status = step_once(lanczos, error);
    }
    return status;
}

static enum status end(struct solver *solver, const struct csr *A, const double *b,
                       double *eigenvalues, struct error *error)
{
    struct lanczos *lanczos = (struct lanczos *)solver;
    const struct ritz *ritz = &lanczos->ritz;
    struct solver_result *result = &solver->result;
    (void)b;
    result->products = result->iterations;
    result->eigen_rounds = lanczos->rounds + 1;
    if (ritz->size > 0) {
        result->ritz_low = ritz->theta[0];
        result->ritz_high = ritz->theta[ritz->size - 1];
    }
    enum status status = lanczos_confirm(lanczos, A, eigenvalues, error);
    if (!status && time_split_wanted(&solver->options, result))
        status = split_time(lanczos, error);
    return status;
}

static enum status keep_flags(struct lanczos *lanczos, struct archive *archive, struct error *error)
{
    struct {
        const char *name;
        bool *flag;
    } flags[] = {{"shown", &lanczos->shown},           {"goes on", &lanczos->goes_on},
                 {"vanished", &lanczos->vanished},     {"confined", &lanczos->confined},
                 {"round over", &lanczos->round_over}, {"starts over", &lanczos->starts_over}};
    enum status status = STATUS_OK;
    for (size_t k = 0; k < sizeof flags / sizeof *flags && !status; k++) {
        int64_t flag = *flags[k].flag;
        status = archive_count(archive, flags[k].name, &flag, 1, error);
        *flags[k].flag = flag == 1;
    }
    return status;
}

static enum status keep_counts(struct lanczos *lanczos, struct archive *archive,
                               struct error *error)
{
    const struct ritz *ritz = &lanczos->ritz;
    int64_t iterations = lanczos->base.result.iterations;
    struct {
        const char *name;
        int64_t *count, most;
    } counts[] = {{"known", &lanczos->known_count, ritz->size},
                  {"restarts", &lanczos->restarts, iterations},
                  {"renewed", &lanczos->renewed, iterations},
                  {"rounds", &lanczos->rounds, iterations},
                  {"vectors", &lanczos->vectors, iterations * ritz->most}};
    enum status status = STATUS_OK;
    for (size_t k = 0; k < sizeof counts / sizeof *counts && !status; k++)
        status = archive_count(archive, counts[k].name, counts[k].count, counts[k].most, error);
    return status;
}

/* A basis that is full goes on by a restart, and each step had a vector and added no more than one
 * to the basis. */
static bool fits_together(const struct lanczos *lanczos)
{
    const struct ritz *ritz = &lanczos->ritz;
    int64_t iterations = lanczos->base.result.iterations;
    bool has_room = ritz->size < ritz->most || lanczos->goes_on || lanczos->base.ended;
    return has_room && ritz->size <= iterations && lanczos->vectors >= iterations;
}

static enum status keep(struct solver *solver, struct archive *archive, struct error *error)
{
    struct lanczos *lanczos = (struct lanczos *)solver;
    struct ritz *ritz = &lanczos->ritz;
    enum status status = ritz_keep(ritz, archive, error);
    if (!status)
        status = keep_flags(lanczos, archive, error);
    if (!status)
        status = keep_counts(lanczos, archive, error);
    if (!status && !fits_together(lanczos))
        status = error_set(error, STATUS_INPUT, "the saved solve has a basis that it cannot have");
    if (!status)
        status = basis_keep(&lanczos->basis, ritz->size, ritz->kept, archive, error);
    if (!status)
        status = archive_bytes(archive, "dropped", &lanczos->dropped, sizeof(double), error);
    int64_t known = lanczos->known_count * (int64_t)sizeof(double);
    int64_t locked = (ritz->low + ritz->high) * (int64_t)sizeof(double);
    if (!status)
        status = archive_bytes(archive, "known values", lanczos->known, known, error);
    return status ? status
                  : archive_bytes(archive, "locked values", lanczos->locked, locked, error);
}

static void destroy(struct solver *solver)
{
    struct lanczos *lanczos = (struct lanczos *)solver;
    basis_free(&lanczos->basis);
    ritz_free(&lanczos->ritz);
    memory_free(lanczos->border);
    memory_free(lanczos->known);
    memory_free(lanczos->locked);
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
    .series = lanczos_series,
    .check = check,
    .size = sizeof(struct lanczos),
    .begin = begin,
    .advance = advance,
    .end = end,
    .keep = keep,
    .destroy = destroy,
    .memory_bytes = memory_bytes,
    .bytes_per_iteration = bytes_per_iteration,
};
