/* The space of the host's memory: OpenMP over the tiles of cgsolve/sum_order.h. An operation that
 * updates a vector and then takes a norm does both on a tile while it is in the first-level cache,
 * so it moves each vector through memory once. */
#include "cgsolve/space.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/multiversion.h"
#include "space/cpu_exact.h"
#include "space/cpu_make.h"
#include "space/cpu_sum.h"

#include <cblas.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

struct space_cpu {
    struct space base;
    struct compensated *tiles; /* one term a tile of the vector being summed; .error is used by
                                  the compensated reductions only */
    int64_t tiles_capacity;
    space_work *work; /* what was recorded */
    void *context;
    int times;
};

static struct space_cpu *of(struct space *space)
{
    return (struct space_cpu *)space;
}

static enum status cpu_fits(struct space *space, int64_t bytes, const char *what,
                            struct error *error)
{
    (void)space;
    return memory_fits((double)bytes, what, error);
}

static enum status cpu_allocate(struct space *space, int64_t count, const char *what,
                                double **vector, struct error *error)
{
    (void)space;
    *vector = memory_array(count, sizeof **vector, what, error);
    return *vector ? STATUS_OK : STATUS_MEMORY;
}

static void cpu_release(struct space *space, double *vector)
{
    (void)space;
    memory_free(vector);
}

static enum status cpu_upload(struct space *space, int64_t count, const double *host,
                              double *vector, struct error *error)
{
    (void)space;
    (void)error;
    memcpy(vector, host, (size_t)count * sizeof *host);
    return STATUS_OK;
}

static enum status cpu_fill(struct space *space, int64_t n, double value, double *v,
                            struct error *error)
{
    (void)space;
    (void)error;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++)
        v[i] = value;
    return STATUS_OK;
}

static enum status cpu_copy(struct space *space, int64_t n, const double *x, double *y,
                            struct error *error)
{
    (void)space;
    (void)error;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i];
    return STATUS_OK;
}

/* What is done to every tile: y_i = fma(-a, q_i, y_i) when q is given, or what make does; then the terms
 * x_i y_i are summed; x = y makes a norm. */
struct tile_work {
    int64_t n;
    double a;
    const double *q;
    double *updated; /* y, when q is given */
    const double *x, *y;
    cpu_make *make; /* NULL: nothing */
    const void *context;
};

MULTIVERSION static void update(int64_t count, double a, const double *q, double *y)
{
    for (int64_t i = 0; i < count; i++)
        y[i] = fma(-a, q[i], y[i]);
}

/* Does the update of one tile; returns where it begins, and how long it is in *count. */
static int64_t tile_begin(const struct tile_work *work, int64_t tile, int64_t *count)
{
    int64_t begin = tile * SUM_TILE;
    *count = work->n - begin < SUM_TILE ? work->n - begin : SUM_TILE;
    if (work->q)
        update(*count, work->a, work->q + begin, work->updated + begin);
    if (work->make)
        work->make(work->context, begin, begin + *count);
    return begin;
}

static double work_reproducible(const struct tile_work *work, struct space_cpu *space)
{
    double *terms = (double *)space->tiles;
    int64_t tiles = sum_tiles(work->n);
#pragma omp parallel for schedule(static)
    for (int64_t tile = 0; tile < tiles; tile++) {
        int64_t count, begin = tile_begin(work, tile, &count);
        terms[tile] = sum_tile_dot(work->x + begin, work->y + begin, count);
    }
    return sum_levels(terms, tiles);
}

static double work_compensated(const struct tile_work *work, struct space_cpu *space)
{
    int64_t tiles = sum_tiles(work->n);
#pragma omp parallel for schedule(static)
    for (int64_t tile = 0; tile < tiles; tile++) {
        int64_t count, begin = tile_begin(work, tile, &count);
        space->tiles[tile] = sum_tile_dot_compensated(work->x + begin, work->y + begin, count);
    }
    struct compensated total = sum_levels_compensated(space->tiles, tiles);
    return total.sum + total.error;
}

/* Small dynamic chunks, so that the order of arrival really varies, as it does on a GPU. */
static double work_atomic(const struct tile_work *work)
{
    double total = 0;
    int64_t tiles = sum_tiles(work->n);
#pragma omp parallel for schedule(dynamic, 2)
    for (int64_t tile = 0; tile < tiles; tile++) {
        int64_t count, begin = tile_begin(work, tile, &count);
        double term = sum_tile_dot(work->x + begin, work->y + begin, count);
#pragma omp atomic
        total += term;
    }
    return total;
}

