#include "cgsolve/cg.h"

#include "base/clock.h"
#include "base/memory.h"
#include "solver/cg_trace.h"
#include "solver/cg_work.h"
#include "solver/residual.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* How far the true residual may lie above the tolerance. */
static const double GAP = 1.1;

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
    double vectors = 3 + (spmv_makes_direction(spmv) ? 3.5 : 5) + (spmv_fuses_dot(spmv) ? 0 : 2) +
                     (spmv->space->reductions == REDUCTIONS_BLAS ? 1 : 0);
    return spmv->kernel->bytes_per_apply(spmv->state) +
           (int64_t)(vectors * (double)spmv->n * (double)sizeof(double));
}

int64_t cg_memory_bytes(const struct kernel *kernel, int64_t n)
{
    bool second_p =
        kernel->apply_direction && !kernel->makes_direction; /* else the matrix decides */
    int64_t vectors = second_p ? 5 : 4;
    return vectors * n * (int64_t)sizeof(double) + (int64_t)sizeof(struct cg_scalars);
}

static enum status create(struct cg *cg, struct error *error)
{
    struct {
        double **vector;
        int64_t count;
        const char *what;
    } wanted[] = {
        {&cg->x, cg->n, "the vector x"},
        {&cg->r, cg->n, "the vector r"},
        {&cg->p[0], cg->n, "the vector p"},
        {&cg->p[1], cg->makes_direction ? cg->n : 0, "the next vector p"},
        {&cg->q, cg->n, "the vector q"},
        {(double **)&cg->scalars, CG_SCALARS, "the scalars"},
    };
    enum status status = STATUS_OK;
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted && !status; k++)
        status = cg->space_do->allocate(cg->space, wanted[k].count, wanted[k].what,
                                        wanted[k].vector, error);
    if (!status)
        status = cg->space_do->allocate_shared(
            cg->space, sizeof *cg->rows, "the rows of the history", (void **)&cg->rows, error);
    return status;
}

static void destroy(struct cg *cg)
{
    cg->space_do->forget(cg->space);
    cg->space->ended = NULL;
    cg->space_do->release(cg->space, cg->x);
    cg->space_do->release(cg->space, cg->r);
    cg->space_do->release(cg->space, cg->p[0]);
    cg->space_do->release(cg->space, cg->p[1]);
    cg->space_do->release(cg->space, cg->q);
    cg->space_do->release(cg->space, (double *)cg->scalars);
    cg->space_do->release_shared(cg->space, cg->rows);
}

/* x = 0, r = p = b, rho = r . r, row 0, q = A p */
static enum status start(struct cg *cg, const double *b, const struct cg_options *options,
                         struct error *error)
{
    struct cg_scalars scalars = {.tolerance = options->tolerance,
                                 .max_iterations = options->max_iterations,
                                 .rows = cg->rows,
                                 .iteration = -1};
    memset(cg->rows->row, 0xff, sizeof cg->rows->row); /* CG_UNSET */
    double words[CG_SCALARS];
    memcpy(words, &scalars, sizeof words);
    enum status status =
        cg->space_do->upload(cg->space, CG_SCALARS, words, (double *)cg->scalars, error);
    if (!status)
        status = cg->space_do->upload(cg->space, cg->n, b, cg->r, error);
    if (!status)
        status = cg->space_do->copy(cg->space, cg->n, cg->r, cg->p[0], error);
    if (!status)
        status = cg->space_do->fill(cg->space, cg->n, 0, cg->x, error);
    if (!status)
        status = cg->space_do->dot(cg->space, cg->n, cg->r, cg->r, &cg->scalars->rho, error);
    if (!status)
        status = cg->space_do->cg_advance(cg->space, cg->scalars, error);
    cg->space->ended = &cg->scalars->ended;
    if (!status)
        status = spmv_apply_dot(cg->spmv, cg->p[0], cg->q, &cg->scalars->curvature, error);
    return status;
}

/* x += alpha p, p = r + beta p, q = A p, p . q. Where the kernel makes p, x takes its steps two at a
 * time, in every second turn: the first of them is along the p that is about to be overwritten. */
static enum status direction(struct cg *cg, struct error *error)
{
    struct cg_scalars *s = cg->scalars;
    if (!cg->makes_direction) {
        enum status status = cg->space_do->axpy_xpby(cg->space, cg->n, &s->alpha, &s->beta, cg->r,
                                                     cg->p[0], cg->x, error);
        return status ? status : spmv_apply_dot(cg->spmv, cg->p[0], cg->q, &s->curvature, error);
    }
    bool second = cg->turns % 2 == 1;
    struct kernel_direction step = {.r = cg->r,
                                    .p = cg->p[second],
                                    .next = cg->p[!second],
                                    .beta = &s->beta,
                                    .x = second ? cg->x : NULL,
                                    .alpha_before = &s->alpha_before,
                                    .alpha = &s->alpha};
    cg->turns++;
    return spmv_apply_direction(cg->spmv, &step, cg->q, &s->curvature, error);
}

/* One turn of the loop of cgsolve/cg.h: r -= alpha q and the next row, then the direction. */
static enum status turn(void *context, struct error *error)
{
    struct cg *cg = context;
    enum status status = cg->space_do->cg_step(cg->space, cg->n, cg->q, cg->r, cg->scalars, error);
    return status ? status : direction(cg, error);
}

/* The steps of x that the loop has not come to. Of K iterations, the last one's direction was made
 * only when it was the next p . A p that ended the loop. */
