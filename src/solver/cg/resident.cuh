/* The kernel of solver/cg/resident.h. Its blocks stay on their processors for many iterations; each
 * has the parts of x, p, q and r of some tiles (spmv/symmetric/diagonals/bricks.h), and p of its
 * halo. A warp makes a tile. The last warps of a block take the sums of all tiles, so that every
 * block has p . q and r . r, and computes all scalars, for itself. Words
 * (space/cuda/cuda_words.cuh) bring these sums, and r of the halo, of which p follows by the same
 * operation as in the block that owns it.
 *
 *     tiles          q = A p, put p . q     r -= alpha q, put r . r and r    p = r + beta p
 *                                           x += alpha p
 *     halo                                  wait for r                       p = r + beta p
 *     sums           row of the history     wait for r . r                   fence
 *                    wait for p . q
 *     barrier                           1                                2                  3
 *
 * Elements of x, r, p and q, and the sums, have the bits of the passes in solver/cg/passes.h and of
 * the products in spmv/symmetric/diagonals/cuda_sym_diagonals.cuh. A neighbour outside of the
 * matrix is -0: the coefficient is +0 there, and to add -0 changes nothing.
 *
 * Every wait ends. A warp that has looked too often gives the launch up, in one word that all
 * blocks see. The same word decides that all blocks have arrived at the end; only then do they
 * change x, r, p and q. So a launch does all of its work, or none. */
#ifndef SOLVER_CG_RESIDENT_CUH
#define SOLVER_CG_RESIDENT_CUH

#include "solver/cg/resident_block.cuh"

#ifdef __CUDACC__

/* --- waiting ---------------------------------------------------------------------------------- */

/* Counts a look; whether the launch has been given up, or is now. */
__device__ static inline bool resident_gives_up(const struct resident_launch &of,
                                                unsigned int &looks)
{
    if (++looks % RESIDENT_PATIENCE != 0)
        return false;
    if (words_look(of.words.verdict) != 2 * of.number)
        return true;
    if (looks < of.looks)
        return false;
    if (atomicCAS(of.words.verdict, 2 * of.number, 2 * of.number + 1) == 2 * of.number)
        *(volatile int64_t *)&of.told->lost = 1;
    return true;
}

/* Before barrier 1: the block leaves its loop behind that. */
__device__ static inline void resident_lose(struct resident_shared *shared)
{
    *(volatile int *)&shared->lost = 1;
    *(volatile int *)&shared->stop = 1;
}

__device__ static inline double resident_tree(double lane)
{
#pragma unroll
    for (int half = SUM_LANES / 2; half >= 1; half /= 2)
        lane = lane + __shfl_xor_sync(~0u, lane, half);
    return lane;
}

/* which: 0 p . q, 1 r . r. */
__device__ static inline cuda_word *resident_sums(const struct resident_launch &of, int which,
                                                  int copy, int buffer)
{
    return of.words.sums +
           (int64_t)((which * of.words.copies + copy) * WORDS_BUFFERS + buffer) * of.tiles;
}

/* A tile's sum, by a warp. */
__device__ static inline void resident_put_sum(const struct resident_launch &of, int which,
                                               int buffer, int tile, cuda_word word)
{
    int lane = threadIdx.x % SUM_LANES;
    if (lane < of.words.copies)
        words_put(resident_sums(of, which, lane, buffer) + tile, word);
}

/* A warp that takes sums takes EACH groups of tiles at most, `poller` and poller + pollers, side by
 * side. Whether they have come. */
