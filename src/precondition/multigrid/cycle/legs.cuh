/* The kernels of legs.h. A warp has lines of 64 points along x, 2 for a lane, and a thread 4 rows
 * along y. The outer two points of a block's region are its halo. A block marches through the planes
 * k of its chunk along z, and keeps in registers what it has of three of them:
 *
 *     down    d of k,  x of k - 1,  the residual of k - 2
 *     up      x + P x_c of k,  r and d of k - 1,  the new x of k - 2
 *
 * The chain of a row (spmv/symmetric/sym_order.h) begins when its plane is the newest, up to the
 * neighbour along +y, and ends with that of the next plane. Neighbours along x come by shuffles,
 * those along y from registers or, at the edge of a warp's rows, from shared memory: warps meet
 * once for each plane, each only its two neighbours. Outside of the grid all numbers are 0, so the
 * entries there make no difference.
 *
 * Vectors come ahead of their plane, through shared memory. Their arrays are aligned to two numbers. */
#ifndef PRECONDITION_MULTIGRID_CYCLE_LEGS_CUH
#define PRECONDITION_MULTIGRID_CYCLE_LEGS_CUH

#include "precondition/multigrid/cycle/legs.h"
#include "space/cuda/cuda.h"

#include <type_traits>

enum {
    LEGS_LANES = 32,
    LEGS_WARPS = 8,
    LEGS_THREADS = LEGS_LANES * LEGS_WARPS,
    LEGS_EACH = 4,              /* rows of a thread */
    LEGS_WIDE = 2 * LEGS_LANES, /* of a region, with its halo */
    LEGS_HIGH = LEGS_EACH * LEGS_WARPS,
    LEGS_HALO = 2,
    LEGS_ON_WAY = 3, /* planes of a vector, one of them in use */
    LEGS_NUMBERS = 8 /* of a row in the table: its entries -z -y -x 0 +x +y +z, and 1 / a_ii */
};

static_assert(LEGS_X == LEGS_WIDE - 2 * LEGS_HALO && LEGS_Y == LEGS_HIGH - 2 * LEGS_HALO, "");

template <typename Number> struct legs_two;
template <> struct legs_two<double> {
    typedef double2 type;
};
template <> struct legs_two<float> {
    typedef float2 type;
};
template <typename Number> using legs_pair = typename legs_two<Number>::type;

/* A region's place, in the order of launches and of marks. */
struct legs_grid {
    int n[3];
    int wide, regions; /* regions along x, and in a plane */
    int planes;        /* of a chunk */

    __host__ __device__ int64_t plane() const
    {
        return (int64_t)n[0] * n[1];
    }
    __host__ __device__ int x(int region) const
    {
        return region % wide * LEGS_X - LEGS_HALO;
    }
    __host__ __device__ int y(int region) const
    {
        return region / wide * LEGS_Y - LEGS_HALO;
    }
};

/* The numbers of the matrix and of the steps (smooth.h). */
template <typename Real> struct legs_numbers {
    Real common[LEGS_NUMBERS];               /* of code 0 */
    Real first, of_d, of_r, of_before, beta; /* first: of_r of the first step */
    const Real *table;
    const uint8_t *codes, *marks;
    int stencils;
};

/* Given: what b, or z, is. It is of another type where the cycle enters, or leaves. */
template <typename Real, typename Given> struct legs_work {
    struct legs_grid grid;
    struct legs_numbers<Real> numbers;
    struct float_scaling ends;
    const Given *b;
    Real *x, *coarse;
    Given *z; /* of the leg up */
    const int64_t *ended;
};

/* --- where a thread is ------------------------------------------------------------------------ */

struct legs_place {
    int lane, warp, region;
    int x, y;         /* of the thread's first point */
    int begin, end;   /* planes of the chunk */
    uint32_t in, own; /* rows: of the grid; that the block makes */

