#include "spmv/cuda_sym_entries.h"

#include "base/memory.h"
#include "spmv/sym_codes.h"
#include "spmv/sym_mirror.h"

#include <algorithm>
#include <stdio.h>

/* What set-up makes on the host. */
struct host_lists {
    const struct csr *A;
    struct sym_mirror mirror;
    int64_t tiles;
    struct entries_tile *tile;
    uint32_t *upper_first, *lower_first;
    uint16_t *indices;
};

static void free_lists(struct host_lists *lists)
{
    sym_mirror_free(&lists->mirror);
    memory_free(lists->tile);
    memory_free(lists->upper_first);
    memory_free(lists->lower_first);
    memory_free(lists->indices);
}

/* Calls number(list, value) for every number of a tile, in the order of each list. */
template <typename Number>
static void each_number(const struct host_lists *lists, int64_t tile, Number number)
{
    const struct csr *A = lists->A;
    const struct sym_mirror *mirror = &lists->mirror;
    const struct entries_tile &t = lists->tile[tile];
    int64_t end = (tile + 1) * SUM_TILE < A->n ? (tile + 1) * SUM_TILE : A->n;
    for (int64_t i = tile * SUM_TILE; i < end; i++) {
        for (int64_t p = A->offsets[i] + 1; p < A->offsets[i + 1]; p++)
            number(ENTRIES_UPPER, (int64_t)A->columns[p] - A->columns[p - 1]);
        int64_t column = t.least[ENTRIES_MIRRORED], place = t.least[ENTRIES_PLACES];
        for (int64_t q = mirror->offsets[i]; q < mirror->offsets[i + 1]; q++) {
            number(ENTRIES_MIRRORED, mirror->columns[q] - column);
            number(ENTRIES_PLACES, mirror->places[q] - place);
            column = mirror->columns[q];
            place = mirror->places[q];
        }
    }
}

/* All of a tile but where its lists begin; lengths[l] in units of 16 bits. False when a number needs more
 * than 32. */
static bool measure(struct host_lists *lists, int64_t tile, int64_t lengths[ENTRIES_LISTS])
{
    const struct csr *A = lists->A;
    const struct sym_mirror *mirror = &lists->mirror;
    struct entries_tile *t = &lists->tile[tile];
    int64_t begin = tile * SUM_TILE, end = begin + SUM_TILE < A->n ? begin + SUM_TILE : A->n;
    *t = {};
    t->value = A->offsets[begin];
    t->least[ENTRIES_MIRRORED] = t->least[ENTRIES_PLACES] = INT64_MAX;
    for (int64_t i = begin; i <= begin + SUM_TILE; i++) {
        int64_t to = i < end ? i : end;
        int64_t row = tile * ENTRIES_ROWS + (i - begin);
        lists->upper_first[row] = (uint32_t)(A->offsets[to] - A->offsets[begin] - (to - begin));
        lists->lower_first[row] = (uint32_t)(mirror->offsets[to] - mirror->offsets[begin]);
        int64_t q = mirror->offsets[to];
        if (i < end && q < mirror->offsets[to + 1]) {
            t->least[ENTRIES_MIRRORED] =
                std::min<int64_t>(t->least[ENTRIES_MIRRORED], mirror->columns[q]);
            t->least[ENTRIES_PLACES] = std::min(t->least[ENTRIES_PLACES], mirror->places[q]);
        }
    }
    int64_t largest[ENTRIES_LISTS] = {}, counts[ENTRIES_LISTS] = {};
    each_number(lists, tile, [&](int list, int64_t number) {
        largest[list] = std::max(largest[list], number);
        counts[list]++;
    });
    for (int l = 0; l < ENTRIES_LISTS; l++) {
        bool wide = largest[l] > UINT16_MAX;
        t->wide |= wide << l;
        lengths[l] =
            wide ? 2 * counts[l] : (counts[l] + 1) / 2 * 2; /* lists begin at even places */
        if (largest[l] > UINT32_MAX || counts[l] > UINT32_MAX)
            return false;
    }
    return true;
}

static void fill(struct host_lists *lists, int64_t tile)
{
    const struct entries_tile &t = lists->tile[tile];
    int64_t next[ENTRIES_LISTS] = {};
    each_number(lists, tile, [&](int list, int64_t number) {
        uint16_t *narrow = lists->indices + t.begin[list];
        if (t.wide >> list & 1)
            ((uint32_t *)(void *)narrow)[next[list]++] = (uint32_t)number;
        else
            narrow[next[list]++] = (uint16_t)number;
    });
}

