/* Y = A X of cuda_rode for a multivector of COLUMNS columns, with the lanes' sums of
 * spmv/baseline/rode.h for each of them: column j has the bits of a product with that column alone.
 *
 * A thread has two neighbouring columns, so COLUMNS / 2 threads are a team that reads a row of X
 * side by side, 16 bytes a thread. A team has all 8 lanes of a part, their sums in as many pairs
 * of registers. With 2 or 4 columns it has 2 or 4 lanes, so that a warp has at most 8 regular parts
 * at a time. Neighbouring parts of a class are often of rows with the same columns, as those of the
 * unknowns of one node: then the teams of a warp ask for the same rows of X in one request.
 *
 * With the pipeline: a warp copies sub-blocks of 32 entries, one of each of its parts, to shared
 * memory asynchronously, into two buffers in turn: the next ones are on their way while these are
 * multiplied. A warp's parts are neighbours, so it goes on from one round to the next without a
 * gap. Residual parts are a sub-block each, if they are no longer. It is the pipeline of RoDe (Pang
 * et al., PPoPP 2024), but with buffers of its own for each warp, so no warp waits for another.
 * Without it a team loads its entries itself, 8 at a time, and waits for them. On an H100 the
 * pipeline was 1.4 times as fast with 8 columns, and 1.6 times with 32 (docs/kernels.md).
 *
 * Moves 12 bytes an entry (8 where values are single), 8 a part, X and Y once while X's reuse stays
 * in the cache, and for each column 24 a slot. A thread has up to 8 rows of X on
 * their way at once. With the pipeline it has 4 of a regular part, but a multiprocessor has more
 * threads. For .cu files. */
#ifndef SPMV_BASELINE_CUDA_RODE_COLUMNS_CUH
#define SPMV_BASELINE_CUDA_RODE_COLUMNS_CUH

#include "spmv/baseline/cuda_rode_sums.cuh"

enum {
    RODE_COLUMNS_THREADS = 128, /* of a block */
    RODE_COLUMNS_WARPS = RODE_COLUMNS_THREADS / (int)RODE_WARP,
    RODE_SUB_BLOCK = 32, /* entries of a part in a buffer */
};

/* What a warp is like, and what a thread has on its way at once: the fastest on an H100. */
template <int COLUMNS_, bool PIPELINED_> struct rode_teams {
    enum {
        COLUMNS = COLUMNS_,
        PIPELINED = PIPELINED_,
        THREADS = COLUMNS / 2, /* of a team */
        COUNT = RODE_WARP / THREADS,
        OWN_MAX = COLUMNS < RODE_LANES_MAX ? COLUMNS : (int)RODE_LANES_MAX, /* lanes of a team */
        EACH = COUNT * OWN_MAX / RODE_LANES_MAX, /* regular parts of a warp at a time */
        BATCH = PIPELINED ? 4 : 8,  /* rows of X of a thread on their way, or one a lane */
        BLOCKS = PIPELINED ? 4 : 3, /* of a multiprocessor at least */
    };
    /* A class has 2048 warps before a warp has more than one round. */
    CGSOLVE_HOST_AND_DEVICE static constexpr rode_form form()
    {
        return {COUNT, OWN_MAX, 4, 2048};
    }
};

/* A warp's sub-blocks. Of regular parts they begin 16 bytes further apart than they are long, so
 * that teams find theirs in different banks; those of residual parts are without gaps. */
template <int EACH, typename Value> struct rode_stage {
    enum {
        WORD = 16, /* bytes of a copy */
        COLUMN_STEP = RODE_SUB_BLOCK + WORD / (int)sizeof(int32_t),
        VALUE_STEP = RODE_SUB_BLOCK + WORD / (int)sizeof(Value),
    };
    alignas(WORD) int32_t columns[RODE_BUFFERS][EACH * COLUMN_STEP];
    alignas(WORD) Value values[RODE_BUFFERS][EACH * VALUE_STEP];
};

/* A lane's share of copying `count` entries, 16 or 32, of each of `parts` parts, which begin
 * `length` entries apart. */
template <int EACH, int STEP, typename T>
__device__ static void rode_copy_blocks(T *to, const T *from, int parts, int length, int count)
{
    enum { AT_ONCE = 16 / (int)sizeof(T), WORDS = RODE_SUB_BLOCK / AT_ONCE };
    int lane = (int)threadIdx.x % RODE_WARP;
#pragma unroll 1
    for (int first = 0; first < EACH * WORDS; first += RODE_WARP) {
        int part = (first + lane) / WORDS, entry = (first + lane) % WORDS * AT_ONCE;
        if (part < parts && entry < count)
            __pipeline_memcpy_async(to + part * STEP + entry, from + part * length + entry, 16);
    }
}

