/* The frame of the kernels that make one row a thread, in the order of spmv/symmetric/sym_order.h:
 * a block of SUM_TILE threads walks TILES consecutive tiles of space/sum/sum_order.h, so the dot
 * product comes out of shared memory, one warp a tile, and costs no pass.
 *
 * What a row is made of is a parameter (Rows), and so is the vector that it is multiplied by: x as
 * it stands in memory, or the next direction of conjugate gradients, p = r + beta p, made anew
 * wherever it is read, which saves the pass that would write it first. Or several vectors at once,
 * of which a thread has some (cuda_sym_columns.cuh). For .cu files. */
#ifndef SPMV_SYMMETRIC_CUDA_SYM_TILES_CUH
#define SPMV_SYMMETRIC_CUDA_SYM_TILES_CUH

#include "space/sum/cuda_sum.cuh"
#include "spmv/kernel.h"
#include "spmv/symmetric/block_order.h"

#include <algorithm>
#include <type_traits>

/* base[0] of an address that lies so many bytes behind. */
template <typename Value> __device__ inline Value tiles_at(const Value *base, int64_t bytes)
{
    return *(const Value *)((const char *)base + bytes);
}

__device__ inline double2 tiles_pair(const double *v)
{
    return *(const double2 *)v;
}
__device__ inline float2 tiles_pair(const float *v)
{
    return *(const float2 *)v;
}

/* *to = *from, from memory to shared memory, without a register on the way. The thread that asked
 * may read it behind tiles_arrived. */
__device__ inline void tiles_bring(double *to, const double *from)
{
#if __CUDA_ARCH__ >= 800
    unsigned int place = (unsigned int)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(place), "l"(from) : "memory");
#else
    *to = *from;
#endif
}
__device__ inline void tiles_arrived()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/* Two numbers on their way into shared memory, if `wanted`: without a branch, which
 * __pipeline_memcpy_async would make one with, and then the copies of a loop go out one by one. */
__device__ inline void tiles_bring_pair(uint32_t shared, const float *from, bool wanted)
{
    asm volatile("{\n\t"
                 ".reg .pred wanted;\n\t"
                 "setp.ne.b32 wanted, %2, 0;\n\t"
                 "@wanted cp.async.ca.shared.global [%0], [%1], 8;\n\t"
                 "}" ::"r"(shared),
                 "l"(from), "r"((int)wanted)
                 : "memory");
}
__device__ inline void tiles_bring_pair(uint32_t shared, const double *from, bool wanted)
{
    asm volatile("{\n\t"
                 ".reg .pred wanted;\n\t"
                 "setp.ne.b32 wanted, %2, 0;\n\t"
                 "@wanted cp.async.cg.shared.global [%0], [%1], 16;\n\t"
                 "}" ::"r"(shared),
                 "l"(from), "r"((int)wanted)
                 : "memory");
}

/* a with its sign's bit changed by that of `sign`, which has no other: exact, for a NaN too. */
__device__ inline double tiles_flip(double a, int sign)
{
    return __hiloint2double(__double2hiint(a) ^ sign, __double2loint(a));
}
__device__ inline float tiles_flip(float a, int sign)
{
    return __int_as_float(__float_as_int(a) ^ sign);
}

/* a = v[0], ..., v[K - 1], two at once where K is even: v + an even number of them is aligned to
 * two. */
template <int K, typename Value, typename Number>
__device__ void tiles_line(const Value *v, Number (&a)[K])
{
    if (K % 2 == 0) {
#pragma unroll
        for (int c = 0; c + 1 < K; c += 2) {
            auto pair = tiles_pair(v + c);
            a[c] = pair.x;
            a[c + 1] = pair.y;
        }
    } else {
#pragma unroll
        for (int c = 0; c < K; c++)
            a[c] = v[c];
    }
}

/* What a Vector's sums are made of, and whether a row has those of several columns. */
template <typename Sum> struct tiles_sum {
    enum { SEVERAL = 0 };
    typedef Sum number;
};

/* A row has 2^this threads, more than one only for several columns; a block of threads makes as
 * many times fewer rows than a tile has. */
template <typename Vector> CGSOLVE_HOST_AND_DEVICE inline int tiles_shift(const Vector &)
{
    return 0;
}

/* What the dot product multiplies in a row. */
struct tiles_terms {
    double x, y;
};

/* The vector x of doubles or singles, for products and sums of type Sum. Like every Vector it stays
 * among the launch's constants: what is read once per thread, begin() gives back. */
