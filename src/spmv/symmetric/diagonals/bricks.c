#include "spmv/symmetric/diagonals/bricks.h"

#include "base/memory.h"
#include "space/sum/sum_order.h"

#include <limits.h>
#include <string.h>

/* The tiles of a vector on the grid: a tile's middle has a plane, and a line of that plane. */
struct grid {
    int64_t tiles, plane, line; /* rows of a plane and of a line */
    int32_t *line_of;           /* [tiles] */
    int32_t *aside, *starts;    /* [tiles], [lines + 1]: scratch */
};

static int64_t plane_of(const struct grid *grid, int64_t tile)
{
    return (tile * SUM_TILE + SUM_TILE / 2) / grid->plane;
}

/* The first `left` of `count` tiles by their lines, and of a line by their numbers, become the
 * first ones; of both parts the numbers ascend, as those of `tile` do before. */
static void part_by_lines(const struct grid *grid, int32_t *tile, int64_t count, int64_t left,
                          int32_t low, int32_t high)
{
    int32_t *met = grid->starts, last = low;
    memset(met, 0, (size_t)(high - low + 1) * sizeof *met);
    for (int64_t t = 0; t < count; t++)
        met[grid->line_of[tile[t]] - low]++;
    int64_t before = 0; /* tiles of lines before `last`, in which the cut lies */
    while (before + met[last - low] < left)
        before += met[last++ - low];
    int64_t taken = 0, aside = 0, of_last = left - before;
    for (int64_t t = 0; t < count; t++) {
        int32_t line = grid->line_of[tile[t]];
        if (line < last || (line == last && of_last-- > 0))
            tile[taken++] = tile[t];
        else
            grid->aside[aside++] = tile[t];
    }
    memcpy(tile + taken, grid->aside, (size_t)aside * sizeof *tile);
}

/* Tiles tile[count], whose numbers ascend, for blocks first ..., which have `slots` each. A plane
 * counts `weight` lines. */
static void bisect(const struct grid *grid, double weight, int32_t *tile, int64_t count, int first,
                   int blocks, struct bricks *made)
{
    if (blocks == 1) {
        for (int64_t t = 0; t < count; t++) {
            made->tile[(int64_t)first * made->slots + t] = tile[t];
            made->owner[tile[t]] = (int32_t)first;
        }
        return;
    }
    int half = blocks / 2;
    int64_t left = (count * half + blocks / 2) / blocks, slots = made->slots;
    if (left < count - (blocks - half) * slots)
        left = count - (blocks - half) * slots;
    if (left > half * slots)
        left = half * slots;
    int32_t low = grid->line_of[tile[0]], high = low;
    for (int64_t t = 1; t < count; t++) {
        int32_t line = grid->line_of[tile[t]];
        low = line < low ? line : low;
        high = line > high ? line : high;
    }
    int64_t planes = plane_of(grid, tile[count - 1]) - plane_of(grid, tile[0]) + 1;
    double lines = (double)(high - low) + (double)SUM_TILE / (double)grid->line;
    if (weight * (double)planes < lines)
        part_by_lines(grid, tile, count, left, low, high);
    bisect(grid, weight, tile, left, first, half, made);
    bisect(grid, weight, tile + left, count - left, first + half, blocks - half, made);
}

/* What a block needs of a tile of another one: its rows first ... last - 1, the first of them in
 * that place. Only valid of that block. */
struct need {
    int32_t block, first, last, place;
};

/* Distance k of the rows' neighbours. */
static int64_t distance(const int32_t *distances, int64_t count, int64_t k)
{
    int64_t m = count - 1;
    return k < m ? -(int64_t)distances[m - k] : distances[k - m];
}

/* The tile of a row, also of one before the first. */
static int64_t tile_of(int64_t row)
{
    return row >= 0 ? row / SUM_TILE : -((-row + SUM_TILE - 1) / SUM_TILE);
}

/* The block needs rows first ... last - 1 of the tile `other`; met[*count] are the tiles that it
 * needs some of. */
static void put_need(const struct bricks *made, int64_t tiles, int block, int64_t other,
                     int64_t first, int64_t last, struct need *needs, int32_t *met, int64_t *count)
{
    if (other < 0 || other >= tiles || first >= last || made->owner[other] == block)
        return;
    struct need *need = &needs[other];
    if (need->block != block) {
        *need = (struct need){block, (int32_t)first, (int32_t)last, 0};
        met[(*count)++] = (int32_t)other;
    }
    need->first = first < need->first ? (int32_t)first : need->first;
    need->last = last > need->last ? (int32_t)last : need->last;
}

