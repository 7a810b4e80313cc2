/* What the threads of legs.cuh have: a place in the grid, planes of vectors on their way, and
 * neighbouring warps. */
#ifndef PRECONDITION_MULTIGRID_CYCLE_LEGS_REGION_CUH
#define PRECONDITION_MULTIGRID_CYCLE_LEGS_REGION_CUH

#include "precondition/multigrid/cycle/legs.h"
#include "space/cuda/cuda.h"

#include <limits.h>
#include <type_traits>

enum {
    LEGS_LANES = 32,
    LEGS_WARPS = 8,
    LEGS_THREADS = LEGS_LANES * LEGS_WARPS,
    LEGS_EACH = 4,              /* rows of a thread */
    LEGS_WIDE = 2 * LEGS_LANES, /* of a region, with its halo */
    LEGS_HIGH = LEGS_EACH * LEGS_WARPS,
    LEGS_HALO = 2,
    LEGS_ON_WAY = 3 /* planes of a vector, one of them in use */
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
    int wide, regions;      /* regions along x, and in a plane */
    int begin, end, planes; /* all planes of the leg, and those of a chunk */
    int read_from, read_to; /* planes first <= k < last that it reads */

    __host__ __device__ int64_t plane() const
    {
        return (int64_t)n[0] * n[1];
    }
    __device__ bool reads(int k) const
    {
        return k >= read_from && k < read_to;
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

/* Rows first <= i < last, by planes and the points in them. */
struct legs_range {
    int plane[2], point[2];

    legs_range() = default;
    legs_range(const int64_t rows[2], int64_t plane_rows)
    {
        for (int side = 0; side < 2; side++) {
            plane[side] = (int)(rows[side] / plane_rows);
            point[side] = (int)(rows[side] % plane_rows);
        }
    }
    __device__ bool has(int z, int p) const
    {
        return p >= (z > plane[0]    ? INT_MIN
                     : z == plane[0] ? point[0]
                                     : INT_MAX) &&
               p < (z < plane[1]    ? INT_MAX
                    : z == plane[1] ? point[1]
                                    : INT_MIN);
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
    struct legs_range own, own_coarse; /* what up and down make of z and b_c */
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
        begin = grid.begin + blockIdx.x / grid.regions * grid.planes;
        end = min(begin + grid.planes, grid.end);
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

/* Barriers, for each warp one in each turn, on which its neighbours arrive: one lane does, after a
 * __syncwarp. (racecheck does not follow that, and reports the edges. With an arrival by every lane
 * it reports nothing.) */
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

#endif
