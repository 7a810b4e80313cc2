/* A pass of the CPU space over columns of multivectors: threads take the tiles of
 * space/sum/sum_order.h, a few rows of all columns at a time, so that new elements are still in a
 * cache when they are summed. Each column has the order of its own sum; the lanes of all columns
 * are interleaved, like their elements. */
#include "base/memory.h"
#include "base/threads.h"
#include "space/cpu/cpu.h"
#include "space/sum/cpu_sum.h"

#include <string.h>

enum {
    SUMS_MOST = 4,       /* of a pass over columns */
    ELEMENTS_ONCE = 4096 /* of a multivector: the rows done at a time */
};

struct columns_sweep {
    struct space *space;
    const struct pass *pass;
    const struct pass_columns *columns; /* the active columns */
    int64_t n, tiles;
    int sums_count;              /* of a column */
    const struct pass_sum *sums; /* [sums_count][columns->count] */
    double *terms;               /* [sums_count][columns->count][tiles] */
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Makes `count` rows from `begin` on, and adds them to the lanes of each sum. */
static void make_rows(const struct columns_sweep *sweep, int64_t begin, int64_t count,
                      double lanes[][SUM_LANES * PASS_COLUMNS])
{
    const struct pass_columns *columns = sweep->columns;
    int64_t stride = columns->stride, width = columns->place[columns->count - 1] + 1;
    if (sweep->pass->make_columns)
        sweep->pass->make_columns(columns, begin, begin + count);
    for (int k = 0; k < sweep->sums_count; k++) {
        const struct pass_sum *first = &sweep->sums[k * columns->count];
        sum_columns_add(first->x + begin * stride, first->y + begin * stride, stride, width, count,
                        lanes[k]);
    }
}

static void make_tiles(void *context, int64_t first, int64_t last)
{
    const struct columns_sweep *sweep = context;
    const struct pass_columns *columns = sweep->columns;
    int64_t stride = columns->stride, width = columns->place[columns->count - 1] + 1;
    int64_t rows = least(ELEMENTS_ONCE / stride / SUM_LANES * SUM_LANES, SUM_TILE);
    double lanes[SUMS_MOST][SUM_LANES * PASS_COLUMNS], sums[PASS_COLUMNS];
    for (int64_t tile = first; tile < last; tile++) {
        int64_t end = least((tile + 1) * SUM_TILE, sweep->n);
        for (int k = 0; k < sweep->sums_count; k++)
            memset(lanes[k], 0, (size_t)(SUM_LANES * stride) * sizeof(double));
        for (int64_t begin = tile * SUM_TILE; begin < end; begin += rows)
            make_rows(sweep, begin, least(rows, end - begin), lanes);
        for (int k = 0; k < sweep->sums_count; k++) {
            sum_columns_tree(lanes[k], stride, width, sums);
            for (int j = 0; j < columns->count; j++)
                sweep->terms[(k * columns->count + j) * sweep->tiles + tile] =
                    sums[columns->place[j]];
        }
    }
}

static void add_levels(void *context, int64_t first, int64_t last)
{
    const struct columns_sweep *sweep = context;
    for (int64_t k = first; k < last; k++)
        *sweep->sums[k].result = sum_levels(sweep->terms + k * sweep->tiles, sweep->tiles);
}

/* --- sums of another order, of vectors -------------------------------------------------------- */

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

static enum status sum_vectors(const struct columns_sweep *sweep, int64_t sums, struct error *error)
{
    struct space *space = sweep->space;
    struct space_cpu *cpu = space_cpu_of(space);
    int64_t n = sweep->n, stride = sweep->columns->stride;
    int64_t apart = (n + SUM_LANES - 1) / SUM_LANES * SUM_LANES; /* y is aligned as x is */
    enum status status = memory_grow((void **)&cpu->column, &cpu->column_capacity, n + apart,
                                     sizeof *cpu->column, "a column of a multivector", error);
    for (int64_t k = 0; k < sums && !status; k++) {
        const struct pass_sum *sum = &sweep->sums[k];
        struct together x = {sum->x, stride, cpu->column},
                        y = {sum->y, stride, cpu->column + apart};
        threads_each(space->threads, n, copy_together, &x);
        if (sum->y != sum->x)
            threads_each(space->threads, n, copy_together, &y);
        struct pass_sum of = {x.vector, sum->y == sum->x ? x.vector : y.vector, sum->result};
        status = cpu_run(space, &pass_dot, n, &of, error);
    }
    return status;
}

/* --- a pass ----------------------------------------------------------------------------------- */

/* The number of sums of a column, and the sums; more than SUMS_MOST: too many. */
static int find_sums(const struct pass *pass, const struct pass_columns *columns,
                     struct pass_sum *sums)
{
    struct pass_sum one;
    int count = 0;
    while (pass->sum && count <= SUMS_MOST && pass->sum(columns->work[0], count, &one))
        count++;
    for (int k = 0; k < count * columns->count && count <= SUMS_MOST; k++)
        pass->sum(columns->work[k % columns->count], k / columns->count, &sums[k]);
    return count;
}

/* The columns that the pass runs over. */
static struct pass_columns going(const struct pass *pass, const struct pass_columns *columns)
{
    struct pass_columns left = {.stride = columns->stride};
    for (int j = 0; j < columns->count; j++) {
        if (!pass->always && columns->ended[j] && *columns->ended[j])
            continue;
        left.work[left.count] = columns->work[j];
        left.place[left.count] = columns->place[j];
        left.ended[left.count++] = columns->ended[j];
    }
    for (int j = left.count - 1; j >= 0; j--)
        left.place[j] -= left.place[0];
    return left;
}

static enum status run_all(struct columns_sweep *sweep, int sums, struct error *error)
{
    struct space_cpu *cpu = space_cpu_of(sweep->space);
    struct threads *threads = sweep->space->threads;
    bool in_order = cpu->base.reductions == REDUCTIONS_REPRODUCIBLE;
    int64_t all = sums * sweep->columns->count;
    sweep->sums_count = in_order ? sums : 0;
    enum status status =
        memory_grow((void **)&cpu->tiles, &cpu->tiles_capacity, (all * sweep->tiles + 1) / 2,
                    sizeof *cpu->tiles, "the sums of the tiles", error);
    if (status)
        return status;
    sweep->terms = (double *)cpu->tiles;
    if (sweep->pass->make_columns || sweep->sums_count > 0)
        threads_each(threads, sweep->tiles, make_tiles, sweep);
    if (sweep->sums_count > 0 && cpu->base.partition)
        status = partition_sum(cpu->base.partition, sweep->terms, all, sweep->sums, error);
    else if (sweep->sums_count > 0)
        threads_each(threads, all, add_levels, sweep);
    if (status)
        return status;
    return in_order || all == 0 ? STATUS_OK : sum_vectors(sweep, all, error);
}

enum status cpu_run_columns(struct space *space, const struct pass *pass, int64_t n,
                            const struct pass_columns *columns, struct error *error)
{
    struct pass_sum sums[PASS_COLUMNS * SUMS_MOST];
    struct pass_columns left = going(pass, columns);
    if (left.count == 0)
        return STATUS_OK;
    int count = find_sums(pass, &left, sums);
    if (pass->work_bytes == 0 || count > SUMS_MOST)
        return error_set(error, STATUS_UNAVAILABLE, "%s does not run over columns", pass->name);
    struct columns_sweep sweep = {.space = space,
                                  .pass = pass,
                                  .columns = &left,
                                  .n = n,
                                  .tiles = sum_tiles(n),
                                  .sums = sums};
    const int64_t *ended = space->ended;
    space->ended = NULL; /* each column has its own */
    enum status status = run_all(&sweep, count, error);
    space->ended = ended;
    for (int j = 0; j < left.count && !status && pass->after; j++)
        pass->after(left.work[j]);
    return status;
}
