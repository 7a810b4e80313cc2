#include "spmv/symmetric/entries/build_staging.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

static const char *const what = "the lists of staged entries";

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

enum status cuda_staging_copy_sectors(struct space_cuda *space, struct cuda_staging *made,
                                      const struct staging_scratch *scratch, struct error *error)
{
    struct staging *s = &made->staging;
    int64_t count = STAGING_NOTES * s->A.nnz;
    int sector_bits = bits_for(s->A.n > s->A.nnz ? s->A.n : s->A.nnz);
    int bits = bits_for(s->tiles) + 1 + sector_bits;
    uint64_t *notes[2];
    struct staging_arena arena = {(uintptr_t)scratch->sorts, 0};
    arena.take(count, &notes[0]);
    arena.take(count, &notes[1]);
    note_sectors<<<blocks_for(s->A.nnz), THREADS, 0, space->stream>>>(*s, made->row_of, sector_bits,
                                                                      notes[0]);
    cub::DoubleBuffer<uint64_t> sorted(notes[0], notes[1]);
    enum status status = cuda_check_launch(what, error);
    if (!status)
        status = with_room(space, what, error, [&](void *room, size_t &bytes) {
            return cub::DeviceRadixSort::SortKeys(room, bytes, sorted, count, 0, bits,
                                                  space->stream);
        });
    if (!status)
        status = with_room(space, what, error, [&](void *room, size_t &bytes) {
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
    int64_t tile = own_row(), words = 0, columns = 0, numbers = 0;
    if (tile < s.tiles) {
        struct staged_tile *t = &s.tile[tile];
        t->lists = staging_measure(&s, tile);
        words = staging_shared_words(t);
        columns = staging_columns_bytes(t);
        numbers = t->slice[STAGED_SLICES];
    }
    grow_most(&found->most, (unsigned long long)words);
    grow_most(&found->columns_most, (unsigned long long)columns);
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

enum status cuda_staging_measure(struct space_cuda *space, struct cuda_staging *made,
                                 const struct staging_scratch *scratch, struct error *error)
{
    struct staging *s = &made->staging;
    struct staging_found here = {};
    measure_tiles<<<blocks_for(s->tiles), THREADS, 0, space->stream>>>(*s, scratch->found);
    auto lengths = thrust::make_transform_iterator(thrust::counting_iterator<int64_t>(0),
                                                   lists_of{s->tile, s->tiles});
    enum status status = cuda_check_launch(what, error);
    if (!status)
        status = with_room(space, what, error, [&](void *room, size_t &bytes) {
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
    staging_sum_up(s, (int64_t)here.most, (int64_t)here.columns_most, (int64_t)here.copied,
                   (int64_t)here.numbers);
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
