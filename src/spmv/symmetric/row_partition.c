#include "spmv/symmetric/row_partition.h"

#include "base/memory.h"
#include "base/threads.h"
#include "space/cpu/cpu.h"
#include "space/sum/cpu_sum.h"
#include "spmv/symmetric/transpose_index.h"

#include <stdbool.h>
#include <string.h>

int64_t (*row_partition_schedule)(int64_t turn, int64_t count);

static const char *const what = "the parts of the rows";

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t tile_begin(const struct row_partition *parts, int64_t tile)
{
    return smaller(tile * parts->tile_rows, parts->rows);
}

/* While they are made. */
struct making {
    const struct sym_graph *graph;
    const void *values;
    size_t size; /* of a value */
    struct row_partition *parts;
    int64_t *work; /* [tiles] */
    int64_t *next; /* [rows]: where a row notes the next entry that crosses into its part */
    int64_t *places;
};

/* work[tile] = the entries of its full rows, which is what a part has to do for them when its other
 * rows are few, and x and y. Also finds each tile's reach. */
static void count_work(void *context, int64_t tile, int64_t last)
{
    const struct making *making = context;
    const struct sym_graph *graph = making->graph;
    const struct row_partition *parts = making->parts;
    int64_t *work = making->work;
    for (; tile < last; tile++) {
        int64_t begin = tile_begin(parts, tile), end = tile_begin(parts, tile + 1);
        int64_t own = graph->offsets[end] - graph->offsets[begin] + 2 * (end - begin);
        int64_t reach = end;
        for (int64_t i = begin; i < end; i++)
            for (int64_t p = graph->offsets[i]; p < graph->offsets[i + 1];) {
                int64_t other = graph->columns[p] / parts->tile_rows, run = p;
                while (p < graph->offsets[i + 1] &&
                       graph->columns[p] < (other + 1) * parts->tile_rows)
                    p++;
                if (graph->columns[p - 1] >= reach)
                    reach = graph->columns[p - 1] + 1;
                __atomic_fetch_add(&work[other], p - run, __ATOMIC_RELAXED);
            }
        parts->reach[tile] = reach;
        __atomic_fetch_add(&work[tile], own, __ATOMIC_RELAXED);
    }
}

/* Every part gets at least a tile. */
static void cut(const int64_t *work, struct row_partition *parts)
{
    int64_t total = 0, done = 0, tile = 0;
    for (int64_t t = 0; t < parts->tiles; t++)
        total += work[t];
    for (int64_t part = 0; part < parts->count; part++) {
        parts->first_tiles[part] = tile;
        double wanted = (double)total * (double)(part + 1) / (double)parts->count;
        int64_t last = parts->tiles - (parts->count - part - 1); /* leaves one for each other */
        do
            done += work[tile++];
        while (tile < last && (double)done + 0.5 * (double)work[tile] <= wanted);
    }
    parts->first_tiles[parts->count] = parts->tiles;
}

/* Pass over the entries that cross into a part: count them, next[j]++, or note column and place at
 * next[j]++. */
static void cross(void *context, int64_t part, int64_t last)
{
    const struct making *making = context;
    const struct row_partition *parts = making->parts;
    for (; part < last; part++) {
        int64_t begin = tile_begin(parts, parts->first_tiles[part]);
        int64_t end = tile_begin(parts, parts->first_tiles[part + 1]);
        transpose_index_take(making->graph->offsets, making->graph->columns, begin, begin, end,
                             making->next, parts->crossing.columns, making->places);
    }
}

static void copy_crossing(void *context, int64_t q, int64_t end)
{
    const struct making *making = context;
    char *to = making->parts->crossing.values;
    const char *from = making->values;
    int64_t size = (int64_t)making->size;
    for (; q < end; q++)
        memcpy(to + q * size, from + making->places[q] * size, making->size);
}