template <typename Sum, typename X> struct tiles_vector {
    enum {
        WORDS = 1,                         /* of an element */
        DOTS = std::is_same_v<Sum, double> /* whether a dot product can be wanted */
    };
    typedef Sum sum;
    typedef X result;  /* an element of y, which holds what Sum does */
    typedef X element; /* as loaded; value() makes the number of it */
    struct scalars {
    };
    struct own {
    }; /* what a row loads besides, for finish() */
    const X *x;

    __device__ scalars begin() const
    {
        return {};
    }
    __device__ element load(int64_t j) const
    {
        return x[j];
    }
    __device__ element load_away(int64_t i, int64_t bytes) const
    {
        return tiles_at(x + i, bytes);
    }
    template <int K> __device__ void load_line(int64_t j, element (&e)[K]) const
    {
        tiles_line(x + j, e);
    }
    __device__ static Sum value(scalars, element e)
    {
        return (Sum)e;
    }
    /* Where a thread keeps two doubles in shared memory, until finish(). */
    __device__ own load_own(int64_t, double *, double *) const
    {
        return {};
    }
    /* What becomes of row i, whose product is `sum`. */
    __device__ tiles_terms finish(scalars s, int64_t i, element e, own, Sum sum, result *y) const
    {
        y[i] = sum;
        return {(double)value(s, e), (double)sum};
    }
};

/* The direction r + beta p of struct direction; with UPDATE, x is brought up to date. */
template <bool UPDATE> struct tiles_direction {
    enum { WORDS = 2, DOTS = 1 };
    typedef double sum, result;
    struct element {
        double r, p;
    };
    struct scalars {
        double beta;
    };
    /* In shared memory: there are no registers for two more numbers, and the compiler would wait
     * for them before it asks for the neighbours. */
    struct own {
        double *x, *before;
    };
    struct direction d;

    __device__ scalars begin() const
    {
        return {*d.beta};
    }
    __device__ element load(int64_t j) const
    {
        return {d.r[j], d.p[j]};
    }
    __device__ element load_away(int64_t i, int64_t bytes) const
    {
        return {tiles_at(d.r + i, bytes), tiles_at(d.p + i, bytes)};
    }
    template <int K> __device__ void load_line(int64_t j, element (&e)[K]) const
    {
        double r[K], p[K];
        tiles_line(d.r + j, r);
        tiles_line(d.p + j, p);
#pragma unroll
        for (int c = 0; c < K; c++)
            e[c] = {r[c], p[c]};
    }
    __device__ static double value(scalars s, element e)
    {
        return fma(s.beta, e.p, e.r);
    }
    __device__ own load_own(int64_t i, double *first, double *second) const
    {
        if (UPDATE) {
            tiles_bring(first, d.x + i);
            tiles_bring(second, d.next + i);
        }
        return {first, second};
    }
    __device__ tiles_terms finish(scalars s, int64_t i, element e, own o, double sum,
                                  double *y) const
    {
        if (UPDATE) {
            tiles_arrived();
            d.x[i] = fma(*d.alpha, e.p, fma(*d.alpha_before, *o.before, *o.x));
        }
        d.next[i] = value(s, e);
        y[i] = sum;
        return {value(s, e), sum};
    }
};

/* Where the results of a launch go, and how many blocks of threads make them: the slow ones at the
 * end of the matrix first, then from its beginning on, so that the launch does not end with them;
 * or in strips. */
struct tiles_result {
    unsigned int blocks, slow_blocks;
    struct block_order strips; /* count = 0: none */
    void *y;
    struct cuda_sum sum; /* of dot */
    double *dot;
    const int64_t *ended;
};

/* The scalar products of the tiles that a block has walked: warp g makes tile first + g. */
template <int TILES>
__device__ void tiles_dot(struct cuda_sum sum, int64_t first, const double (*x)[SUM_TILE],
                          const double (*y)[SUM_TILE])
{
    __syncthreads();
    int g = threadIdx.x / CUDA_WARP, lane = threadIdx.x % CUDA_WARP;
    if (g >= TILES || first + g >= sum.tiles)
        return;
    plain_sum tile = plain_sum::zero();
#pragma unroll
    for (int k = lane; k < SUM_TILE; k += SUM_LANES)
        tile.add_product(x[g][k], y[g][k]);
    tile = cuda_lanes_tree(tile);
    if (lane == 0)
        cuda_sum_put(sum, first + g, tile);
}

/* By all threads of a block, which does nothing else: the scalar product, when all tiles are there.
 * The scratch is cuda_sum_take_all's. */
__device__ __forceinline__ void tiles_take(const struct tiles_result &result, double *scratch)
{
    const struct cuda_sum &sum = result.sum;
    if (sum.joined)
        return; /* the next launch does */
    plain_sum total = cuda_sum_take_all<plain_sum>(sum.slots, sum.tiles, scratch);
    if (threadIdx.x == 0)
        *result.dot = total.value();
}

/* The block of rows whose turn it is, or UINT32_MAX: none. The grid of a launch in strips is strip
 * by plane by place, with a plane before the first for the scalar product: to divide by their
 * lengths would take a tenth of the time of a light block. */
template <bool DOT, bool PLANES>
__device__ __forceinline__ unsigned int tiles_turn(const struct tiles_result &result)
{
    if (PLANES && result.strips.count > 0)
        return blockIdx.y == 0
                   ? UINT32_MAX
                   : block_order_block(&result.strips, blockIdx.z, blockIdx.y - 1, blockIdx.x);
    unsigned int block = blockIdx.x - (DOT ? 1 : 0);
    if (PLANES)
        block = block < result.slow_blocks ? result.blocks - 1 - block : block - result.slow_blocks;
    return block;
}

