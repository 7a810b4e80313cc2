/* Products of long rows with several columns at once, by the lists of cuda_sym_entries.h. A thread
 * that walks a row of thousands of entries waits for memory once for every few of them, and all
 * others for it. Here a block makes a row: most of its threads find the next entries and bring
 * their rows of X into shared memory, while one warp adds those that are there, in the same chain.
 *
 * The walk of cuda_sym_entries.cuh leaves these rows after LONG_ROW entries of either list, and
 * what it wrote is then written again: long rows are made behind it. For .cu files. */
#ifndef SPMV_SYMMETRIC_ENTRIES_CUDA_SYM_LONG_CUH
#define SPMV_SYMMETRIC_ENTRIES_CUDA_SYM_LONG_CUH

#include "space/cuda/cuda_setup.cuh"
#include "spmv/symmetric/entries/cuda_sym_entries.cuh"

enum {
    LONG_ROW = 128,                  /* a row with more entries in a list than that is long */
    LONG_AT_ONCE = 128,              /* entries, and threads that find them */
    LONG_THREADS = LONG_AT_ONCE + 32 /* and a warp that adds */
};
static_assert(LONG_ROW % (int)entries_way::AT_ONCE == 0, "the walk counts its turns");

struct long_row {
    int32_t row;
    uint32_t length[ENTRIES_LISTS];
};

struct long_rows {
    int64_t count;
    struct long_row *row; /* [count], in no order */
};

/* Lists the long rows, or counts them when there is no list. */
template <int WIDTH, typename Number>
__global__ static void __launch_bounds__(THREADS)
    find_long_rows(const __grid_constant__ entries_rows<WIDTH, Number> rows, struct long_row *list,
                   unsigned long long *count)
{
    int64_t i = own_row();
    if (i >= rows.n)
        return;
    const struct entries_slice &slice = rows.tile[i / SUM_TILE].slice[i % SUM_TILE / ENTRIES_SLICE];
    struct long_row found = {(int32_t)i, {}};
    for (int l = 0; l < ENTRIES_LISTS; l++) {
        struct entries_way way(slice, l, rows.ranks[ENTRIES_LISTS * i + l]);
        while (way.active(0)) {
            for (int u = 0; u < way.AT_ONCE; u++)
                found.length[l] += way.active(u);
            way.advance(way.ahead(rows.steps));
        }
    }
    if (max(found.length[0], found.length[1]) <= LONG_ROW)
        return;
    unsigned long long place = atomicAdd(count, 1ull);
    if (list)
        list[place] = found;
}

template <int WIDTH, typename Number>
static enum status long_rows_find(struct space_cuda *space, const struct cuda_entries *entries,
                                  struct long_rows *made, struct error *error)
{
    static const char *const what = "the list of long rows";
    entries_rows<WIDTH, Number> rows(entries);
    unsigned long long *count = NULL, here = 0;
    *made = {};
    enum status status = zeros(space, 1, sizeof *count, what, (void **)&count, error);
    if (!status) {
        find_long_rows<<<blocks_for(rows.n), THREADS, 0, space->stream>>>(rows, NULL, count);
        status = bring(space, what, count, &here, error);
    }
    if (!status && here > 0) {
        status =
            cuda_array(space, (int64_t)here, sizeof *made->row, what, (void **)&made->row, error);
        if (!status)
            status =
                cuda_check(cudaMemsetAsync(count, 0, sizeof *count, space->stream), what, error);
        if (!status) {
            find_long_rows<<<blocks_for(rows.n), THREADS, 0, space->stream>>>(rows, made->row,
                                                                              count);
            status = cuda_check_launch(what, error);
        }
        made->count = (int64_t)here;
    }
    cuda_free(space, count);
    return status;
}

/* ---- a product ------------------------------------------------------------------------------- */

__device__ inline void long_meet()
{
    asm volatile("bar.sync 1, %0;" ::"n"((int)LONG_AT_ONCE) : "memory");
}

