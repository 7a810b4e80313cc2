/* A copy, and the prefix sum and the sort of space/rows.h, by CUB. */
#include "space/cuda/cuda_setup.cuh"
#include "space/rows.h"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

enum status rows_copy_cuda(struct space *space, int64_t bytes, const void *from, void *to,
                           struct error *error)
{
    space_enter(space);
    return cuda_check(cudaMemcpyAsync(to, from, (size_t)bytes, cudaMemcpyDeviceToDevice,
                                      space_cuda_of(space)->stream),
                      "a copy of rows", error);
}
CUDA_PUT(rows_copy_cuda)

enum status rows_scan_cuda(struct space *space, int64_t n, int64_t *sums, struct error *error)
{
    struct space_cuda *cuda = space_cuda_of(space);
    space_enter(space);
    return with_room(cuda, "the sums of lengths", error, [&](void *room, size_t &bytes) {
        return cub::DeviceScan::InclusiveSum(room, bytes, sums + 1, sums + 1, n, cuda->stream);
    });
}
CUDA_PUT(rows_scan_cuda)

static const char *const what_sort = "a sort";

/* Keys and elements, each twice: the first two are sorted. */
struct pairs {
    uint32_t *keys[2], *places[2];
};

__global__ static void __launch_bounds__(THREADS)
    number_elements(int64_t count, const int32_t *keys, const struct pairs pairs)
{
    int64_t k = own_row();
    if (k >= count)
        return;
    pairs.keys[0][k] = (uint32_t)keys[k];
    pairs.places[0][k] = (uint32_t)k;
}

/* The lowest bits of -1 are all set, so it sorts after every key. */
static enum status sort_pairs(struct space_cuda *cuda, int64_t count, int64_t most,
                              const struct pairs *pairs, uint32_t **keys, uint32_t *order,
                              struct error *error)
{
    cub::DoubleBuffer<uint32_t> both_keys(pairs->keys[0], pairs->keys[1]);
    cub::DoubleBuffer<uint32_t> both_places(pairs->places[0], pairs->places[1]);
    enum status status = with_room(cuda, what_sort, error, [&](void *room, size_t &bytes) {
        return cub::DeviceRadixSort::SortPairs(room, bytes, both_keys, both_places, count, 0,
                                               bits_for((uint64_t)most), cuda->stream);
    });
    *keys = both_keys.Current();
    if (status || both_places.Current() == order)
        return status;
    return cuda_check(cudaMemcpyAsync(order, both_places.Current(), (size_t)count * sizeof *order,
                                      cudaMemcpyDeviceToDevice, cuda->stream),
                      what_sort, error);
}

enum status rows_sort_cuda(struct space *space, int64_t count, const int32_t *keys, int64_t most,
                           uint32_t *order, uint32_t *offsets, struct error *error)
{
    struct space_cuda *cuda = space_cuda_of(space);
    struct pairs pairs = {{}, {NULL, order}};
    uint32_t *memory = NULL, *sorted = NULL;
    space_enter(space);
    enum status status =
        cuda_array(cuda, 3 * count, sizeof *memory, what_sort, (void **)&memory, error);
    if (!status) {
        pairs.keys[0] = memory;
        pairs.keys[1] = memory + count;
        pairs.places[0] = memory + 2 * count;
        number_elements<<<blocks_for(count), THREADS, 0, cuda->stream>>>(count, keys, pairs);
        status = cuda_check_launch(what_sort, error);
    }
    if (!status)
        status = sort_pairs(cuda, count, most, &pairs, &sorted, order, error);
    if (!status) {
        find_offsets<<<blocks_for(most + 1), THREADS, 0, cuda->stream>>>(most, count, sorted,
                                                                         offsets);
        status = cuda_check_launch(what_sort, error);
    }
    cuda_free(cuda, memory);
    return status;
}
CUDA_PUT(rows_sort_cuda)
