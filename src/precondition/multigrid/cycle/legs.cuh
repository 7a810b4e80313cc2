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
    int point;        /* where that is in the first plane */
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
        point = y * grid.n[0] + x;
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

/* The places of the planes before and after one: of the last on its way, and of plane k - 2. */
__device__ static inline int legs_before(int place)
{
    return place == 0 ? LEGS_ON_WAY - 1 : place - 1;
}
__device__ static inline int legs_after(int place)
{
    return place + 1 == LEGS_ON_WAY ? 0 : place + 1;
}
static_assert(LEGS_ON_WAY == 3, "three planes are in registers, too");

template <typename Number> struct legs_ring {
    legs_pair<Number> at[LEGS_ON_WAY][LEGS_EACH][LEGS_THREADS];

    /* from: the thread's first point of the plane; in: its rows that are there */
    __device__ void ask(int place, const Number *from, int line, uint32_t in)
    {
#pragma unroll
        for (int j = 0; j < LEGS_EACH; j++)
            legs_bring(&at[place][j][threadIdx.x], from + j * (int64_t)line, in >> j & 1);
    }
    __device__ void take(int place, Number (&v)[LEGS_EACH][2]) const
    {
#pragma unroll
        for (int j = 0; j < LEGS_EACH; j++) {
            legs_pair<Number> pair = at[place][j][threadIdx.x];
            v[j][0] = pair.x;
            v[j][1] = pair.y;
        }
    }
};

/* b as the cycle has it. */
template <typename Real, typename Given>
__device__ static inline void legs_take_b(const legs_ring<Given> &ring, int place,
                                          const struct float_scaling_scalars &scalars,
                                          Real (&b)[LEGS_EACH][2])
{
    if constexpr (std::is_same_v<Real, Given>) {
        ring.take(place, b);
    } else {
        Given r[LEGS_EACH][2];
        ring.take(place, r);
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
    uint32_t inbox, outbox; /* addresses for turn 0, the second of lanes 0 and 1; 0: nobody */

    /* By all threads; a barrier of the block must follow. */
    __device__ void begin(legs_meeting &meeting, const struct legs_grid &grid,
                          const struct legs_place &at)
    {
        bool low = at.is_active(grid, at.warp - 1), high = at.is_active(grid, at.warp + 1);
        uint32_t own = legs_shared(&meeting.at[0][at.warp]), size = sizeof(uint64_t);
        inbox = low || high ? own : 0;
        outbox = at.lane == 0 && low ? own - size : at.lane == 1 && high ? own + size : 0;
        if (at.lane < 2 && inbox)
            asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(of_turn(own, at.lane)),
                         "r"((int)low + (int)high)
                         : "memory");
    }
    __device__ static uint32_t of_turn(uint32_t barrier, int turn)
    {
        return barrier + (uint32_t)(turn * LEGS_WARPS * sizeof(uint64_t));
    }
    __device__ void arrive(int turn) const
    {
        __syncwarp();
        if (outbox)
            asm volatile("{\n\t"
                         ".reg .b64 state;\n\t"
                         "mbarrier.arrive.shared.b64 state, [%0];\n\t"
                         "}" ::"r"(of_turn(outbox, turn))
                         : "memory");
    }
    /* step: how many planes came before. */
    __device__ void wait(int turn, int step) const
    {
        if (inbox)
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

/* The codes of three planes, a byte for each point of a thread, four bytes for two of its rows. */
struct legs_code_ring {
    uint32_t at[LEGS_ON_WAY][LEGS_EACH / 2][LEGS_THREADS];
};

/* Of a plane. */
struct legs_codes {
    const uint32_t *own; /* of the thread */

    __device__ legs_codes(const legs_code_ring &ring, int place)
        : own(&ring.at[place][0][threadIdx.x])
    {
    }
    __device__ uint32_t at(int j, int u) const
    {
        return own[j / 2 * LEGS_THREADS] >> (16 * (j & 1) + 8 * u) & 255;
    }
};

/* Which numbers the rows of a warp take from the table, by their codes; also a region's mark. All
 * others are those of code 0. */
enum legs_way {
    LEGS_COMMON,   /* none */
    LEGS_DIAGONAL, /* a_ii and 1 / a_ii: 4 reads for a point instead of 16 */
    LEGS_TABLE     /* all */
};

/* The numbers of a thread's rows. */
template <typename Real> struct legs_rows {
    const struct legs_numbers<Real> &numbers;
    const Real *table; /* in shared memory */
    uint32_t in;       /* rows of the grid */

    template <enum legs_way WAY>
    __device__ Real a(const legs_codes &codes, int j, int u, int k) const
    {
        if (WAY == LEGS_COMMON || (WAY == LEGS_DIAGONAL && k != 3))
            return numbers.common[k];
        return table[codes.at(j, u) * LEGS_NUMBERS + k];
    }
    template <enum legs_way WAY> __device__ Real inv(const legs_codes &codes, int j, int u) const
    {
        if (!(in >> j & 1))
            return 0;
        constexpr int K = LEGS_NUMBERS - 1;
        return WAY == LEGS_COMMON ? numbers.common[K] : table[codes.at(j, u) * LEGS_NUMBERS + K];
    }

    /* The chains up to +y: of v, `before` it along z. */
    template <enum legs_way WAY>
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
                Real s = fma(a<WAY>(codes, j, u, 0), before[j][u], (Real)0);
                s = fma(a<WAY>(codes, j, u, 1), down, s);
                s = fma(a<WAY>(codes, j, u, 2), u ? v[j][0] : left, s);
                s = fma(a<WAY>(codes, j, u, 3), v[j][u], s);
                s = fma(a<WAY>(codes, j, u, 4), u ? right : v[j][1], s);
                sum[j][u] = fma(a<WAY>(codes, j, u, 5), up, s);
            }
        }
    }
    /* Their end, with the plane behind. */
    template <enum legs_way WAY>
    __device__ Real end(const legs_codes &codes, int j, int u, Real behind, Real sum) const
    {
        return fma(a<WAY>(codes, j, u, 6), behind, sum);
    }
};