/* The tiles of which the block needs rows: met[result]. */
static int64_t find_needs(const struct bricks *made, int64_t tiles, const int32_t *distances,
                          int64_t count, int block, struct need *needs, int32_t *met)
{
    int64_t found = 0;
    for (int s = 0; s < made->slots; s++) {
        int64_t tile = made->tile[(int64_t)block * made->slots + s];
        for (int64_t k = 0; tile >= 0 && k < made->width; k++) {
            int64_t first = tile * SUM_TILE + distance(distances, count, k);
            int64_t other = tile_of(first), split = (other + 1) * SUM_TILE;
            put_need(made, tiles, block, other, first, split, needs, met, &found);
            put_need(made, tiles, block, other + 1, split, first + SUM_TILE, needs, met, &found);
        }
    }
    return found;
}

static int64_t halo_of(const struct need *needs, const int32_t *met, int64_t count)
{
    int64_t rows = 0;
    for (int64_t m = 0; m < count; m++)
        rows += needs[met[m]].last - needs[met[m]].first;
    return rows;
}

/* Where the block keeps `row` of the tile `other`, less the element e that asks for it. */
static int32_t place(const struct bricks *made, int64_t tiles, int block, const struct need *needs,
                     int64_t other, int64_t row, int64_t e)
{
    if (other < 0 || other >= tiles)
        return made->slots * SUM_TILE;
    if (made->owner[other] != block)
        return (int32_t)(needs[other].place + row - needs[other].first - e);
    const int32_t *own = made->tile + (int64_t)block * made->slots;
    int64_t s = 0;
    while (own[s] != other)
        s++;
    return (int32_t)(s * SUM_TILE + row - other * SUM_TILE - e);
}

static void put_pieces(int64_t tiles, const int32_t *distances, int64_t count, int block,
                       const struct need *needs, struct bricks *made)
{
    for (int s = 0; s < made->slots; s++) {
        int64_t at = (int64_t)block * made->slots + s, tile = made->tile[at];
        for (int64_t k = 0; tile >= 0 && k < made->width; k++) {
            int64_t row = tile * SUM_TILE + distance(distances, count, k), other = tile_of(row);
            int64_t split = (other + 1) * SUM_TILE - row;
            struct bricks_piece *piece = &made->pieces[at * made->width + k];
            piece->split = (int32_t)split;
            piece->low = place(made, tiles, block, needs, other, row, 0);
            if (split < SUM_TILE)
                piece->high = place(made, tiles, block, needs, other + 1, row + split, split);
        }
    }
}

/* The block has the needed rows of met[count] in its halo. */
static void put_halo(int block, struct need *needs, const int32_t *met, int64_t count,
                     struct bricks *made)
{
    int32_t at = (made->slots + 1) * SUM_TILE, next = made->run_first[block];
    for (int64_t m = 0; m < count; m++) {
        struct need *need = &needs[met[m]];
        need->place = at;
        made->runs[next++] = (struct bricks_run){need->first, at};
        at += need->last - need->first;
        int32_t last = (need->last - 1) % SUM_TILE / SUM_LANES;
        for (int32_t u = need->first % SUM_TILE / SUM_LANES; u <= last; u++)
            made->exported[met[m]] |= 1 << u;
    }
    made->halo[block] = at - (made->slots + 1) * SUM_TILE;
    made->run_first[block + 1] = next;
}

/* Halos and pieces, or, where made->runs is NULL, only how long the longest halo is. needs[tiles]
 * and met[tiles]: scratch. */
static void find_halos(int64_t tiles, const int32_t *distances, int64_t count, struct need *needs,
                       int32_t *met, struct bricks *made)
{
    made->halo_most = 0;
    for (int64_t t = 0; t < tiles; t++)
        needs[t].block = -1;
    for (int b = 0; b < made->blocks; b++) {
        int64_t found = find_needs(made, tiles, distances, count, b, needs, met);
        int64_t halo = halo_of(needs, met, found);
        made->halo_most = halo > made->halo_most ? (int)halo : made->halo_most;
        if (!made->runs)
            continue;
        put_halo(b, needs, met, found, made);
        put_pieces(tiles, distances, count, b, needs, made);
    }
}

