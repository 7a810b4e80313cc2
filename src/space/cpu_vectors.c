/* The vector operations of the CPU space: threads over the tiles of cgsolve/sum_order.h. An
 * operation that updates a vector and then takes a norm does both on a tile while it is in the
 * first-level cache, so it moves each vector through memory once. */
#include "space/cpu.h"

#include "base/memory.h"
#include "base/multiversion.h"
#include "base/threads.h"
#include "space/cpu_exact.h"
#include "space/cpu_make.h"
#include "space/cpu_sum.h"

#include <cblas.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>

/* y_i = x_i, or value where there is no x */
struct copy_work {
    double value;
    const double *x;
    double *y;
};

static void copy_elements(void *context, int64_t begin, int64_t end)
{
    const struct copy_work *work = context;
    for (int64_t i = begin; i < end; i++)
        work->y[i] = work->x ? work->x[i] : work->value;
}

enum status cpu_fill(struct space *space, int64_t n, double value, double *v, struct error *error)
{
    (void)space;
    (void)error;
    threads_each(n, copy_elements, &(struct copy_work){.value = value, .y = v});
    return STATUS_OK;
}

enum status cpu_copy(struct space *space, int64_t n, const double *x, double *y,
                     struct error *error)
{
    (void)space;
    (void)error;
    threads_each(n, copy_elements, &(struct copy_work){.x = x, .y = y});
    return STATUS_OK;
}

/* What is done to every tile: y_i = fma(-a, q_i, y_i) when q is given, and then y_i = fma(-b, u_i,
 * y_i) when u is; then the terms x_i y_i are summed; x = y makes a norm. */
struct tile_work {
    int64_t n;
    double a, b;
    const double *q, *u;
    double *updated; /* y, when q is given */
    const double *x, *y;
    cpu_make *make; /* or what this does to it; NULL: nothing */
    const void *context;
    struct compensated
        *tiles; /* the sum of each tile; those that are not compensated are doubles */
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
    if (work->u)
        update(*count, work->b, work->u + begin, work->updated + begin);
    if (work->make)
        work->make(work->context, begin, begin + *count);
    return begin;
}

static void reproducible_tiles(void *context, int64_t first, int64_t last)
{
    const struct tile_work *work = context;
    double *terms = (double *)work->tiles;
    for (int64_t tile = first; tile < last; tile++) {
        int64_t count, begin = tile_begin(work, tile, &count);
        terms[tile] = sum_tile_dot(work->x + begin, work->y + begin, count);
    }
}

static double work_reproducible(struct tile_work *work)
{
    int64_t tiles = sum_tiles(work->n);
    threads_each(tiles, reproducible_tiles, work);
    return sum_levels((double *)work->tiles, tiles);
}

static void compensated_tiles(void *context, int64_t first, int64_t last)
{
    const struct tile_work *work = context;
    for (int64_t tile = first; tile < last; tile++) {
        int64_t count, begin = tile_begin(work, tile, &count);
        work->tiles[tile] = sum_tile_dot_compensated(work->x + begin, work->y + begin, count);
    }
}

static double work_compensated(struct tile_work *work)
{
    int64_t tiles = sum_tiles(work->n);
    threads_each(tiles, compensated_tiles, work);
    struct compensated total = sum_levels_compensated(work->tiles, tiles);
    return total.sum + total.error;
}

struct atomic_work {
    const struct tile_work *tiles;
    double total;
};

static void atomic_tiles(void *context, int64_t first, int64_t last)
{
    struct atomic_work *work = context;
    for (int64_t tile = first; tile < last; tile++) {
        int64_t count, begin = tile_begin(work->tiles, tile, &count);
        double term = sum_tile_dot(work->tiles->x + begin, work->tiles->y + begin, count);
#pragma omp atomic
        work->total += term;
    }
}

/* Small pieces, so that the order of arrival really varies, as it does on a GPU. */
static double work_atomic(const struct tile_work *tiles)
{
    struct atomic_work work = {tiles, 0};
    threads_take(sum_tiles(tiles->n), 2, atomic_tiles, &work);
    return work.total;
}

struct exact_work {
    const struct tile_work *tiles;
    pthread_mutex_t lock;
    struct exact_sum total;
};