/* The codes of the planes k, k - 1 and k - 2, where one of them has a mark, and that of k + 1 on its
 * way. A plane's place in the ring is that of its vectors. */
struct legs_three {
    uint32_t recent, next;     /* the marks of these planes, 2 bits each; of the next one */
    uint32_t ahead[LEGS_EACH]; /* two codes of each row */

    __device__ static uint32_t mark(const struct legs_grid &grid, const uint8_t *marks, int region,
                                    int k)
    {
        return k >= 0 && k < grid.n[2] ? marks[(int64_t)region * grid.n[2] + k] : 0;
    }
    __device__ void load(const struct legs_grid &grid, const uint8_t *codes,
                         const struct legs_place &at, int k)
    {
        const uint8_t *from = codes + (k * grid.plane() + at.point);
        bool wanted = k >= 0 && k < grid.n[2];
#pragma unroll
        for (int j = 0; j < LEGS_EACH; j++) {
            ahead[j] = 0;
            if (wanted && (at.in >> j & 1))
                ahead[j] = *(const uint16_t *)(from + j * (int64_t)grid.n[0]);
        }
    }
    __device__ void put(legs_code_ring &ring, int place) const
    {
#pragma unroll
        for (int j = 0; j < LEGS_EACH; j += 2)
            ring.at[place][j / 2][threadIdx.x] = ahead[j] | ahead[j + 1] << 16;
    }

