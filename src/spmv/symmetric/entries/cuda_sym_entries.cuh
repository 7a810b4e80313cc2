/* One thread's walk along a row of cuda_sym_entries.h, in the frame of cuda_sym_tiles.cuh: first
 * the mirrored entries, then the diagonal and the entries right of it. What is done with the
 * products is a parameter.
 *
 * A warp reads columns, places, and the values of its own rows in one piece a step. Only what a
 * column or a place points at is gathered: x, and a value for the second time, which comes from
 * memory but once if the cache holds what lies between its two uses: it does when the rows are
 * numbered so that neighbours are near (problem.reorder = "rcm"). What is gathered comes through
 * the L2 cache in sectors of 32 bytes: that is the bound.
 *
 * The threads of a warp ask nothing of each other. They find their numbers from the counts of the
 * steps, four in a word: a sum of bytes gives the place in the list, and one addition says for all
 * four whether the row takes part. */
#ifndef SPMV_SYMMETRIC_ENTRIES_CUDA_SYM_ENTRIES_CUH
#define SPMV_SYMMETRIC_ENTRIES_CUDA_SYM_ENTRIES_CUH

#include "spmv/symmetric/cuda_sym_tiles.cuh"
#include "spmv/symmetric/entries/cuda_sym_entries.h"

/* A row's way through a list, four steps at a time. Where it takes no part in a step, place() is
 * that of another row's number, or at most ENTRIES_SLICE - 1 behind the list. */
struct entries_way {
    enum { AT_ONCE = ENTRIES_COUNTS };
    uint32_t more, counts, key, at;

    /* A count is at most 32 and a rank at most 31: bit 7 of count + 127 - rank says which is
     * greater. */
    __device__ entries_way(const struct entries_slice &slice, int list, uint32_t rank)
        : more(slice.more[list]), counts(slice.steps[list]), key((127 - rank) * 0x01010101u),
          at(slice.first[list] + rank)
    {
    }
    __device__ bool active(int step) const
    {
        return (counts + key) >> (8 * step + 7) & 1;
    }
    __device__ uint32_t place(int step) const
    {
        return step ? __dp4a(counts, 0x01010101u >> 8 * (AT_ONCE - step), at) : at;
    }
    /* The counts of the next four steps; 0, in which no row is active, behind a row's last. */
    __device__ uint32_t ahead(const uint32_t *steps)
    {
        return active(AT_ONCE - 1) ? steps[more++] : 0;
    }
    __device__ void advance(uint32_t next)
    {
        at = place(AT_ONCE);
        counts = next;
    }
};

/* Or the compiler adds the parts of an address anew for every entry, in 64 bits. */
template <typename T> __device__ const T *entries_from(const T *list)
{
    asm volatile("" : "+l"(list));
    return list;
}

/* What stands for a value that is not read. Of a double its own address: then no register has to be
 * set apart for both. */
__device__ inline double entries_unread(const double *from)
{
    return __longlong_as_double((long long)from);
}
__device__ inline float entries_unread(const float *)
{
    return 0;
}
__device__ inline uint8_t entries_unread(const uint8_t *)
{
    return 0;
}
__device__ inline uint16_t entries_unread(const uint16_t *)
{
    return 0;
}

template <int WIDTH> struct entries_code {
    typedef double type;
};
template <> struct entries_code<1> {
    typedef uint8_t type;
};
template <> struct entries_code<2> {
    typedef uint16_t type;
};

template <> struct entries_code<VALUE_DICTIONARY_SINGLES> {
    typedef float type;
};

/* WIDTH is that of the codes, Number the type of what is multiplied, and of the table. The walk
 * leaves a list after MOST entries, if not 0. A kernel's Rows derive from this, and add `multiply`.
 */
