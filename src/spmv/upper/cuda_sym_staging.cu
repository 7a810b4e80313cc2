#include "spmv/upper/cuda_sym_staging.h"

#include "spmv/upper/cuda_sym_there.cuh"
#include "spmv/upper/sym_staging_tile.h"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

static const char *const what = "the lists of staged entries";

/* Whole numbers: zeroed first, then grown by maxima and sums. */
struct staging_found {
    unsigned long long tile_entries;          /* the most upper entries of a tile, */
    unsigned long long row_entries;           /* and of a row */
    unsigned long long most, copied, numbers; /* staging_sum_up's */
    unsigned long long values_length, lists_length;
};

/* How many bits hold 0, ..., most. */
static int bits_for(int64_t most)
{
    int bits = 1;
    while (most >> bits)
        bits++;
    return bits;
}

/* --- memory ----------------------------------------------------------------------------------- */

/* Arrays in one piece of memory; from a base of 0 only its size comes out. */
struct arena {
    uintptr_t base;
    int64_t used;

    template <typename Element> void take(int64_t count, Element **array)
    {
        *array = (Element *)(base + (uintptr_t)used);
        used = staging_whole(used + count * (int64_t)sizeof(Element), 256);
    }
};

/* What is used while `made` is made. The pieces of `sorts` are used one after the other. */
struct scratch {
    uint16_t *rank;    /* [tiles SUM_TILE] where a row of a tile comes in its order */
    int64_t *lists_at; /* [tiles + 1] */
    int64_t *notes;    /* how many there are, each once */
    struct staging_found *found;
    char *sorts;
};

enum { SORT_BYTES = 48 }; /* an entry: two times three notes */

static int64_t take_arrays(struct arena *arena, struct cuda_staging *made, struct scratch *scratch)
{
    struct staging *s = &made->staging;
    int64_t n = s->A.n, nnz = s->A.nnz, rows = s->tiles * SUM_TILE;
    arena->take(n + 1, &s->mirror.offsets);
    arena->take(nnz, &s->mirror.columns);
    arena->take(nnz, &s->mirror.places);
    arena->take(nnz, &s->moved);
    arena->take(nnz, &made->row_of);
    arena->take(rows, &s->row);
    arena->take(s->tiles, &s->first);
    arena->take(rows, &scratch->rank);
    arena->take(s->tiles + 1, &scratch->lists_at);
    arena->take(1, &scratch->notes);
    arena->take(1, &scratch->found);
    arena->take(SORT_BYTES * nnz + 8 * 256, &scratch->sorts);
    return arena->used;
}

int64_t cuda_staging_bytes(const struct csr *A)
{
    struct cuda_staging made = {};
    struct scratch scratch;
    struct arena arena = {};
    made.staging.A = *A;
    made.staging.tiles = sum_tiles(A->n);
    return take_arrays(&arena, &made, &scratch);
}

/* call(room, bytes), of CUB: with the room that it asks for. */
template <typename Call> static enum status with_room(struct error *error, Call call)
{
    size_t bytes = 0;
    void *room = NULL;
    enum status status = cuda_check(call((void *)NULL, bytes), what, error);
    if (!status)
        status = cuda_array((int64_t)bytes, 1, what, &room, error);
    if (!status)
        status = cuda_check(call(room, bytes), what, error);
    cudaFree(room);
    return status;
}

/* --- whether it fits -------------------------------------------------------------------------- */

__global__ static void __launch_bounds__(THREADS)
    look_at_rows(const __grid_constant__ struct csr A, struct staging_found *found)
{
    int64_t i = own_row(), end = i + SUM_TILE < A.n ? i + SUM_TILE : A.n;
    bool begins = i < A.n && i % SUM_TILE == 0;
    grow_most(&found->tile_entries,
              begins ? (unsigned long long)(A.offsets[end] - A.offsets[i]) : 0);
    grow_most(&found->row_entries,
              i < A.n ? (unsigned long long)(A.offsets[i + 1] - A.offsets[i]) : 0);
}