    __device__ bool is_active(const struct legs_grid &grid, int of_warp) const
    {
        int first = y + (of_warp - warp) * LEGS_EACH;
        return of_warp >= 0 && of_warp < LEGS_WARPS && first + LEGS_EACH > 0 && first < grid.n[1];
    }
    __device__ explicit legs_place(const struct legs_grid &grid)
    {
        lane = threadIdx.x % LEGS_LANES;
        warp = threadIdx.x / LEGS_LANES;
        region = blockIdx.x % grid.regions;
        x = grid.x(region) + 2 * lane;
        y = grid.y(region) + LEGS_EACH * warp;
        begin = blockIdx.x / grid.regions * grid.planes;
        end = min(begin + grid.planes, grid.n[2]);
        in = own = 0;
        for (int j = 0; j < LEGS_EACH; j++) {
            int row = LEGS_EACH * warp + j;
            bool is_in = x >= 0 && x < grid.n[0] && y + j >= 0 && y + j < grid.n[1];
            bool halo = lane == 0 || lane == LEGS_LANES - 1 || row < LEGS_HALO ||
                        row >= LEGS_HIGH - LEGS_HALO;
            in |= (uint32_t)is_in << j;
            own |= (uint32_t)(is_in && !halo) << j;
        }
    }
};

/* --- planes on their way ---------------------------------------------------------------------- */

template <typename Number> struct legs_ring {
    legs_pair<Number> at[LEGS_ON_WAY][LEGS_EACH][LEGS_THREADS];
};

__device__ static inline uint32_t legs_shared(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

/* Two numbers into shared memory, or zeros. */
template <typename Pair>
__device__ static inline void legs_bring(Pair *to, const void *from, bool wanted)
{
    int bytes = wanted ? (int)sizeof(Pair) : 0;
    if constexpr (sizeof(Pair) == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(legs_shared(to)),
                     "l"(from), "r"(bytes)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(legs_shared(to)),
                     "l"(from), "r"(bytes)
                     : "memory");
}
__device__ static inline void legs_brought()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}
__device__ static inline void legs_await()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(LEGS_ON_WAY - 2) : "memory");
}

template <typename Number> struct legs_planes {
    const Number *from; /* the thread's first point in the plane that is asked for next */
    legs_ring<Number> *ring;
    int asked, taken; /* places of the ring */

    __device__ void begin(const Number *vector, const struct legs_grid &grid,
                          const struct legs_place &at, int plane, legs_ring<Number> *its_ring)
    {
        from = vector + (plane * grid.plane() + (int64_t)at.y * grid.n[0] + at.x);
        ring = its_ring;
        asked = taken = 0;
    }
    __device__ void ask(const struct legs_grid &grid, bool wanted, uint32_t in)
    {
#pragma unroll
        for (int j = 0; j < LEGS_EACH; j++)
            legs_bring(&ring->at[asked][j][threadIdx.x], from + j * (int64_t)grid.n[0],
                       wanted && (in >> j & 1));
        from += grid.plane();
        asked = asked + 1 == LEGS_ON_WAY ? 0 : asked + 1;
    }
    __device__ void take(Number (&v)[LEGS_EACH][2])
    {
#pragma unroll
        for (int j = 0; j < LEGS_EACH; j++) {
            legs_pair<Number> pair = ring->at[taken][j][threadIdx.x];
            v[j][0] = pair.x;
            v[j][1] = pair.y;
        }
        taken = taken + 1 == LEGS_ON_WAY ? 0 : taken + 1;
    }
};

/* b as the cycle has it. */
template <typename Real, typename Given>
__device__ static inline void legs_take_b(legs_planes<Given> &planes,
                                          const struct float_scaling_scalars &scalars,
                                          Real (&b)[LEGS_EACH][2])
{
    if constexpr (std::is_same_v<Real, Given>) {
        planes.take(b);
    } else {
        Given r[LEGS_EACH][2];
        planes.take(r);
#pragma unroll
        for (int j = 0; j < LEGS_EACH; j++)
#pragma unroll
            for (int u = 0; u < 2; u++)
                b[j][u] = float_scaling_enter(&scalars, r[j][u]);
    }
}