/* The deal with the shortest halo, of those by some weights. Which one is best depends on how the
 * lines of a plane lie in tiles. */
static enum status deal_out(const struct grid *grid, const int32_t *distances, int64_t count,
                            struct need *needs, int32_t *tile, struct bricks *made,
                            struct error *error)
{
    static const double weights[] = {0.5, 1, 2, 3};
    int best = 0, least = INT_MAX, tried = (int)(sizeof weights / sizeof *weights);
    for (int w = 0; w <= tried; w++) {
        for (int64_t t = 0; t < grid->tiles; t++)
            tile[t] = (int32_t)t;
        bisect(grid, weights[w < tried ? w : best], tile, grid->tiles, 0, made->blocks, made);
        if (w == tried)
            break;
        find_halos(grid->tiles, distances, count, needs, tile, made);
        best = made->halo_most < least ? w : best;
        least = made->halo_most < least ? made->halo_most : least;
    }
    int64_t most = 2 * (int64_t)made->blocks * made->slots * made->width;
    made->runs = memory_array(most, sizeof *made->runs, "halos", error);
    if (!made->runs)
        return STATUS_MEMORY;
    find_halos(grid->tiles, distances, count, needs, tile, made);
    return STATUS_OK;
}

static enum status deal(int64_t n, const int32_t *distances, int64_t count, struct bricks *made,
                        struct error *error)
{
    struct grid grid = {.tiles = sum_tiles(n),
                        .plane = count > 1 ? distances[count - 1] : 1,
                        .line = count > 2 ? distances[count - 2] : 1};
    int64_t tiles = grid.tiles, lines = grid.plane / grid.line + 1;
    grid.line_of = memory_array(tiles, sizeof *grid.line_of, "lines of tiles", error);
    grid.aside = memory_array(tiles, sizeof *grid.aside, "tiles of a vector", error);
    grid.starts = memory_array(lines, sizeof *grid.starts, "lines of a plane", error);
    int32_t *tile = memory_array(tiles, sizeof *tile, "tiles of a vector", error);
    struct need *needs = memory_array(tiles, sizeof *needs, "rows of other blocks", error);
    enum status status =
        grid.line_of && grid.aside && grid.starts && tile && needs ? STATUS_OK : STATUS_MEMORY;
    for (int64_t t = 0; t < tiles && !status; t++)
        grid.line_of[t] = (int32_t)((t * SUM_TILE + SUM_TILE / 2) % grid.plane / grid.line);
    if (!status)
        status = deal_out(&grid, distances, count, needs, tile, made, error);
    memory_free(grid.line_of);
    memory_free(grid.aside);
    memory_free(grid.starts);
    memory_free(tile);
    memory_free(needs);
    return status;
}

enum status bricks_create(int64_t n, const int32_t *distances, int64_t count, int blocks,
                          struct bricks *made, struct error *error)
{
    int64_t tiles = sum_tiles(n), slots = (tiles + blocks - 1) / blocks, width = 2 * count - 1;
    int64_t places = blocks * slots;
    *made = (struct bricks){.blocks = blocks, .slots = (int)slots, .width = (int)width};
    made->tile = memory_array(places, sizeof *made->tile, "tiles of blocks", error);
    made->owner = memory_array(tiles, sizeof *made->owner, "blocks of tiles", error);
    made->exported = memory_zeros(tiles, sizeof *made->exported, "rows of halos", error);
    made->halo = memory_zeros(blocks, sizeof *made->halo, "halos", error);
    made->run_first = memory_zeros(blocks + 1, sizeof *made->run_first, "halos", error);
    made->pieces = memory_zeros(places * width, sizeof *made->pieces, "pieces of tiles", error);
    if (!made->tile || !made->owner || !made->exported || !made->halo || !made->run_first ||
        !made->pieces)
        return STATUS_MEMORY;
    memset(made->tile, 0xff, (size_t)places * sizeof *made->tile); /* -1 */
    return deal(n, distances, count, made, error);
}

void bricks_free(struct bricks *bricks)
{
    memory_free(bricks->tile);
    memory_free(bricks->owner);
    memory_free(bricks->exported);
    memory_free(bricks->halo);
    memory_free(bricks->run_first);
    memory_free(bricks->runs);
    memory_free(bricks->pieces);
    *bricks = (struct bricks){0};
}