template <int WIDTH, typename Number = double, int MOST = 0> struct entries_rows {
    enum { PLANES = 0 };
    enum { AT_ONCE = entries_way::AT_ONCE }; /* entries that are on their way together */
    typedef typename entries_code<WIDTH>::type code;
    int64_t n;
    int flip; /* of a mirrored value: the sign's bit of a skew-symmetric matrix */
    const code *values;
    const Number *table;
    const struct entries_tile *tile;
    const uint8_t *ranks;
    const uint16_t *columns;
    const uint32_t *places, *steps;

    explicit entries_rows(const struct cuda_entries *kept)
        : n(kept->n), flip(kept->skew ? INT32_MIN : 0), values((const code *)kept->values),
          table((const Number *)kept->table), tile(kept->tile), ranks(kept->ranks),
          columns(kept->columns), places(kept->places), steps(kept->steps)
    {
    }
    size_t shared_bytes() const
    {
        return 0;
    }
    __device__ void begin(double *) const
    {
    }

    __device__ Number value(code c) const
    {
        if constexpr (WIDTH == 0 || WIDTH == VALUE_DICTIONARY_SINGLES)
            return c;
        else
            return __ldg(table + c);
    }

    /* A value as its mirror image. */
    __device__ Number mirrored(Number a) const
    {
        return tiles_flip(a, flip);
    }

    /* The mirrored entries. Indices are loaded whether the row takes part or not: they lie in one
     * piece, and the next step's behind them. What they point at is not. */
    template <typename Column, typename Vector, typename Sum>
    __device__ __forceinline__ void left(const Vector &vector, typename Vector::scalars scalars,
                                         const struct entries_tile &t, struct entries_way way,
                                         Sum &sum) const
    {
        const Column *list = entries_from((const Column *)(columns + t.columns[ENTRIES_MIRRORED]));
        const uint32_t *from = entries_from(places + t.places);
        const code *kept = entries_from(values + t.least_place);
        uint32_t column = (uint32_t)t.least_column;
#pragma unroll 1
        for (int k = 0; way.active(0) && (!MOST || k < MOST); k += AT_ONCE) {
            typename Vector::element x[AT_ONCE];
            code c[AT_ONCE];
            uint32_t step[AT_ONCE], place[AT_ONCE], next = way.ahead(steps);
#pragma unroll
            for (int u = 0; u < AT_ONCE; u++) {
                step[u] = __ldcs(list + way.place(u));
                place[u] = __ldcs(from + way.place(u));
            }
#pragma unroll
            for (int u = 0; u < AT_ONCE; u++) {
                c[u] = entries_unread(kept + place[u]);
                x[u] = {};
                if (way.active(u)) {
                    column += step[u];
                    c[u] = __ldg(kept + place[u]);
                    x[u] = vector.load(column);
                }
            }
            Number a[AT_ONCE];
#pragma unroll
            for (int u = 0; u < AT_ONCE; u++)
                a[u] = mirrored(value(c[u]));
#pragma unroll
            for (int u = 0; u < AT_ONCE; u++)
                if (way.active(u))
                    sum.add(a[u], vector.value(scalars, x[u]));
            way.advance(next);
        }
    }

    /* Those right of the diagonal, values and columns of which lie from `kept` and in the list
     * alike. */
    template <typename Column, typename Vector, typename Sum>
    __device__ __forceinline__ void right(const Vector &vector, typename Vector::scalars scalars,
                                          const struct entries_tile &t, const code *kept,
                                          uint32_t column, struct entries_way way, Sum &sum) const
    {
        const Column *list = entries_from((const Column *)(columns + t.columns[ENTRIES_UPPER]));
        kept = entries_from(kept);
#pragma unroll 1
        for (int k = 0; way.active(0) && (!MOST || k < MOST); k += AT_ONCE) {
            typename Vector::element x[AT_ONCE];
            code c[AT_ONCE];
            uint32_t step[AT_ONCE], next = way.ahead(steps);
#pragma unroll
            for (int u = 0; u < AT_ONCE; u++)
                step[u] = __ldcs(list + way.place(u));
#pragma unroll
            for (int u = 0; u < AT_ONCE; u++)
                c[u] = __ldg(kept + way.place(u));
#pragma unroll
            for (int u = 0; u < AT_ONCE; u++) {
                x[u] = {};
                if (way.active(u)) {
                    column += step[u];
                    x[u] = vector.load(column);
                }
            }
            Number a[AT_ONCE];
#pragma unroll
            for (int u = 0; u < AT_ONCE; u++)
                a[u] = value(c[u]);
#pragma unroll
            for (int u = 0; u < AT_ONCE; u++)
                if (way.active(u))
                    sum.add(a[u], vector.value(scalars, x[u]));
            way.advance(next);
        }
    }

    /* The tile of the thread's row, of the rows from base on, and the row's slice and lane in it;
     * made anew at each call, lest they stay in registers where all of these are needed. */
    template <typename Vector>
    __device__ const struct entries_tile &here(const Vector &vector, int64_t base, uint32_t &number,
                                               uint32_t &lane) const
    {
        uint32_t thread = threadIdx.x, first = (uint32_t)base;
        asm volatile("" : "+r"(thread), "+r"(first));
        uint32_t row = thread >> tiles_shift(vector);
        if (tiles_sum<typename Vector::sum>::SEVERAL) /* else base is where the tile begins */
            row += first % SUM_TILE;
        number = row / ENTRIES_SLICE;
        lane = row % ENTRIES_SLICE;
        return tile[first / SUM_TILE];
    }

    /* sum.add(a, x) for the entries of row i, one of those from base on, in ascending column order;
     * own becomes the element of the vector at i. */
    template <typename Vector, typename Sum>
    __device__ __forceinline__ void walk(const Vector &vector, typename Vector::scalars scalars,
                                         int64_t base, int64_t i, typename Vector::element &own,
                                         Sum &sum) const
    {
        {
            uint32_t number, lane;
            const struct entries_tile &t = here(vector, base, number, lane);
            struct entries_way way(t.slice[number], ENTRIES_MIRRORED,
                                   ranks[2 * i + ENTRIES_MIRRORED]);
            if (t.wide >> ENTRIES_MIRRORED & 1)
                left<uint32_t>(vector, scalars, t, way, sum);
            else
                left<uint16_t>(vector, scalars, t, way, sum);
        }
        uint32_t number, lane;
        const struct entries_tile &t = here(vector, base, number, lane);
        const struct entries_slice &slice = t.slice[number];
        const code *kept = values + t.values + number * ENTRIES_SLICE;
        own = vector.load(i);
        sum.add(value(kept[slice.first[ENTRIES_UPPER] + lane]), vector.value(scalars, own));
        kept += min((uint32_t)(n - i) + lane, (uint32_t)ENTRIES_SLICE);
        struct entries_way way(slice, ENTRIES_UPPER, ranks[2 * i + ENTRIES_UPPER]);
        if (t.wide >> ENTRIES_UPPER & 1)
            right<uint32_t>(vector, scalars, t, kept, (uint32_t)i, way, sum);
        else
            right<uint16_t>(vector, scalars, t, kept, (uint32_t)i, way, sum);
    }
};

#endif