static enum status catch_up(struct cg *cg, const struct cg_result *result, const double *alphas,
                            struct error *error)
{
    int64_t iterations = result->iterations;
    cg->space->ended = NULL;
    if (iterations == 0)
        return STATUS_OK;
    int64_t turned = cg_may_divide(result->curvature) ? iterations - 1 : iterations;
    int64_t done = cg->makes_direction ? turned / 2 * 2 : turned;
    enum status status = STATUS_OK;
    for (int64_t k = done; k < iterations && !status; k++)
        status = cg->space_do->axpy(cg->space, cg->n, alphas[k % 2],
                                    cg->p[cg->makes_direction ? k % 2 : 0], cg->x, error);
    return status;
}

enum { ROW_WORDS = sizeof(struct cg_row_words) / sizeof(uint64_t) };
_Static_assert(sizeof(struct history_row) == sizeof(struct cg_row_words), "a row is its words");

/* Whether row k has come; *row is then that. */
static bool row_has_come(const struct cg_rows *rows, int64_t k, struct history_row *row)
{
    const uint64_t *coming = rows->row[k % CG_ROWS].word;
    uint64_t words[ROW_WORDS];
    for (int w = 0; w < ROW_WORDS; w++) {
        words[w] = __atomic_load_n(&coming[w], __ATOMIC_RELAXED);
        if (words[w] == CG_UNSET)
            return false;
    }
    memcpy(row, words, sizeof words);
    return true;
}

/* Hand the rows that have come to the observer; *seen of them have been handed on before. alphas[k % 2]
 * becomes alpha_k. */
static enum status watch(struct cg_rows *rows, const struct cg_observer *observer, int64_t *seen,
                         struct cg_result *result, double *alphas, struct error *error)
{
    struct history_row row;
    enum status status = STATUS_OK;
    for (; !status && row_has_come(rows, *seen, &row); ++*seen) {
        if (row.iteration != *seen)
            return error_set(error, STATUS_DEVICE, "the history's row %" PRId64 " was overwritten",
                             *seen);
        memset(&rows->row[*seen % CG_ROWS], 0xff, sizeof *rows->row); /* CG_UNSET */
        if (row.iteration == 0)
            result->rhs_norm = row.residual;
        else
            alphas[(row.iteration - 1) % 2] = row.alpha;
        result->iterations = row.iteration;
        result->residual = row.residual;
        if (observer && observer->row)
            status = observer->row(observer->context, &row, error);
    }
    return status;
}

/* Row 0 is there: everything before the loop is done. */
static enum status wait_for_start(struct cg *cg, struct error *error)
{
    struct history_row row;
    enum status status = STATUS_OK;
    while (!status && !row_has_come(cg->rows, 0, &row))
        status = cg->space_do->poll(cg->space, error);
    return status;
}

/* Iterations are sent ahead, `times` at once; the rows are read behind them, until one of them was
 * the last. With a trace they are sent one by one, not as a recording, and none past the one that is to be looked
 * at next. */
static enum status iterate(struct cg *cg, int times, const struct cg_observer *observer,
                           struct tracing *tracing, struct cg_result *result, double *alphas,
                           struct error *error)
{
    enum status status = STATUS_OK;
    int64_t sent = 1, seen = 0; /* rows: row 0 is there */
    bool ended = false;
    while (!ended && !status) {
        /* before the rows are read: then they are all there */
        ended = __atomic_load_n(&cg->rows->ended, __ATOMIC_ACQUIRE);
        status = watch(cg->rows, observer, &seen, result, alphas, error);
        if (ended || status)
            continue;
        if (sent - seen <= times && sent <= tracing->due) {
            status = tracing->wanted ? turn(cg, error) : cg->space_do->replay(cg->space, error);
            sent += tracing->wanted ? 1 : times;
        } else if (sent == seen && sent > tracing->due) {
            status = tracing_take(tracing, cg, alphas, error);
        } else {
            status = cg->space_do->poll(cg->space, error);
        }
    }
    result->reason = (enum reason)cg->rows->reason;
    result->curvature = cg->rows->curvature;
    return status;
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
    struct cg cg = {.spmv = spmv,
                    .space = spmv->space,
                    .space_do = spmv->space->operations,
                    .n = A->n,
                    .makes_direction = spmv_makes_direction(spmv)};
    double called = clock_seconds(), alphas[2] = {0, 0};
    const struct cg_trace *trace = observer ? observer->trace : NULL;
    struct tracing tracing;
    enum status status = tracing_begin(&tracing, &cg, trace, error);
    if (!status)
        status = create(&cg, error);
    int times = cg.space_do->replay_times(cg.space, cg.n);
    if (!status)
        status = start(&cg, b, options, error);
    if (!status && !trace)
        status = cg.space_do->record(cg.space, turn, &cg, times, error);
    if (!status)
        status = wait_for_start(&cg, error);
    double begin = clock_seconds();
    result->start_seconds = begin - called;
    if (!status)
        status = iterate(&cg, times, observer, &tracing, result, alphas, error);
    if (!status)
        status = catch_up(&cg, result, alphas, error);
    result->seconds = clock_seconds() - begin;
    if (!status)
        status = tracing_take_last(&tracing, &cg, result->iterations, error);
    if (!status)
        status = cg.space_do->download(cg.space, cg.n, cg.x, x, error);
    if (!status)
        status = confirm(A, b, x, options, result, error);
    tracing_end(&tracing, &cg);
    destroy(&cg);
    return status;
}