/* Rows has
 *     n                                        rows
 *     void begin(double *shared)               called once by all threads, of shared_bytes() bytes
 *     Vector::sum multiply(vector, scalars, shared, base, i, &own)
 *                                              y_i for row i of the tile that begins at base; own
 *                                              becomes the element of the vector at i
 *     PLANES                                   whether a row needs others far away, and then
 *     int64_t reach                            how far: so many rows at either end take longer
 *     unsigned int strips                      that as many rows are cut into
 *
 * A row past the end adds +0 in its lane, which is absent in sum_order.h: it makes no difference
 * but to -0. */
template <int TILES, int BLOCKS_A_PROCESSOR, bool DOT, typename Rows, typename Vector>
__global__ static void __launch_bounds__(SUM_TILE, BLOCKS_A_PROCESSOR)
    tiles_kernel(const __grid_constant__ Rows rows, const __grid_constant__ Vector vector,
                 const __grid_constant__ struct tiles_result result)
{
    extern __shared__ double shared[];
    /* What the dot product multiplies; before, a place for each thread's load_own. */
    __shared__ double xy[2][DOT ? TILES : 1][SUM_TILE];
    int64_t over = result.ended ? *result.ended : 0;
    if (DOT && (blockIdx.x | blockIdx.y | blockIdx.z) == 0) {
        if (!over)
            tiles_take(result, &xy[0][0][0]);
        return;
    }
    rows.begin(shared);
    typename Vector::scalars scalars = vector.begin();
    if (over) /* asked when the loads before are on their way */
        return;
    unsigned int block = tiles_turn<DOT, Rows::PLANES>(result);
    if (Rows::PLANES && block == UINT32_MAX)
        return;
    int shift = tiles_shift(vector), tile = SUM_TILE >> shift;
    int64_t first = (int64_t)block * TILES, base = first * tile;
#pragma unroll 1
    for (int g = 0; g < TILES; g++, base += tile) {
        int64_t i = base + (threadIdx.x >> shift);
        /* or the compiler keeps the addresses of all neighbours in registers from tile to tile */
        asm volatile("" : "+l"(i));
        tiles_terms terms = {0, 0};
        if (i < rows.n) {
            typename Vector::element own;
            int place = DOT ? g : 0;
            typename Vector::own kept =
                vector.load_own(i, &xy[0][place][threadIdx.x], &xy[1][place][threadIdx.x]);
            typename Vector::sum sum = rows.multiply(vector, scalars, shared, base, i, own);
            terms = vector.finish(scalars, i, own, kept, sum, (typename Vector::result *)result.y);
        }
        if (DOT) {
            xy[0][g][threadIdx.x] = terms.x;
            xy[1][g][threadIdx.x] = terms.y;
        }
    }
    if (DOT)
        tiles_dot<TILES>(result.sum, first, xy[0], xy[1]);
}

/* dot = NULL where the vector has none. */
template <int TILES, int BLOCKS_A_PROCESSOR, typename Rows, typename Vector>
enum status tiles_launch(struct space_cuda *space, const Rows &rows, const Vector &vector,
                         typename Vector::result *y, double *dot, struct error *error)
{
    struct tiles_result result = {};
    result.y = y;
    result.dot = dot;
    result.ended = space->base.ended;
    int64_t of_block = TILES * (SUM_TILE >> tiles_shift(vector)); /* rows */
    unsigned int blocks = result.blocks = (unsigned int)((rows.n + of_block - 1) / of_block);
    dim3 grid(blocks), grid_with_dot(1 + blocks);
    if constexpr (Rows::PLANES) {
        result.slow_blocks =
            (unsigned int)std::min<int64_t>(blocks, (rows.reach + of_block - 1) / of_block);
        constexpr unsigned int MOST = 65535; /* of a grid's second and third dimension */
        const struct block_order strips = block_order_of(
            blocks, (double)rows.reach / (double)of_block, std::max(rows.strips, 1u));
        if (strips.count > 1 && strips.planes < MOST && strips.count <= MOST) {
            result.strips = strips;
            grid = grid_with_dot = dim3(strips.width, 1 + strips.planes, strips.count);
        }
    }
    size_t bytes = rows.shared_bytes();
    if constexpr (Vector::DOTS) {
        if (dot) {
            enum status status = cuda_sum_prepare(space, rows.n, 1, &result.sum, error);
            if (status)
                return status;
            tiles_kernel<TILES, BLOCKS_A_PROCESSOR, true>
                <<<grid_with_dot, SUM_TILE, bytes, space->stream>>>(rows, vector, result);
            status = cuda_check_launch("a product by tiles", error);
            return status || !result.sum.joined ? status
                                                : cuda_sum_join(space, &result.sum, dot, error);
        }
    }
    tiles_kernel<TILES, BLOCKS_A_PROCESSOR, false>
        <<<grid, SUM_TILE, bytes, space->stream>>>(rows, vector, result);
    return cuda_check_launch("a product by tiles", error);
}

#endif