template <typename Number>
__device__ static inline void legs_put(Number *to, Number first, Number second)
{
    *(legs_pair<Number> *)to = {first, second};
}

/* --- warps with neighbouring rows ------------------------------------------------------------- */

/* The first and last row of each warp, for its neighbours; of two planes in turn. */
template <typename Real> struct legs_edges {
    legs_pair<Real> at[2][LEGS_WARPS][2][LEGS_LANES];

    __device__ void put(int turn, int warp, int lane, const Real (&v)[LEGS_EACH][2])
    {
        at[turn][warp][0][lane] = {v[0][0], v[0][1]};
        at[turn][warp][1][lane] = {v[LEGS_EACH - 1][0], v[LEGS_EACH - 1][1]};
    }
    __device__ legs_pair<Real> below(int turn, int warp, int lane) const
    {
        return at[turn][max(warp - 1, 0)][1][lane];
    }
    __device__ legs_pair<Real> above(int turn, int warp, int lane) const
    {
        return at[turn][min(warp + 1, LEGS_WARPS - 1)][0][lane];
    }
};

/* Barriers, for each warp one in each turn, on which its neighbours arrive. */
struct legs_meeting {
    uint64_t at[2][LEGS_WARPS];
};

#if __CUDA_ARCH__ >= 900
#define LEGS_TRY "mbarrier.try_wait.parity.shared::cta.b64"
#else
#define LEGS_TRY "mbarrier.test_wait.parity.shared.b64"
#endif

struct legs_neighbours {
    uint32_t inbox, low, high; /* addresses for turn 0; 0: no neighbour */

    /* By all threads; a barrier of the block must follow. */
    __device__ void begin(legs_meeting &meeting, const struct legs_grid &grid,
                          const struct legs_place &at)
    {
        uint32_t count = at.is_active(grid, at.warp - 1) + at.is_active(grid, at.warp + 1);
        inbox = legs_shared(&meeting.at[0][at.warp]);
        low = at.is_active(grid, at.warp - 1) ? inbox - (uint32_t)sizeof(uint64_t) : 0;
        high = at.is_active(grid, at.warp + 1) ? inbox + (uint32_t)sizeof(uint64_t) : 0;
        if (at.lane < 2 && count > 0)
            asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(of_turn(inbox, at.lane)),
                         "r"(count)
                         : "memory");
    }
    __device__ static uint32_t of_turn(uint32_t barrier, int turn)
    {
        return barrier + (uint32_t)(turn * LEGS_WARPS * sizeof(uint64_t));
    }
    __device__ void arrive(int turn, int lane) const
    {
        __syncwarp();
        uint32_t to = lane == 0 ? low : lane == 1 ? high : 0;
        if (to)
            asm volatile("{\n\t"
                         ".reg .b64 state;\n\t"
                         "mbarrier.arrive.shared.b64 state, [%0];\n\t"
                         "}" ::"r"(of_turn(to, turn))
                         : "memory");
    }
    /* step: how many planes came before. */
    __device__ void wait(int turn, int step) const
    {
        if (low | high)
            asm volatile("{\n\t"
                         ".reg .pred met;\n\t"
                         "again:\n\t" LEGS_TRY " met, [%0], %1;\n\t"
                         "@met bra over;\n\t"
                         "bra again;\n\t"
                         "over:\n\t"
                         "}" ::"r"(of_turn(inbox, turn)),
                         "r"(step >> 1 & 1)
                         : "memory");
        __syncwarp();
    }
};

#undef LEGS_TRY

/* --- rows ------------------------------------------------------------------------------------- */

/* A byte for each point of a thread. */
typedef uint32_t legs_codes[LEGS_EACH / 2];

/* The numbers of a thread's rows: where all of its warp have code 0 the common ones, else those of
 * the table. */