/* What a warp sends for next. */
template <bool REGULAR, int EACH, typename Value> struct rode_sender {
    using buffers = rode_stage<EACH, Value>;
    buffers &stage;
    const int32_t *columns; /* of the warp's first part, */
    const Value *values;    /* and its values */
    int round = 0, sub = 0, buffer = 0;

    /* The next sub-blocks, or after the last ones a batch of none. */
    __device__ void send(const struct rode_share &share)
    {
        int parts = min(share.each, share.parts - round * share.each);
        if (parts > 0) {
            int first = round * share.each * share.length + sub * RODE_SUB_BLOCK;
            if constexpr (REGULAR) {
                int count = min((int)RODE_SUB_BLOCK, share.length - sub * RODE_SUB_BLOCK);
                rode_copy_blocks<EACH, buffers::COLUMN_STEP>(stage.columns[buffer], columns + first,
                                                             parts, share.length, count);
                rode_copy_blocks<EACH, buffers::VALUE_STEP>(stage.values[buffer], values + first,
                                                            parts, share.length, count);
            } else {
                for (int e = (int)threadIdx.x % RODE_WARP; e < parts * share.length;
                     e += RODE_WARP) {
                    __pipeline_memcpy_async(stage.columns[buffer] + e, columns + first + e,
                                            sizeof *columns);
                    __pipeline_memcpy_async(stage.values[buffer] + e, values + first + e,
                                            sizeof *values);
                }
            }
        }
        __pipeline_commit();
        buffer = (buffer + 1) % RODE_BUFFERS;
        sub++;
        if (!REGULAR || sub * RODE_SUB_BLOCK >= share.length) {
            sub = 0;
            round++;
        }
    }
};

/* COUNT neighbours, aligned as words of 8 or 16 bytes: of a buffer, or of the matrix. These take
 * their place in the first-level cache, where the other half of their sector is asked for next. */
template <int COUNT, typename T> __device__ static void rode_load(const T *from, T *to)
{
    constexpr int FIT = 16 / (int)sizeof(T), AT_ONCE = COUNT < FIT ? COUNT : FIT;
    struct alignas(AT_ONCE * sizeof(T)) word {
        T of[AT_ONCE];
    };
#pragma unroll
    for (int e = 0; e < COUNT; e += AT_ONCE) {
        word loaded = *(const word *)(from + e);
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++)
            to[e + k] = loaded.of[k];
    }
}

/* A team's entries of a sub-block of a regular part, 16 or 32 entries from `columns` and `values`
 * on. X from the thread's columns on, in steps of two columns. */
template <int OWN, typename Teams, typename Value, typename Sum>
__device__ static void rode_add_regular(int lane, int count, const int32_t *columns,
                                        const Value *values, const double2 *X,
                                        cuda_pair<Sum> (&sums)[OWN])
{
    enum {
        WIDTH = 2 * OWN, /* the team's of 16 entries */
        GROUPS = WIDTH < (int)Teams::BATCH ? 2 : 1,
        BATCH = GROUPS * WIDTH < (int)Teams::BATCH ? GROUPS * WIDTH : (int)Teams::BATCH,
    };
#pragma unroll 1
    for (int group = 0; group < count / RODE_BLOCK_UNIT; group += GROUPS) {
#pragma unroll
        for (int first = 0; first < GROUPS * WIDTH; first += BATCH) {
            int32_t j[BATCH];
            Value a[BATCH];
            double2 xs[BATCH];
            constexpr int TOGETHER = BATCH < WIDTH ? (int)BATCH : (int)WIDTH;
            auto is_there = [&](int e) {
                return GROUPS == 1 || (group + e / WIDTH) * RODE_BLOCK_UNIT < count;
            };
#pragma unroll
            for (int e = 0; e < BATCH; e += TOGETHER) {
                int place = (group + (first + e) / WIDTH) * RODE_BLOCK_UNIT +
                            rode_regular_entry(lane, 0) + (first + e) % WIDTH;
                if (is_there(first + e)) {
                    rode_load<TOGETHER>(columns + place, j + e);
                    rode_load<TOGETHER>(values + place, a + e);
                }
            }
#pragma unroll
            for (int e = 0; e < BATCH; e++)
                if (is_there(first + e))
                    xs[e] = X[j[e] * (int64_t)Teams::THREADS];
            cuda_loads_first();
#pragma unroll
            for (int e = 0; e < BATCH; e++)
                if (is_there(first + e))
                    sums[(first + e) / 2 % OWN].add_fused((Sum)a[e], xs[e]);
        }
    }
}

/* A team's entries of a residual part. Behind the last one the last one is loaded again, and no row
 * of X. */
template <int OWN, typename Teams, typename Value, typename Sum>
__device__ static void rode_add_residual(const struct rode_share &share, const int32_t *columns,
                                         const Value *values, const double2 *X,
                                         cuda_pair<Sum> (&sums)[OWN])
{
    enum {
        LEAST = OWN < (int)Teams::BATCH ? (int)Teams::BATCH : OWN, /* each lane has one or more */
        STEPS = OWN == 1 ? (int)RODE_STEP : LEAST / OWN,           /* one lane has no more */
        COUNT = STEPS * OWN,
    };
#pragma unroll 1
    for (int first = 0; first * share.lanes < share.length; first += STEPS) {
        int32_t j[COUNT];
        Value a[COUNT];
        double2 xs[COUNT];
        auto place = [&](int e) {
            return rode_residual_entry(share.lanes, share.lane + e % OWN, first + e / OWN);
        };
#pragma unroll
        for (int e = 0; e < COUNT; e++) {
            j[e] = columns[min(place(e), share.length - 1)];
            a[e] = values[min(place(e), share.length - 1)];
        }
        cuda_loads_first();
#pragma unroll
        for (int e = 0; e < COUNT; e++) {
            xs[e] = {0, 0};
            if (place(e) < share.length)
                xs[e] = X[j[e] * (int64_t)Teams::THREADS];
        }
        cuda_loads_first();
#pragma unroll
        for (int e = 0; e < COUNT; e++)
            if (place(e) < share.length)
                sums[e % OWN].add_fused((Sum)a[e], xs[e]);
    }
}