/* From the rows' counts the list of those that have any; counts becomes where each begins. */
static enum status list_rows(struct row_partition *parts, int64_t *counts, struct error *error)
{
    struct sym_crossing *crossing = &parts->crossing;
    for (int64_t j = 0; j < parts->rows; j++)
        crossing->rows += counts[j] > 0;
    crossing->row = memory_array(crossing->rows, sizeof *crossing->row, what, error);
    crossing->offsets = memory_array(crossing->rows + 1, sizeof *crossing->offsets, what, error);
    if (!crossing->row || !crossing->offsets)
        return STATUS_MEMORY;
    int64_t row = 0, entries = 0;
    for (int64_t part = 0; part < parts->count; part++) {
        parts->first_crossing[part] = row;
        for (int64_t j = tile_begin(parts, parts->first_tiles[part]);
             j < tile_begin(parts, parts->first_tiles[part + 1]); j++) {
            if (counts[j] == 0)
                continue;
            crossing->row[row] = (int32_t)j;
            crossing->offsets[row++] = entries;
            entries += counts[j];
            counts[j] = entries - counts[j];
        }
    }
    parts->first_crossing[parts->count] = row;
    crossing->offsets[row] = entries;
    return STATUS_OK;
}

static enum status make_lists(struct making *making, struct error *error)
{
    struct row_partition *parts = making->parts;
    struct sym_crossing *crossing = &parts->crossing;
    threads_take(threads_lent(), parts->count, 1, cross, making);
    enum status status = list_rows(parts, making->next, error);
    if (status)
        return status;
    int64_t entries = crossing->offsets[crossing->rows];
    status = memory_fits((double)entries * (12 + (double)making->size), what, error);
    if (status)
        return status;
    crossing->columns = memory_array(entries, sizeof *crossing->columns, what, error);
    crossing->values = memory_array(entries, making->size, what, error);
    making->places = memory_array(entries, sizeof *making->places, what, error);
    if (!crossing->columns || !crossing->values || !making->places)
        return STATUS_MEMORY;
    threads_take(threads_lent(), parts->count, 1, cross, making);
    threads_each(threads_lent(), entries, copy_crossing, making);
    return STATUS_OK;
}

static enum status fill(const struct sym_graph *graph, const void *values, size_t size,
                        struct row_partition *parts, struct error *error)
{
    int64_t bounds = parts->count + 1;
    parts->first_tiles = memory_array(bounds, sizeof *parts->first_tiles, what, error);
    parts->first_crossing = memory_array(bounds, sizeof *parts->first_crossing, what, error);
    parts->reach = memory_array(parts->tiles, sizeof *parts->reach, what, error);
    parts->tile_dots = memory_array(parts->tiles, sizeof *parts->tile_dots, what, error);
    struct making making = {graph, values, size, parts, NULL, NULL, NULL};
    making.work = memory_zeros(parts->tiles, sizeof *making.work, what, error);
    making.next = memory_zeros(parts->rows, sizeof *making.next, what, error);
    enum status status = STATUS_MEMORY;
    if (parts->first_tiles && parts->first_crossing && parts->reach && parts->tile_dots &&
        making.work && making.next) {
        threads_each(threads_lent(), parts->tiles, count_work, &making);
        cut(making.work, parts);
        status = make_lists(&making, error);
    }
    memory_free(making.work);
    memory_free(making.next);
    memory_free(making.places);
    return status;
}

enum status row_partition_create(struct space *space, const struct sym_graph *graph,
                                 const void *values, size_t size, struct row_partition *parts,
                                 struct error *error)
{
    int64_t tiles = sum_tiles(graph->rows * graph->k);
    *parts = (struct row_partition){.space = space,
                                    .rows = graph->rows,
                                    .k = graph->k,
                                    .tile_rows = SUM_TILE / graph->k,
                                    .tiles = tiles,
                                    .count = smaller(threads_count(space->threads), tiles)};
    enum status status = fill(graph, values, size, parts, error);
    if (status)
        row_partition_free(parts);
    return status;
}