template <int EACH>
__device__ static inline bool resident_take(const struct resident_launch &of, int which, int buffer,
                                            int poller, double *sums)
{
    int lane = threadIdx.x % SUM_LANES;
    const cuda_word *from =
        resident_sums(of, which, (int)(blockIdx.x % (unsigned int)of.words.copies), buffer) + lane;
    cuda_word words[EACH][RESIDENT_STEPS];
    unsigned int looks = 0;
    bool lost = false;
#pragma unroll
    for (int e = 0; e < EACH; e++)
#pragma unroll
        for (int u = 0; u < RESIDENT_STEPS; u++) {
            int slot = (poller + e * of.pollers) * SUM_TILE + u * SUM_LANES;
            words[e][u] = slot + lane < of.tiles ? words_look(from + slot) : 0;
        }
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        int slot = (poller + e * of.pollers) * SUM_TILE;
        while (!lost && words_any_empty(words[e])) {
#pragma unroll
            for (int u = 0; u < RESIDENT_STEPS; u++)
                words_look_again(words[e][u], from + slot + u * SUM_LANES);
            lost = resident_gives_up(of, looks);
        }
        __syncwarp();
        double sum = 0;
#pragma unroll
        for (int u = 0; u < RESIDENT_STEPS; u++)
            sum = sum + words_value(words[e][u]);
        sum = resident_tree(sum);
        if (lane == 0 && slot < of.tiles)
            sums[slot / SUM_TILE] = sum;
    }
    return !lost;
}

/* The sum of `groups` sums, in the order of include/cgsolve/order.h. Absent ones are 0 there, and
 * add nothing to a sum that is not -0. */
template <int MOST> __device__ static inline double resident_top(const double *sums, int groups)
{
    if constexpr (MOST > 1)
        if (groups <= MOST / 2)
            return resident_top<MOST / 2>(sums, groups);
    double lane[MOST];
#pragma unroll
    for (int g = 0; g < MOST; g++)
        lane[g] = 0.0 + sums[g];
#pragma unroll
    for (int half = MOST / 2; half >= 1; half /= 2)
#pragma unroll
        for (int g = 0; g < half; g++)
            lane[g] = lane[g] + lane[g + half];
    return lane[0];
}

/* --- an iteration ----------------------------------------------------------------------------- */

/* q = A p of a warp's tile. All rows go from neighbour to neighbour together, so that there are as
 * many independent operations as rows, and one descriptor at a time. */
__device__ static inline void resident_multiply(const struct resident_launch &of,
                                                const struct resident_places &at, int slot,
                                                double (&q)[RESIDENT_STEPS])
{
    int lane = threadIdx.x % SUM_LANES;
#pragma unroll
    for (int u = 0; u < RESIDENT_STEPS; u++)
        q[u] = 0;
#pragma unroll 1
    for (int k = 0; k < of.bricks.width; k++) {
        const struct resident_piece piece = at.pieces[slot * of.bricks.width + k];
        int split = piece.at.split - lane;
        const double *low = at.p + piece.at.low + lane, *high = at.p + piece.at.high + lane;
        auto neighbour = [&](int u) { return (u * SUM_LANES < split ? low : high)[u * SUM_LANES]; };
        if (piece.kind == RESIDENT_WHOLE) {
#pragma unroll
            for (int u = 0; u < RESIDENT_STEPS; u++)
                q[u] = fma(piece.coefficient, neighbour(u), q[u]);
        } else if (piece.kind == RESIDENT_MASKED) {
            unsigned int mask = at.masks[(slot * of.bricks.width + k) * SUM_LANES + lane];
#pragma unroll
            for (int u = 0; u < RESIDENT_STEPS; u++)
                q[u] = fma(mask >> u & 1 ? piece.coefficient : 0.0, neighbour(u), q[u]);
        } else {
            const uint8_t *codes = at.codes + slot * SUM_TILE + lane;
#pragma unroll
            for (int u = 0; u < RESIDENT_STEPS; u++)
                q[u] =
                    fma(at.table[codes[u * SUM_LANES] * of.bricks.width + k], neighbour(u), q[u]);
        }
    }
}

/* p of a thread's rows: in shared memory for the neighbours, and in registers too where there are
 * enough. */