enum status cuda_staging_fits(struct space_cuda *space, const struct csr *A, int64_t value_bytes,
                              int64_t *longest, bool *fits, struct error *error)
{
    struct staging_found *there = NULL, here = {};
    enum status status = zeros(space, 1, sizeof *there, what, (void **)&there, error);
    if (!status) {
        look_at_rows<<<blocks_for(A->n), THREADS, 0, space->stream>>>(*A, there);
        status = bring(space, what, there, &here, error);
    }
    cudaFree(there);
    *longest = (int64_t)here.row_entries;
    *fits = !status && (int64_t)here.tile_entries <= STAGED_SHARED / value_bytes;
    return status;
}

/* --- the mirrored entries --------------------------------------------------------------------- */

__global__ static void __launch_bounds__(THREADS)
    list_entries(const __grid_constant__ struct csr A, uint32_t *row_of, uint32_t *columns,
                 uint32_t *places)
{
    int64_t i = own_row();
    if (i >= A.n)
        return;
    for (int64_t p = A.offsets[i]; p < A.offsets[i + 1]; p++) {
        row_of[p] = (uint32_t)i;
        columns[p] = (uint32_t)A.columns[p];
        places[p] = (uint32_t)p;
    }
}

__global__ static void __launch_bounds__(THREADS)
    mirror_entries(const __grid_constant__ struct staging s, const uint32_t *row_of,
                   const uint32_t *places)
{
    int64_t k = own_row();
    if (k < s.A.nnz)
        staging_mirror(&s, row_of[places[k]], places[k], k);
}

static enum status mirror(struct space_cuda *space, struct cuda_staging *made,
                          const struct scratch *scratch, struct error *error)
{
    const struct staging *s = &made->staging;
    int64_t nnz = s->A.nnz;
    uint32_t *columns[2], *places[2];
    struct arena arena = {(uintptr_t)scratch->sorts, 0};
    for (int k = 0; k < 2; k++) {
        arena.take(nnz, &columns[k]);
        arena.take(nnz, &places[k]);
    }
    list_entries<<<blocks_for(s->A.n), THREADS, 0, space->stream>>>(s->A, made->row_of, columns[0],
                                                                    places[0]);
    cub::DoubleBuffer<uint32_t> keys(columns[0], columns[1]), sorted(places[0], places[1]);
    enum status status = cuda_check_launch(what, error);
    if (!status)
        status = with_room(error, [&](void *room, size_t &bytes) {
            return cub::DeviceRadixSort::SortPairs(room, bytes, keys, sorted, nnz, 0,
                                                   bits_for(s->A.n - 1), space->stream);
        });
    if (status)
        return status;
    mirror_entries<<<blocks_for(nnz), THREADS, 0, space->stream>>>(*s, made->row_of,
                                                                   sorted.Current());
    return cuda_check_launch(what, error);
}

/* --- the orders of the rows and of the values ------------------------------------------------- */

__global__ static void __launch_bounds__(SUM_TILE)
    order_rows(const __grid_constant__ struct staging s, uint16_t *rank)
{
    __shared__ int32_t length[SUM_TILE];
    int r = (int)threadIdx.x;
    int64_t begin = blockIdx.x * (int64_t)SUM_TILE;
    length[r] = (int32_t)staging_row_length(&s, begin + r);
    __syncthreads();
    int own = staging_rank(length, r);
    rank[begin + r] = (uint16_t)own;
    s.row[begin + own] = (uint16_t)r;
}

__global__ static void __launch_bounds__(THREADS)
    list_values(const __grid_constant__ struct staging s, const uint32_t *row_of,
                const uint16_t *rank, int step_bits, int key_bits, uint64_t *keys, uint32_t *places)
{
    int64_t p = own_row();
    if (p >= s.A.nnz)
        return;
    int64_t i = row_of[p];
    keys[p] = (uint64_t)(i / SUM_TILE) << key_bits |
              staging_value_key(s.A.columns[p], rank[i], p - s.A.offsets[i], step_bits);
    places[p] = (uint32_t)p;
}

