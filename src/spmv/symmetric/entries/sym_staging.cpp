#include "spmv/symmetric/entries/sym_staging.h"

#include "base/memory.h"
#include "base/threads.h"
#include "spmv/symmetric/entries/sym_staging_tile.h"

#include <algorithm>

static const char *const what = "the lists of staged entries";

/* ---- the order of the rows ------------------------------------------------------------------- */

static void order_rows(struct staging *staging, int64_t tile)
{
    int64_t begin = tile * SUM_TILE, length[SUM_TILE];
    uint16_t *row = staging->row + begin;
    for (int r = 0; r < SUM_TILE; r++) {
        row[r] = (uint16_t)r;
        length[r] = staging_row_length(staging, begin + r);
    }
    std::sort(row, row + SUM_TILE, [&](uint16_t a, uint16_t b) {
        return length[a] != length[b] ? length[a] > length[b] : a < b;
    });
}

/* ---- the order of the values ----------------------------------------------------------------- */

/* An upper entry, by staging_value_key. */
struct place_key {
    uint64_t key;
    int64_t entry;
};
enum { STEP_BITS = 26 };

/* False when the tile's values are too many. */
static bool order_values(struct staging *staging, int64_t tile, struct place_key *keys)
{
    const struct csr *A = &staging->A;
    int64_t begin = tile * SUM_TILE, end = staging_end(staging, tile);
    int64_t count = A->offsets[end] - A->offsets[begin], k = 0, place = 0;
    int64_t unit = staging_sector_values(staging);
    if (count > STAGED_SHARED / staging->value_bytes)
        return false;
    keys += A->offsets[begin];
    for (int r = 0; r < SUM_TILE; r++) {
        int64_t i = begin + staging->row[begin + r];
        for (int64_t p = i < end ? A->offsets[i] : 0; i < end && p < A->offsets[i + 1]; p++)
            keys[k++] = {staging_value_key(A->columns[p], r, p - A->offsets[i], STEP_BITS), p};
    }
    std::sort(keys, keys + count,
              [](const place_key &a, const place_key &b) { return a.key < b.key; });
    for (k = 0; k < count; k++) {
        int64_t p = keys[k].entry;
        if (k > 0 && A->columns[p] / SUM_TILE != A->columns[keys[k - 1].entry] / SUM_TILE)
            place = staging_whole(place, unit);
        staging->moved[p] = (uint32_t)place++;
    }
    staging->tile[tile].own =
        (uint32_t)(staging_whole(place, unit) * staging->value_bytes / STAGED_WORD);
    return true;
}

/* ---- what is copied -------------------------------------------------------------------------- */

static uint32_t *unique(uint32_t *begin, uint32_t *end)
{
    std::sort(begin, end);
    return std::unique(begin, end);
}

/* The sectors that the rows of a tile gather elsewhere, of x and then of values, each ascending. A
 * tile notes up to two for a mirrored entry, and one for an upper one. */
static void note_sectors(struct staging *staging, int64_t tile)
{
    const struct csr *A = &staging->A;
    const struct transpose_index *mirror = &staging->mirror;
    int64_t begin = tile * SUM_TILE, end = staging_end(staging, tile);
    staging->first[tile] = 2 * mirror->offsets[begin] + A->offsets[begin];
    uint32_t *first = staging->sectors + staging->first[tile], *next = first;
    int64_t mirrored_end = mirror->offsets[end];
    for (int64_t q = mirror->offsets[begin]; q < mirrored_end; q++)
        if (mirror->columns[q] < begin)
            *next++ = (uint32_t)mirror->columns[q] / STAGED_SECTOR;
    for (int64_t p = A->offsets[begin]; p < A->offsets[end]; p++)
        if (A->columns[p] >= end)
            *next++ = (uint32_t)A->columns[p] / STAGED_SECTOR;
    uint32_t *values = unique(first, next);
    next = values;
    for (int64_t q = mirror->offsets[begin]; q < mirrored_end; q++)
        if (mirror->columns[q] < begin)
            *next++ = (uint32_t)(staging_value_number(staging, mirror->columns[q] / SUM_TILE,
                                                      mirror->places[q]) /
                                 staging_sector_values(staging));
    next = unique(values, next);
    staging->tile[tile].x_sectors = (uint32_t)(values - first);
    staging->tile[tile].sectors = (uint32_t)(next - first);
}

