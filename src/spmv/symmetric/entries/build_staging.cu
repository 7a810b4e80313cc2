#include "spmv/symmetric/entries/build_staging.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

static const char *const what = "the lists of staged entries";

/* --- memory ----------------------------------------------------------------------------------- */

enum { SORT_BYTES = 48 }; /* an entry: two times three notes */

static int64_t take_arrays(struct staging_arena *arena, struct cuda_staging *made,
                           struct staging_scratch *scratch)
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
    struct staging_scratch scratch;
    struct staging_arena arena = {};
    made.staging.A = *A;
    made.staging.tiles = sum_tiles(A->n);
    return take_arrays(&arena, &made, &scratch);
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
    struct staging_found *device = NULL, host = {};
    enum status status = zeros(space, 1, sizeof *device, what, (void **)&device, error);
    if (!status) {
        look_at_rows<<<blocks_for(A->n), THREADS, 0, space->stream>>>(*A, device);
        status = bring(space, what, device, &host, error);
    }
    cuda_free(space, device);
    *longest = (int64_t)host.row_entries;
    *fits = !status && (int64_t)host.tile_entries <= STAGED_SHARED / value_bytes;
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
                          const struct staging_scratch *scratch, struct error *error)
{
    const struct staging *s = &made->staging;
    int64_t nnz = s->A.nnz;
    uint32_t *columns[2], *places[2];
    struct staging_arena arena = {(uintptr_t)scratch->sorts, 0};
    for (int k = 0; k < 2; k++) {
        arena.take(nnz, &columns[k]);
        arena.take(nnz, &places[k]);
    }
    list_entries<<<blocks_for(s->A.n), THREADS, 0, space->stream>>>(s->A, made->row_of, columns[0],
                                                                    places[0]);
    cub::DoubleBuffer<uint32_t> keys(columns[0], columns[1]), sorted(places[0], places[1]);
    enum status status = cuda_check_launch(what, error);
    if (!status)
        status = with_room(space, what, error, [&](void *room, size_t &bytes) {
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
                         const struct staging_scratch *scratch, int step_bits, struct error *error)
{
    const struct staging *s = &made->staging;
    int64_t nnz = s->A.nnz;
    int tile_bits = bits_for(s->tiles - 1), segment_bits = step_bits + STAGING_LANE_BITS;
    int key_bits = tile_bits + STAGING_SLICE_BITS + segment_bits;
    uint64_t *keys[2];
    uint32_t *places[2];
    struct staging_places *joined;
    struct staging_arena arena = {(uintptr_t)scratch->sorts, 0};
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
        status = with_room(space, what, error, [&](void *room, size_t &bytes) {
            return cub::DeviceRadixSort::SortPairs(room, bytes, by, sorted, nnz, 0,
                                                   key_bits + tile_bits, space->stream);
        });
    if (status)
        return status;
    auto pieces =
        thrust::make_transform_iterator(thrust::counting_iterator<int64_t>(0),
                                        piece_of{by.Current(), STAGING_SLICE_BITS + segment_bits});
    status = with_room(space, what, error, [&](void *room, size_t &bytes) {
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
    struct staging_scratch scratch;
    struct staging_arena arena = {};
    enum status status = cuda_array(space, cuda_staging_bytes(A), 1, what, &made->arena, error);
    if (!status)
        status = cuda_array(space, s->tiles, sizeof *s->tile, what, (void **)&s->tile, error);
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
        status = cuda_staging_copy_sectors(space, made, &scratch, error);
    return status ? status : cuda_staging_measure(space, made, &scratch, error);
}

void cuda_staging_free(struct space_cuda *space, struct cuda_staging *made)
{
    cuda_free(space, made->arena);
    cuda_free(space, made->staging.tile);
    *made = {};
}
