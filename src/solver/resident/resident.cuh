/* The kernel of solver/resident.h. Its blocks stay on their processors for many iterations. Each
 * has the parts of all vectors of some tiles (spmv/symmetric/diagonals/bricks.h), and p of its
 * halo. A warp makes a tile. The last warps of a block take the sums of all tiles, so that every
 * block has them, and computes all scalars, for itself. Words (space/cuda/cuda_words.cuh) bring
 * these sums, and rows of the halo, of which p follows by the same operation as in the block that
 * owns it. A method (solver/resident/resident_cg.cuh, resident_minres.cuh) says what a tile does
 * between the barriers; for conjugate gradients, where without an M z is r:
 *
 *     tiles          q = A p, put p . q     r -= alpha q, put r . z and z    p = z + beta p
 *                                           x += alpha p
 *     halo                                  wait for z                       p = z + beta p
 *     sums           row of the history     wait for r . z                   wait for r . r
 *                    wait for p . q                                          fence
 *     barrier                           1                                2                  3
 *
 * Elements of the vectors, and the sums, have the bits of the passes of the method and of the
 * products in spmv/symmetric/diagonals/cuda_sym_diagonals.cuh. A neighbour outside of the matrix is
 * -0: the coefficient is +0 there, and to add -0 changes nothing.
 *
 * Every wait ends. A warp that has looked too often gives the launch up, in one word that all
 * blocks see. The same word decides that all blocks have arrived at the end; only then do they
 * change the vectors. So a launch does all of its work, or none. */
#ifndef SOLVER_RESIDENT_RESIDENT_CUH
#define SOLVER_RESIDENT_RESIDENT_CUH

#include "solver/resident/resident_cg.cuh"
#include "solver/resident/resident_minres.cuh"

#ifdef __CUDACC__

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

/* A warp empties its words of a buffer. */
template <class Method>
__device__ static inline void resident_empty(const struct resident_launch &of, int buffer, int tile,
                                             unsigned int exported)
{
    int lane = threadIdx.x % SUM_LANES;
    cuda_word *row = of.words.rows + ((int64_t)buffer * of.tiles + tile) * SUM_TILE + lane;
#pragma unroll
    for (int u = 0; u < RESIDENT_STEPS; u++)
        if (exported >> u & 1)
            words_put(row + u * SUM_LANES, WORDS_EMPTY);
    resident_put_sum(of, RESIDENT_PRODUCT, buffer, tile, WORDS_EMPTY);
    resident_put_sum(of, RESIDENT_STEP, buffer, tile, WORDS_EMPTY);
    if (Method::HAS_ASIDE)
        resident_put_sum(of, RESIDENT_ASIDE, buffer, tile, WORDS_EMPTY);
    __syncwarp();
    words_fence();
}

/* The barriers of a block: of all its warps, and of tiles and sums. */
enum { RESIDENT_ALL = 1, RESIDENT_PRODUCTS, RESIDENT_STEPPED }; /* 0: __syncthreads */

/* A barrier of the block, which warps of tiles and warps of sums meet in different places.
 * (synccheck reports every barrier of that kind.) */
__device__ static inline void resident_meet(const struct resident_launch &of)
{
    words_meet(RESIDENT_ALL, of.warps * SUM_LANES);
}

/* The warps of tiles and of the halo, of which a thread waits for HALO words at most. q becomes
 * A p. */
template <class Method, int HALO, bool P_IN_REGISTERS>
__device__ static inline void resident_iterate(const struct resident_launch &of,
                                               const struct resident_places &at, int tile,
                                               Method &method, double (&q)[RESIDENT_STEPS])
{
    int meeting = (of.bricks.slots + of.pollers) * SUM_LANES;
    int halo_threads = (of.warps - of.pollers) * SUM_LANES, rows = 0;
    bool has_slot = (int)threadIdx.x / SUM_LANES < of.bricks.slots, has_tile = tile >= 0;
    method.begin(at.shared->scalars);
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
            resident_put_sum(of, RESIDENT_PRODUCT, buffer, tile, words_of(resident_tree(product)));
        }
        if (has_slot)
            words_arrive(RESIDENT_PRODUCTS, meeting);
        if (has_tile)
            resident_empty<Method>(of, next, tile, exported);
        resident_meet(of); /* 1 */
        double product = resident_sum(of, at.shared, RESIDENT_PRODUCT);
        const struct resident_part part = {own, rows, buffer, tile, k};
        if (*(volatile int *)&at.shared->stop || k > of.count || !Method::goes_on(product)) {
            if (has_tile)
                method.end(of, at, part);
            break;
        }
        cuda_word *words_rows = of.words.rows + (int64_t)buffer * of.tiles * SUM_TILE;
        method.take_product(product);
        if (has_tile)
            method.step(of, at, part, p, q);
        if (has_slot)
            words_arrive(RESIDENT_STEPPED, meeting);
        if (has_tile) {
            cuda_word *mine = words_rows + (int64_t)tile * SUM_TILE + lane;
#pragma unroll
            for (int u = 0; u < RESIDENT_STEPS; u++)
                if (exported >> u & 1)
                    words_put(mine + u * SUM_LANES, words_of(method.row(u, q)));
        }
        cuda_word words[HALO];
