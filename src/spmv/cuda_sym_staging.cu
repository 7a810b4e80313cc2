#include "spmv/cuda_sym_staging.h"

#include "base/memory.h"

#include <algorithm>

static const char *const what = "the lists of staged entries";

/* The rows of a tile. */
struct rows {
    int64_t begin, end;
};

static struct rows rows_of(const struct staging *staging, int64_t tile)
{
    int64_t begin = tile * SUM_TILE;
    return {begin, std::min<int64_t>(begin + SUM_TILE, staging->A->n)};
}

/* The first upper entry of row i to the right of its tile. */
static int64_t first_far(const struct staging *staging, int64_t i)
{
    const struct csr *A = staging->A;
    int64_t end = (i / SUM_TILE + 1) * SUM_TILE;
    const int32_t *columns = A->columns;
    return std::lower_bound(columns + A->offsets[i], columns + A->offsets[i + 1], end) - columns;
}

/* ---- the order of the values ------------------------------------------------------------------- */

/* An upper entry: tile of its column, slice of its row, step, and row, from the highest bit on. */
struct place_key {
    uint64_t key;
    int64_t entry;
};
enum { STEP_BITS = 26 };

/* False when the tile's values are too many. */
static bool order_values(struct staging *staging, int64_t tile, struct place_key *keys)
{
    const struct csr *A = staging->A;
    struct rows rows = rows_of(staging, tile);
    struct staged_tile *t = &staging->tile[tile];
    int64_t first = A->offsets[rows.begin], count = A->offsets[rows.end] - first, place = 0;
    *t = {};
    if (count > 1 << STAGED_FAR_BITS)
        return false;
    keys += first;
    for (int64_t i = rows.begin; i < rows.end; i++) {
        int64_t far = first_far(staging, i);
        for (int64_t p = A->offsets[i]; p < A->offsets[i + 1]; p++) {
            uint64_t slice = (uint64_t)(i - rows.begin) / ENTRIES_SLICE;
            uint64_t step = (uint64_t)(p < far ? p - A->offsets[i] : p - far);
            uint64_t major = (uint64_t)(A->columns[p] / SUM_TILE) * ENTRIES_SLICES + slice;
            keys[p - first] = {
                (major << STEP_BITS | step) * ENTRIES_SLICE + (uint64_t)i % ENTRIES_SLICE, p};
        }
    }
    std::sort(keys, keys + count,
              [](const place_key &a, const place_key &b) { return a.key < b.key; });
    for (int64_t k = 0; k < count; k++) {
        int64_t p = keys[k].entry, target = A->columns[p] / SUM_TILE;
        if (k > 0 && target != A->columns[keys[k - 1].entry] / SUM_TILE)
            place = staging_whole(place);
        staging->moved[p] = (uint32_t)place++;
        if (target == tile)
            t->inside = staging_whole(place);
    }
    t->own = staging_whole(place);
    return t->own <= 1 << STAGED_FAR_BITS;
}

/* ---- what is copied ---------------------------------------------------------------------------- */

/* A tile notes up to two sectors for a mirrored entry, and one for an upper one. */
static uint32_t *noted_sectors(const struct staging *staging, int64_t tile)
{
    int64_t begin = tile * SUM_TILE;
    return staging->sectors + 2 * staging->mirror.offsets[begin] + staging->A->offsets[begin];
}

/* The place of a mirrored entry's value, which lies in another tile or in its own. */
static int64_t mirrored_place(const struct staging *staging, int64_t q)
{
    return staging->tile[staging->mirror.columns[q] / SUM_TILE].values +
           staging->moved[staging->mirror.places[q]];
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
    struct rows rows = rows_of(staging, tile);
    uint32_t *begin = noted_sectors(staging, tile), *end = begin;
    int64_t first = mirror->offsets[rows.begin], last = mirror->offsets[rows.end];
    for (int64_t q = first; q < last; q++)
        if (mirror->columns[q] < rows.begin)
            *end++ = (uint32_t)mirror->columns[q] / STAGED_SECTOR;
    for (int64_t i = rows.begin; i < rows.end; i++)
        for (int64_t p = first_far(staging, i); p < A->offsets[i + 1]; p++)
            *end++ = (uint32_t)A->columns[p] / STAGED_SECTOR;
    uint32_t *values = unique(begin, end);
    end = values;
    for (int64_t q = first; q < last; q++)
        if (mirror->columns[q] < rows.begin)
            *end++ = (uint32_t)(mirrored_place(staging, q) / STAGED_SECTOR);
    end = unique(values, end);
    staging->tile[tile].x_sectors = (uint32_t)(values - begin);
    staging->tile[tile].sectors = (uint32_t)(end - begin);
}

