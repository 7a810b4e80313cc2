/* The vector operations of the CPU space: OpenMP over the tiles of cgsolve/sum_order.h. An operation that
 * updates a vector and then takes a norm does both on a tile while it is in the first-level cache,
 * so it moves each vector through memory once. */
#include "space/cpu.h"

#include "base/memory.h"
#include "base/multiversion.h"
#include "space/cpu_exact.h"
#include "space/cpu_make.h"
#include "space/cpu_sum.h"

#include <cblas.h>
#include <math.h>
#include <stdbool.h>

enum status cpu_fill(struct space *space, int64_t n, double value, double *v, struct error *error)
{
    (void)space;
    (void)error;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++)
        v[i] = value;
    return STATUS_OK;
}

enum status cpu_copy(struct space *space, int64_t n, const double *x, double *y,
                     struct error *error)
{
    (void)space;
    (void)error;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i];
    return STATUS_OK;
}

/* What is done to every tile: y_i = fma(-a, q_i, y_i) when q is given, and then y_i = fma(-b, u_i, y_i) when u is;
 * then the terms x_i y_i are summed; x = y makes a norm. */
struct tile_work {
    int64_t n;
    double a, b;
    const double *q, *u;
    double *updated; /* y, when q is given */
    const double *x, *y;
    cpu_make *make; /* or what this does to it; NULL: nothing */
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
    if (work->u)
        update(*count, work->b, work->u + begin, work->updated + begin);
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
    struct space_cpu *cpu = space_cpu_of(space);
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

enum status cpu_axpy_xpby(struct space *space, int64_t n, const double *a, const double *b,
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

enum status cpu_axpy(struct space *space, int64_t n, double a, const double *x, double *y,
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