/* A segment: what has the same bits from `bits` on, the tiles of row and column. */
struct piece_of {
    const uint64_t *keys;
    int bits;

    __device__ struct staging_places operator()(int64_t k) const
    {
        return staging_place(k == 0 || keys[k] >> bits != keys[k - 1] >> bits);
    }
};

struct join_pieces {
    int64_t unit;

    __device__ struct staging_places operator()(struct staging_places a,
                                                struct staging_places b) const
    {
        return staging_join(a, b, unit);
    }
};

__global__ static void __launch_bounds__(THREADS)
    place_values(const __grid_constant__ struct staging s, const uint32_t *row_of,
                 const uint32_t *places, const struct staging_places *joined)
{
    int64_t k = own_row();
    if (k < s.A.nnz)
        staging_take_place(&s, row_of[places[k]], places[k], k, joined);
}

__global__ static void __launch_bounds__(THREADS)
    take_values(const __grid_constant__ struct staging s, const struct staging_places *joined,
                struct staging_found *found)
{
    int64_t tile = own_row();
    if (tile >= s.tiles)
        return;
    staging_take_values(&s, tile, joined);
    if (tile == s.tiles - 1)
        found->values_length =
            (unsigned long long)(s.tile[tile].values + (int64_t)s.tile[tile].own);
}

static enum status order(struct space_cuda *space, struct cuda_staging *made,
                         const struct scratch *scratch, int step_bits, struct error *error)
{
    const struct staging *s = &made->staging;
    int64_t nnz = s->A.nnz;
    int tile_bits = bits_for(s->tiles - 1), segment_bits = step_bits + STAGING_LANE_BITS;
    int key_bits = tile_bits + STAGING_SLICE_BITS + segment_bits;
    uint64_t *keys[2];
    uint32_t *places[2];
    struct staging_places *joined;
    struct arena arena = {(uintptr_t)scratch->sorts, 0};
    arena.take(nnz, &joined);
    for (int k = 0; k < 2; k++) {
        arena.take(nnz, &keys[k]);
        arena.take(nnz, &places[k]);
    }
    order_rows<<<(unsigned int)s->tiles, SUM_TILE, 0, space->stream>>>(*s, scratch->rank);
    list_values<<<blocks_for(nnz), THREADS, 0, space->stream>>>(
        *s, made->row_of, scratch->rank, step_bits, key_bits, keys[0], places[0]);
    cub::DoubleBuffer<uint64_t> by(keys[0], keys[1]);
    cub::DoubleBuffer<uint32_t> sorted(places[0], places[1]);
    enum status status = cuda_check_launch(what, error);
    if (!status)
        status = with_room(error, [&](void *room, size_t &bytes) {
            return cub::DeviceRadixSort::SortPairs(room, bytes, by, sorted, nnz, 0,
                                                   key_bits + tile_bits, space->stream);
        });
    if (status)
        return status;
    auto pieces =
        thrust::make_transform_iterator(thrust::counting_iterator<int64_t>(0),
                                        piece_of{by.Current(), STAGING_SLICE_BITS + segment_bits});
    status = with_room(error, [&](void *room, size_t &bytes) {
        return cub::DeviceScan::InclusiveScan(
            room, bytes, pieces, joined, join_pieces{staging_sector_values(s)}, nnz, space->stream);
    });
    if (status)
        return status;
    place_values<<<blocks_for(nnz), THREADS, 0, space->stream>>>(*s, made->row_of, sorted.Current(),
                                                                 joined);
    take_values<<<blocks_for(s->tiles), THREADS, 0, space->stream>>>(*s, joined, scratch->found);
    return cuda_check_launch(what, error);
}

/* --- what is copied --------------------------------------------------------------------------- */

__global__ static void __launch_bounds__(THREADS)
    note_sectors(const __grid_constant__ struct staging s, const uint32_t *row_of, int sector_bits,
                 uint64_t *notes)
{
    int64_t p = own_row();
    if (p < s.A.nnz)
        staging_notes(&s, row_of[p], p, sector_bits, notes + STAGING_NOTES * p);
}

