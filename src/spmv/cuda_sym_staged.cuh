/* One thread's walk along a row of cuda_sym_staged.h, in the frame of cuda_sym_tiles.cuh, after its block has
 * copied what the rows of the tile gather. */
#ifndef SPMV_CUDA_SYM_STAGED_CUH
#define SPMV_CUDA_SYM_STAGED_CUH

#include "spmv/cuda_sym_entries.cuh"
#include "spmv/cuda_sym_staged.h"
#include "spmv/cuda_sym_tiles.cuh"

#include <cuda_pipeline.h>

/* Bytes that will be read soon come into the L2 cache; from a multiple of 16 on, and as many. */
__device__ inline void staged_ahead(const void *from, uint32_t bytes)
{
#if __CUDA_ARCH__ >= 900
    if (bytes)
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from), "r"(bytes)
                     : "memory");
#endif
}

struct staged_rows {
    enum { SLOW_ENDS = 0, STAGED = 1 };
    enum { AT_ONCE = entries_way::AT_ONCE };
    enum { SECTORS_AT_ONCE = 6 }; /* that a thread asks for together */
    int64_t n;
    size_t shared;
    const double *values;
    const struct staged_tile *tile;
    const uint32_t *lists;

    explicit staged_rows(const struct cuda_staged *kept)
        : n(kept->n), shared((size_t)kept->shared_bytes), values(kept->values), tile(kept->tile),
          lists(kept->lists)
    {
    }
    size_t shared_bytes() const
    {
        return std::max(shared, (size_t)TILES_DOT);
    }
    int64_t slow_rows() const
    {
        return 0;
    }
    __device__ void begin(double *) const
    {
    }

    /* x_j and x_j+1, j even; the last may be alone. */
    __device__ void copy_x(const tiles_vector &vector, double *to, int64_t j) const
    {
        if (j + 1 < n)
            __pipeline_memcpy_async(to, vector.x + j, 2 * sizeof(double));
        else if (j < n)
            __pipeline_memcpy_async(to, vector.x + j, sizeof(double));
    }

    /* By all threads, two for a sector: what the rows of the tile that begins at base gather, into the
     * block's shared memory. */
    __device__ __forceinline__ void stage(const tiles_vector &vector, double *to,
                                          int64_t base) const
    {
        const struct staged_tile &t = tile[base / SUM_TILE];
        const uint32_t *list = lists + t.lists;
        const double *own = values + t.values;
        uint32_t k = threadIdx.x / 2, half = threadIdx.x % 2 * 2;
        uint32_t x_sectors = t.x_sectors, sectors = t.sectors, inside = t.inside;
        uint32_t sector[SECTORS_AT_ONCE];
        ask(list, k, sectors, sector);
        if (threadIdx.x == 0) {
            staged_ahead(list + t.ranks, (t.words - t.ranks) * (uint32_t)sizeof *list);
            staged_ahead(own + inside, (t.own - inside) * (uint32_t)sizeof *own);
        }
        if (threadIdx.x < SUM_TILE / 2)
            copy_x(vector, to + 2 * threadIdx.x, base + 2 * threadIdx.x);
        to += SUM_TILE;
        double *to_own = to + STAGED_SECTOR * x_sectors, *to_away = to_own + inside;
        for (uint32_t m = 2 * threadIdx.x; m < inside; m += 2 * SUM_TILE)
            __pipeline_memcpy_async(to_own + m, own + m, 2 * sizeof(double));
        while (k < sectors) {
#pragma unroll
            for (int u = 0; u < SECTORS_AT_ONCE; u++, k += SUM_TILE / 2) {
                int64_t from = (int64_t)sector[u] * STAGED_SECTOR + half;
                if (k < x_sectors)
                    copy_x(vector, to + STAGED_SECTOR * k + half, from);
                else if (k < sectors)
                    __pipeline_memcpy_async(to_away + STAGED_SECTOR * (k - x_sectors) + half,
                                            values + from, 2 * sizeof(double));
            }
            ask(list, k, sectors, sector);
        }
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
    }

    /* The sectors that a thread copies next. */
    __device__ static void ask(const uint32_t *list, uint32_t k, uint32_t sectors,
                               uint32_t (&sector)[SECTORS_AT_ONCE])
    {
#pragma unroll
        for (int u = 0; u < SECTORS_AT_ONCE; u++, k += SUM_TILE / 2)
            sector[u] = k < sectors ? __ldcs(list + k) : 0;
    }

    __device__ static void load(const uint32_t *list, const struct entries_way &way,
                                uint32_t (&word)[AT_ONCE])
    {
        if (!way.active(0))
            return;
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++)
            word[u] = __ldcs(list + way.place(u));
    }

    /* The chain goes on over a list of a row. The next words are on their way while these are used. */
    template <int LIST>
    __device__ __forceinline__ double walk(const uint32_t *list, struct entries_way way,
                                           const double *staged, const double *own,
                                           double sum) const
    {
        uint32_t word[AT_ONCE], counts = way.ahead(list);
        load(list, way, word);
#pragma unroll 1
        while (way.active(0)) {
            struct entries_way now = way;
            double a[AT_ONCE], x[AT_ONCE];
#pragma unroll
            for (int u = 0; u < AT_ONCE; u++) {
                a[u] = x[u] = 0;
                if (now.active(u)) {
                    x[u] = staged[word[u] & ((1u << STAGED_X_BITS) - 1)];
                    uint32_t place = word[u] >> STAGED_X_BITS;
                    if (LIST == STAGED_FAR) {
                        a[u] = __ldg(own + place);
                    } else {
                        double value = staged[place & ((1u << STAGED_NEAR_BITS) - 1)];
                        int sign = (int)(word[u] & 1u << 31);
                        a[u] =
                            __hiloint2double(__double2hiint(value) ^ sign, __double2loint(value));
                    }
                }
            }
            way.advance(counts);
            counts = way.ahead(list);
            load(list, way, word);
#pragma unroll
            for (int u = 0; u < AT_ONCE; u++)
                if (now.active(u))
                    sum = fma(a[u], x[u], sum);
        }
        return sum;
    }

    template <int LIST>
    __device__ __forceinline__ double walk_list(const double *staged, int64_t i, double sum) const
    {
        uint32_t thread = threadIdx.x, row = (uint32_t)i;
        asm volatile("" : "+r"(thread), "+r"(row)); /* or both lists' addresses stay in registers */
        const struct staged_tile &t = tile[row / SUM_TILE];
        const uint32_t *list = lists + t.lists;
        const uint8_t *rank = (const uint8_t *)(list + t.ranks) + STAGED_LISTS * thread;
        struct entries_way way(t.slice[thread / ENTRIES_SLICE], LIST, rank[LIST]);
        return walk<LIST>(list, way, staged, values + t.values, sum);
    }

    __device__ __forceinline__ double multiply(const tiles_vector &, tiles_vector::scalars,
                                               const double *staged, int64_t, int64_t i,
                                               double &own) const
    {
        double sum = walk_list<STAGED_NEAR>(staged, i, 0);
        sum = walk_list<STAGED_FAR>(staged, i, sum);
        own = staged[threadIdx.x];
        return sum;
    }
};

#endif
