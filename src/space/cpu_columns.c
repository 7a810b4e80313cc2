/* A pass of the CPU space over columns of multivectors: threads over the tiles of
 * cgsolve/sum_order.h, which take column after column, so that what a tile has of a multivector
 * stays in a cache. A sum copies its terms of a tile together and adds them as one of vectors does:
 * the bits are the same. */
#include "base/memory.h"
#include "base/threads.h"
#include "space/cpu.h"
#include "space/cpu_sum.h"

struct columns_sweep {
    struct space *space;
    const struct pass *pass;
    const struct pass_columns *columns;
    int64_t n, tiles, sums_count; /* sums of a column */
    const struct pass_sum *sums;  /* [columns->count][sums_count] */
    double *terms;                /* [columns->count][sums_count][tiles] */
};

static bool is_over(const struct columns_sweep *sweep, int j)
{
    const int64_t *ended = sweep->columns->ended[j];
    return ended && *ended && !sweep->pass->always;
}

/* The elements from `begin` on of a column, together; count <= SUM_TILE. */
static void take_together(const double *column, int64_t stride, int64_t begin, int64_t count,
                          double *together)
{
    for (int64_t i = 0; i < count; i++)
        together[i] = column[(begin + i) * stride];
}

static double tile_sum(const struct columns_sweep *sweep, const struct pass_sum *sum, int64_t begin,
                       int64_t count)
{
    double x[SUM_TILE], y[SUM_TILE];
    int64_t stride = sweep->columns->stride;
    take_together(sum->x, stride, begin, count, x);
    if (sum->y == sum->x)
        return sum_tile_dot(x, x, count);
    take_together(sum->y, stride, begin, count, y);
    return sum_tile_dot(x, y, count);
}

static void columns_tiles(void *context, int64_t first, int64_t last)
{
    const struct columns_sweep *sweep = context;
    const struct pass_columns *columns = sweep->columns;
    for (int64_t tile = first; tile < last; tile++) {
        int64_t begin = tile * SUM_TILE;
        int64_t count = sweep->n - begin < SUM_TILE ? sweep->n - begin : SUM_TILE;
        for (int j = 0; j < columns->count; j++) {
            if (is_over(sweep, j))
                continue;
            if (sweep->pass->make_column)
                sweep->pass->make_column(columns->work[j], columns->stride, begin, begin + count);
            for (int64_t k = j * sweep->sums_count; k < (j + 1) * sweep->sums_count; k++)
                sweep->terms[k * sweep->tiles + tile] =
                    tile_sum(sweep, &sweep->sums[k], begin, count);
        }
    }
}

static void columns_levels(void *context, int64_t first, int64_t last)
{
    const struct columns_sweep *sweep = context;
    for (int64_t k = first; k < last; k++)
        if (!is_over(sweep, (int)(k / sweep->sums_count)))
            *sweep->sums[k].result = sum_levels(sweep->terms + k * sweep->tiles, sweep->tiles);
}

/* --- sums of another order, of vectors ---------------------------------------------------------- */

struct together {
    const double *column;
    int64_t stride;
    double *vector;
};

static void copy_together(void *context, int64_t begin, int64_t end)
{
    const struct together *of = context;
    for (int64_t i = begin; i < end; i++)
        of->vector[i] = of->column[i * of->stride];
}

static enum status sum_vectors(struct columns_sweep *sweep, struct error *error)
{
    struct space *space = sweep->space;
    struct space_cpu *cpu = space_cpu_of(space);
    int64_t n = sweep->n, stride = sweep->columns->stride;
    enum status status = memory_grow((void **)&cpu->column, &cpu->column_capacity, 2 * n,
                                     sizeof *cpu->column, "a column of a multivector", error);
    for (int64_t k = 0; !status && k < sweep->columns->count * sweep->sums_count; k++) {
        const struct pass_sum *sum = &sweep->sums[k];
        struct together x = {sum->x, stride, cpu->column}, y = {sum->y, stride, cpu->column + n};
        if (is_over(sweep, (int)(k / sweep->sums_count)))
            continue;
        threads_each(space->threads, n, copy_together, &x);
        if (sum->y != sum->x)
            threads_each(space->threads, n, copy_together, &y);
        struct pass_sum of = {x.vector, sum->y == sum->x ? x.vector : y.vector, sum->result};
        status = cpu_run(space, &pass_dot, n, &of, error);
    }
    return status;
}

/* --- a pass ------------------------------------------------------------------------------------- */

enum { SUMS_MOST = 4 }; /* of a pass over columns */

/* All that the columns ask for; false: more than that. */
static bool find_sums(struct columns_sweep *sweep, struct pass_sum *sums)
{
    const struct pass_columns *columns = sweep->columns;
    struct pass_sum none;
    int64_t count = 0;
    while (sweep->pass->sum && count <= SUMS_MOST &&
           sweep->pass->sum(columns->work[0], count, &none))
        count++;
    for (int64_t k = 0; k < columns->count * count && count <= SUMS_MOST; k++)
        sweep->pass->sum(columns->work[k / count], k % count, &sums[k]);
    sweep->sums = sums;
    sweep->sums_count = count;
    return count <= SUMS_MOST;
}

static enum status sweep_all(struct columns_sweep *sweep, struct error *error)
{
    struct space_cpu *cpu = space_cpu_of(sweep->space);
    bool in_order = sweep->space->reductions == REDUCTIONS_REPRODUCIBLE;
    int64_t sums = sweep->sums_count;
    sweep->sums_count = in_order ? sums : 0;
    int64_t all = sweep->columns->count * sweep->sums_count;
    enum status status =
        memory_grow((void **)&cpu->tiles, &cpu->tiles_capacity, (all * sweep->tiles + 1) / 2,
                    sizeof *cpu->tiles, "the sums of the tiles", error);
    sweep->terms = (double *)cpu->tiles;
    if (status)
        return status;
    if (all > 0 || sweep->pass->make_column)
        threads_each(sweep->space->threads, sweep->tiles, columns_tiles, sweep);
    threads_each(sweep->space->threads, all, columns_levels, sweep);
    sweep->sums_count = sums;
    return in_order ? STATUS_OK : sum_vectors(sweep, error);
}

enum status cpu_run_columns(struct space *space, const struct pass *pass, int64_t n,
                            const struct pass_columns *columns, struct error *error)
{
    struct pass_sum sums[PASS_COLUMNS * SUMS_MOST];
    struct columns_sweep sweep = {
        .space = space, .pass = pass, .columns = columns, .n = n, .tiles = sum_tiles(n)};
    if (pass->work_bytes == 0 || !find_sums(&sweep, sums))
        return error_set(error, STATUS_UNAVAILABLE, "%s does not run over columns", pass->name);
    const int64_t *ended = space->ended;
    space->ended = NULL; /* each column has its own */
    enum status status = sweep_all(&sweep, error);
    space->ended = ended;
    for (int j = 0; j < columns->count && !status && pass->after; j++)
        if (!is_over(&sweep, j))
            pass->after(columns->work[j]);
    return status;
}
