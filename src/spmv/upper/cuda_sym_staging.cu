#include "spmv/upper/cuda_sym_staging.h"

#include "base/memory.h"

#include <algorithm>
#include <string.h>

static const char *const what = "the lists of staged entries";

static int64_t whole(int64_t count, int64_t unit)
{
    return (count + unit - 1) / unit * unit;
}

/* Values in a sector. */
static int64_t sector_values(const struct staging *staging)
{
    return STAGED_SECTOR * STAGED_WORD / staging->value_bytes;
}

/* ---- the order of the rows ------------------------------------------------------------------- */

/* Entries of row i of the full matrix; 0 beyond the last. */
static int64_t row_length(const struct staging *staging, int64_t i)
{
    if (i >= staging->A->n)
        return 0;
    const int64_t *offsets = staging->A->offsets, *mirrored = staging->mirror.offsets;
    return offsets[i + 1] - offsets[i] + mirrored[i + 1] - mirrored[i];
}

static void order_rows(struct staging *staging, int64_t tile)
{
    int64_t begin = tile * SUM_TILE, length[SUM_TILE];
    uint16_t *row = staging->row + begin;
    for (int r = 0; r < SUM_TILE; r++) {
        row[r] = (uint16_t)r;
        length[r] = row_length(staging, begin + r);
    }
    std::sort(row, row + SUM_TILE, [&](uint16_t a, uint16_t b) {
        return length[a] != length[b] ? length[a] > length[b] : a < b;
    });
}

/* ---- the order of the values ----------------------------------------------------------------- */

/* An upper entry: tile of its column, slice of its row, step, and place in the slice, from the
 * highest bit on. */
struct place_key {
    uint64_t key;
    int64_t entry;
};
enum { STEP_BITS = 26 };

/* False when the tile's values are too many. */
static bool order_values(struct staging *staging, int64_t tile, struct place_key *keys)
{
    const struct csr *A = staging->A;
    int64_t begin = tile * SUM_TILE, end = std::min<int64_t>(begin + SUM_TILE, A->n);
    int64_t count = A->offsets[end] - A->offsets[begin], k = 0, place = 0;
    if (count > STAGED_SHARED / staging->value_bytes)
        return false;
    keys += A->offsets[begin];
    for (uint64_t r = 0; r < SUM_TILE; r++) {
        int64_t i = begin + staging->row[begin + (int64_t)r];
        for (int64_t p = i < end ? A->offsets[i] : 0; i < end && p < A->offsets[i + 1]; p++) {
            uint64_t major =
                (uint64_t)(A->columns[p] / SUM_TILE) * STAGED_SLICES + r / STAGED_SLICE;
            uint64_t step = (uint64_t)(p - A->offsets[i]);
            keys[k++] = {(major << STEP_BITS | step) * STAGED_SLICE + r % STAGED_SLICE, p};
        }
    }
    std::sort(keys, keys + count,
              [](const place_key &a, const place_key &b) { return a.key < b.key; });
    for (k = 0; k < count; k++) {
        int64_t p = keys[k].entry;
        if (k > 0 && A->columns[p] / SUM_TILE != A->columns[keys[k - 1].entry] / SUM_TILE)
            place = whole(place, sector_values(staging));
        staging->moved[p] = (uint32_t)place++;
    }
    staging->tile[tile].own =
        (uint32_t)(whole(place, sector_values(staging)) * staging->value_bytes / STAGED_WORD);
    return true;
}

/* ---- what is copied -------------------------------------------------------------------------- */

/* A tile notes up to two sectors for a mirrored entry, and one for an upper one. */
static uint32_t *noted_sectors(const struct staging *staging, int64_t tile)
{
    int64_t begin = tile * SUM_TILE;
    return staging->sectors + 2 * staging->mirror.offsets[begin] + staging->A->offsets[begin];
}

/* The place of a mirrored entry's value among all values. */
static int64_t mirrored_place(const struct staging *staging, int64_t q)
{
    int64_t words = staging->tile[staging->mirror.columns[q] / SUM_TILE].values;
    return words * STAGED_WORD / staging->value_bytes + staging->moved[staging->mirror.places[q]];
}

static uint32_t *unique(uint32_t *begin, uint32_t *end)
{
    std::sort(begin, end);
    return std::unique(begin, end);
}