static enum status make_lists(struct host_lists *lists, int64_t *length, struct error *error)
{
    static const char *const what = "the indices";
    const struct csr *A = lists->A;
    enum status status = sym_mirror_create(A->n, A->offsets, A->columns, &lists->mirror, error);
    if (status)
        return status;
    int64_t tiles = lists->tiles = sum_tiles(A->n);
    lists->tile = (struct entries_tile *)memory_array(tiles, sizeof *lists->tile, what, error);
    lists->upper_first =
        (uint32_t *)memory_array(tiles * ENTRIES_ROWS, sizeof(uint32_t), what, error);
    lists->lower_first =
        (uint32_t *)memory_array(tiles * ENTRIES_ROWS, sizeof(uint32_t), what, error);
    int64_t *lengths = (int64_t *)memory_array(tiles * ENTRIES_LISTS, sizeof *lengths, what, error);
    bool fits = true;
    if (!lists->tile || !lists->upper_first || !lists->lower_first || !lengths)
        status = STATUS_MEMORY;
    if (!status) {
#pragma omp parallel for schedule(static) reduction(&& : fits)
        for (int64_t tile = 0; tile < tiles; tile++)
            fits = measure(lists, tile, lengths + tile * ENTRIES_LISTS) && fits;
        if (!fits)
            status = error_set(error, STATUS_MEMORY,
                               "%s: an entry lies more than 2^32 places from its neighbour", what);
    }
    *length = 0;
    for (int64_t tile = 0; tile < tiles && !status; tile++)
        for (int l = 0; l < ENTRIES_LISTS; l++) {
            lists->tile[tile].begin[l] = *length;
            *length += lengths[tile * ENTRIES_LISTS + l];
        }
    memory_free(lengths);
    if (!status)
        status = memory_fits(2.0 * (double)*length, what, error);
    if (!status) {
        lists->indices = (uint16_t *)memory_array(*length, sizeof(uint16_t), what, error);
        status = lists->indices ? STATUS_OK : STATUS_MEMORY;
    }
    if (!status) {
#pragma omp parallel for schedule(static)
        for (int64_t tile = 0; tile < tiles; tile++)
            fill(lists, tile);
    }
    return status;
}

static enum status put_lists(struct space_cuda *space, const struct csr *A,
                             struct cuda_entries *kept, struct error *error)
{
    struct host_lists lists = {};
    lists.A = A;
    enum status status = make_lists(&lists, &kept->length, error);
    kept->tiles = lists.tiles;
    const struct {
        const void *host;
        int64_t count;
        size_t size;
        void **there;
    } arrays[] = {
        {lists.tile, kept->tiles, sizeof *lists.tile, (void **)&kept->tile},
        {lists.upper_first, kept->tiles * ENTRIES_ROWS, sizeof(uint32_t),
         (void **)&kept->upper_first},
        {lists.lower_first, kept->tiles * ENTRIES_ROWS, sizeof(uint32_t),
         (void **)&kept->lower_first},
        {lists.indices, kept->length, sizeof(uint16_t), (void **)&kept->indices},
    };
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays && !status; k++)
        status = cuda_put(space, arrays[k].host, arrays[k].count, arrays[k].size, "the indices",
                          arrays[k].there, error);
    free_lists(&lists);
    return status;
}

static enum status put_values(struct space_cuda *space, const struct csr *A, bool compress,
                              struct cuda_entries *kept, struct error *error)
{
    struct sym_codes codes = {};
    enum status status =
        compress ? sym_codes_create(A->values, 1, A->nnz, &codes, error) : STATUS_OK;
    kept->width = codes.width;
    kept->codes = codes.count;
    if (!status && codes.width)
        status = cuda_put(space, codes.table, codes.count, sizeof(double),
                          "the table of the values", (void **)&kept->table, error);
    if (!status)
        status = cuda_put(space, codes.width ? codes.codes : A->values, A->nnz,
                          codes.width ? (size_t)codes.width : sizeof(double), "the values",
                          &kept->values, error);
    sym_codes_free(&codes);
    return status;
}

void cuda_entries_free(struct cuda_entries *entries)
{
    cudaFree(entries->values);
    cudaFree(entries->table);
    cudaFree(entries->tile);
    cudaFree(entries->upper_first);
    cudaFree(entries->lower_first);
    cudaFree(entries->indices);
    *entries = {};
}

enum status cuda_entries_create(struct space_cuda *space, const struct csr *A, bool compress,
                                struct cuda_entries *entries, struct error *error)
{
    *entries = {};
    entries->n = A->n;
    entries->nnz = A->nnz;
    entries->sign = A->kind == CSR_SKEW ? -1 : 1;
    enum status status = put_lists(space, A, entries, error);
    if (!status)
        status = put_values(space, A, compress, entries, error);
    if (status)
        cuda_entries_free(entries);
    return status;
}

void cuda_entries_describe(const struct cuda_entries *entries, char *text, size_t size)
{
    int used = snprintf(text, size, "rows, %.3g bytes of indices an entry",
                        2.0 * (double)entries->length / (double)entries->nnz);
    if (entries->width && used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, ", values as codes of %d byte%s", entries->width,
                 entries->width == 1 ? "" : "s");
}

static int64_t tile_bytes(int64_t tiles)
{
    return tiles * (int64_t)(sizeof(struct entries_tile) + 2 * ENTRIES_ROWS * sizeof(uint32_t));
}

int64_t cuda_entries_bytes(const struct cuda_entries *entries)
{
    int64_t value = entries->width ? entries->width : (int64_t)sizeof(double);
    return entries->nnz * value + entries->codes * (int64_t)sizeof(double) +
           entries->length * (int64_t)sizeof(uint16_t) + tile_bytes(entries->tiles);
}

/* Codes of one byte, and numbers of 16 bits. */
int64_t cuda_entries_least_bytes(const struct csr *A)
{
    return A->nnz + ENTRIES_LISTS * (A->nnz - A->n) * (int64_t)sizeof(uint16_t) +
           tile_bytes(sum_tiles(A->n));
}