/* Where tile's x_j is in shared memory, and the value of its mirrored entry q. */
static uint32_t staged_x(const struct staging *staging, int64_t tile, int64_t j)
{
    int64_t own = j - tile * SUM_TILE;
    if (own >= 0 && own < SUM_TILE)
        return (uint32_t)own;
    const uint32_t *sectors = noted_sectors(staging, tile);
    const uint32_t *found = std::lower_bound(sectors, sectors + staging->tile[tile].x_sectors,
                                             (uint32_t)j / STAGED_SECTOR);
    return (uint32_t)(SUM_TILE + STAGED_SECTOR * (found - sectors) + j % STAGED_SECTOR);
}

static uint32_t staged_value(const struct staging *staging, int64_t tile, int64_t q)
{
    const struct staged_tile *t = &staging->tile[tile];
    uint32_t own = SUM_TILE + STAGED_SECTOR * t->x_sectors;
    if (staging->mirror.columns[q] >= tile * SUM_TILE)
        return own + staging->moved[staging->mirror.places[q]];
    int64_t place = mirrored_place(staging, q);
    const uint32_t *all = noted_sectors(staging, tile), *sectors = all + t->x_sectors;
    const uint32_t *found =
        std::lower_bound(sectors, all + t->sectors, (uint32_t)(place / STAGED_SECTOR));
    return (uint32_t)(own + t->inside + STAGED_SECTOR * (found - sectors) + place % STAGED_SECTOR);
}

const uint32_t *staging_sectors(const struct staging *staging, int64_t tile)
{
    return noted_sectors(staging, tile);
}

/* ---- the words ---------------------------------------------------------------------------------- */

int64_t staging_length(const struct staging *staging, int list, int64_t i)
{
    int64_t far = first_far(staging, i);
    if (list == STAGED_FAR)
        return staging->A->offsets[i + 1] - far;
    const int64_t *mirrored = staging->mirror.offsets;
    return mirrored[i + 1] - mirrored[i] + far - staging->A->offsets[i];
}

uint32_t staging_word(const struct staging *staging, int64_t tile, int list, int64_t i, int64_t k)
{
    const struct csr *A = staging->A;
    const struct sym_mirror *mirror = &staging->mirror;
    int64_t p = A->offsets[i] + k, mirrored = mirror->offsets[i + 1] - mirror->offsets[i];
    uint32_t staged = SUM_TILE + STAGED_SECTOR * staging->tile[tile].x_sectors;
    if (list == STAGED_FAR) {
        p = first_far(staging, i) + k;
        staged = 0;
    } else if (k < mirrored) {
        int64_t q = mirror->offsets[i] + k;
        return staged_x(staging, tile, mirror->columns[q]) |
               staged_value(staging, tile, q) << STAGED_X_BITS |
               (uint32_t)(A->kind == CSR_SKEW) << (STAGED_X_BITS + STAGED_NEAR_BITS);
    } else {
        p -= mirrored;
    }
    return staged_x(staging, tile, A->columns[p]) | (staged + staging->moved[p]) << STAGED_X_BITS;
}

/* ---- set-up ------------------------------------------------------------------------------------ */

static bool order_tiles(struct staging *staging, struct place_key *keys)
{
    bool fits = true;
#pragma omp parallel for schedule(dynamic, 16) reduction(&& : fits)
    for (int64_t tile = 0; tile < staging->tiles; tile++)
        fits = order_values(staging, tile, keys) && fits;
    int64_t values = 0;
    for (int64_t tile = 0; tile < staging->tiles; tile++) {
        staging->tile[tile].values = values;
        values += staging->tile[tile].own;
    }
    staging->values_length = values;
    return fits && values <= (int64_t)UINT32_MAX * STAGED_SECTOR;
}

static void note_tiles(struct staging *staging)
{
    int64_t copied = 0, most = 0;
#pragma omp parallel for schedule(dynamic, 16) reduction(+ : copied) reduction(max : most)
    for (int64_t tile = 0; tile < staging->tiles; tile++) {
        note_sectors(staging, tile);
        const struct staged_tile *t = &staging->tile[tile];
        int64_t numbers = t->inside + STAGED_SECTOR * (int64_t)t->sectors;
        most = std::max(most, numbers);
        copied += numbers;
    }
    staging->most = SUM_TILE + most;
    staging->copied = staging->A->n + copied;
}

enum status staging_create(const struct csr *A, struct staging *staging, bool *fits,
                           struct error *error)
{
    *staging = {};
    staging->A = A;
    staging->tiles = sum_tiles(A->n);
    enum status status = sym_mirror_create(A->n, A->offsets, A->columns, &staging->mirror, error);
    if (!status)
        status = memory_fits(20.0 * (double)A->nnz, what, error);
    if (status)
        return status;
    staging->tile =
        (struct staged_tile *)memory_array(staging->tiles, sizeof *staging->tile, what, error);
    staging->moved = (uint32_t *)memory_array(A->nnz, sizeof *staging->moved, what, error);
    if (!staging->tile || !staging->moved)
        return STATUS_MEMORY;
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
    note_tiles(staging);
    return STATUS_OK;
}

void staging_free(struct staging *staging)
{
    sym_mirror_free(&staging->mirror);
    memory_free(staging->moved);
    memory_free(staging->sectors);
    memory_free(staging->tile);
}
