/* The rows of cuda_merge.cu that tiles cut: their parts, and how they are added. For .cu files. */
#ifndef SPMV_BASELINE_CUDA_MERGE_SLOTS_CUH
#define SPMV_BASELINE_CUDA_MERGE_SLOTS_CUH

#include "space/sum/cuda_sum.cuh"

/* Where the parts of rows meet that are cut by the ends of tiles. All slots are empty between two
 * products. Of several columns tails and heads are [tiles][columns]. */
struct merge_slots {
    double *tails; /* [tiles]: of the row that begins in a tile and goes on */
    double *heads; /* [tiles]: of the row that a tile has from the one before */
    unsigned
        *arrived; /* [tiles]: parts of the row that begins in a tile and ends after the next one */
};

/* Parts that a lane waits for at once. */
enum { MERGE_AWAITED = 8 };

/* Take the parts of a row in the tiles first, ..., last out of their slots, of which a tile has so
 * many columns: all are there, or on their way. */
__device__ static double merge_take(merge_slots slots, int columns, int64_t first, int64_t last)
{
    auto slot_of = [&](int64_t part) {
        return (part == 0 ? slots.tails : slots.heads) + (first + part) * columns;
    };
    int64_t parts = last - first + 1;
    double sum = 0;
    for (int64_t p = threadIdx.x % CUDA_WARP; p < parts; p += CUDA_WARP * MERGE_AWAITED) {
        unsigned long long words[MERGE_AWAITED];
        for (bool waiting = true; waiting;) {
            waiting = false;
#pragma unroll
            for (int u = 0; u < MERGE_AWAITED; u++) {
                int64_t part = p + u * CUDA_WARP;
                words[u] = part < parts ? cuda_slot_look(slot_of(part)) : 0;
                waiting = waiting || words[u] == CUDA_SUM_EMPTY;
            }
        }
#pragma unroll
        for (int u = 0; u < MERGE_AWAITED; u++) {
            int64_t part = p + u * CUDA_WARP;
            if (part < parts)
                cuda_slot_write(slot_of(part), CUDA_SUM_EMPTY);
            sum = sum + __longlong_as_double((long long)words[u]); /* +0 where there is none */
        }
    }
    __syncwarp();
    return cuda_lanes_tree<plain_sum>({sum}).sum;
}

/* A warp brings a part of a row that lies in the tiles first, ..., last, and whoever comes last
 * makes y of all parts. No warp waits for one that may not have begun. Of several columns, next
 * to each other in the slots and in y, each lane has the part of one.
 *
 * Of two parts each is exchanged for what the slot holds: the second that comes gets the first. Of
 * more, each is put into a slot of its own and then counted: whoever counts the last one waits at
 * most until the others' words, which are on their way, have come. So no part needs a fence: the
 * word that says that it is there is the part itself.
 *
 * Order: part_first + part_last of two; of more, 32 lanes take the parts l, l + 32, ... in
 * ascending order from 0, and are added in the tree of space/sum/sum_order.h. In double; rounded
 * once where sums are single.
 *
 * A call, or its registers would be added to those of every tile. */
template <bool SEVERAL, typename Sum, typename Vector>
__device__ __noinline__ static void merge_bring(merge_slots slots, int stride, int64_t tile,
                                                int64_t first, int64_t last, double part, Vector *y)
{
    int lane = threadIdx.x % CUDA_WARP, columns = SEVERAL ? stride : 1;
    double *tail = slots.tails + first * columns + lane;
    if (last == first + 1) {
        if (lane >= columns)
            return;
        unsigned long long word = (unsigned long long)__double_as_longlong(part);
        word = atomicExch((unsigned long long *)tail, word == CUDA_SUM_EMPTY ? word >> 1 : word);
        if (word == CUDA_SUM_EMPTY)
            return;
        cuda_slot_write(tail, CUDA_SUM_EMPTY);
        y[lane] = (Vector)(Sum)(part + __longlong_as_double((long long)word)); /* in either order */
        return;
    }
    bool is_last = false;
    if (lane < columns)
        cuda_slot_put(tile == first ? tail : slots.heads + tile * columns + lane, part);
    if (lane == 0)
        is_last = atomicAdd(slots.arrived + first, 1u) == (unsigned)(last - first);
    if (!__shfl_sync(~0u, is_last, 0))
        return;
#pragma unroll 1
    for (int c = 0; c < columns; c++) {
        double sum = merge_take(slots, columns, first, last);
        if (lane == 0)
            y[c] = (Vector)(Sum)sum;
        slots.tails++;
        slots.heads++;
    }
    if (lane == 0)
        slots.arrived[first] = 0;
}

#endif