/* Every thread sums for itself. In which order they are joined is of no consequence: the sums are
 * integers. */
static double work_exact(const struct tile_work *work)
{
    struct exact_sum total = {.special = 0};
    int64_t tiles = sum_tiles(work->n);
#pragma omp parallel
    {
        struct exact_sum own = {.special = 0};
#pragma omp for schedule(static)
        for (int64_t tile = 0; tile < tiles; tile++) {
            int64_t count, begin = tile_begin(work, tile, &count);
            exact_sum_dot(&own, work->x + begin, work->y + begin, count);
        }
#pragma omp critical(exact_sums)
        exact_sum_join(&total, &own);
    }
    return exact_sum_round(&total);
}

static double work_blas(const struct tile_work *work)
{
    int64_t tiles = sum_tiles(work->n);
#pragma omp parallel for schedule(static)
    for (int64_t tile = 0; tile < tiles; tile++) {
        int64_t count;
        tile_begin(work, tile, &count);
    }
    return cblas_ddot((int)work->n, work->x, 1, work->y, 1);
}

static enum status run(struct space *space, const struct tile_work *work, double *result,
                       struct error *error)
{
    struct space_cpu *cpu = of(space);
    enum status status = memory_grow((void **)&cpu->tiles, &cpu->tiles_capacity, sum_tiles(work->n),
                                     sizeof *cpu->tiles, "the sums of the tiles", error);
    if (status)
        return status;
    switch (space->reductions) {
    case REDUCTIONS_REPRODUCIBLE:
        *result = work_reproducible(work, cpu);
        break;
    case REDUCTIONS_COMPENSATED:
        *result = work_compensated(work, cpu);
        break;
    case REDUCTIONS_ATOMIC:
        *result = work_atomic(work);
        break;
    case REDUCTIONS_BLAS:
        *result = work_blas(work);
        break;
    case REDUCTIONS_EXACT:
        *result = work_exact(work);
        break;
    }
    return STATUS_OK;
}

static enum status cpu_dot(struct space *space, int64_t n, const double *x, const double *y,
                           double *result, struct error *error)
{
    return run(space, &(struct tile_work){.n = n, .x = x, .y = y}, result, error);
}

enum status cpu_make_and_dot(struct space *space, int64_t n, cpu_make *make, const void *context,
                             const double *x, const double *y, double *result, struct error *error)
{
    struct tile_work work = {.n = n, .x = x, .y = y, .make = make, .context = context};
    return run(space, &work, result, error);
}

static double divide(struct quotient quotient)
{
    return *quotient.numerator / *quotient.denominator;
}

/* Work on its way when an iteration ends must do no harm. */
static bool is_over(const struct space *space)
{
    return space->ended && *space->ended;
}

static bool may_divide(struct quotient quotient)
{
    return cg_may_divide(*quotient.denominator);
}

static enum status cpu_axmy_norm_squared(struct space *space, int64_t n, struct quotient a,
                                         const double *x, double *y, double *result,
                                         struct error *error)
{
    if (!may_divide(a))
        return cpu_dot(space, n, y, y, result, error);
    struct tile_work work = {.n = n, .a = divide(a), .q = x, .updated = y, .x = y, .y = y};
    return run(space, &work, result, error);
}

MULTIVERSION static void step(int64_t begin, int64_t end, double a, double b,
                              const double *restrict r, double *restrict p, double *restrict x)
{
    for (int64_t i = begin; i < end; i++) {
        x[i] = fma(a, p[i], x[i]);
        p[i] = fma(b, p[i], r[i]);
    }
}

static enum status cpu_axpy_xpby(struct space *space, int64_t n, const double *a, const double *b,
                                 const double *r, double *p, double *x, struct error *error)
{
    (void)error;
    if (is_over(space))
        return STATUS_OK;
    double alpha = *a, beta = *b;
    int64_t tiles = sum_tiles(n);
#pragma omp parallel for schedule(static)
    for (int64_t tile = 0; tile < tiles; tile++) {
        int64_t begin = tile * SUM_TILE;
        step(begin, n - begin < SUM_TILE ? n : begin + SUM_TILE, alpha, beta, r, p, x);
    }
    return STATUS_OK;
}