/* The sectors that the rows of a tile gather elsewhere, of x and then of values, each ascending. */
static void note_sectors(struct staging *staging, int64_t tile)
{
    const struct csr *A = staging->A;
    const struct sym_mirror *mirror = &staging->mirror;
    int64_t begin = tile * SUM_TILE, end = std::min<int64_t>(begin + SUM_TILE, A->n);
    uint32_t *first = noted_sectors(staging, tile), *next = first;
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
            *next++ = (uint32_t)(mirrored_place(staging, q) / sector_values(staging));
    next = unique(values, next);
    staging->tile[tile].x_sectors = (uint32_t)(values - first);
    staging->tile[tile].sectors = (uint32_t)(next - first);
}

/* Where things are in shared memory: x in words, values in bytes. */
enum { FIRST_SECTOR = SUM_TILE };

/* Of a number, counted from the first of these sectors, which hold so many numbers each. */
static int64_t sector_place(const uint32_t *begin, const uint32_t *end, int64_t numbers,
                            int64_t number)
{
    uint32_t sector = (uint32_t)(number / numbers);
    return numbers * (std::lower_bound(begin, end, sector) - begin) + number % numbers;
}

static uint32_t x_place(const struct staging *staging, int64_t tile, int64_t j)
{
    int64_t own = j - tile * SUM_TILE;
    if (own >= 0 && own < SUM_TILE)
        return (uint32_t)own;
    const uint32_t *sectors = noted_sectors(staging, tile);
    const uint32_t *end = sectors + staging->tile[tile].x_sectors;
    return FIRST_SECTOR + (uint32_t)sector_place(sectors, end, STAGED_SECTOR, j);
}

/* The byte of a value that lies so many values behind the first of a sector. */
static uint32_t value_place(const struct staging *staging, uint32_t sector, int64_t behind)
{
    return (FIRST_SECTOR + STAGED_SECTOR * sector) * STAGED_WORD +
           (uint32_t)(behind * staging->value_bytes);
}

static uint32_t own_place(const struct staging *staging, int64_t tile, int64_t p)
{
    return value_place(staging, staging->tile[tile].sectors, staging->moved[p]);
}

static uint32_t mirrored_value_place(const struct staging *staging, int64_t tile, int64_t q)
{
    if (staging->mirror.columns[q] >= tile * SUM_TILE)
        return own_place(staging, tile, staging->mirror.places[q]);
    const struct staged_tile *t = &staging->tile[tile];
    const uint32_t *sectors = noted_sectors(staging, tile);
    int64_t behind = sector_place(sectors + t->x_sectors, sectors + t->sectors,
                                  sector_values(staging), mirrored_place(staging, q));
    return value_place(staging, t->x_sectors, behind);
}

/* ---- the lists ------------------------------------------------------------------------------- */

/* Entry k of row i of the full matrix, a row of that tile. */
static uint32_t entry_word(const struct staging *staging, int64_t tile, int64_t i, int64_t k)
{
    const struct csr *A = staging->A;
    const struct sym_mirror *mirror = &staging->mirror;
    int64_t q = mirror->offsets[i] + k, mirrored_end = mirror->offsets[i + 1];
    uint32_t x, value, sign = 0;
    if (q < mirrored_end) {
        x = x_place(staging, tile, mirror->columns[q]);
        value = mirrored_value_place(staging, tile, q);
        sign = A->kind == CSR_SKEW;
    } else {
        int64_t p = A->offsets[i] + (q - mirrored_end);
        x = x_place(staging, tile, A->columns[p]);
        value = own_place(staging, tile, p);
    }
    return x | sign << STAGED_SIGN_BIT | value << STAGED_VALUE_BIT;
}

/* The longest row of a slice. */
static int64_t slice_steps(const struct staging *staging, int64_t tile, int slice)
{
    int64_t begin = tile * SUM_TILE;
    return row_length(staging, begin + staging->row[begin + slice * STAGED_SLICE]);
}

/* Where x_n-1 is, when it is there and n is odd. */
static uint32_t last_place(const struct staging *staging, int64_t tile)
{
    int64_t last = staging->A->n - 1;
    const uint32_t *sectors = noted_sectors(staging, tile);
    bool here = last / SUM_TILE == tile ||
                std::binary_search(sectors, sectors + staging->tile[tile].x_sectors,
                                   (uint32_t)(last / STAGED_SECTOR));
    return here && last % 2 == 0 ? x_place(staging, tile, last) : STAGED_NO_LAST;
}

