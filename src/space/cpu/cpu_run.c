/* A pass of the CPU space: threads take the tiles of space/sum/sum_order.h. A pass that makes and
 * sums a vector does both while the tile is in the first-level cache, so each vector moves through
 * memory once. */
#include "base/memory.h"
#include "base/threads.h"
#include "space/cpu/cpu.h"
#include "space/sum/cpu_exact.h"
#include "space/sum/cpu_sum.h"

#include <pthread.h>

/* A running pass. `make` is NULL if nothing is left to make. */
struct sweep {
    struct threads *threads;
    const struct blas *blas;     /* zeroed, except for the reductions "blas" */
    struct partition *partition; /* NULL: no other ranks have terms */
    int64_t n;
    void (*make)(const void *work, int64_t begin, int64_t end);
    const void *work;
    const struct pass_sum *sums;
    int64_t sums_count, tiles;
    struct compensated *terms; /* [sums_count][tiles]: sums of tiles; doubles unless compensated */
};

/* Makes one tile; returns where it begins, and how long it is in *count. */
static int64_t make_tile(const struct sweep *sweep, int64_t tile, int64_t *count)
{
    int64_t begin = tile * SUM_TILE;
    *count = sweep->n - begin < SUM_TILE ? sweep->n - begin : SUM_TILE;
    if (sweep->make)
        sweep->make(sweep->work, begin, begin + *count);
    return begin;
}

static void make_elements(void *context, int64_t begin, int64_t end)
{
    const struct sweep *sweep = context;
    sweep->make(sweep->work, begin, end);
}

/* --- sums in their order ---------------------------------------------------------------------- */

static void reproducible_tiles(void *context, int64_t first, int64_t last)
{
    const struct sweep *sweep = context;
    double *terms = (double *)sweep->terms;
    for (int64_t tile = first; tile < last; tile++) {
        int64_t count, begin = make_tile(sweep, tile, &count);
        for (int64_t k = 0; k < sweep->sums_count; k++)
            terms[k * sweep->tiles + tile] =
                sum_tile_dot(sweep->sums[k].x + begin, sweep->sums[k].y + begin, count);
    }
}

static void reproducible_levels(void *context, int64_t first, int64_t last)
{
    const struct sweep *sweep = context;
    for (int64_t k = first; k < last; k++)
        *sweep->sums[k].result =
            sum_levels((double *)sweep->terms + k * sweep->tiles, sweep->tiles);
}

static enum status sum_reproducibly(struct sweep *sweep, struct error *error)
{
    threads_each(sweep->threads, sweep->tiles, reproducible_tiles, sweep);
    if (sweep->partition)
        return partition_sum(sweep->partition, (double *)sweep->terms, sweep->sums_count,
                             sweep->sums, error);
    if (sweep->sums_count == 1)
        reproducible_levels(sweep, 0, 1);
    else
        threads_each(sweep->threads, sweep->sums_count, reproducible_levels, sweep);
    return STATUS_OK;
}

/* Tiles of rows beyond the partition come last, and are skipped. */
enum status cpu_sum_end(struct space *space, double *terms, int64_t tiles, double *result,
                        struct error *error)
{
    const struct space_cpu *cpu = space_cpu_of(space);
    struct pass_sum sum = {.result = result};
    if (cpu->base.partition)
        return partition_sum(cpu->base.partition, terms + cpu->base.tiles_before, 1, &sum, error);
    *result = sum_levels(terms, tiles);
    return STATUS_OK;
}

static void compensated_tiles(void *context, int64_t first, int64_t last)
{
    const struct sweep *sweep = context;
    for (int64_t tile = first; tile < last; tile++) {
        int64_t count, begin = make_tile(sweep, tile, &count);
        sweep->terms[tile] =
            sum_tile_dot_compensated(sweep->sums->x + begin, sweep->sums->y + begin, count);
    }
}

static enum status sum_compensated(struct sweep *sweep, struct error *error)
{
    threads_each(sweep->threads, sweep->tiles, compensated_tiles, sweep);
    struct compensated total;
    enum status status = STATUS_OK;
    if (sweep->partition)
        status = partition_sum_compensated(sweep->partition, sweep->terms, &total, error);
    else
        total = sum_levels_compensated(sweep->terms, sweep->tiles);
    if (!status)
        *sweep->sums->result = total.sum + total.error;
    return status;
}

/* --- and without one -------------------------------------------------------------------------- */

struct atomic_sweep {
    const struct sweep *sweep;
    double total;
};

static void atomic_tiles(void *context, int64_t first, int64_t last)
{
    struct atomic_sweep *atomic = context;
    const struct pass_sum *sum = atomic->sweep->sums;
    for (int64_t tile = first; tile < last; tile++) {
        int64_t count, begin = make_tile(atomic->sweep, tile, &count);
        double term = sum_tile_dot(sum->x + begin, sum->y + begin, count);
        ATOMIC_ADD(&atomic->total, term);
    }
}