/* The sum of a part, in its first team, from its lanes' sums. */
template <int OWN, typename Teams, typename Sum>
__device__ static cuda_pair<Sum> rode_add_lanes(int lanes, cuda_pair<Sum> (&sums)[OWN])
{
    constexpr int LANES = OWN < (int)Teams::OWN_MAX ? OWN : (int)RODE_LANES_MAX; /* at most */
#pragma unroll
    for (int half = LANES / 2; half >= OWN; half /= 2) {
#pragma unroll
        for (int l = 0; l < OWN; l++) {
            cuda_pair<Sum> other = sums[l].from_above(half / OWN * Teams::THREADS);
            if (half < lanes)
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

/* All parts of a warp, teams of OWN lanes: begin(round), and end(the sum of a part, in its first
 * team). columns and values are those of the warp's first part. */
template <bool STAGED, bool REGULAR, int OWN, typename Teams, typename Sum, int EACH,
          typename Value, typename Begin, typename End>
__device__ static void rode_walk(const struct rode_share &share, rode_stage<EACH, Value> &stage,
                                 const int32_t *columns, const Value *values, const double2 *X,
                                 Begin begin, End end)
{
    constexpr int COLUMN_STEP = rode_stage<EACH, Value>::COLUMN_STEP;
    constexpr int VALUE_STEP = rode_stage<EACH, Value>::VALUE_STEP;
    rode_sender<REGULAR, EACH, Value> sender = {stage, columns, values};
    if constexpr (STAGED)
        for (int b = 0; b < RODE_BUFFERS; b++)
            sender.send(share);
    int rounds = rode_rounds(&share);
#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
        cuda_pair<Sum> sums[OWN] = {};
        int member = rode_member(&share, round), first = member * share.length;
        int in_buffer = member - round * share.each;
        begin(round);
        int sub = 0;
#pragma unroll 1
        do {
            const int32_t *j = columns + first + sub;
            const Value *a = values + first + sub;
            if constexpr (STAGED) {
                j = stage.columns[sender.buffer] +
                    in_buffer * (REGULAR ? COLUMN_STEP : share.length);
                a = stage.values[sender.buffer] + in_buffer * (REGULAR ? VALUE_STEP : share.length);
                __pipeline_wait_prior(RODE_BUFFERS - 1);
                __syncwarp(); /* all lanes' copies are there */
            }
            if constexpr (REGULAR)
                rode_add_regular<OWN, Teams, Value, Sum>(
                    share.lane, min((int)RODE_SUB_BLOCK, share.length - sub), j, a, X, sums);
            else
                rode_add_residual<OWN, Teams, Value, Sum>(share, j, a, X, sums);
            if constexpr (STAGED) {
                __syncwarp(); /* all lanes have read them */
                sender.send(share);
            }
            sub += RODE_SUB_BLOCK;
        } while (REGULAR && sub < share.length);
        end(rode_add_lanes<OWN, Teams>(share.lanes, sums));
    }
}

/* A warp's parts, of whatever class they are. */
template <typename Teams, typename Sum, int EACH, typename Value, typename Begin, typename End>
__device__ static void rode_walk_columns(const struct rode_share &share,
                                         rode_stage<EACH, Value> &stage, const int32_t *columns,
                                         const Value *values, const double2 *X, Begin begin,
                                         End end)
{
    constexpr int OWN_MAX = Teams::OWN_MAX;
    constexpr bool PIPELINED = Teams::PIPELINED;
    auto residual = [&]<bool STAGED, int OWN>() {
        rode_walk<STAGED, false, OWN, Teams, Sum>(share, stage, columns, values, X, begin, end);
    };
    if (share.regular)
        return rode_walk<PIPELINED, true, OWN_MAX, Teams, Sum>(share, stage, columns, values, X,
                                                               begin, end);
    if (PIPELINED && share.length > RODE_SUB_BLOCK)
        return residual.template operator()<false, OWN_MAX>();
    if constexpr (OWN_MAX > 1)
        if (share.own == 1)
            return residual.template operator()<PIPELINED, 1>();
    if constexpr (OWN_MAX > 2)
        if (share.own == 2)
            return residual.template operator()<PIPELINED, 2>();
    if constexpr (OWN_MAX > 4)
        if (share.own == 4)
            return residual.template operator()<PIPELINED, 4>();
    residual.template operator()<PIPELINED, OWN_MAX>();
}

#endif