__global__ static void __launch_bounds__(THREADS)
    take_sectors(const __grid_constant__ struct staging s, const uint64_t *notes,
                 const int64_t *count, int sector_bits)
{
    int64_t k = own_row();
    if (k < s.tiles)
        staging_take_sectors(&s, k, notes, *count, sector_bits);
    if (k < *count)
        s.sectors[k] = (uint32_t)(notes[k] & ((1ull << sector_bits) - 1));
}

static enum status copy_sectors(struct space_cuda *space, struct cuda_staging *made,
                                const struct scratch *scratch, struct error *error)
{
    struct staging *s = &made->staging;
    int64_t count = STAGING_NOTES * s->A.nnz;
    int sector_bits = bits_for(s->A.n > s->A.nnz ? s->A.n : s->A.nnz);
    int bits = bits_for(s->tiles) + 1 + sector_bits;
    uint64_t *notes[2];
    struct arena arena = {(uintptr_t)scratch->sorts, 0};
    arena.take(count, &notes[0]);
    arena.take(count, &notes[1]);
    note_sectors<<<blocks_for(s->A.nnz), THREADS, 0, space->stream>>>(*s, made->row_of, sector_bits,
                                                                      notes[0]);
    cub::DoubleBuffer<uint64_t> sorted(notes[0], notes[1]);
    enum status status = cuda_check_launch(what, error);
    if (!status)
        status = with_room(error, [&](void *room, size_t &bytes) {
            return cub::DeviceRadixSort::SortKeys(room, bytes, sorted, count, 0, bits,
                                                  space->stream);
        });
    if (!status)
        status = with_room(error, [&](void *room, size_t &bytes) {
            return cub::DeviceSelect::Unique(room, bytes, sorted.Current(), sorted.Alternate(),
                                             scratch->notes, count, space->stream);
        });
    if (status)
        return status;
    s->sectors = (uint32_t *)sorted.Current();
    take_sectors<<<blocks_for(count), THREADS, 0, space->stream>>>(*s, sorted.Alternate(),
                                                                   scratch->notes, sector_bits);
    return cuda_check_launch(what, error);
}

/* --- the lists -------------------------------------------------------------------------------- */

/* All of a tile but where its lists begin: how long they are stands there first. */
__global__ static void __launch_bounds__(THREADS)
    measure_tiles(const __grid_constant__ struct staging s, struct staging_found *found)
{
    int64_t tile = own_row(), words = 0, numbers = 0;
    if (tile < s.tiles) {
        struct staged_tile *t = &s.tile[tile];
        t->lists = staging_measure(&s, tile);
        words = staging_shared_words(t);
        numbers = t->slice[STAGED_SLICES];
    }
    grow_most(&found->most, (unsigned long long)words);
    grow_sum(&found->copied, (unsigned long long)words);
    grow_sum(&found->numbers, (unsigned long long)numbers);
}

struct lists_of {
    const struct staged_tile *tile;
    int64_t tiles;

    __device__ int64_t operator()(int64_t k) const
    {
        return k < tiles ? tile[k].lists : 0;
    }
};

__global__ static void __launch_bounds__(THREADS)
    place_lists(const __grid_constant__ struct staging s, const int64_t *lists_at,
                struct staging_found *found)
{
    int64_t tile = own_row();
    if (tile < s.tiles)
        s.tile[tile].lists = lists_at[tile];
    if (tile == s.tiles)
        found->lists_length = (unsigned long long)lists_at[tile];
}