template <bool IN_REGISTERS> struct resident_own {
    double *at, in[IN_REGISTERS ? RESIDENT_STEPS : 1];

    __device__ explicit resident_own(double *from) : at(from)
    {
        if constexpr (IN_REGISTERS)
#pragma unroll
            for (int u = 0; u < RESIDENT_STEPS; u++)
                in[u] = at[u * SUM_LANES];
    }
    __device__ double operator[](int u) const
    {
        if constexpr (IN_REGISTERS)
            return in[u];
        else
            return at[u * SUM_LANES];
    }
    __device__ void put(int u, double value)
    {
        if constexpr (IN_REGISTERS)
            in[u] = value;
        at[u * SUM_LANES] = value;
    }
};

/* A warp empties its words of a buffer. */
__device__ static inline void resident_empty(const struct resident_launch &of, int buffer, int tile,
                                             unsigned int exported)
{
    int lane = threadIdx.x % SUM_LANES;
    cuda_word *r = of.words.r + ((int64_t)buffer * of.tiles + tile) * SUM_TILE + lane;
#pragma unroll
    for (int u = 0; u < RESIDENT_STEPS; u++)
        if (exported >> u & 1)
            words_put(r + u * SUM_LANES, WORDS_EMPTY);
    resident_put_sum(of, 0, buffer, tile, WORDS_EMPTY);
    resident_put_sum(of, 1, buffer, tile, WORDS_EMPTY);
    __syncwarp();
    words_fence();
}

/* The barriers of a block: of all its warps, and of tiles and sums. */
enum { RESIDENT_ALL = 1, RESIDENT_PRODUCTS, RESIDENT_SQUARES }; /* 0: __syncthreads */

/* A barrier of the block, which warps of tiles and warps of sums meet in different places.
 * (synccheck reports every barrier of that kind.) */
__device__ static inline void resident_meet(const struct resident_launch &of)
{
    words_meet(RESIDENT_ALL, of.warps * SUM_LANES);
}

/* The warps of tiles and of the halo, of which a thread waits for HALO words at most. q becomes
 * A p, and r what it is then. */
