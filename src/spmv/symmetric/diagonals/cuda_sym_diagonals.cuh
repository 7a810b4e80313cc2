/* A matrix by its diagonals on a GPU: what cuda_sym_diagonals.cu keeps of it, the rows that a
 * kernel makes of that, and how one is launched: for products, and for who makes more of a row than
 * its product, with a Vector of its own (cuda_sym_tiles.cuh). For .cu files. */
#ifndef SPMV_SYMMETRIC_DIAGONALS_CUDA_SYM_DIAGONALS_CUH
#define SPMV_SYMMETRIC_DIAGONALS_CUDA_SYM_DIAGONALS_CUH

#include "spmv/symmetric/cuda_sym_tiles.cuh"
#include "spmv/symmetric/diagonals/cuda_bricks.cuh"
#include "spmv/symmetric/sym_order.h"

struct by_diagonals {
    struct space_cuda *space;
    int64_t n, count;
    double sign;
    int32_t *distances; /* [count], the host's */
    int32_t *device_distances;
    bool singles, single_sums;
    void *values;   /* [count n] double, or float with singles; or NULL */
    int stencils;   /* of them, or 0 */
    uint8_t *codes; /* [n] */
    void *table;    /* [stencils (2 count - 1)] double, or float with single_sums */
    void *repeated; /* the arrays of A's repeated rows, or NULL */
    double common[2 * SYM_DIAGONALS_MAX - 1]; /* the first of the table */
    mutable struct cuda_bricks bricks;        /* all zeros: not asked for yet */
};

/* What is kept of A where that is of this form, else NULL. A's. */
const struct by_diagonals *cuda_sym_diagonals_of(const struct linear_operator *A);

/* *made becomes A's bricks for that number of blocks. The form owns them, until it makes others for
 * another number. Errors: STATUS_MEMORY, STATUS_DEVICE. */
enum status cuda_sym_diagonals_bricks(const struct by_diagonals *kept, int blocks,
                                      struct cuda_bricks *made, struct error *error);

/* Rows of COUNT upper diagonals, 0: `count` of them, of values double or float, or of stencils, a
 * table of type Sum. Neighbour k = 0, ..., 2 count - 2 in ascending column order is away[k] bytes
 * away from the row's own element, and its value place[k] bytes from values + i. */
template <int COUNT, bool CODED, typename Value, typename Sum> struct diagonal_rows {
    enum { PLANES = 1, WIDTH = COUNT ? 2 * COUNT - 1 : 1 };
    int64_t n, reach; /* the farthest distance */
    unsigned int strips;
    int count, stencils;
    Sum sign;
    const Value *values;
    const Sum *table;
    const uint8_t *codes;
    const int32_t *distances;
    int64_t away[WIDTH], place[CODED ? 1 : WIDTH];
    Sum common[CODED ? WIDTH : 1];

    size_t shared_bytes() const
    {
        return CODED ? (size_t)stencils * (2 * (size_t)count - 1) * sizeof(Sum) : 0;
    }
    __device__ int width() const
    {
        return 2 * (COUNT ? COUNT : count) - 1;
    }
    __device__ void begin(double *shared) const
    {
        if (CODED) {
            for (int k = threadIdx.x; k < stencils * width(); k += SUM_TILE)
                ((Sum *)shared)[k] = table[k];
            __syncthreads();
        }
    }
    __device__ Sum mirrored(Sum a) const
    {
        return sign * a;
    }

    /* A row at the edge of the matrix, or one of many diagonals. */
    template <typename Vector>
    __device__ typename Vector::sum checked(const Vector &vector, typename Vector::scalars scalars,
                                            const Sum *stencil, int64_t i,
                                            typename Vector::element &own) const
    {
        typename Vector::sum sum = {};
        int m = width() / 2;
        own = vector.load(i);
#pragma unroll(COUNT ? 1 : 4)
        for (int k = 0; k < width(); k++) {
            int diagonal = abs(k - m);
            int64_t d = distances[diagonal], j = k < m ? i - d : i + d;
            if (j < 0 || j >= n)
                continue;
            Sum a = CODED ? stencil[k] : (Sum)values[diagonal * n + min(i, j)];
            sum =
                fma(CODED || k >= m ? a : mirrored(a), vector.value(scalars, vector.load(j)), sum);
        }
        return sum;
    }

    /* A row with all its neighbours, by all lanes of a warp. */
    template <typename Vector>
    __device__ typename Vector::sum inside(const Vector &vector, typename Vector::scalars scalars,
                                           const Sum *stencil, unsigned int code, int64_t i,
                                           typename Vector::element &own) const
    {
        typename Vector::element x[WIDTH];
        typename Vector::sum sum = {};
        Sum a[WIDTH];
#pragma unroll
        for (int k = 0; k < WIDTH; k++)
            x[k] = vector.load_away(i, away[k]);
        own = x[WIDTH / 2];
        if (CODED && __all_sync(~0u, code == 0)) {
#pragma unroll
            for (int k = 0; k < WIDTH; k++)
                sum = fma(common[k], vector.value(scalars, x[k]), sum);
            return sum;
        }
#pragma unroll
        for (int k = 0; k < WIDTH; k++)
            a[k] = CODED ? stencil[k] : (Sum)tiles_at(values + i, place[k]);
#pragma unroll
        for (int k = 0; k < WIDTH; k++)
            sum = fma(CODED || k >= WIDTH / 2 ? a[k] : mirrored(a[k]), vector.value(scalars, x[k]),
                      sum);
        return sum;
    }

    template <typename Vector>
    __device__ typename Vector::sum multiply(const Vector &vector, typename Vector::scalars scalars,
                                             const double *shared, int64_t base, int64_t i,
                                             typename Vector::element &own) const
    {
        unsigned int code = CODED ? codes[i] : 0;
        const Sum *stencil = (const Sum *)shared + code * width();
        if (COUNT == 0 || base < reach || base + SUM_TILE + reach > n)
            return checked(vector, scalars, stencil, i, own);
        return inside(vector, scalars, stencil, code, i, own);
    }
};