template <typename Real> struct legs_rows {
    const struct legs_numbers<Real> &numbers;
    const Real *table;       /* in shared memory */
    Real inverse[LEGS_EACH]; /* of code 0; 0 outside of the grid */

    __device__ legs_rows(const struct legs_numbers<Real> &its_numbers, const Real *its_table,
                         uint32_t in)
        : numbers(its_numbers), table(its_table)
    {
#pragma unroll
        for (int j = 0; j < LEGS_EACH; j++)
            inverse[j] = in >> j & 1 ? numbers.common[LEGS_NUMBERS - 1] : (Real)0;
    }
    __device__ static uint32_t code(const legs_codes &codes, int j, int u)
    {
        return codes[j / 2] >> (16 * (j & 1) + 8 * u) & 255;
    }
    template <bool COMMON> __device__ Real a(const legs_codes &codes, int j, int u, int k) const
    {
        return COMMON ? numbers.common[k] : table[code(codes, j, u) * LEGS_NUMBERS + k];
    }
    template <bool COMMON> __device__ Real inv(const legs_codes &codes, int j, int u) const
    {
        if (COMMON || inverse[j] == 0)
            return inverse[j];
        return table[code(codes, j, u) * LEGS_NUMBERS + LEGS_NUMBERS - 1];
    }

    /* The chains up to +y: of v, `before` it along z. */
    template <bool COMMON>
    __device__ void begin(const legs_codes &codes, const Real (&before)[LEGS_EACH][2],
                          const Real (&v)[LEGS_EACH][2], legs_pair<Real> below,
                          legs_pair<Real> above, Real (&sum)[LEGS_EACH][2]) const
    {
#pragma unroll
        for (int j = 0; j < LEGS_EACH; j++) {
            Real left = __shfl_up_sync(~0u, v[j][1], 1), right = __shfl_down_sync(~0u, v[j][0], 1);
#pragma unroll
            for (int u = 0; u < 2; u++) {
                Real down = j > 0 ? v[j - 1][u] : u ? below.y : below.x;
                Real up = j + 1 < LEGS_EACH ? v[j + 1][u] : u ? above.y : above.x;
                Real s = fma(a<COMMON>(codes, j, u, 0), before[j][u], (Real)0);
                s = fma(a<COMMON>(codes, j, u, 1), down, s);
                s = fma(a<COMMON>(codes, j, u, 2), u ? v[j][0] : left, s);
                s = fma(a<COMMON>(codes, j, u, 3), v[j][u], s);
                s = fma(a<COMMON>(codes, j, u, 4), u ? right : v[j][1], s);
                sum[j][u] = fma(a<COMMON>(codes, j, u, 5), up, s);
            }
        }
    }
    /* Their end, with the plane behind. */
    template <bool COMMON>
    __device__ Real end(const legs_codes &codes, int j, int u, Real behind, Real sum) const
    {
        return fma(a<COMMON>(codes, j, u, 6), behind, sum);
    }
};

/* The codes of the planes k, k - 1 and k - 2, where one of them has a mark. */
struct legs_three {
    legs_codes now, one, two;
    const uint8_t *codes, *marks; /* of the thread's first point in plane 0; of the region */
    int quiet;                    /* planes without a mark up to k, 3 at the most */