template <int HALO, bool P_IN_REGISTERS>
__device__ static inline void
resident_iterate(const struct resident_launch &of, const struct resident_places &at, int tile,
                 double (&r)[RESIDENT_STEPS], double (&q)[RESIDENT_STEPS])
{
    int meeting = (of.bricks.slots + of.pollers) * SUM_LANES;
    int halo_threads = (of.warps - of.pollers) * SUM_LANES, rows = 0;
    bool has_slot = (int)threadIdx.x / SUM_LANES < of.bricks.slots, has_tile = tile >= 0;
    double rho = at.shared->scalars.rho;
    unsigned int exported = 0;
    if (has_tile) {
        exported = (unsigned int)of.bricks.exported[tile];
        int64_t left = of.n - ((int64_t)tile * SUM_TILE + threadIdx.x % SUM_LANES);
        rows = left >= SUM_TILE ? (int)RESIDENT_STEPS : (int)((left + SUM_LANES - 1) / SUM_LANES);
    }
    int halo = (of.bricks.halo[blockIdx.x] - (int)threadIdx.x + halo_threads - 1) / halo_threads;
    resident_meet(of); /* the pieces are there, and all have read the scalars */
    int buffer = 1, thread = (int)threadIdx.x;
    resident_own<P_IN_REGISTERS> p(at.p + (has_slot ? thread / SUM_LANES * SUM_TILE : 0) +
                                   thread % SUM_LANES);
#pragma unroll 1
    for (int k = 1;; k++) {
        int next = buffer == WORDS_BUFFERS - 1 ? 0 : buffer + 1;
        words_opaque(thread);
        words_opaque(tile);
        words_opaque(halo);
        int warp = thread / SUM_LANES, lane = thread % SUM_LANES, own = warp * SUM_TILE + lane;
        double *halo_p = at.p + (of.bricks.slots + 1) * SUM_TILE + thread;
        const int32_t *halo_rows = at.halo + thread;
        if (has_tile) {
            resident_multiply(of, at, warp, q);
            double product = 0;
#pragma unroll
            for (int u = 0; u < RESIDENT_STEPS; u++)
                if (u < rows)
                    product = fma(p[u], q[u], product);
            resident_put_sum(of, 0, buffer, tile, words_of(resident_tree(product)));
        }
        if (has_slot)
            words_arrive(RESIDENT_PRODUCTS, meeting);
        if (has_tile)
            resident_empty(of, next, tile, exported);
        resident_meet(of); /* 1 */
        double curvature = resident_top<RESIDENT_GROUPS>(at.shared->sums[0], of.groups);
        if (*(volatile int *)&at.shared->stop || k > of.count || !cg_may_divide(curvature))
            break;
        double alpha = rho / curvature;
        const cuda_word *words_r = of.words.r + (int64_t)buffer * of.tiles * SUM_TILE;
        if (has_tile) {
            double square = 0;
#pragma unroll
            for (int u = 0; u < RESIDENT_STEPS; u++) {
                r[u] = fma(-alpha, q[u], r[u]);
                if (u < rows)
                    square = fma(r[u], r[u], square);
            }
            resident_put_sum(of, 1, buffer, tile, words_of(resident_tree(square)));
        }
        if (has_slot)
            words_arrive(RESIDENT_SQUARES, meeting);
        if (has_tile) {
            cuda_word *mine = (cuda_word *)words_r + (int64_t)tile * SUM_TILE + lane;
#pragma unroll
            for (int u = 0; u < RESIDENT_STEPS; u++)
                if (exported >> u & 1)
                    words_put(mine + u * SUM_LANES, words_of(r[u]));
        }
        cuda_word words[HALO];
#pragma unroll
        for (int j = 0; j < HALO; j++)
            words[j] = j < halo ? words_look(words_r + halo_rows[j * halo_threads]) : 0;
        if (has_tile) {
#pragma unroll(P_IN_REGISTERS ? (int)RESIDENT_STEPS : 5)
            for (int u = 0; u < RESIDENT_STEPS; u++)
                at.x[own + u * SUM_LANES] = fma(alpha, p[u], at.x[own + u * SUM_LANES]);
        }
        unsigned int looks = 0;
        while (words_any_empty(words)) {
#pragma unroll
            for (int j = 0; j < HALO; j++)
                if (words_is_empty(words[j]))
                    words[j] = words_look(words_r + halo_rows[j * halo_threads]);
            if (resident_gives_up(of, looks)) {
                *(volatile int *)&at.shared->lost = 1;
                break;
            }
        }
        resident_meet(of); /* 2 */
        double next_rho = resident_top<RESIDENT_GROUPS>(at.shared->sums[1], of.groups),
               beta = next_rho / rho;
        rho = next_rho;
        constexpr int TOGETHER = 4; /* loads before the next store, which waits for them */
        double before[TOGETHER];
#pragma unroll
        for (int j = 0; j < HALO; j++) {
            if (j % TOGETHER == 0)
#pragma unroll
                for (int i = j; i < min(j + TOGETHER, HALO); i++)
                    before[i - j] = i < halo ? halo_p[i * halo_threads] : 0;
            if (j < halo)
                halo_p[j * halo_threads] = fma(beta, before[j % TOGETHER], words_value(words[j]));
        }
        if (has_tile) {
#pragma unroll
            for (int u = 0; u < RESIDENT_STEPS; u++)
                p.put(u, fma(beta, p[u], r[u]));
        }
        buffer = next;
        resident_meet(of); /* 3 */
    }
}

/* The warps that take the sums, EACH groups each. The first of them has the scalars: a block's are
 * those of every other. */
