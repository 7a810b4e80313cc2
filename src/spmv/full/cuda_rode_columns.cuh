/* Y = A X of cuda_rode for a multivector of COLUMNS columns, with the lanes' sums of
 * spmv/full/rode.h for each of them: column j has the bits of a product with that column alone.
 *
 * A thread has two neighbouring columns, so COLUMNS / 2 threads are a team that reads a row of X
 * side by side, 16 bytes a thread. A team has the entries of one lane, or of the 2 or 4 lanes that
 * are left for each where a warp has fewer teams than a part has lanes: their sums are in as many
 * pairs of registers, and their entries are neighbours. All threads of a team read the same entry,
 * which is one request.
 *
 * Moves 12 bytes an entry (8 where values are single), 8 a part, X and Y once while X's reuse stays
 * in the cache, and for each column 24 a slot. From the second-level cache come 8 COLUMNS bytes an
 * entry. So a thread has up to 8 rows of X on their way at once, and with
 * them the next 8 entries of a regular part: the sub-block pipeline of RoDe in registers, without
 * barriers. For .cu files. */
#ifndef SPMV_FULL_CUDA_RODE_COLUMNS_CUH
#define SPMV_FULL_CUDA_RODE_COLUMNS_CUH

#include "spmv/full/cuda_rode_sums.cuh"

template <int COLUMNS> struct rode_teams {
    enum {
        THREADS = COLUMNS / 2, /* of a team */
        COUNT = RODE_WARP / THREADS,
        OWN_MAX = RODE_LANES_MAX > COUNT ? RODE_LANES_MAX / COUNT : 1,
    };
};

/* COUNT neighbours, aligned as one word of 8 or 16 bytes. */
template <int COUNT, typename T> __device__ static void rode_load(const T *from, T *to)
{
    constexpr int FIT = 16 / (int)sizeof(T), AT_ONCE = COUNT < FIT ? COUNT : FIT;
#pragma unroll
    for (int e = 0; e < COUNT; e += AT_ONCE)
        cuda_load_once<AT_ONCE>(from + e, to + e);
}

/* Some entries of a team: `own` lanes have a pair each of every 16 entries. */
template <int OWN, typename Value> struct rode_entries {
    enum { PAIRS = RODE_STEP / OWN, COUNT = 2 * OWN * PAIRS };
    int32_t column[COUNT];
    Value value[COUNT];

    /* From the team's pairs `first` on, of which a lane has `count`; behind them the last ones. */
    __device__ void load(const struct rode_share &share, int first, int count,
                         const int32_t *columns, const Value *values)
    {
#pragma unroll
        for (int p = 0; p < PAIRS; p++) {
            int place = rode_regular_entry(share.lane, 2 * min(first + p, count - 1));
            rode_load<2 * OWN>(columns + place, column + p * 2 * OWN);
            rode_load<2 * OWN>(values + place, value + p * 2 * OWN);
        }
    }
};

/* A team of a regular part. X from the thread's columns on, in steps of two columns. */
template <int OWN, int COLUMNS, typename Value, typename Sum>
__device__ static void rode_add_regular(const struct rode_share &share, const int32_t *columns,
                                        const Value *values, const double2 *X,
                                        cuda_pair<Sum> (&sums)[OWN])
{
    using entries = rode_entries<OWN, Value>;
    int count = share.length / RODE_BLOCK_UNIT;
    entries next;
    next.load(share, 0, count, columns, values);
#pragma unroll 1
    for (int first = 0; first < count; first += entries::PAIRS) {
        entries now = next;
        double2 xs[entries::COUNT];
#pragma unroll
        for (int e = 0; e < entries::COUNT; e++)
            if (first + e / (2 * OWN) < count)
                xs[e] = X[now.column[e] * (int64_t)(COLUMNS / 2)];
        cuda_loads_first();
        if (first + entries::PAIRS < count)
            next.load(share, first + entries::PAIRS, count, columns, values);
        cuda_loads_first();
#pragma unroll
        for (int e = 0; e < entries::COUNT; e++)
            if (first + e / (2 * OWN) < count)
                sums[e / 2 % OWN].add_fused((Sum)now.value[e], xs[e]);
    }
}