/* ---- the lists ------------------------------------------------------------------------------- */

void staging_fill(const struct staging *staging, int64_t tile, uint32_t *lists)
{
    const struct staged_tile *t = &staging->tile[tile];
    lists += t->lists;
    for (int r = 0; r < SUM_TILE; r++)
        staging_fill_row(staging, tile, r, lists);
    std::copy_n(staging->sectors + staging->first[tile], t->sectors,
                lists + t->slice[STAGED_SLICES] + SUM_TILE);
}

/* ---- set-up ---------------------------------------------------------------------------------- */

static bool order_tiles(struct staging *staging, struct place_key *keys)
{
    bool fits = true;
    each_index(staging->tiles, STAGED_PIECE, [&](int64_t tile) {
        order_rows(staging, tile);
        if (!order_values(staging, tile, keys))
            __atomic_store_n(&fits, false, __ATOMIC_RELAXED);
    });
    int64_t values = 0;
    for (int64_t tile = 0; tile < staging->tiles; tile++) {
        staging->tile[tile].values = values;
        values += staging->tile[tile].own;
    }
    staging->values_length = values;
    return fits && values <= (int64_t)UINT32_MAX * STAGED_SECTOR;
}

static void measure_tiles(struct staging *staging)
{
    int64_t copied = 0, most = 0, columns_most = 0, filled = 0, length = 0;
    each_index(staging->tiles, STAGED_PIECE, [&](int64_t tile) {
        note_sectors(staging, tile);
        staging->tile[tile].lists = staging_measure(staging, tile);
    });
    for (int64_t tile = 0; tile < staging->tiles; tile++) {
        struct staged_tile *t = &staging->tile[tile];
        most = std::max(most, staging_shared_words(t));
        columns_most = std::max(columns_most, staging_columns_bytes(t));
        copied += staging_shared_words(t);
        filled += t->slice[STAGED_SLICES];
        int64_t words = t->lists;
        t->lists = length;
        length += words;
    }
    staging->lists_length = length;
    staging_sum_up(staging, most, columns_most, copied, filled);
}

static enum status allocate(struct staging *staging, struct error *error)
{
    int64_t nnz = staging->A.nnz, rows = staging->tiles * SUM_TILE;
    enum status status = memory_fits(20.0 * (double)nnz + 2.0 * (double)rows, what, error);
    if (status)
        return status;
    staging->tile =
        (struct staged_tile *)memory_zeros(staging->tiles, sizeof *staging->tile, what, error);
    staging->first = (int64_t *)memory_array(staging->tiles, sizeof *staging->first, what, error);
    staging->row = (uint16_t *)memory_array(rows, sizeof *staging->row, what, error);
    staging->moved = (uint32_t *)memory_array(nnz, sizeof *staging->moved, what, error);
    return staging->tile && staging->first && staging->row && staging->moved ? STATUS_OK
                                                                             : STATUS_MEMORY;
}

enum status staging_create(const struct csr *A, int64_t value_bytes, struct staging *staging,
                           bool *fits, struct error *error)
{
    *staging = {};
    staging->A = *A;
    staging->value_bytes = value_bytes;
    staging->tiles = sum_tiles(A->n);
    enum status status =
        transpose_index_create(A->n, A->offsets, A->columns, &staging->mirror, error);
    if (!status)
        status = allocate(staging, error);
    if (status)
        return status;
    struct place_key *keys =
        (struct place_key *)memory_array(A->nnz, sizeof *keys, "the order of the values", error);
    if (!keys)
        return STATUS_MEMORY;
    *fits = order_tiles(staging, keys);
    memory_free(keys);
    if (!*fits)
        return STATUS_OK;
    staging->sectors = (uint32_t *)memory_array(3 * A->nnz, sizeof(uint32_t), what, error);
    if (!staging->sectors)
        return STATUS_MEMORY;
    measure_tiles(staging);
    return STATUS_OK;
}

void staging_free(struct staging *staging)
{
    transpose_index_free(&staging->mirror);
    memory_free(staging->row);
    memory_free(staging->moved);
    memory_free(staging->sectors);
    memory_free(staging->first);
    memory_free(staging->tile);
    *staging = {};
}
