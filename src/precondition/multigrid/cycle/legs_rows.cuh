/* The rows of a thread of legs.cuh: their numbers, common ones or by codes, and their chains. */
#ifndef PRECONDITION_MULTIGRID_CYCLE_LEGS_ROWS_CUH
#define PRECONDITION_MULTIGRID_CYCLE_LEGS_ROWS_CUH

#include "precondition/multigrid/cycle/legs_region.cuh"

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

/* The codes of the planes k, k - 1 and k - 2, where one of them has a mark, and those of k + 1 on
 * their way. A plane's place in the ring is that of its vectors. */
struct legs_three {
    uint32_t recent, next;     /* the marks of these planes, 2 bits each; of the next one */
    uint32_t ahead[LEGS_EACH]; /* two codes of each row */

    __device__ static uint32_t mark(const struct legs_grid &grid, const uint8_t *marks, int region,
                                    int k)
    {
        return grid.reads(k) ? marks[(int64_t)k * grid.regions + region] : 0;
    }
    __device__ void load(const struct legs_grid &grid, const uint8_t *codes,
                         const struct legs_place &at, int k)
    {
        const uint8_t *from = codes + (k * grid.plane() + at.point);
        bool wanted = grid.reads(k);
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

#endif
