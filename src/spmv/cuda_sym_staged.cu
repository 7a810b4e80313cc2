#include "spmv/cuda_sym_staged.h"

#include "base/memory.h"
#include "spmv/cuda_sym_staging.h"
#include "spmv/cuda_sym_steps.h"
#include "spmv/sym_codes.h"

#include <stdio.h>

static const char *const what = "the lists of staged entries";

static struct slice_order order_list(const struct staging *staging, int64_t first, int list)
{
    return order_slice(first, staging->A->n,
                       [=](int64_t i) { return staging_length(staging, list, i); });
}

/* Where a tile's lists begin. */
static void measure(const struct staging *staging, int64_t tile)
{
    int64_t begin = tile * SUM_TILE, end = std::min<int64_t>(begin + SUM_TILE, staging->A->n);
    struct staged_tile *t = &staging->tile[tile];
    int64_t total[STAGED_LISTS] = {0, 0};
    t->ranks = staging_whole(t->sectors);
    uint32_t next = t->ranks + (uint32_t)SUM_TILE * STAGED_LISTS / 4;
    for (int64_t first = begin; first < end; first += ENTRIES_SLICE)
        for (int list = 0; list < STAGED_LISTS; list++) {
            struct entries_slice *s = &t->slice[(first - begin) / ENTRIES_SLICE];
            struct slice_order order = order_list(staging, first, list);
            s->more[list] = next;
            s->first[list] = (uint32_t)total[list];
            next += (uint32_t)more_words(order);
            total[list] += order.total;
        }
    for (struct entries_slice &s : t->slice) {
        s.first[STAGED_NEAR] += next;
        s.first[STAGED_FAR] += next + (uint32_t)total[STAGED_NEAR];
    }
    t->words = staging_whole(next + total[STAGED_NEAR] + total[STAGED_FAR]);
}

static void fill(const struct staging *staging, uint32_t *all, int64_t tile)
{
    int64_t begin = tile * SUM_TILE, end = std::min<int64_t>(begin + SUM_TILE, staging->A->n);
    struct staged_tile *t = &staging->tile[tile];
    uint32_t *lists = all + t->lists;
    uint8_t *ranks = (uint8_t *)(lists + t->ranks);
    std::copy_n(staging_sectors(staging, tile), t->sectors, lists);
    for (int64_t first = begin; first < end; first += ENTRIES_SLICE)
        for (int list = 0; list < STAGED_LISTS; list++) {
            struct entries_slice *s = &t->slice[(first - begin) / ENTRIES_SLICE];
            struct slice_order order = order_list(staging, first, list);
            uint32_t *next = lists + s->first[list];
            for (int rank = 0; rank < order.rows; rank++)
                ranks[STAGED_LISTS * (first - begin + order.row[rank]) + list] = (uint8_t)rank;
            put_steps(order, list, s, lists, [&](int r, int64_t k) {
                *next++ = staging_word(staging, tile, list, first + r, k);
            });
        }
}

/* Makes the lists of all tiles, and puts them and the tiles there. */
static enum status put_lists(struct space_cuda *space, struct staging *staging,
                             struct cuda_staged *kept, struct error *error)
{
    int64_t length = 0;
#pragma omp parallel for schedule(dynamic, 16)
    for (int64_t tile = 0; tile < kept->tiles; tile++)
        measure(staging, tile);
    for (int64_t tile = 0; tile < kept->tiles; tile++) {
        staging->tile[tile].lists = length;
        length += staging->tile[tile].words;
    }
    kept->lists_length = length += ENTRIES_SLICE;
    uint32_t *lists = (uint32_t *)memory_zeros(length, sizeof *lists, what, error);
    if (!lists)
        return STATUS_MEMORY;
#pragma omp parallel for schedule(dynamic, 16)
    for (int64_t tile = 0; tile < kept->tiles; tile++)
        fill(staging, lists, tile);
    enum status status =
        cuda_put(space, lists, length, sizeof *lists, what, (void **)&kept->lists, error);
    memory_free(lists);
    if (!status)
        status = cuda_put(space, staging->tile, kept->tiles, sizeof *staging->tile, what,
                          (void **)&kept->tile, error);
    return status;
}

static enum status put_values(struct space_cuda *space, const struct staging *staging,
                              struct cuda_staged *kept, struct error *error)
{
    const struct csr *A = staging->A;
    double *values =
        (double *)memory_zeros(kept->values_length, sizeof *values, "the values", error);
    if (!values)
        return STATUS_MEMORY;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < A->n; i++) {
        double *own = values + staging->tile[i / SUM_TILE].values;
        for (int64_t p = A->offsets[i]; p < A->offsets[i + 1]; p++)
            own[staging->moved[p]] = A->values[p];
    }
    enum status status = cuda_put(space, values, kept->values_length, sizeof *values, "the values",
                                  (void **)&kept->values, error);
    memory_free(values);
    return status;
}

int cuda_staged_limit(void)
{
    int device = 0, bytes = 0;
    if (cudaGetDevice(&device) ||
        cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device))
        cudaGetLastError();
    return std::min<int>(bytes, STAGED_SHARED);
}

/* Whether the values would be kept as codes. */
static enum status coded(const struct csr *A, bool *yes, struct error *error)
{
    struct sym_codes codes;
    enum status status = sym_codes_create(A->values, 1, A->nnz, &codes, error);
    *yes = codes.width > 0;
    sym_codes_free(&codes);
    return status;
}

/* A multiplication gathers an x and a value for each entry of the full matrix. */
static bool worth(const struct staging *staging)
{
    int64_t entries = 2 * staging->A->nnz - staging->A->n;
    return staging->most * (int64_t)sizeof(double) <= cuda_staged_limit() &&
           staging->copied <= 2 * entries;
}

enum status cuda_staged_create(struct space_cuda *space, const struct csr *A, bool compress,
                               struct cuda_staged *staged, struct error *error)
{
    *staged = {};
    bool codes = false, fits = false;
    enum status status = compress ? coded(A, &codes, error) : STATUS_OK;
    if (status || codes)
        return status;
    struct staging staging;
    status = staging_create(A, &staging, &fits, error);
    if (!status && fits && worth(&staging)) {
        staged->n = A->n;
        staged->nnz = A->nnz;
        staged->tiles = staging.tiles;
        staged->values_length = staging.values_length;
        staged->shared_bytes = staging.most * (int64_t)sizeof(double);
        status = put_lists(space, &staging, staged, error);
        if (!status)
            status = put_values(space, &staging, staged, error);
    }
    staging_free(&staging);
    if (status)
        cuda_staged_free(staged);
    return status;
}

void cuda_staged_free(struct cuda_staged *staged)
{
    cudaFree(staged->values);
    cudaFree(staged->tile);
    cudaFree(staged->lists);
    *staged = {};
}

/* Of the lists, in the device's memory. */
static int64_t list_bytes(const struct cuda_staged *staged)
{
    return staged->tiles * (int64_t)sizeof(struct staged_tile) +
           staged->lists_length * (int64_t)sizeof(uint32_t);
}

void cuda_staged_describe(const struct cuda_staged *staged, char *text, size_t size)
{
    snprintf(text, size, "rows, staged, %.3g bytes of indices an entry",
             (double)list_bytes(staged) / (double)staged->nnz);
}

int64_t cuda_staged_bytes(const struct cuda_staged *staged)
{
    return staged->values_length * (int64_t)sizeof(double) + list_bytes(staged);
}