/* By the finding threads: the sum of the numbers of those up to and with this one, and of all. */
__device__ inline uint32_t long_scan(uint32_t number, uint32_t *warps, uint32_t *all)
{
    uint32_t thread = threadIdx.x, lane = thread % WARP, sum = number;
#pragma unroll
    for (int d = 1; d < WARP; d *= 2) {
        uint32_t below = __shfl_up_sync(~0u, sum, d);
        sum += lane >= d ? below : 0;
    }
    if (lane == WARP - 1)
        warps[thread / WARP] = sum;
    long_meet();
    *all = 0;
#pragma unroll
    for (uint32_t w = 0; w < (int)LONG_AT_ONCE / WARP; w++) {
        sum += w < thread / WARP ? warps[w] : 0;
        *all += warps[w];
    }
    long_meet();
    return sum;
}

template <typename Sum> struct long_shared {
    Sum a[2][LONG_AT_ONCE];
    uint32_t column[LONG_AT_ONCE], warps[(int)LONG_AT_ONCE / WARP];
};

/* How the finding threads go on in a row: its lists, first the mirrored entries, then the diagonal,
 * then the upper ones. */
template <int WIDTH, typename Sum> struct long_walk {
    typedef entries_rows<WIDTH, Sum> Rows;
    typedef typename Rows::code code;
    const Rows &rows;
    const struct long_row row;
    const struct entries_tile &tile;
    uint32_t slice, done, at, column;

    __device__ long_walk(const Rows &of, struct long_row found)
        : rows(of), row(found), tile(of.tile[found.row / SUM_TILE]),
          slice(found.row % SUM_TILE / ENTRIES_SLICE), done(0),
          at(tile.slice[slice].first[ENTRIES_MIRRORED]), column((uint32_t)tile.least_column)
    {
    }
    __device__ static uint32_t turns(uint32_t length)
    {
        return (length + LONG_AT_ONCE - 1) / LONG_AT_ONCE;
    }
    __device__ uint32_t turns() const
    {
        return turns(row.length[ENTRIES_MIRRORED]) + 1 + turns(row.length[ENTRIES_UPPER]);
    }
    /* Entries of a turn. */
    __device__ uint32_t count(uint32_t turn) const
    {
        uint32_t first = turns(row.length[ENTRIES_MIRRORED]);
        if (turn == first)
            return 1;
        uint32_t left = turn < first
                            ? row.length[ENTRIES_MIRRORED] - turn * LONG_AT_ONCE
                            : row.length[ENTRIES_UPPER] - (turn - first - 1) * LONG_AT_ONCE;
        return min(left, (uint32_t)LONG_AT_ONCE);
    }
    /* The next entries of a list. */
    template <int list, typename Column>
    __device__ void step(const code *kept, struct long_shared<Sum> &shared, int buffer)
    {
        uint32_t thread = threadIdx.x, s = done + thread, all, taken = 0, ahead = 0;
        uint32_t rank = rows.ranks[ENTRIES_LISTS * (int64_t)row.row + list];
        const struct entries_slice &of = tile.slice[slice];
        bool here = s < row.length[list];
        if (here) {
            uint32_t word = s / ENTRIES_COUNTS;
            uint32_t counts = word == 0 ? of.steps[list] : rows.steps[of.more[list] + word - 1];
            taken = counts >> 8 * (s % ENTRIES_COUNTS) & 0xff;
        }
        uint32_t place = at + long_scan(taken, shared.warps, &all) - taken + rank;
        at += all;
        const Column *columns = (const Column *)(rows.columns + tile.columns[list]);
        code c = {};
        if (here) {
            ahead = columns[place];
            c = list == ENTRIES_MIRRORED ? kept[rows.places[tile.places + place]] : kept[place];
        }
        uint32_t j = column + long_scan(ahead, shared.warps, &all);
        column += all;
        if (here) {
            Sum a = rows.value(c);
            shared.a[buffer][thread] = list == ENTRIES_MIRRORED ? rows.mirrored(a) : a;
            shared.column[thread] = j;
        }
        done += LONG_AT_ONCE;
    }
    template <int list>
    __device__ void step(const code *kept, struct long_shared<Sum> &shared, int buffer)
    {
        if (tile.wide >> list & 1)
            step<list, uint32_t>(kept, shared, buffer);
        else
            step<list, uint16_t>(kept, shared, buffer);
    }
    /* Where the values of the row's slice are. */
    __device__ const code *own() const
    {
        return rows.values + tile.values + slice * ENTRIES_SLICE;
    }
    /* The entries of that turn, all turns being taken one after the other. */
    __device__ void find(uint32_t turn, struct long_shared<Sum> &shared, int buffer)
    {
        uint32_t first = turns(row.length[ENTRIES_MIRRORED]);
        if (turn < first) {
            step<ENTRIES_MIRRORED>(rows.values + tile.least_place, shared, buffer);
        } else if (turn == first) {
            uint32_t lane = row.row % SUM_TILE % ENTRIES_SLICE;
            at = tile.slice[slice].first[ENTRIES_UPPER];
            done = 0;
            column = (uint32_t)row.row;
            if (threadIdx.x == 0) {
                shared.a[buffer][0] = rows.value(own()[at + lane]);
                shared.column[0] = column;
            }
        } else {
            int64_t left = rows.n - (row.row - row.row % SUM_TILE % ENTRIES_SLICE);
            step<ENTRIES_UPPER>(own() + min(left, (int64_t)ENTRIES_SLICE), shared, buffer);
        }
    }
};

