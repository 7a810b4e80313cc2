/* One thread's walk along a row of cuda_sym_entries.h, in the frame of cuda_sym_tiles.cuh: first the
 * mirrored entries, through their list of columns and places, then the diagonal and the entries right of it,
 * which lie in a row. What is done with the products is a parameter.
 *
 * A value comes from memory once, if the cache holds what lies between its two uses: it does when the
 * rows are numbered so that neighbours are near (problem.reorder = "rcm"). The second use reads a
 * sector of 32 bytes from the L2 cache for 8 bytes; that is its bound. */
#ifndef SPMV_CUDA_SYM_ENTRIES_CUH
#define SPMV_CUDA_SYM_ENTRIES_CUH

#include "spmv/cuda_sym_entries.h"

/* WIDTH is that of the codes. A kernel's Rows derive from this, and add `multiply`. */
template <int WIDTH> struct entries_rows {
    enum { AT_ONCE = 4 }; /* entries that are on their way together */
    int64_t n;
    double sign;
    const void *values;
    const double *table;
    const struct entries_tile *tile;
    const uint32_t *upper_first, *lower_first;
    const uint16_t *indices;

    explicit entries_rows(const struct cuda_entries *kept)
        : n(kept->n), sign(kept->sign), values(kept->values), table(kept->table), tile(kept->tile),
          upper_first(kept->upper_first), lower_first(kept->lower_first), indices(kept->indices)
    {
    }
    size_t shared_bytes() const
    {
        return 0;
    }
    __device__ void begin(double *) const
    {
    }

    __device__ double value(int64_t place) const
    {
        if (WIDTH == 1)
            return table[((const uint8_t *)values)[place]];
        if (WIDTH == 2)
            return table[((const uint16_t *)values)[place]];
        return ((const double *)values)[place];
    }

    /* Number k of a list. */
    __device__ uint32_t number(const struct entries_tile &t, int list, uint32_t k) const
    {
        const uint16_t *narrow = indices + t.begin[list];
        return t.wide >> list & 1 ? ((const uint32_t *)narrow)[k] : narrow[k];
    }

    /* sum.add(a, x) for the entries of row i of the tile that begins at base, in ascending column
     * order; own becomes the element of the vector at i. */
    template <typename Vector, typename Sum>
    __device__ __forceinline__ void walk(const Vector &vector, typename Vector::scalars scalars,
                                         int64_t base, int64_t i, typename Vector::element &own,
                                         Sum &sum) const
    {
        int64_t at = base / SUM_TILE;
        const struct entries_tile &t = tile[at];
        int64_t row = at * ENTRIES_ROWS + threadIdx.x;
        own = vector.load(i);
        int64_t column = t.least[ENTRIES_MIRRORED], place = t.least[ENTRIES_PLACES];
        uint32_t end = lower_first[row + 1];
#pragma unroll 1
        for (uint32_t k = lower_first[row]; k < end; k += AT_ONCE) {
            double a[AT_ONCE];
            typename Vector::element x[AT_ONCE];
            uint32_t columns[AT_ONCE], places[AT_ONCE];
#pragma unroll
            for (int u = 0; u < AT_ONCE; u++) {
                uint32_t q = min(k + u, end - 1);
                columns[u] = number(t, ENTRIES_MIRRORED, q);
                places[u] = number(t, ENTRIES_PLACES, q);
            }
#pragma unroll
            for (int u = 0; u < AT_ONCE; u++) {
                column += k + u < end ? columns[u] : 0;
                place += k + u < end ? places[u] : 0;
                a[u] = sign * value(place);
                x[u] = vector.load(column);
            }
#pragma unroll
            for (int u = 0; u < AT_ONCE; u++)
                if (k + u < end)
                    sum.add(a[u], vector.value(scalars, x[u]));
        }
        uint32_t first = upper_first[row];
        end = upper_first[row + 1];
        place = t.value + first + threadIdx.x;
        sum.add(value(place), vector.value(scalars, own));
        column = i;
        place += 1;
        place -= first;
#pragma unroll 1
        for (uint32_t k = first; k < end; k += AT_ONCE) {
            double a[AT_ONCE];
            typename Vector::element x[AT_ONCE];
            uint32_t columns[AT_ONCE];
#pragma unroll
            for (int u = 0; u < AT_ONCE; u++) {
                uint32_t q = min(k + u, end - 1);
                columns[u] = number(t, ENTRIES_UPPER, q);
                a[u] = value(place + q);
            }
#pragma unroll
            for (int u = 0; u < AT_ONCE; u++) {
                column += k + u < end ? columns[u] : 0;
                x[u] = vector.load(column);
            }
#pragma unroll
            for (int u = 0; u < AT_ONCE; u++)
                if (k + u < end)
                    sum.add(a[u], vector.value(scalars, x[u]));
        }
    }
};

#endif