void row_partition_free(struct row_partition *parts)
{
    memory_free(parts->first_tiles);
    memory_free(parts->first_crossing);
    memory_free(parts->reach);
    memory_free(parts->crossing.row);
    memory_free(parts->crossing.offsets);
    memory_free(parts->crossing.columns);
    memory_free(parts->crossing.values);
    memory_free(parts->tile_dots);
    *parts = (struct row_partition){0};
}

struct product {
    const struct row_partition *parts;
    const struct sym_walk *walk;
    size_t size;
    const void *x;
    void *y;
    bool dot;
};

/* What a part has done: y is begun for the rows before `begun`, with the crossing rows before
 * `crossed`. */
struct progress {
    int64_t begun, crossed;
};

/* Begin y up to the rows that a tile adds to, and a few tiles ahead: y passes through memory
 * once. */
static void begin_rows(const struct product *product, int64_t part, int64_t reach,
                       struct progress *progress)
{
    enum { AHEAD = 4 };
    const struct row_partition *parts = product->parts;
    int64_t part_end = tile_begin(parts, parts->first_tiles[part + 1]);
    if (smaller(reach, part_end) <= progress->begun)
        return;
    int64_t end = smaller(reach + AHEAD * parts->tile_rows, part_end);
    size_t row_bytes = (size_t)parts->k * product->size;
    memset((char *)product->y + (size_t)progress->begun * row_bytes, 0,
           (size_t)(end - progress->begun) * row_bytes);
    progress->begun = end;
    int64_t crossed = progress->crossed;
    while (crossed < parts->first_crossing[part + 1] && parts->crossing.row[crossed] < end)
        crossed++;
    if (crossed > progress->crossed)
        product->walk->add_crossing(product->walk->state, progress->crossed, crossed, product->x,
                                    product->y);
    progress->crossed = crossed;
}

static void walk_part(const struct product *product, int64_t part)
{
    const struct row_partition *parts = product->parts;
    const struct sym_walk *walk = product->walk;
    int64_t part_end = tile_begin(parts, parts->first_tiles[part + 1]);
    struct progress progress = {tile_begin(parts, parts->first_tiles[part]),
                                parts->first_crossing[part]};
    for (int64_t tile = parts->first_tiles[part]; tile < parts->first_tiles[part + 1]; tile++) {
        int64_t begin = tile_begin(parts, tile), end = tile_begin(parts, tile + 1);
        begin_rows(product, part, parts->reach[tile], &progress);
        walk->walk_rows(walk->state, begin, end, part_end, product->x, product->y);
        if (product->dot)
            parts->tile_dots[tile] = sum_tile_dot((const double *)product->x + begin * parts->k,
                                                  (const double *)product->y + begin * parts->k,
                                                  (end - begin) * parts->k);
    }
}

static void walk_parts(void *context, int64_t turn, int64_t last)
{
    const struct product *product = context;
    int64_t count = product->parts->count;
    for (; turn < last; turn++)
        walk_part(product, row_partition_schedule ? row_partition_schedule(turn, count) : turn);
}

enum status row_partition_multiply(const struct row_partition *parts, const struct sym_walk *walk,
                                   size_t size, const void *x, void *y, double *dot,
                                   struct error *error)
{
    threads_each(parts->space->threads, parts->count, walk_parts,
                 &(struct product){parts, walk, size, x, y, dot != NULL});
    return dot ? cpu_sum_end(parts->space, parts->tile_dots, parts->tiles, dot, error) : STATUS_OK;
}

int64_t row_partition_crossing(const struct row_partition *parts)
{
    return parts->crossing.offsets[parts->crossing.rows];
}

int64_t row_partition_memory(const struct row_partition *parts)
{
    return 2 * (parts->count + 1) * (int64_t)sizeof(int64_t) +
           parts->tiles * (int64_t)(sizeof(int64_t) + sizeof(double)) + row_partition_moved(parts);
}

int64_t row_partition_moved(const struct row_partition *parts)
{
    return parts->crossing.rows * (int64_t)(sizeof(int32_t) + sizeof(int64_t)) +
           row_partition_crossing(parts) * (int64_t)sizeof(int32_t);
}