/* How long the lists of a tile are; all of the tile but where they begin. */
static int64_t measure(struct staging *staging, int64_t tile)
{
    struct staged_tile *t = &staging->tile[tile];
    int64_t words = 0;
    for (int slice = 0; slice < STAGED_SLICES; slice++) {
        t->slice[slice] = (uint32_t)words;
        words += STAGED_SLICE * slice_steps(staging, tile, slice);
    }
    t->slice[STAGED_SLICES] = (uint32_t)words;
    t->last = last_place(staging, tile);
    return whole(words + SUM_TILE + t->sectors, STAGED_SLICE);
}

void staging_fill(const struct staging *staging, int64_t tile, uint32_t *lists)
{
    const struct staged_tile *t = &staging->tile[tile];
    int64_t begin = tile * SUM_TILE;
    lists += t->lists;
    for (int r = 0; r < SUM_TILE; r++) {
        int64_t row = staging->row[begin + r], length = row_length(staging, begin + row);
        int slice = r / STAGED_SLICE;
        uint32_t *words = lists + t->slice[slice] + r % STAGED_SLICE;
        for (int64_t k = 0; k < slice_steps(staging, tile, slice); k++)
            words[STAGED_SLICE * k] = k < length ? entry_word(staging, tile, begin + row, k) : 0;
        lists[t->slice[STAGED_SLICES] + (uint32_t)r] = (uint32_t)(row | length << STAGED_ROW_BITS);
    }
    std::copy_n(noted_sectors(staging, tile), t->sectors,
                lists + t->slice[STAGED_SLICES] + SUM_TILE);
}

/* ---- set-up ---------------------------------------------------------------------------------- */

static bool order_tiles(struct staging *staging, struct place_key *keys)
{
    bool fits = true;
#pragma omp parallel for schedule(dynamic, 16) reduction(&& : fits)
    for (int64_t tile = 0; tile < staging->tiles; tile++) {
        order_rows(staging, tile);
        fits = order_values(staging, tile, keys) && fits;
    }
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
    int64_t copied = 0, most = 0, filled = 0, length = 0;
#pragma omp parallel for schedule(dynamic, 16) reduction(+ : copied, filled) reduction(max : most)
    for (int64_t tile = 0; tile < staging->tiles; tile++) {
        struct staged_tile *t = &staging->tile[tile];
        note_sectors(staging, tile);
        t->lists = measure(staging, tile);
        int64_t words = SUM_TILE + STAGED_SECTOR * (int64_t)t->sectors + t->own;
        most = std::max(most, words);
        copied += words;
        filled += t->slice[STAGED_SLICES];
    }
    for (int64_t tile = 0; tile < staging->tiles; tile++) {
        int64_t words = staging->tile[tile].lists;
        staging->tile[tile].lists = length;
        length += words;
    }
    staging->lists_length = length;
    staging->shared_bytes = std::max<int64_t>(most, 2 * SUM_TILE) * STAGED_WORD;
    staging->copied = copied;
    staging->filled = filled - (2 * staging->A->nnz - staging->A->n);
}

static enum status allocate(struct staging *staging, struct error *error)
{
    int64_t nnz = staging->A->nnz, rows = staging->tiles * SUM_TILE;
    enum status status = memory_fits(20.0 * (double)nnz + 2.0 * (double)rows, what, error);
    if (status)
        return status;
    staging->tile =
        (struct staged_tile *)memory_zeros(staging->tiles, sizeof *staging->tile, what, error);
    staging->row = (uint16_t *)memory_array(rows, sizeof *staging->row, what, error);
    staging->moved = (uint32_t *)memory_array(nnz, sizeof *staging->moved, what, error);
    return staging->tile && staging->row && staging->moved ? STATUS_OK : STATUS_MEMORY;
}

enum status staging_create(const struct csr *A, int64_t value_bytes, struct staging *staging,
                           bool *fits, struct error *error)
{
    *staging = {};
    staging->A = A;
    staging->value_bytes = value_bytes;
    staging->tiles = sum_tiles(A->n);
    enum status status = sym_mirror_create(A->n, A->offsets, A->columns, &staging->mirror, error);
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
    sym_mirror_free(&staging->mirror);
    memory_free(staging->row);
    memory_free(staging->moved);
    memory_free(staging->sectors);
    memory_free(staging->tile);
}