template <int EACH>
__device__ static inline void resident_sum_up(const struct resident_launch &of,
                                              const struct resident_places &at, int poller)
{
    struct resident_shared *shared = at.shared;
    int meeting = (of.bricks.slots + of.pollers) * SUM_LANES, buffer = 1;
    bool leads = poller == 0 && threadIdx.x % SUM_LANES == 0;
    double curvature;
    resident_meet(of); /* as in resident_iterate */
#pragma unroll 1
    for (int64_t k = 1;; k++) {
        if (leads && k > 1) {
            cg_scalars_advance(&shared->scalars);
            if (shared->scalars.loop.ended || *(volatile int *)&shared->lost)
                *(volatile int *)&shared->stop = 1;
        }
        words_meet(RESIDENT_PRODUCTS, meeting);
        if (!resident_take<EACH>(of, 0, buffer, poller, shared->sums[0]))
            resident_lose(shared);
        resident_meet(of); /* 1 */
        curvature = resident_top<RESIDENT_GROUPS>(shared->sums[0], of.groups);
        if (*(volatile int *)&shared->stop || k > of.count || !cg_may_divide(curvature)) {
            if (leads)
                shared->scalars.curvature = curvature;
            if (leads && !*(volatile int *)&shared->stop && k <= of.count)
                cg_scalars_advance(&shared->scalars); /* which ends the iteration */
            return;
        }
        words_meet(RESIDENT_SQUARES, meeting);
        if (!resident_take<EACH>(of, 1, buffer, poller, shared->sums[1]))
            *(volatile int *)&shared->lost = 1;
        resident_meet(of); /* 2 */
        if (leads) {
            shared->scalars.curvature = curvature;
            shared->scalars.next_rho = resident_top<RESIDENT_GROUPS>(shared->sums[1], of.groups);
        }
        words_fence();
        buffer = buffer == WORDS_BUFFERS - 1 ? 0 : buffer + 1;
        resident_meet(of); /* 3 */
    }
}

/* --- the end ---------------------------------------------------------------------------------- */

/* By one thread of a block: whether all blocks have come to the end. */
__device__ static inline bool resident_is_done(const struct resident_launch &of)
{
    cuda_word goes_on = 2 * of.number, verdict = goes_on;
    words_fence();
    if (atomicAdd(of.words.arrived, 1u) + 1 == (unsigned int)((of.number + 1) * gridDim.x))
        atomicCAS(of.words.verdict, goes_on, goes_on + 2);
    unsigned int looks = 0;
    while ((verdict = words_look(of.words.verdict)) == goes_on && !resident_gives_up(of, looks))
        ;
    verdict = words_look(of.words.verdict);
    words_fence();
    return verdict == goes_on + 2;
}

/* By the first warp of sums of the first block: the rows of the launch go where the host reads
 * them, and the scalars. */
__device__ static inline void resident_show(const struct resident_launch &of,
                                            struct cg_scalars &scalars)
{
    enum { WORDS = sizeof(struct solver_row_words) / sizeof(uint64_t) };
    struct solver_rows *rows = of.scalars->loop.rows;
    int64_t before = of.scalars->loop.iteration, count = scalars.loop.iteration - before;
    int lane = threadIdx.x % SUM_LANES;
    for (int64_t w = lane; w < count * WORDS; w += SUM_LANES) {
        int64_t row = (before + 1 + w / WORDS) % SOLVER_ROWS;
        *(volatile uint64_t *)&rows->row[row].word[w % WORDS] = of.rows->row[row].word[w % WORDS];
    }
    __threadfence_system();
    __syncwarp();
    if (lane > 0)
        return;
    scalars.loop.rows = rows;
    *of.scalars = scalars;
    *(volatile int64_t *)&of.told->iterations = of.told->iterations + count;
    if (!scalars.loop.ended)
        return;
    *(volatile int64_t *)&of.told->ended = 1;
    solver_rows_end(rows, (enum reason)of.rows->reason, of.rows->curvature);
}