#pragma unroll
        for (int j = 0; j < HALO; j++)
            words[j] = j < halo ? words_look(words_rows + halo_rows[j * halo_threads]) : 0;
        if (has_tile)
            method.meanwhile(of, at, part, p);
        unsigned int looks = 0;
        while (words_any_empty(words)) {
#pragma unroll
            for (int j = 0; j < HALO; j++)
                if (words_is_empty(words[j]))
                    words[j] = words_look(words_rows + halo_rows[j * halo_threads]);
            if (resident_gives_up(of, looks)) {
                *(volatile int *)&at.shared->lost = 1;
                break;
            }
        }
        resident_meet(of); /* 2 */
        method.take_step(resident_sum(of, at.shared, RESIDENT_STEP));
        constexpr int TOGETHER = 4; /* loads before the next store, which waits for them */
        double before[TOGETHER];
#pragma unroll
        for (int j = 0; j < HALO; j++) {
            if (j % TOGETHER == 0)
#pragma unroll
                for (int i = j; i < min(j + TOGETHER, HALO); i++)
                    before[i - j] = i < halo ? halo_p[i * halo_threads] : 0;
            if (j < halo)
                halo_p[j * halo_threads] = method.next(before[j % TOGETHER], words_value(words[j]));
        }
        if (has_tile) {
#pragma unroll
            for (int u = 0; u < RESIDENT_STEPS; u++)
                p.put(u, method.next_own(u, p[u], q));
        }
        buffer = next;
        resident_meet(of); /* 3 */
    }
}

/* The warps that take the sums, EACH groups each. The first of them has the scalars: a block's are
 * those of every other. The iterations that were done. */