    __device__ void begin(const uint8_t *all, const uint8_t *all_marks,
                          const struct legs_grid &grid, const struct legs_place &at)
    {
        codes = all + ((int64_t)at.y * grid.n[0] + at.x);
        marks = all_marks + (int64_t)at.region * grid.n[2];
        quiet = 3;
    }
    __device__ void load(const struct legs_grid &grid, int k, uint32_t in, legs_codes &to) const
    {
        bool wanted = k >= 0 && k < grid.n[2];
        const uint8_t *of = codes + k * grid.plane();
#pragma unroll
        for (int j = 0; j < LEGS_EACH; j += 2) {
            uint32_t low = 0, high = 0;
            if (wanted && (in >> j & 1))
                low = *(const uint16_t *)(of + j * (int64_t)grid.n[0]);
            if (wanted && (in >> (j + 1) & 1))
                high = *(const uint16_t *)(of + (j + 1) * (int64_t)grid.n[0]);
            to[j / 2] = low | high << 16;
        }
    }
    /* Whether all codes of the warp are 0, or need not be known. */
    __device__ bool step(const struct legs_grid &grid, int k, uint32_t in)
    {
        bool marked = k >= 0 && k < grid.n[2] && marks[k];
        quiet = marked ? 0 : min(quiet + 1, 3);
        if (quiet == 3)
            return true;
        load(grid, k, in, now);
        load(grid, k - 1, in, one);
        load(grid, k - 2, in, two);
        uint32_t any = 0;
#pragma unroll
        for (int j = 0; j < LEGS_EACH / 2; j++)
            any |= now[j] | one[j] | two[j];
        return __all_sync(~0u, any == 0);
    }
};

/* call<true>() or call<false>() */
template <typename Call> __device__ static inline void legs_either(bool common, const Call &call)
{
    if (common)
        call.template operator()<true>();
    else
        call.template operator()<false>();
}

/* --- shared memory ---------------------------------------------------------------------------- */

template <typename Real> struct legs_common {
    legs_edges<Real> d, x;
    legs_meeting meeting;
    struct float_scaling_scalars scalars; /* where the cycle enters, or leaves */
};
template <typename Real, typename Given> struct legs_down_shared {
    legs_ring<Given> b;
    legs_common<Real> common;
};
template <typename Real, typename Given> struct legs_up_shared {
    legs_ring<Real> x;
    legs_ring<Given> b;
    legs_common<Real> common;
};
template <typename Shared, typename Real> static size_t legs_shared_bytes(int stencils)
{
    return sizeof(Shared) + (size_t)stencils * LEGS_NUMBERS * sizeof(Real);
}

/* By all threads. false: the warp has no rows, and no more to do. */
template <bool AT_END, typename Real, typename Work>
__device__ static inline bool legs_begin(const Work &work, const struct legs_place &at,
                                         legs_common<Real> &shared, Real *table,
                                         struct legs_neighbours &neighbours)
{
    for (int k = threadIdx.x; k < work.numbers.stencils * LEGS_NUMBERS; k += LEGS_THREADS)
        table[k] = work.numbers.table[k];
    neighbours.begin(shared.meeting, work.grid, at);
    bool active = at.is_active(work.grid, at.warp);
    if (!active) {
        const Real zeros[LEGS_EACH][2] = {};
        for (int turn = 0; turn < 2; turn++) {
            shared.d.put(turn, at.warp, at.lane, zeros);
            shared.x.put(turn, at.warp, at.lane, zeros);
        }
    }
    if (AT_END && threadIdx.x == 0) {
        float_scaling_read(&work.ends, &shared.scalars);
        float_scaling_prepare(&shared.scalars);
    }
    __syncthreads();
    return active;
}

template <typename Real> __device__ static inline void legs_zero(Real (&v)[LEGS_EACH][2])
{
#pragma unroll
    for (int j = 0; j < LEGS_EACH; j++)
        v[j][0] = v[j][1] = 0;
}
template <typename Real>
__device__ static inline void legs_copy(const Real (&from)[LEGS_EACH][2], Real (&to)[LEGS_EACH][2])
{
#pragma unroll
    for (int j = 0; j < LEGS_EACH; j++) {
        to[j][0] = from[j][0];
        to[j][1] = from[j][1];
    }
}

/* --- down ------------------------------------------------------------------------------------- */