static inline size_t long_rows_bytes(int stride)
{
    return (size_t)2 * LONG_AT_ONCE * stride * sizeof(double);
}

/* A block makes a row of Y, of `stride` columns. */
template <int WIDTH, typename Sum, typename Real>
__global__ static void __launch_bounds__(LONG_THREADS)
    multiply_long_rows(const __grid_constant__ entries_rows<WIDTH, Sum> rows,
                       const struct long_row *list, const Real *X, Real *Y, int stride,
                       const int64_t *ended)
{
    extern __shared__ __align__(16) double room[];
    Real *x = (Real *)room; /* [2][LONG_AT_ONCE][stride] */
    __shared__ struct long_shared<Sum> shared;
    if (ended && *ended)
        return;
    struct long_walk<WIDTH, Sum> walk(rows, list[blockIdx.x]);
    uint32_t turns = walk.turns(), length = LONG_AT_ONCE * stride;
    bool adds = threadIdx.x >= LONG_AT_ONCE;
    uint32_t lane = threadIdx.x - LONG_AT_ONCE;
    Sum sum = 0;
    /* What is found in a turn is added in the next one. */
#pragma unroll 1
    for (uint32_t turn = 0; turn <= turns; turn++) {
        if (!adds && turn < turns) {
            int buffer = turn % 2;
            walk.find(turn, shared, buffer);
            long_meet();
            uint32_t parts = stride / 2, pairs = walk.count(turn) * parts;
            uint32_t to = (uint32_t)__cvta_generic_to_shared(x + buffer * length);
#pragma unroll 4
            for (uint32_t m = threadIdx.x; m < pairs; m += LONG_AT_ONCE)
                tiles_bring_pair(to + 2 * (uint32_t)sizeof(Real) * m,
                                 X + (int64_t)shared.column[m / parts] * stride + m % parts * 2,
                                 true);
            asm volatile("cp.async.wait_all;" ::: "memory");
        } else if (adds && turn > 0 && lane < stride) {
            int buffer = (turn - 1) % 2;
            uint32_t count = walk.count(turn - 1);
            const Real *from = x + buffer * length + lane;
#pragma unroll 8
            for (uint32_t k = 0; k < count; k++)
                sum = fma(shared.a[buffer][k], (Sum)from[k * stride], sum);
        }
        __syncthreads();
    }
    if (adds && lane < stride)
        Y[(int64_t)list[blockIdx.x].row * stride + lane] = (Real)sum;
}

#endif