static enum status measure(struct space_cuda *space, struct cuda_staging *made,
                           const struct scratch *scratch, struct error *error)
{
    struct staging *s = &made->staging;
    struct staging_found here = {};
    measure_tiles<<<blocks_for(s->tiles), THREADS, 0, space->stream>>>(*s, scratch->found);
    auto lengths = thrust::make_transform_iterator(thrust::counting_iterator<int64_t>(0),
                                                   lists_of{s->tile, s->tiles});
    enum status status = cuda_check_launch(what, error);
    if (!status)
        status = with_room(error, [&](void *room, size_t &bytes) {
            return cub::DeviceScan::ExclusiveSum(room, bytes, lengths, scratch->lists_at,
                                                 s->tiles + 1, space->stream);
        });
    if (status)
        return status;
    place_lists<<<blocks_for(s->tiles + 1), THREADS, 0, space->stream>>>(*s, scratch->lists_at,
                                                                         scratch->found);
    status = bring(space, what, scratch->found, &here, error);
    s->values_length = (int64_t)here.values_length;
    s->lists_length = (int64_t)here.lists_length;
    staging_sum_up(s, (int64_t)here.most, (int64_t)here.copied, (int64_t)here.numbers);
    return status;
}

/* A block a tile. */
__global__ static void __launch_bounds__(SUM_TILE)
    fill_lists(const __grid_constant__ struct staging s, uint32_t *lists)
{
    int64_t tile = blockIdx.x;
    const struct staged_tile *t = &s.tile[tile];
    int r = (int)threadIdx.x;
    lists += t->lists;
    staging_fill_row(&s, tile, r, lists);
    const uint32_t *sectors = s.sectors + s.first[tile];
    lists += t->slice[STAGED_SLICES] + SUM_TILE;
    for (uint32_t k = (uint32_t)r; k < t->sectors; k += SUM_TILE)
        lists[k] = sectors[k];
}

template <typename Value>
__global__ static void __launch_bounds__(THREADS)
    fill_values(const __grid_constant__ struct staging s, const uint32_t *row_of, Value *values)
{
    int64_t p = own_row();
    if (p < s.A.nnz)
        values[staging_value_number(&s, row_of[p] / SUM_TILE, p)] = (Value)s.A.values[p];
}

enum status cuda_staging_fill(struct space_cuda *space, const struct cuda_staging *made,
                              uint32_t *lists, void *values, struct error *error)
{
    const struct staging *s = &made->staging;
    unsigned int blocks = blocks_for(s->A.nnz);
    fill_lists<<<(unsigned int)s->tiles, SUM_TILE, 0, space->stream>>>(*s, lists);
    if (s->value_bytes == sizeof(float))
        fill_values<<<blocks, THREADS, 0, space->stream>>>(*s, made->row_of, (float *)values);
    else
        fill_values<<<blocks, THREADS, 0, space->stream>>>(*s, made->row_of, (double *)values);
    return cuda_check_launch(what, error);
}

/* --- all of it -------------------------------------------------------------------------------- */

enum status cuda_staging_create(struct space_cuda *space, const struct csr *A, int64_t value_bytes,
                                int64_t longest, struct cuda_staging *made, bool *fits,
                                struct error *error)
{
    *made = {};
    struct staging *s = &made->staging;
    s->A = *A;
    s->value_bytes = value_bytes;
    s->tiles = sum_tiles(A->n);
    int step_bits = bits_for(longest);
    int fixed_bits = STAGING_SLICE_BITS + STAGING_LANE_BITS + step_bits;
    *fits = 2 * bits_for(s->tiles - 1) + fixed_bits <= 64;
    if (!*fits)
        return STATUS_OK;
    struct scratch scratch;
    struct arena arena = {};
    enum status status = cuda_array(cuda_staging_bytes(A), 1, what, &made->arena, error);
    if (!status)
        status = cuda_array(s->tiles, sizeof *s->tile, what, (void **)&s->tile, error);
    if (status)
        return status;
    arena.base = (uintptr_t)made->arena;
    take_arrays(&arena, made, &scratch);
    status = cuda_check(cudaMemsetAsync(scratch.found, 0, sizeof *scratch.found, space->stream),
                        what, error);
    if (!status)
        status = mirror(space, made, &scratch, error);
    if (!status)
        status = order(space, made, &scratch, step_bits, error);
    if (!status)
        status = copy_sectors(space, made, &scratch, error);
    return status ? status : measure(space, made, &scratch, error);
}

void cuda_staging_free(struct cuda_staging *made)
{
    cudaFree(made->arena);
    cudaFree(made->staging.tile);
    *made = {};
}