template <typename Real, typename Given>
__global__ static void __launch_bounds__(LEGS_THREADS, 1)
    legs_down_kernel(const __grid_constant__ struct legs_work<Real, Given> work)
{
    constexpr bool ENTERS = !std::is_same_v<Real, Given>;
    extern __shared__ __align__(16) char shared_bytes[];
    auto &shared = *(legs_down_shared<Real, Given> *)shared_bytes;
    Real *table = (Real *)(shared_bytes + sizeof shared);
    if (cuda_is_over(work.ended))
        return;
    const struct legs_grid &grid = work.grid;
    const struct legs_place at(grid);
    struct legs_neighbours neighbours;
    if (!legs_begin<ENTERS>(work, at, shared.common, table, neighbours))
        return;
    const int lane = at.lane, warp = at.warp;
    const int first = at.begin - LEGS_HALO, last = at.end + LEGS_HALO - 1;
    legs_planes<Given> b_planes;
    b_planes.begin(work.b, grid, at, first, &shared.b);
    auto ask = [&](int k) {
        b_planes.ask(grid, k >= 0 && k < grid.n[2] && k <= last, at.in);
        legs_brought();
    };
#pragma unroll
    for (int k = 0; k + 1 < LEGS_ON_WAY; k++)
        ask(first + k);

    struct legs_three codes;
    codes.begin(work.numbers.codes, work.numbers.marks, grid, at);
    const legs_rows<Real> rows(work.numbers, table, at.in);
    const struct legs_numbers<Real> &is = work.numbers;
    const int64_t line = grid.n[0], coarse_line = line / 2,
                  coarse_plane = coarse_line * (grid.n[1] / 2);
    Real *x = work.x + ((first - 1) * grid.plane() + at.y * line + at.x);
    Real *coarse =
        work.coarse + ((first - 2) / 2 * coarse_plane + at.y / 2 * coarse_line + at.x / 2);

    /* Of the planes k - 1 and k - 2; sum: the chain of d, or of x, there. */
    Real b1[LEGS_EACH][2] = {}, b2[LEGS_EACH][2] = {}, d1[LEGS_EACH][2] = {}, x2[LEGS_EACH][2] = {},
         sum1[LEGS_EACH][2] = {}, sum2[LEGS_EACH][2] = {};
    Real joined[LEGS_EACH / 2] = {};

    /* turn: of two planes that are joined, which one k is */
    auto step = [&](const int k, const int turn) {
        Real b0[LEGS_EACH][2], d0[LEGS_EACH][2], x1[LEGS_EACH][2];
        legs_await();
        legs_take_b(b_planes, shared.common.scalars, b0);
        bool common = codes.step(grid, k, at.in);
        ask(k + LEGS_ON_WAY - 1);
        legs_either(common, [&]<bool COMMON>() {
#pragma unroll
            for (int j = 0; j < LEGS_EACH; j++)
#pragma unroll
                for (int u = 0; u < 2; u++)
                    d0[j][u] = is.first * (rows.template inv<COMMON>(codes.now, j, u) * b0[j][u]);
            if (k < 1 || k > grid.n[2]) {
                legs_zero(x1);
                return;
            }
#pragma unroll
            for (int j = 0; j < LEGS_EACH; j++)
#pragma unroll
                for (int u = 0; u < 2; u++) {
                    Real q = rows.template end<COMMON>(codes.one, j, u, d0[j][u], sum1[j][u]);
                    Real r = b1[j][u] - q;
                    Real made = is.of_r * (rows.template inv<COMMON>(codes.one, j, u) * r);
                    Real d = fma(is.of_d, d1[j][u], made);
                    x1[j][u] = fma(is.beta, d, is.of_before * d1[j][u]);
                }
        });
        shared.common.d.put(turn, warp, lane, d0);
        shared.common.x.put(turn, warp, lane, x1);
        neighbours.arrive(turn, lane);
        if (k > at.begin && k <= at.end) {
#pragma unroll
            for (int j = 0; j < LEGS_EACH; j++)
                if (at.own >> j & 1)
                    legs_put(x + j * line, x1[j][0], x1[j][1]);
        }
        if (k >= at.begin + LEGS_HALO) {
            legs_either(common, [&]<bool COMMON>() {
#pragma unroll
                for (int j = 0; j < LEGS_EACH; j++)
#pragma unroll
                    for (int u = 0; u < 2; u++) {
                        Real r = b2[j][u] -
                                 rows.template end<COMMON>(codes.two, j, u, x1[j][u], sum2[j][u]);
                        bool begins = turn == 0 && j % 2 == 0 && u == 0;
                        joined[j / 2] = begins ? r : joined[j / 2] + r;
                    }
            });
            if (turn == 1) {
#pragma unroll
                for (int j = 0; j < LEGS_EACH; j += 2)
                    if (at.own >> j & 1)
                        coarse[j / 2 * coarse_line] = joined[j / 2];
            }
        }
        neighbours.wait(turn, k - first);
        legs_either(common, [&]<bool COMMON>() {
            rows.template begin<COMMON>(codes.one, x2, x1, shared.common.x.below(turn, warp, lane),
                                        shared.common.x.above(turn, warp, lane), sum2);
            rows.template begin<COMMON>(codes.now, d1, d0, shared.common.d.below(turn, warp, lane),
                                        shared.common.d.above(turn, warp, lane), sum1);
        });
        legs_copy(b1, b2);
        legs_copy(b0, b1);
        legs_copy(d0, d1);
        legs_copy(x1, x2);
        x += grid.plane();
        if (turn == 1)
            coarse += coarse_plane;
    };
#pragma unroll 1
    for (int k = first; k <= last; k += 2) { /* first is even, last is odd */
        step(k, 0);
        step(k + 1, 1);
    }
}