template <int COUNT, bool CODED, typename Value, typename Vector>
static auto diagonals_rows(const struct by_diagonals *kept)
{
    typedef typename tiles_sum<typename Vector::sum>::number Sum;
    diagonal_rows<COUNT, CODED, Value, Sum> rows = {};
    int64_t m = kept->count - 1;
    rows.n = kept->n;
    rows.reach = kept->distances[m];
    rows.count = (int)kept->count;
    rows.stencils = kept->stencils;
    rows.sign = (Sum)kept->sign;
    rows.values = (const Value *)kept->values;
    rows.table = (const Sum *)kept->table;
    rows.codes = kept->codes;
    rows.distances = kept->device_distances;
    for (int64_t k = 0; COUNT && k < 2 * kept->count - 1; k++) {
        int64_t diagonal = k < m ? m - k : k - m;
        int64_t d = k < m ? -(int64_t)kept->distances[diagonal] : kept->distances[diagonal];
        rows.away[k] = (int64_t)sizeof(typename Vector::result) * d;
        if (CODED)
            rows.common[k] = (Sum)kept->common[k];
        else
            rows.place[k] = (int64_t)sizeof(Value) * (diagonal * kept->n + (k < m ? d : 0));
    }
    return rows;
}

/* How many blocks a processor is to hold: the more, the fewer registers a thread may have. */
template <int COUNT, bool CODED, typename Vector> constexpr int diagonals_blocks_a_processor()
{
    return COUNT > 5 ? 1 : COUNT == 5 ? 2 : CODED && Vector::WORDS == 1 ? 4 : 3;
}

/* How many strips a plane of `reach` rows is cut into: what lies between two uses of a row, the
 * vector's elements of two planes and a value of a diagonal of one, is to fill no more than a
 * sixth of the L2 cache, through which all else passes too. (H200, Poisson3D, CG's product with the
 * direction: 512^3 fits, and strips only cost; 1000^3 takes three quarters of the time.) */
static inline unsigned int diagonals_strips(const struct by_diagonals *kept, int64_t reach,
                                            int64_t element_bytes, int64_t value_bytes)
{
    constexpr int PART = 6;
    int64_t row = 2 * element_bytes + value_bytes, cache = kept->space->cache_bytes;
    return cache > 0 ? (unsigned int)(1 + PART * reach * row / cache) : 1; /* 0: it is not told */
}

/* tiles_launch. More than one tile a block brings neighbours into its first-level cache, when
 * enough blocks remain to fill the device. */
template <int COUNT, bool CODED, typename Value, typename Vector>
static enum status diagonals_launch(const struct by_diagonals *kept, const Vector &vector,
                                    typename Vector::result *y, double *dot, struct error *error)
{
    constexpr int TILES = 2, MANY = 1 << 13;
    constexpr int BLOCKS = diagonals_blocks_a_processor<COUNT, CODED, Vector>();
    auto rows = diagonals_rows<COUNT, CODED, Value, Vector>(kept);
    rows.strips =
        diagonals_strips(kept, rows.reach, sizeof(typename Vector::result) * Vector::WORDS,
                         CODED ? 0 : sizeof(Value));
    if (sum_tiles(kept->n) < MANY)
        return tiles_launch<1, BLOCKS>(kept->space, rows, vector, y, dot, error);
    return tiles_launch<TILES, BLOCKS>(kept->space, rows, vector, y, dot, error);
}

/* call<COUNT>(), with the number of diagonals known to the compiler where it is a usual one of more
 * than one diagonal, else 0. */
template <typename Call> static enum status diagonals_by_count(int64_t count, const Call &call)
{
#define CASE(COUNT)                                                                                \
    case COUNT:                                                                                    \
        return call.template operator()<COUNT>()
    switch (count) {
        CASE(2);
        CASE(3);
        CASE(4);
        CASE(5);
        CASE(14);
    default:
        return call.template operator()<0>();
    }
#undef CASE
}

#endif
