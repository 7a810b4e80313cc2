#include "space/cuda/cuda_setup.cuh"
#include "space/sort.h"

#include <cub/device/device_radix_sort.cuh>
#include <utility>

enum status space_sort(struct space *space, int64_t count, int bits, uint64_t *keys[2],
                       uint32_t *places[2], struct error *error)
{
    struct space_cuda *cuda = space_cuda_of(space);
    cub::DoubleBuffer<uint64_t> sorted(keys[0], keys[1]);
    cub::DoubleBuffer<uint32_t> moved(places[0], places[1]);
    space_enter(space);
    enum status status = with_room(cuda, "sorting", error, [&](void *room, size_t &bytes) {
        return cub::DeviceRadixSort::SortPairs(room, bytes, sorted, moved, count, 0, bits,
                                               cuda->stream);
    });
    if (sorted.Current() != keys[0])
        std::swap(keys[0], keys[1]);
    if (moved.Current() != places[0])
        std::swap(places[0], places[1]);
    return status;
}
CUDA_PUT(space_sort)
