#include "study/product_table.h"

#include "base/memory.h"
#include "base/threads.h"
#include "study/statistics.h"

/* ---- what lasts ------------------------------------------------------------------------------ */

static enum status add_space(struct product_bench *bench, enum space_kind kind, int threads,
                             struct error *error)
{
    struct space_options options = {
        .reductions = REDUCTIONS_REPRODUCIBLE, .threads = threads, .device = bench->rule.device};
    struct space *space = NULL;
    enum status status =
        memory_grow((void **)&bench->spaces, &bench->spaces_capacity, bench->spaces_count + 1,
                    sizeof *bench->spaces, "the spaces", error);
    if (!status)
        status = space_create(kind, &options, &space, error);
    if (!status)
        bench->spaces[bench->spaces_count++] = (struct product_space){.space = space};
    return status;
}

enum status product_bench_create(const struct product_rule *rule, int threads,
                                 struct product_bench **bench, struct error *error)
{
    *bench = memory_zeros(1, sizeof **bench, "the bench", error);
    if (!*bench)
        return STATUS_MEMORY;
    (*bench)->rule = *rule;
    enum status status = add_space(*bench, SPACE_CPU, threads, error);
    if (status) {
        product_bench_destroy(*bench);
        *bench = NULL;
    }
    return status;
}

void product_bench_destroy(struct product_bench *bench)
{
    if (!bench)
        return;
    for (int64_t k = 0; k < bench->spaces_count; k++) {
        struct space *space = bench->spaces[k].space;
        double **buffer = &bench->buffers[space->operations->kind];
        space_release(space, *buffer);
        *buffer = NULL;
        space->operations->destroy(space);
    }
    memory_free(bench->spaces);
    memory_free(bench);
}

struct threads *product_bench_threads(const struct product_bench *bench)
{
    return bench->spaces[0].space->threads;
}

enum status product_bench_space(struct product_bench *bench, enum space_kind kind, int threads,
                                struct product_space **space, struct error *error)
{
    if (threads == 0 || kind != SPACE_CPU)
        threads = threads_count(product_bench_threads(bench));
    enum status status = STATUS_OK;
    int64_t k = 0;
    while (k < bench->spaces_count && !(bench->spaces[k].space->operations->kind == kind &&
                                        threads_count(bench->spaces[k].space->threads) == threads))
        k++;
    if (k == bench->spaces_count)
        status = add_space(bench, kind, threads, error);
    *space = status ? NULL : &bench->spaces[k];
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
    enum status status = space_vector(space, buffer_count(bench), "the buffer that is copied",
                                      &bench->buffers[kind], error);
    return status ? status : product_bench_chill(bench, space, error);
}

enum status product_bench_chill(struct product_bench *bench, struct space *space,
                                struct error *error)
{
    double *buffer = bench->buffers[space->operations->kind];
    return space_fill(space, buffer_count(bench), 1, buffer, error);
}

struct copy {
    struct space *space;
    double *buffer;
    int64_t half;
};

static enum status copy_half(void *context, struct error *error)
{
    const struct copy *copy = context;
    return space_copy(copy->space, copy->half, copy->buffer, copy->buffer + copy->half, error);
}

enum status product_bench_copy_rate(struct product_bench *bench, struct product_space *of,
                                    struct error *error)
{
    enum { MOST = 11 };
    double seconds[MOST];
    int copies = bench->rule.rounds < MOST ? (int)bench->rule.rounds : MOST;
    struct space *space = of->space;
    if (of->copy_rate > 0)
        return STATUS_OK;
    enum status status = need_buffer(bench, space, error);
    struct copy copy = {space, bench->buffers[space->operations->kind], buffer_count(bench) / 2};
    if (!status)
        status = space->operations->record(space, copy_half, &copy, 1, error);
    for (int k = -2; k < copies && !status; k++) /* the first copies do not count */
        status = space->operations->replay_timed(space, 1, &seconds[k < 0 ? 0 : k], error);
    space->operations->forget(space);
    if (!status)
        of->copy_rate =
            2.0 * (double)(copy.half * (int64_t)sizeof(double)) / median(seconds, copies);
    return status;
}

/* ---- vectors --------------------------------------------------------------------------------- */

static enum status prepare_single(struct product_vectors *v, int64_t width, const double *x,
                                  struct error *error)
{
    enum status status = space_vector_float(v->space, width, "x", &v->x_single, error);
    if (!status)
        status = space_vector_float(v->space, v->n, "y", &v->y_single, error);
    int64_t longest = width > v->n ? width : v->n;
    if (!status) {
        v->host = memory_zeros(longest, sizeof *v->host, "a vector of floats", error);
        status = v->host ? STATUS_OK : STATUS_MEMORY;
    }
    if (status)
        return status;
    for (int64_t j = 0; j < width; j++)
        v->host[j] = (float)x[j];
    return space_upload_float(v->space, width, v->host, v->x_single, error);
}

static enum status prepare_double(struct product_vectors *v, int64_t width, const double *x,
                                  struct error *error)
{
    enum status status = space_vector(v->space, width, "x", &v->x, error);
    if (!status)
        status = space_vector(v->space, v->n, "y", &v->y, error);
    return status ? status : space_upload(v->space, width, x, v->x, error);
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

enum status product_vectors_poison(struct product_vectors *v, struct space *space,
                                   enum precision precision, double with, struct error *error)
{
    if (precision != PRECISION_FLOAT)
        return space_fill(space, v->n, with, v->y, error);
    for (int64_t i = 0; i < v->n; i++)
        v->host[i] = (float)with;
    return space_upload_float(space, v->n, v->host, v->y_single, error);
}

enum status product_vectors_result(struct product_vectors *v, enum precision precision, double *y,
                                   struct error *error)
{
    if (precision != PRECISION_FLOAT)
        return space_download(v->space, v->n, v->y, y, error);
    enum status status = space_download_float(v->space, v->n, v->y_single, v->host, error);
    for (int64_t i = 0; i < v->n && !status; i++)
        y[i] = (double)v->host[i];
    return status;
}

void product_vectors_destroy(struct product_vectors *v)
{
    if (v->space) {
        space_release(v->space, v->x);
        space_release(v->space, v->y);
        space_release(v->space, v->x_single);
        space_release(v->space, v->y_single);
    }
    memory_free(v->host);
    *v = (struct product_vectors){0};
}