static enum status cpu_axpy(struct space *space, int64_t n, double a, const double *x, double *y,
                            struct error *error)
{
    (void)space;
    (void)error;
    int64_t tiles = sum_tiles(n);
#pragma omp parallel for schedule(static)
    for (int64_t tile = 0; tile < tiles; tile++) {
        int64_t begin = tile * SUM_TILE;
        update(n - begin < SUM_TILE ? n - begin : SUM_TILE, -a, x + begin, y + begin);
    }
    return STATUS_OK;
}

static enum status cpu_cg_advance(struct space *space, struct cg_scalars *scalars,
                                  struct error *error)
{
    (void)space;
    (void)error;
    cg_scalars_advance(scalars);
    return STATUS_OK;
}

static enum status cpu_cg_step(struct space *space, int64_t n, const double *q, double *r,
                               struct cg_scalars *scalars, struct error *error)
{
    enum status status =
        cpu_axmy_norm_squared(space, n, (struct quotient){&scalars->rho, &scalars->curvature}, q, r,
                              &scalars->next_rho, error);
    return status ? status : cpu_cg_advance(space, scalars, error);
}

static enum status cpu_allocate_shared(struct space *space, int64_t bytes, const char *what,
                                       void **shared, struct error *error)
{
    (void)space;
    *shared = memory_zeros(bytes, 1, what, error);
    return *shared ? STATUS_OK : STATUS_MEMORY;
}

static void cpu_release_shared(struct space *space, void *shared)
{
    (void)space;
    memory_free(shared);
}

static enum status cpu_record(struct space *space, space_work *work, void *context, int times,
                              struct error *error)
{
    (void)error;
    of(space)->work = work;
    of(space)->context = context;
    of(space)->times = times;
    return STATUS_OK;
}

static enum status cpu_replay(struct space *space, struct error *error)
{
    const struct space_cpu *cpu = of(space);
    enum status status = STATUS_OK;
    for (int k = 0; k < cpu->times && !status; k++)
        status = cpu->work(cpu->context, error);
    return status;
}

static enum status cpu_replay_timed(struct space *space, int64_t times, double *seconds,
                                    struct error *error)
{
    double begin = clock_seconds();
    enum status status = STATUS_OK;
    for (int64_t k = 0; k < times && !status; k++)
        status = cpu_replay(space, error);
    *seconds = clock_seconds() - begin;
    return status;
}

static void cpu_forget(struct space *space)
{
    of(space)->times = 0;
}

/* Work is done when it returns: nothing is ever on its way. */
static int cpu_replay_times(const struct space *space, int64_t n)
{
    (void)space;
    (void)n;
    return 1;
}

static enum status cpu_poll(struct space *space, struct error *error)
{
    (void)space;
    (void)error;
    return STATUS_OK;
}

static void cpu_destroy(struct space *space)
{
    if (!space)
        return;
    memory_free(of(space)->tiles);
    memory_free(space);
}

static enum status cpu_download(struct space *space, int64_t count, const double *vector,
                                double *host, struct error *error)
{
    return cpu_upload(space, count, vector, host, error);
}

static const struct space_operations cpu_operations = {
    .name = "cpu",
    .kind = SPACE_CPU,
    .fits = cpu_fits,
    .allocate = cpu_allocate,
    .release = cpu_release,
    .upload = cpu_upload,
    .download = cpu_download,
    .fill = cpu_fill,
    .copy = cpu_copy,
    .dot = cpu_dot,
    .axmy_norm_squared = cpu_axmy_norm_squared,
    .axpy_xpby = cpu_axpy_xpby,
    .axpy = cpu_axpy,
    .apply_blocks = cpu_apply_blocks,
    .combine = cpu_combine,
    .cg_advance = cpu_cg_advance,
    .cg_step = cpu_cg_step,
    .allocate_shared = cpu_allocate_shared,
    .release_shared = cpu_release_shared,
    .record = cpu_record,
    .replay = cpu_replay,
    .replay_timed = cpu_replay_timed,
    .forget = cpu_forget,
    .replay_times = cpu_replay_times,
    .poll = cpu_poll,
    .destroy = cpu_destroy,
};

enum status space_cpu_create(enum reductions reductions, struct space **space, struct error *error)
{
    struct space_cpu *cpu = memory_zeros(1, sizeof *cpu, "the CPU space", error);
    if (!cpu) {
        *space = NULL;
        return STATUS_MEMORY;
    }
    cpu->base = (struct space){.operations = &cpu_operations, .reductions = reductions};
    *space = &cpu->base;
    return STATUS_OK;
}