/* --- up --------------------------------------------------------------------------------------- */

template <typename Real, typename Given>
__global__ static void __launch_bounds__(LEGS_THREADS, 1)
    legs_up_kernel(const __grid_constant__ struct legs_work<Real, Given> work)
{
    constexpr bool LEAVES = !std::is_same_v<Real, Given>;
    extern __shared__ __align__(16) char shared_bytes[];
    auto &shared = *(legs_up_shared<Real, Given> *)shared_bytes;
    Real *table = (Real *)(shared_bytes + sizeof shared);
    if (cuda_is_over(work.ended))
        return;
    const struct legs_grid &grid = work.grid;
    const struct legs_place at(grid);
    struct legs_neighbours neighbours;
    if (!legs_begin<LEAVES>(work, at, shared.common, table, neighbours))
        return;
    const int lane = at.lane, warp = at.warp;
    const int first = at.begin - LEGS_HALO, last = at.end + LEGS_HALO - 1;
    legs_planes<Real> x_planes;
    legs_planes<Given> b_planes; /* a plane behind */
    x_planes.begin(work.x, grid, at, first, &shared.x);
    b_planes.begin(work.b, grid, at, first - 1, &shared.b);
    auto is_wanted = [&](int k) { return k >= 0 && k < grid.n[2] && k <= last; };
    auto ask = [&](int k) {
        x_planes.ask(grid, is_wanted(k), at.in);
        b_planes.ask(grid, is_wanted(k - 1) && k > first + 1, at.in);
        legs_brought();
    };
#pragma unroll
    for (int k = 0; k + 1 < LEGS_ON_WAY; k++)
        ask(first + k);

    struct legs_three codes;
    codes.begin(work.numbers.codes, work.numbers.marks, grid, at);
    const legs_rows<Real> rows(work.numbers, table, at.in);
    const struct legs_numbers<Real> &is = work.numbers;
    const int64_t line = grid.n[0], coarse_line = line / 2,
                  coarse_plane = coarse_line * (grid.n[1] / 2);
    Given *z = work.z + ((first - 2) * grid.plane() + at.y * line + at.x);
    const Real *coarse =
        work.coarse + (first / 2 * coarse_plane + at.y / 2 * coarse_line + at.x / 2);
    Real correction[LEGS_EACH / 2] = {}, next[LEGS_EACH / 2];
    auto ask_coarse = [&](int k) { /* an even one */
#pragma unroll
                                   for (int j = 0; j < LEGS_EACH; j += 2) {
                                       next[j / 2] = 0;
                                       if (is_wanted(k) && (at.in >> j & 1))
                                           next[j / 2] = coarse[j / 2 * coarse_line];
                                   }
                                   coarse += coarse_plane;
    };
    ask_coarse(first);

    Real x1[LEGS_EACH][2] = {}, x2[LEGS_EACH][2] = {}, r2[LEGS_EACH][2] = {}, d2[LEGS_EACH][2] = {},
         sum1[LEGS_EACH][2] = {}, sum2[LEGS_EACH][2] = {};

    auto step = [&](const int k, const int turn) {
        Real x0[LEGS_EACH][2], b1[LEGS_EACH][2], d1[LEGS_EACH][2], r1[LEGS_EACH][2];
        legs_await();
        x_planes.take(x0);
        legs_take_b(b_planes, shared.common.scalars, b1);
        bool common = codes.step(grid, k, at.in);
        ask(k + LEGS_ON_WAY - 1);
        if (turn == 0) {
#pragma unroll
            for (int j = 0; j < LEGS_EACH / 2; j++)
                correction[j] = next[j];
        } else {
            ask_coarse(k + 1);
        }
#pragma unroll
        for (int j = 0; j < LEGS_EACH; j++)
#pragma unroll
            for (int u = 0; u < 2; u++)
                x0[j][u] = x0[j][u] + correction[j / 2];
        legs_either(common, [&]<bool COMMON>() {
            if (k < 1 || k > grid.n[2]) {
                legs_zero(r1);
                legs_zero(d1);
                return;
            }
#pragma unroll
            for (int j = 0; j < LEGS_EACH; j++)
#pragma unroll
                for (int u = 0; u < 2; u++) {
                    r1[j][u] =
                        b1[j][u] - rows.template end<COMMON>(codes.one, j, u, x0[j][u], sum1[j][u]);
                    d1[j][u] = is.first * (rows.template inv<COMMON>(codes.one, j, u) * r1[j][u]);
                }
        });
        shared.common.x.put(turn, warp, lane, x0);
        shared.common.d.put(turn, warp, lane, d1);
        neighbours.arrive(turn, lane);
        if (k >= at.begin + LEGS_HALO)
            legs_either(common, [&]<bool COMMON>() {
#pragma unroll
                for (int j = 0; j < LEGS_EACH; j++) {
                    Real made[2];
#pragma unroll
                    for (int u = 0; u < 2; u++) {
                        Real q = rows.template end<COMMON>(codes.two, j, u, d1[j][u], sum2[j][u]);
                        Real r = r2[j][u] - q;
                        Real of_r = is.of_r * (rows.template inv<COMMON>(codes.two, j, u) * r);
                        Real d = fma(is.of_d, d2[j][u], of_r);
                        made[u] = fma(is.beta, d, fma(is.of_before, d2[j][u], x2[j][u]));
                    }
                    if (!(at.own >> j & 1))
                        continue;
                    if constexpr (LEAVES)
                        legs_put(z + j * line, float_scaling_leave(&shared.common.scalars, made[0]),
                                 float_scaling_leave(&shared.common.scalars, made[1]));
                    else
                        legs_put(z + j * line, made[0], made[1]);
                }
            });
        neighbours.wait(turn, k - first);
        legs_either(common, [&]<bool COMMON>() {
            rows.template begin<COMMON>(codes.one, d2, d1, shared.common.d.below(turn, warp, lane),
                                        shared.common.d.above(turn, warp, lane), sum2);
            rows.template begin<COMMON>(codes.now, x1, x0, shared.common.x.below(turn, warp, lane),
                                        shared.common.x.above(turn, warp, lane), sum1);
        });
        legs_copy(x1, x2);
        legs_copy(x0, x1);
        legs_copy(d1, d2);
        legs_copy(r1, r2);
        z += grid.plane();
    };
#pragma unroll 1
    for (int k = first; k <= last; k += 2) {
        step(k, 0);
        step(k + 1, 1);
    }
}

#endif
