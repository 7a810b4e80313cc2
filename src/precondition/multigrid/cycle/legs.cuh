/* The kernels of legs.h. A warp has lines of 64 points along x, 2 for a lane, and a thread has 4
 * rows along y. The outer two points of a block's region are its halo. A block marches through the
 * planes k of its chunk along z, and keeps in registers what it has of three of them:
 *
 *     down    d of k,  x of k - 1,  the residual of k - 2
 *     up      x + P x_c of k,  r and d of k - 1,  the new x of k - 2
 *
 * The chain of a row (spmv/symmetric/sym_order.h) begins when its plane is the newest, up to the
 * neighbour along +y, and ends with that of the next plane. Neighbours along x come by shuffles.
 * Those along y come from registers or, at the edge of a warp's rows, from shared memory: a warp
 * meets its two neighbours once for each plane. Outside of the grid all numbers are 0, so the
 * entries there make no difference.
 *
 * Vectors come ahead of their plane, through shared memory. They are aligned to two numbers. */
#ifndef PRECONDITION_MULTIGRID_CYCLE_LEGS_CUH
#define PRECONDITION_MULTIGRID_CYCLE_LEGS_CUH

#include "precondition/multigrid/cycle/legs_rows.cuh"

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
    const int coarse_point = at.y / 2 * coarse_line + at.x / 2;
    int64_t I = (first - 2) / 2 * (plane / 4) + coarse_point;
    int place = 0; /* of plane k in the ring */
    auto ask = [&](int its_place, int ahead, int k) {
        bool wanted = grid.reads(k) && k <= last;
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
                    if ((at.own >> j & 1) &&
                        work.own_coarse.has(k / 2 - 1, coarse_point + j / 2 * coarse_line))
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
    int64_t I = first / 2 * (plane / 4) + at.y / 2 * coarse_line + at.x / 2;
    int place = 0; /* of plane k of x in the ring, and of plane k - 1 of b */
    auto is_wanted = [&](int k) { return grid.reads(k) && k <= last; };
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
                        if (!(at.own >> j & 1) || !work.own.has(k - 2, at.point + j * line))
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