static void exact_tiles(void *context, int64_t first, int64_t last)
{
    struct exact_work *work = context;
    struct exact_sum own = {.special = 0};
    for (int64_t tile = first; tile < last; tile++) {
        int64_t count, begin = tile_begin(work->tiles, tile, &count);
        exact_sum_dot(&own, work->tiles->x + begin, work->tiles->y + begin, count);
    }
    pthread_mutex_lock(&work->lock);
    exact_sum_join(&work->total, &own);
    pthread_mutex_unlock(&work->lock);
}

/* Every thread sums for itself. In which order they are joined is of no consequence: the sums are
 * integers. */
static double work_exact(const struct tile_work *tiles)
{
    struct exact_work work = {tiles, PTHREAD_MUTEX_INITIALIZER, {.special = 0}};
    threads_each(sum_tiles(tiles->n), exact_tiles, &work);
    return exact_sum_round(&work.total);
}

static void update_tiles(void *context, int64_t first, int64_t last)
{
    for (int64_t tile = first; tile < last; tile++) {
        int64_t count;
        tile_begin(context, tile, &count);
    }
}

static double work_blas(struct tile_work *work)
{
    threads_each(sum_tiles(work->n), update_tiles, work);
    return cblas_ddot((int)work->n, work->x, 1, work->y, 1);
}

static enum status run(struct space *space, struct tile_work *work, double *result,
                       struct error *error)
{
    struct space_cpu *cpu = space_cpu_of(space);
    enum status status = memory_grow((void **)&cpu->tiles, &cpu->tiles_capacity, sum_tiles(work->n),
                                     sizeof *cpu->tiles, "the sums of the tiles", error);
    if (status)
        return status;
    work->tiles = cpu->tiles;
    switch (space->reductions) {
    case REDUCTIONS_REPRODUCIBLE:
        *result = work_reproducible(work);
        break;
    case REDUCTIONS_COMPENSATED:
        *result = work_compensated(work);
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

enum status cpu_dot(struct space *space, int64_t n, const double *x, const double *y,
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

enum status cpu_axmy_norm_squared(struct space *space, int64_t n, struct quotient a,
                                  const double *x, double *y, double *result, struct error *error)
{
    if (!may_divide(a))
        return cpu_dot(space, n, y, y, result, error);
    struct tile_work work = {.n = n, .a = divide(a), .q = x, .updated = y, .x = y, .y = y};
    return run(space, &work, result, error);
}

enum status cpu_axmy_axmy_norm_squared(struct space *space, int64_t n, const double *a,
                                       const double *x, const double *b, const double *u, double *y,
                                       double *result, struct error *error)
{
    struct tile_work work = {
        .n = n, .a = *a, .q = x, .b = u ? *b : 0, .u = u, .updated = y, .x = y, .y = y};
    return is_over(space) ? STATUS_OK : run(space, &work, result, error);
}

MULTIVERSION static void step(int64_t begin, int64_t end, double a, double b,
                              const double *restrict r, double *restrict p, double *restrict x)
{
    for (int64_t i = begin; i < end; i++) {
        x[i] = fma(a, p[i], x[i]);
        p[i] = fma(b, p[i], r[i]);
    }
}

struct step_work {
    double a, b;
    const double *r;
    double *p, *x;
};

static void step_elements(void *context, int64_t begin, int64_t end)
{
    const struct step_work *work = context;
    step(begin, end, work->a, work->b, work->r, work->p, work->x);
}

enum status cpu_axpy_xpby(struct space *space, int64_t n, const double *a, const double *b,
                          const double *r, double *p, double *x, struct error *error)
{
    (void)error;
    if (!is_over(space))
        threads_each(n, step_elements, &(struct step_work){*a, *b, r, p, x});
    return STATUS_OK;
}

enum status cpu_axpy(struct space *space, int64_t n, double a, const double *x, double *y,
                     struct error *error)
{
    (void)space;
    (void)error;
    struct tile_work work = {.n = n, .a = -a, .q = x, .updated = y};
    threads_each(sum_tiles(n), update_tiles, &work);
    return STATUS_OK;
}

enum status cpu_cg_advance(struct space *space, struct cg_scalars *scalars, struct error *error)
{
    (void)space;
    (void)error;
    cg_scalars_advance(scalars);
    return STATUS_OK;
}

enum status cpu_cg_step(struct space *space, int64_t n, const double *q, double *r,
                        struct cg_scalars *scalars, struct error *error)
{
    enum status status =
        cpu_axmy_norm_squared(space, n, (struct quotient){&scalars->rho, &scalars->curvature}, q, r,
                              &scalars->next_rho, error);
    return status ? status : cpu_cg_advance(space, scalars, error);
}