/* Small pieces, so that the order of arrival really varies, as it does on a GPU. */
static enum status sum_atomically(struct sweep *sweep, struct error *error)
{
    struct atomic_sweep atomic = {sweep, 0};
    threads_take(sweep->threads, sweep->tiles, 2, atomic_tiles, &atomic);
    return partition_add(sweep->partition, atomic.total, sweep->sums->result, error);
}

struct exact_sweep {
    const struct sweep *sweep;
    pthread_mutex_t lock;
    struct exact_sum total;
};

static void exact_tiles(void *context, int64_t first, int64_t last)
{
    struct exact_sweep *exact = context;
    const struct pass_sum *sum = exact->sweep->sums;
    struct exact_sum own = {.special = 0};
    for (int64_t tile = first; tile < last; tile++) {
        int64_t count, begin = make_tile(exact->sweep, tile, &count);
        exact_sum_dot(&own, sum->x + begin, sum->y + begin, count);
    }
    pthread_mutex_lock(&exact->lock);
    exact_sum_join(&exact->total, &own);
    pthread_mutex_unlock(&exact->lock);
}

/* Every thread has a sum. The sums are integers, so the order in which they are joined does not
 * matter. */
static enum status sum_exactly(struct sweep *sweep, struct error *error)
{
    struct exact_sweep exact = {sweep, PTHREAD_MUTEX_INITIALIZER, {.special = 0}};
    enum status status = STATUS_OK;
    threads_each(sweep->threads, sweep->tiles, exact_tiles, &exact);
    if (sweep->partition)
        status = partition_sum_exact(sweep->partition, &exact.total, error);
    if (!status)
        *sweep->sums->result = exact_sum_round(&exact.total);
    return status;
}

static enum status sum_by_blas(struct sweep *sweep, struct error *error)
{
    if (sweep->make)
        threads_each(sweep->threads, sweep->n, make_elements, sweep);
    double own = blas_sum(sweep->blas, threads_count(sweep->threads), (int)sweep->n, sweep->sums->x,
                          sweep->sums->y);
    return partition_add(sweep->partition, own, sweep->sums->result, error);
}

/* --- a pass ----------------------------------------------------------------------------------- */

/* One sum, the first fused with the elements; with reproducible reductions all sums at once. */
static enum status take_sum(enum reductions reductions, struct sweep *sweep, struct error *error)
{
    switch (reductions) {
    case REDUCTIONS_REPRODUCIBLE:
        return sum_reproducibly(sweep, error);
    case REDUCTIONS_COMPENSATED:
        return sum_compensated(sweep, error);
    case REDUCTIONS_ATOMIC:
        return sum_atomically(sweep, error);
    case REDUCTIONS_BLAS:
        return sum_by_blas(sweep, error);
    case REDUCTIONS_EXACT:
        return sum_exactly(sweep, error);
    }
    return STATUS_OK;
}

/* All sums of the pass, in cpu->sums[]. */
static enum status find_sums(struct space_cpu *cpu, const struct pass *pass, const void *work,
                             int64_t *count, struct error *error)
{
    struct pass_sum sum;
    enum status status = STATUS_OK;
    for (*count = 0; !status && pass->sum && pass->sum(work, *count, &sum); ++*count) {
        status = memory_grow((void **)&cpu->sums, &cpu->sums_capacity, *count + 1,
                             sizeof *cpu->sums, "the sums of a pass", error);
        if (!status)
            cpu->sums[*count] = sum;
    }
    return status;
}

static enum status run_with_sums(struct space_cpu *cpu, struct sweep *sweep, struct error *error)
{
    enum reductions reductions = cpu->base.reductions;
    int64_t count = sweep->sums_count;
    bool together = reductions == REDUCTIONS_REPRODUCIBLE;
    int64_t terms = together ? (count * sweep->tiles + 1) / 2 : sweep->tiles;
    enum status status = memory_grow((void **)&cpu->tiles, &cpu->tiles_capacity, terms,
                                     sizeof *cpu->tiles, "the sums of the tiles", error);
    if (status)
        return status;
    sweep->terms = cpu->tiles;
    sweep->sums_count = together ? count : 1;
    for (int64_t k = 0; k < count && !status; k += sweep->sums_count) {
        sweep->sums = cpu->sums + k;
        status = take_sum(reductions, sweep, error);
        sweep->make = NULL;
    }
    return status;
}

enum status cpu_run(struct space *space, const struct pass *pass, int64_t n, const void *work,
                    struct error *error)
{
    struct space_cpu *cpu = space_cpu_of(space);
    struct sweep sweep = {.threads = space->threads,
                          .blas = &cpu->blas,
                          .partition = cpu->base.partition,
                          .n = n,
                          .make = pass->make,
                          .work = work,
                          .tiles = sum_tiles(n)};
    if (space->ended && *space->ended && !pass->always)
        return STATUS_OK;
    if (pass->cpu)
        return pass->cpu(space, pass, n, work, error);
    enum status status = find_sums(cpu, pass, work, &sweep.sums_count, error);
    if (!status && sweep.sums_count > 0)
        status = run_with_sums(cpu, &sweep, error);
    else if (!status && sweep.make)
        threads_each(space->threads, n, make_elements, &sweep);
    if (!status && pass->after)
        pass->after(work);
    return status;
}