__device__ static inline void resident_store(const struct resident_launch &of,
                                             const struct resident_places &at, int tile,
                                             const double (&r)[RESIDENT_STEPS],
                                             const double (&q)[RESIDENT_STEPS])
{
    int slot = threadIdx.x / SUM_LANES, lane = threadIdx.x % SUM_LANES;
#pragma unroll
    for (int u = 0; u < RESIDENT_STEPS; u++) {
        int64_t i = (int64_t)tile * SUM_TILE + u * SUM_LANES + lane;
        if (i >= of.n)
            continue;
        of.x[i] = at.x[slot * SUM_TILE + u * SUM_LANES + lane];
        of.p[i] = at.p[slot * SUM_TILE + u * SUM_LANES + lane];
        of.r[i] = r[u];
        of.q[i] = q[u];
    }
}

/* All threads of a block, behind the loop: whether the launch is done. */
__device__ static inline bool resident_finish(const struct resident_launch &of,
                                              struct resident_shared *shared)
{
    resident_meet(of);
    if (threadIdx.x == 0)
        shared->stop = shared->lost || !resident_is_done(of);
    resident_meet(of);
    return !shared->stop;
}

/* The warps of tiles and of the halo, from begin to end. */
template <int HALO, bool P_IN_REGISTERS>
__device__ static inline void resident_work(const struct resident_launch &of,
                                            const struct resident_places &at)
{
    int warp = (int)threadIdx.x / SUM_LANES, lane = (int)threadIdx.x % SUM_LANES;
    int tile =
        warp < of.bricks.slots ? of.bricks.tile[(int)blockIdx.x * of.bricks.slots + warp] : -1;
    double r[RESIDENT_STEPS], q[RESIDENT_STEPS];
    if (tile >= 0)
        resident_put_pieces(of, at, warp, (int64_t)tile * SUM_TILE);
#pragma unroll
    for (int u = 0; u < RESIDENT_STEPS; u++) {
        int64_t i = (int64_t)tile * SUM_TILE + u * SUM_LANES + lane;
        r[u] = tile >= 0 && i < of.n ? of.r[i] : -0.0;
    }
    resident_iterate<HALO, P_IN_REGISTERS>(of, at, tile, r, q);
    if (resident_finish(of, at.shared) && tile >= 0)
        resident_store(of, at, tile, r, q);
}

/* All threads of a block. */
template <int HALO, int EACH, bool P_IN_REGISTERS>
__device__ static inline void resident_block(const struct resident_launch &of, char *memory)
{
    const struct resident_places at = resident_places(of, memory);
    struct resident_shared *shared = at.shared;
    int poller = (int)threadIdx.x / SUM_LANES - (of.warps - of.pollers);
    if ((int)blockIdx.x == of.fault.block && of.fault.cycles != 0) {
        long long begun = clock64();
        if (of.fault.cycles < 0)
            return;
        while (clock64() - begun < of.fault.cycles)
            ;
    }
    if (threadIdx.x == 0) {
        shared->scalars = *of.scalars;
        shared->scalars.loop.rows = blockIdx.x == 0 ? of.rows : NULL;
        shared->verdict = words_look(of.words.verdict);
        shared->stop = shared->lost = 0;
        for (int g = 0; g < 2 * RESIDENT_GROUPS; g++)
            shared->sums[g / RESIDENT_GROUPS][g % RESIDENT_GROUPS] = 0;
    }
    resident_load(of, at);
    __syncthreads();
    bool ended = shared->scalars.loop.ended;
    if (shared->verdict != 2 * of.number) /* given up before */
        return;
    if (ended)
        resident_finish(of, shared);
    else if (poller < 0)
        resident_work<HALO, P_IN_REGISTERS>(of, at);
    else {
        resident_sum_up<EACH>(of, at, poller);
        if (resident_finish(of, shared) && blockIdx.x == 0 && poller == 0)
            resident_show(of, shared->scalars);
    }
}

#endif
#endif