template <class Method, int EACH>
__device__ static inline int64_t resident_sum_up(const struct resident_launch &of,
                                                 const struct resident_places &at, int poller)
{
    struct resident_shared *shared = at.shared;
    int meeting = (of.bricks.slots + of.pollers) * SUM_LANES, buffer = 1;
    bool leads = poller == 0 && threadIdx.x % SUM_LANES == 0;
    auto take = [&](enum resident_sum which) {
        return resident_take<EACH>(of, which, buffer, poller, shared->sums[which]);
    };
    resident_meet(of); /* as in resident_iterate */
#pragma unroll 1
    for (int64_t k = 1;; k++) {
        if (leads && k > 1) {
            if (Method::HAS_ASIDE)
                Method::put_aside(shared->scalars, resident_sum(of, shared, RESIDENT_ASIDE),
                                  k - Method::ASIDE_LATE);
            Method::advance(shared->scalars);
            if (shared->scalars.loop.ended || *(volatile int *)&shared->lost)
                *(volatile int *)&shared->stop = 1;
        }
        words_meet(RESIDENT_PRODUCTS, meeting);
        if (!take(RESIDENT_PRODUCT))
            resident_lose(shared);
        resident_meet(of); /* 1 */
        double product = resident_sum(of, shared, RESIDENT_PRODUCT);
        if (*(volatile int *)&shared->stop || k > of.count || !Method::goes_on(product)) {
            if (leads)
                Method::end(shared->scalars, product,
                            !*(volatile int *)&shared->stop && k <= of.count);
            if (Method::ASIDE_LATE > 1 && !take(RESIDENT_ASIDE))
                *(volatile int *)&shared->lost = 1;
            return k - 1;
        }
        words_meet(RESIDENT_STEPPED, meeting);
        if (!take(RESIDENT_STEP))
            *(volatile int *)&shared->lost = 1;
        resident_meet(of); /* 2 */
        if (leads)
            Method::put_sums(shared->scalars, product, resident_sum(of, shared, RESIDENT_STEP));
        if (Method::HAS_ASIDE && !take(RESIDENT_ASIDE))
            *(volatile int *)&shared->lost = 1;
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
template <class Method>
__device__ static inline void resident_show(const struct resident_launch &of,
                                            union resident_scalars &own)
{
    auto &scalars = Method::of(own), &kept = *Method::of(of.system);
    enum { WORDS = sizeof(struct solver_row_words) / sizeof(uint64_t) };
    struct solver_rows *rows = kept.loop.rows;
    int64_t before = kept.loop.iteration, count = scalars.loop.iteration - before;
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
    kept = scalars;
    *(volatile int64_t *)&of.told->iterations = of.told->iterations + count;
    if (!scalars.loop.ended)
        return;
    *(volatile int64_t *)&of.told->ended = 1;
    solver_rows_end(rows, (enum reason)of.rows->reason, of.rows->curvature);
}

/* All threads of a block, after the loop: whether the launch is done. */
__device__ static inline bool resident_finish(const struct resident_launch &of,
                                              struct resident_shared *shared)
{
    resident_meet(of);
    if (threadIdx.x == 0)
        shared->stop = shared->lost || !resident_is_done(of);
    resident_meet(of);
    return !shared->stop;
}

template <class Method>
__device__ static inline void
resident_store(const struct resident_launch &of, const struct resident_places &at, int tile,
               const Method &method, const double (&q)[RESIDENT_STEPS])
{
    int slot = threadIdx.x / SUM_LANES, lane = threadIdx.x % SUM_LANES;
#pragma unroll
    for (int u = 0; u < RESIDENT_STEPS; u++) {
        int64_t i = (int64_t)tile * SUM_TILE + u * SUM_LANES + lane;
        int own = slot * SUM_TILE + u * SUM_LANES + lane;
        if (i >= of.n)
            continue;
        of.system.x[i] = at.own[0][own];
        of.system.p[i] = at.p[own];
        method.store(of, at, u, i, own, q);
    }
}

/* The warps of tiles and of the halo, from begin to end. */
template <class Method, int HALO, bool P_IN_REGISTERS>
__device__ static inline void resident_work(const struct resident_launch &of,
                                            const struct resident_places &at)
{
    int warp = (int)threadIdx.x / SUM_LANES, lane = (int)threadIdx.x % SUM_LANES;
    int tile =
        warp < of.bricks.slots ? of.bricks.tile[(int)blockIdx.x * of.bricks.slots + warp] : -1;
    Method method;
    double q[RESIDENT_STEPS];
    if (tile >= 0)
        resident_put_pieces(of, at, warp, (int64_t)tile * SUM_TILE);
#pragma unroll
    for (int u = 0; u < RESIDENT_STEPS; u++) {
        int64_t i = (int64_t)tile * SUM_TILE + u * SUM_LANES + lane;
        method.load(of, u, tile >= 0 && i < of.n ? i : -1);
    }
    resident_iterate<Method, HALO, P_IN_REGISTERS>(of, at, tile, method, q);
    if (resident_finish(of, at.shared) && tile >= 0)
        resident_store(of, at, tile, method, q);
}

/* All threads of a block. */
template <class Method, int HALO, int EACH, bool P_IN_REGISTERS>
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
        Method::of(shared->scalars) = *Method::of(of.system);
        shared->scalars.loop.rows = blockIdx.x == 0 ? of.rows : NULL;
        shared->verdict = words_look(of.words.verdict);
        shared->stop = shared->lost = 0;
        for (int g = 0; g < RESIDENT_SUMS * RESIDENT_GROUPS; g++)
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
        resident_work<Method, HALO, P_IN_REGISTERS>(of, at);
    else {
        int64_t done = resident_sum_up<Method, EACH>(of, at, poller);
        if (resident_finish(of, shared) && blockIdx.x == 0 && poller == 0) {
            if (Method::ASIDE_LATE > 1 && threadIdx.x % SUM_LANES == 0)
                Method::put_aside(shared->scalars, resident_sum(of, shared, RESIDENT_ASIDE), done);
            resident_show<Method>(of, shared->scalars);
        }
    }
}

#endif
#endif