    /* Plane k is now at that place. */
    __device__ enum legs_way begin(const struct legs_grid &grid, const uint8_t *codes,
                                   const uint8_t *marks, const struct legs_place &at, int k,
                                   legs_code_ring &ring, int place)
    {
        constexpr uint32_t THREE = 0x3f, TABLE = 0x2a;
        static_assert(LEGS_DIAGONAL == 1 && LEGS_TABLE == 2, "of 2 bits");
        bool had = recent > 0;
        recent = (recent << 2 | next) & THREE;
        next = mark(grid, marks, at.region, k + 1);
        if (recent == 0)
            return LEGS_COMMON;
        for (int back = LEGS_ON_WAY - 1; back >= 0 && !had; back--) {
            load(grid, codes, at, k - back);
            put(ring, place >= back ? place - back : place - back + LEGS_ON_WAY);
        }
        load(grid, codes, at, k + 1);
        uint32_t any = 0;
#pragma unroll
        for (int p = 0; p < LEGS_ON_WAY; p++)
#pragma unroll
            for (int j = 0; j < LEGS_EACH / 2; j++)
                any |= ring.at[p][j][threadIdx.x];
        if (__all_sync(~0u, any == 0))
            return LEGS_COMMON;
        return recent & TABLE ? LEGS_TABLE : LEGS_DIAGONAL;
    }
    /* When no code of plane k - 2 is wanted any more. */
    __device__ void end(legs_code_ring &ring, int place) const
    {
        if (recent > 0)
            put(ring, legs_after(place));
    }
};

/* call<way>() */
template <typename Call> __device__ static inline void legs_by(enum legs_way way, const Call &call)
{
    if (way == LEGS_COMMON)
        call.template operator()<LEGS_COMMON>();
    else if (way == LEGS_DIAGONAL)
        call.template operator()<LEGS_DIAGONAL>();
    else
        call.template operator()<LEGS_TABLE>();
}

/* --- shared memory ---------------------------------------------------------------------------- */