/* A team of a residual part that is not empty. Behind the last entry the last one is loaded again,
 * and no row of X. */
template <int OWN, int COLUMNS, typename Value, typename Sum>
__device__ static void rode_add_residual(const struct rode_share &share, const int32_t *columns,
                                         const Value *values, const double2 *X,
                                         cuda_pair<Sum> (&sums)[OWN])
{
    enum { STEPS = OWN > 2 ? RODE_STEP / 2 : RODE_STEP, COUNT = STEPS * OWN };
#pragma unroll 1
    for (int first = 0; first * share.lanes < share.length; first += STEPS) {
        int32_t j[COUNT];
        Value a[COUNT];
        double2 xs[COUNT];
        int place[COUNT];
#pragma unroll
        for (int e = 0; e < COUNT; e++) {
            place[e] = rode_residual_entry(share.lanes, share.lane + e % OWN, first + e / OWN);
            j[e] = columns[min(place[e], share.length - 1)];
            a[e] = values[min(place[e], share.length - 1)];
        }
        cuda_loads_first();
#pragma unroll
        for (int e = 0; e < COUNT; e++) {
            xs[e] = {0, 0};
            if (place[e] < share.length)
                xs[e] = X[j[e] * (int64_t)(COLUMNS / 2)];
        }
        cuda_loads_first();
#pragma unroll
        for (int e = 0; e < COUNT; e++) {
            cuda_pair<Sum> next = sums[e % OWN];
            next.add_fused((Sum)a[e], xs[e]);
            if (place[e] < share.length)
                sums[e % OWN] = next;
        }
    }
}

/* The sum of a part, in its first team; all parts of a warp have teams of OWN lanes. */
template <int OWN, int COLUMNS, typename Value, typename Sum>
__device__ static cuda_pair<Sum> rode_sum_team(const struct rode_share &share,
                                               const int32_t *columns, const Value *values,
                                               const double2 *X)
{
    using teams = rode_teams<COLUMNS>;
    constexpr int SHARED = OWN * (int)teams::COUNT; /* lanes that a part may have */
    constexpr int LANES = SHARED < RODE_LANES_MAX ? SHARED : RODE_LANES_MAX;
    cuda_pair<Sum> sums[OWN] = {};
    if (share.regular) {
        if constexpr (OWN == (int)teams::OWN_MAX)
            rode_add_regular<OWN, COLUMNS>(share, columns, values, X, sums);
    } else if (share.length > 0) {
        rode_add_residual<OWN, COLUMNS>(share, columns, values, X, sums);
    }
#pragma unroll
    for (int half = LANES / 2; half >= OWN; half /= 2) {
#pragma unroll
        for (int l = 0; l < OWN; l++) {
            cuda_pair<Sum> other = sums[l].from_above(half / OWN * teams::THREADS);
            if (half < share.lanes)
                sums[l].add(other);
        }
    }
#pragma unroll
    for (int half = OWN / 2; half >= 1; half /= 2)
#pragma unroll
        for (int l = 0; l < half; l++)
            sums[l].add(sums[l + half]);
    return sums[0];
}

template <int COLUMNS, typename Value, typename Sum>
__device__ static cuda_pair<Sum> rode_sum_columns(const struct rode_share &share,
                                                  const int32_t *columns, const Value *values,
                                                  const double2 *X)
{
    constexpr int OWN_MAX = rode_teams<COLUMNS>::OWN_MAX;
    if constexpr (OWN_MAX > 1)
        if (share.own == 1)
            return rode_sum_team<1, COLUMNS, Value, Sum>(share, columns, values, X);
    if constexpr (OWN_MAX > 2)
        if (share.own == 2)
            return rode_sum_team<2, COLUMNS, Value, Sum>(share, columns, values, X);
    return rode_sum_team<OWN_MAX, COLUMNS, Value, Sum>(share, columns, values, X);
}

#endif
