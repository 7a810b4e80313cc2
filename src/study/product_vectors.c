#include "study/product_vectors.h"

#include "base/memory.h"
#include "base/threads.h"
#include "study/statistics.h"

#include <math.h>

/* ---- what lasts ------------------------------------------------------------------------------ */

enum status product_bench_create(const struct product_rule *rule, struct product_bench **bench,
                                 struct error *error)
{
    *bench = memory_zeros(1, sizeof **bench, "the bench", error);
    if (!*bench)
        return STATUS_MEMORY;
    (*bench)->rule = *rule;
    (*bench)->threads = threads_count();
    return STATUS_OK;
}

void product_bench_destroy(struct product_bench *bench)
{
    for (int k = 0; bench && k < PRODUCT_SPACES; k++)
        if (bench->spaces[k]) {
            bench->spaces[k]->operations->release(bench->spaces[k], bench->buffers[k]);
            bench->spaces[k]->operations->destroy(bench->spaces[k]);
        }
    memory_free(bench);
}

enum status product_bench_space(struct product_bench *bench, enum space_kind kind,
                                struct space **space, struct error *error)
{
    enum status status = STATUS_OK;
    if (!bench->spaces[kind])
        status = space_create(kind, REDUCTIONS_REPRODUCIBLE, &bench->spaces[kind], error);
    *space = status ? NULL : bench->spaces[kind];
    return status;
}

/* ---- copies and cold caches ------------------------------------------------------------------ */

static int64_t buffer_count(const struct product_bench *bench)
{
    return bench->rule.buffer_bytes / (int64_t)sizeof(double);
}

static enum status need_buffer(struct product_bench *bench, struct space *space,
                               struct error *error)
{
    enum space_kind kind = space->operations->kind;
    if (bench->buffers[kind])
        return STATUS_OK;
    enum status status = space->operations->allocate(
        space, buffer_count(bench), "the buffer that is copied", &bench->buffers[kind], error);
    return status ? status : product_bench_chill(bench, space, error);
}

enum status product_bench_chill(struct product_bench *bench, struct space *space,
                                struct error *error)
{
    double *buffer = bench->buffers[space->operations->kind];
    return space->operations->fill(space, buffer_count(bench), 1, buffer, error);
}

struct copy {
    struct space *space;
    double *buffer;
    int64_t half;
};

static enum status copy_half(void *context, struct error *error)
{
    const struct copy *copy = context;
    return copy->space->operations->copy(copy->space, copy->half, copy->buffer,
                                         copy->buffer + copy->half, error);
}

static enum status measure_copy(struct product_bench *bench, struct space *space, double *rate,
                                struct error *error)
{
    enum { COPIES = 11 };
    double seconds[COPIES];
    enum status status = need_buffer(bench, space, error);
    struct copy copy = {space, bench->buffers[space->operations->kind], buffer_count(bench) / 2};
    if (!status)
        status = space->operations->record(space, copy_half, &copy, 1, error);
    for (int k = -2; k < COPIES && !status; k++) /* the first ones are not counted */
        status = space->operations->replay_timed(space, 1, &seconds[k < 0 ? 0 : k], error);
    space->operations->forget(space);
    if (!status)
        *rate = 2.0 * (double)(copy.half * (int64_t)sizeof(double)) / median(seconds, COPIES);
    return status;
}

enum status product_bench_copy_rate(struct product_bench *bench, struct space *space, int threads,
                                    double *rate, struct error *error)
{
    enum space_kind kind = space->operations->kind;
    int used = kind == SPACE_CPU ? (threads > 0 ? threads : bench->threads) : 0;
    for (int k = 0; k < bench->rates_count; k++)
        if (bench->rates[k].space == kind && bench->rates[k].threads == used) {
            *rate = bench->rates[k].rate;
            return STATUS_OK;
        }
    if (used > 0)
        threads_use(used);
    enum status status = measure_copy(bench, space, rate, error);
    if (!status && bench->rates_count < PRODUCT_COPY_RATES)
        bench->rates[bench->rates_count++] = (struct copy_rate){kind, used, *rate};
    return status;
}

/* ---- vectors --------------------------------------------------------------------------------- */

/* Vectors of floats live in the space's memory for doubles. */
static int64_t doubles_of(int64_t floats)
{
    return (floats + 1) / 2;
}

static enum status prepare_single(struct product_vectors *v, int64_t width, const double *x,
                                  struct error *error)
{
    const struct space_operations *space_do = v->space->operations;
    double *there = NULL;
    enum status status = space_do->allocate(v->space, doubles_of(width), "x", &there, error);
    v->x_single = (float *)there;
    if (!status) {
        status = space_do->allocate(v->space, doubles_of(v->n), "y", &there, error);
        v->y_single = status ? NULL : (float *)there;
    }
    int64_t longest = width > v->n ? width : v->n;
    if (!status) {
        v->host = memory_zeros(longest + 1, sizeof *v->host, "a vector of floats", error);
        status = v->host ? STATUS_OK : STATUS_MEMORY;
    }
    if (status)
        return status;
    for (int64_t j = 0; j < width; j++)
        v->host[j] = (float)x[j];
    return space_do->upload(v->space, doubles_of(width), (const double *)v->host,
                            (double *)v->x_single, error);
}

static enum status prepare_double(struct product_vectors *v, int64_t width, const double *x,
                                  struct error *error)
{
    const struct space_operations *space_do = v->space->operations;
    enum status status = space_do->allocate(v->space, width, "x", &v->x, error);
    if (!status)
        status = space_do->allocate(v->space, v->n, "y", &v->y, error);
    return status ? status : space_do->upload(v->space, width, x, v->x, error);
}

enum status product_vectors_prepare(struct product_vectors *v, struct space *space, int64_t n,
                                    int64_t width, const double *x, enum precision precision,
                                    struct error *error)
{
    v->space = space;
    v->n = n;
    if (precision == PRECISION_FLOAT)
        return v->x_single ? STATUS_OK : prepare_single(v, width, x, error);
    return v->x ? STATUS_OK : prepare_double(v, width, x, error);
}

enum status product_vectors_poison(struct product_vectors *v, enum precision precision,
                                   struct error *error)
{
    const struct space_operations *space_do = v->space->operations;
    if (precision != PRECISION_FLOAT)
        return space_do->fill(v->space, v->n, NAN, v->y, error);
    for (int64_t i = 0; i < v->n; i++)
        v->host[i] = NAN;
    return space_do->upload(v->space, doubles_of(v->n), (const double *)v->host,
                            (double *)v->y_single, error);
}

enum status product_vectors_result(struct product_vectors *v, enum precision precision, double *y,
                                   struct error *error)
{
    const struct space_operations *space_do = v->space->operations;
    if (precision != PRECISION_FLOAT)
        return space_do->download(v->space, v->n, v->y, y, error);
    enum status status = space_do->download(v->space, doubles_of(v->n), (const double *)v->y_single,
                                            (double *)v->host, error);
    for (int64_t i = 0; i < v->n && !status; i++)
        y[i] = (double)v->host[i];
    return status;
}

void product_vectors_destroy(struct product_vectors *v)
{
    if (v->space) {
        v->space->operations->release(v->space, v->x);
        v->space->operations->release(v->space, v->y);
        v->space->operations->release(v->space, (double *)v->x_single);
        v->space->operations->release(v->space, (double *)v->y_single);
    }
    memory_free(v->host);
    *v = (struct product_vectors){0};
}