template <typename Real> struct legs_common {
    legs_edges<Real> d, x;
    legs_code_ring codes;
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
    const int line = grid.n[0], coarse_line = line / 2;
    const int64_t plane = grid.plane();
    const struct legs_numbers<Real> &is = work.numbers;
    const legs_rows<Real> rows = {is, table, at.in};
    struct legs_three three = {};
    three.next = three.mark(grid, is.marks, at.region, first);

    int64_t i = first * plane + at.point; /* of the thread's first point in plane k */
    int64_t I = ((first - 2) / 2 * (grid.n[1] / 2) + at.y / 2) * coarse_line + at.x / 2;
    int place = 0; /* of plane k in the ring */
    auto ask = [&](int its_place, int ahead, int k) {
        bool wanted = k >= 0 && k < grid.n[2] && k <= last;
        shared.b.ask(its_place, work.b + (i + ahead * plane), line, wanted ? at.in : 0);
        legs_brought();
    };
#pragma unroll
    for (int k = 0; k + 1 < LEGS_ON_WAY; k++)
        ask(k, k, first + k);

    /* Of the planes k - 1 and k - 2; sum: the chain of d, or of x, there. */
    Real b1[LEGS_EACH][2] = {}, b2[LEGS_EACH][2] = {}, d1[LEGS_EACH][2] = {}, x2[LEGS_EACH][2] = {},
         sum1[LEGS_EACH][2] = {}, sum2[LEGS_EACH][2] = {};
    Real joined[LEGS_EACH / 2] = {};

    /* turn: of two planes that are joined, which one k is */
    auto step = [&](const int k, const int turn) {
        Real b0[LEGS_EACH][2], d0[LEGS_EACH][2], x1[LEGS_EACH][2];
        legs_await();
        legs_take_b(shared.b, place, shared.common.scalars, b0);
        enum legs_way way =
            three.begin(grid, is.codes, is.marks, at, k, shared.common.codes, place);
        const legs_codes now(shared.common.codes, place),
            one(shared.common.codes, legs_before(place)),
            two(shared.common.codes, legs_after(place));
        ask(legs_before(place), LEGS_ON_WAY - 1, k + LEGS_ON_WAY - 1);
        legs_by(
            way, [&]<enum legs_way WAY>() {
#pragma unroll
                for (int j = 0; j < LEGS_EACH; j++)
#pragma unroll
                    for (int u = 0; u < 2; u++)
                        d0[j][u] = is.first * (rows.template inv<WAY>(now, j, u) * b0[j][u]);
                if (k < 1 || k > grid.n[2]) {
                    legs_zero(x1);
                    return;
                }
#pragma unroll
                for (int j = 0; j < LEGS_EACH; j++)
#pragma unroll
                    for (int u = 0; u < 2; u++) {
                        Real q = rows.template end<WAY>(one, j, u, d0[j][u], sum1[j][u]);
                        Real r = b1[j][u] - q;
                        Real made = is.of_r * (rows.template inv<WAY>(one, j, u) * r);
                        Real d = fma(is.of_d, d1[j][u], made);
                        x1[j][u] = fma(is.beta, d, is.of_before * d1[j][u]);
                    }
            });
        shared.common.d.put(turn, warp, lane, d0);
        shared.common.x.put(turn, warp, lane, x1);
        neighbours.arrive(turn);
        if (k > at.begin && k <= at.end) {
#pragma unroll
            for (int j = 0; j < LEGS_EACH; j++)
                if (at.own >> j & 1)
                    legs_put(work.x + (i - plane + j * line), x1[j][0], x1[j][1]);
        }
        if (k >= at.begin + LEGS_HALO) {
            legs_by(
                way, [&]<enum legs_way WAY>() {
#pragma unroll
                    for (int j = 0; j < LEGS_EACH; j++)
#pragma unroll
                        for (int u = 0; u < 2; u++) {
                            Real r =
                                b2[j][u] - rows.template end<WAY>(two, j, u, x1[j][u], sum2[j][u]);
                            bool begins = turn == 0 && j % 2 == 0 && u == 0;
                            joined[j / 2] = begins ? r : joined[j / 2] + r;
                        }
                });
            if (turn == 1) {
#pragma unroll
                for (int j = 0; j < LEGS_EACH; j += 2)
                    if (at.own >> j & 1)
                        work.coarse[I + j / 2 * coarse_line] = joined[j / 2];
            }
        }
        neighbours.wait(turn, k - first);
        legs_by(
            way, [&]<enum legs_way WAY>() {
                rows.template begin<WAY>(one, x2, x1, shared.common.x.below(turn, warp, lane),
                                         shared.common.x.above(turn, warp, lane), sum2);
                rows.template begin<WAY>(now, d1, d0, shared.common.d.below(turn, warp, lane),
                                         shared.common.d.above(turn, warp, lane), sum1);
            });
        legs_copy(b1, b2);
        legs_copy(b0, b1);
        legs_copy(d0, d1);
        legs_copy(x1, x2);
        three.end(shared.common.codes, place);
        i += plane;
        I += turn * (plane / 4);
        place = legs_after(place);
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
    const int line = grid.n[0], coarse_line = line / 2;
    const int64_t plane = grid.plane();
    const struct legs_numbers<Real> &is = work.numbers;
    const legs_rows<Real> rows = {is, table, at.in};
    struct legs_three three = {};
    three.next = three.mark(grid, is.marks, at.region, first);

    int64_t i = first * plane + at.point; /* of the thread's first point in plane k */
    int64_t I = (first / 2 * (grid.n[1] / 2) + at.y / 2) * coarse_line + at.x / 2;
    int place = 0; /* of plane k of x in the ring, and of plane k - 1 of b */
    auto is_wanted = [&](int k) { return k >= 0 && k < grid.n[2] && k <= last; };
    auto ask = [&](int its_place, int ahead, int k) {
        shared.x.ask(its_place, work.x + (i + ahead * plane), line, is_wanted(k) ? at.in : 0);
        shared.b.ask(its_place, work.b + (i + (ahead - 1) * plane), line,
                     is_wanted(k - 1) && k > first + 1 ? at.in : 0);
        legs_brought();
    };
#pragma unroll
    for (int k = 0; k + 1 < LEGS_ON_WAY; k++)
        ask(k, k, first + k);

    Real correction[LEGS_EACH / 2]; /* of two planes */
    auto ask_coarse = [&](int k) {
#pragma unroll
        for (int j = 0; j < LEGS_EACH; j += 2) {
            correction[j / 2] = 0;
            if (is_wanted(k) && (at.in >> j & 1))
                correction[j / 2] = work.coarse[I + j / 2 * coarse_line];
        }
        I += plane / 4;
    };
    ask_coarse(first);

    Real x1[LEGS_EACH][2] = {}, x2[LEGS_EACH][2] = {}, r2[LEGS_EACH][2] = {}, d2[LEGS_EACH][2] = {},
         sum1[LEGS_EACH][2] = {}, sum2[LEGS_EACH][2] = {};

    auto step = [&](const int k, const int turn) {
        Real x0[LEGS_EACH][2], b1[LEGS_EACH][2], d1[LEGS_EACH][2], r1[LEGS_EACH][2];
        legs_await();
        shared.x.take(place, x0);
        legs_take_b(shared.b, place, shared.common.scalars, b1);
        enum legs_way way =
            three.begin(grid, is.codes, is.marks, at, k, shared.common.codes, place);
        const legs_codes now(shared.common.codes, place),
            one(shared.common.codes, legs_before(place)),
            two(shared.common.codes, legs_after(place));
        ask(legs_before(place), LEGS_ON_WAY - 1, k + LEGS_ON_WAY - 1);
#pragma unroll
        for (int j = 0; j < LEGS_EACH; j++)
#pragma unroll
            for (int u = 0; u < 2; u++)
                x0[j][u] = x0[j][u] + correction[j / 2];
        if (turn == 1)
            ask_coarse(k + 1);
        legs_by(
            way, [&]<enum legs_way WAY>() {
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
                            b1[j][u] - rows.template end<WAY>(one, j, u, x0[j][u], sum1[j][u]);
                        d1[j][u] = is.first * (rows.template inv<WAY>(one, j, u) * r1[j][u]);
                    }
            });
        shared.common.x.put(turn, warp, lane, x0);
        shared.common.d.put(turn, warp, lane, d1);
        neighbours.arrive(turn);
        if (k >= at.begin + LEGS_HALO)
            legs_by(
                way, [&]<enum legs_way WAY>() {
#pragma unroll
                    for (int j = 0; j < LEGS_EACH; j++) {
                        Real made[2];
#pragma unroll
                        for (int u = 0; u < 2; u++) {
                            Real q = rows.template end<WAY>(two, j, u, d1[j][u], sum2[j][u]);
                            Real r = r2[j][u] - q;
                            Real of_r = is.of_r * (rows.template inv<WAY>(two, j, u) * r);
                            Real d = fma(is.of_d, d2[j][u], of_r);
                            made[u] = fma(is.beta, d, fma(is.of_before, d2[j][u], x2[j][u]));
                        }
                        if (!(at.own >> j & 1))
                            continue;
                        Given *z = work.z + (i - 2 * plane + j * line);
                        if constexpr (LEAVES)
                            legs_put(z, float_scaling_leave(&shared.common.scalars, made[0]),
                                     float_scaling_leave(&shared.common.scalars, made[1]));
                        else
                            legs_put(z, made[0], made[1]);
                    }
                });
        neighbours.wait(turn, k - first);
        legs_by(
            way, [&]<enum legs_way WAY>() {
                rows.template begin<WAY>(one, d2, d1, shared.common.d.below(turn, warp, lane),
                                         shared.common.d.above(turn, warp, lane), sum2);
                rows.template begin<WAY>(now, x1, x0, shared.common.x.below(turn, warp, lane),
                                         shared.common.x.above(turn, warp, lane), sum1);
            });
        legs_copy(x1, x2);
        legs_copy(x0, x1);
        legs_copy(d1, d2);
        legs_copy(r1, r2);
        three.end(shared.common.codes, place);
        i += plane;
        place = legs_after(place);
    };
#pragma unroll 1
    for (int k = first; k <= last; k += 2) {
        step(k, 0);
        step(k + 1, 1);
    }
}

#endif
