/* Several vectors at once (spmv/operator.h) by kernels that make a row as one chain: a thread
 * keeps the chains of COUNT of the columns, and the threads of a row are neighbours, which read the
 * row's values and indices together. A row of X, of doubles or of singles, is read in pairs: the
 * first pairs of all these threads are one piece, then the second ones, so no sector that comes has
 * numbers that nobody wants. For .cu files. */
#ifndef SPMV_SYMMETRIC_CUDA_SYM_COLUMNS_CUH
#define SPMV_SYMMETRIC_CUDA_SYM_COLUMNS_CUH

#include "spmv/symmetric/cuda_sym_tiles.cuh"

/* Numbers of a row, one for each of a thread's columns. */
template <int COUNT, typename Number> struct columns {
    Number v[COUNT];
};

template <int COUNT, typename Number>
__device__ inline columns<COUNT, Number> fma(Number a, const columns<COUNT, Number> &x,
                                             const columns<COUNT, Number> &sum)
{
    columns<COUNT, Number> result;
#pragma unroll
    for (int c = 0; c < COUNT; c++)
        result.v[c] = fma(a, x.v[c], sum.v[c]);
    return result;
}

template <int COUNT, typename Number> struct tiles_sum<columns<COUNT, Number>> {
    enum { SEVERAL = 1 };
    typedef Number number;
};

/* A product's multivectors of type X, for products and sums of type Sum: a Vector, of which a row
 * has 2^shift threads. */
template <int COUNT, typename Sum, typename X = double> struct tiles_columns {
    enum { WORDS = COUNT, DOTS = 0 };
    typedef columns<COUNT, Sum> sum, element;
    typedef X result;
    typedef decltype(tiles_pair((const X *)nullptr)) pair;
    struct scalars {
    };
    struct own {
    };
    const X *x;
    int shift;

    explicit tiles_columns(const struct operands *operands) : x((const X *)operands->x), shift(0)
    {
        while (COUNT << shift < operands->columns)
            shift++;
    }
    /* Where a thread's first pair of row i is. */
    __device__ int64_t place(unsigned int thread, int64_t i) const
    {
        return i * (COUNT << shift) + (thread & ((1u << shift) - 1)) * 2;
    }
    __device__ element load(const X *row) const
    {
        element e;
#pragma unroll
        for (int c = 0; c < COUNT; c += 2) {
            pair two = tiles_pair(row + (c << shift));
            e.v[c] = (Sum)two.x;
            e.v[c + 1] = (Sum)two.y;
        }
        return e;
    }
    __device__ void store(const sum &e, X *row) const
    {
#pragma unroll
        for (int c = 0; c < COUNT; c += 2)
            *(pair *)(row + (c << shift)) = {(X)e.v[c], (X)e.v[c + 1]};
    }

    __device__ scalars begin() const
    {
        return {};
    }
    __device__ element load(int64_t j) const
    {
        return load(x + place(threadIdx.x, j));
    }
    /* So many bytes away if there were one column. */
    __device__ element load_away(int64_t i, int64_t bytes) const
    {
        return load((const X *)((const char *)x + place(threadIdx.x, i) * (int64_t)sizeof *x +
                                bytes * (COUNT << shift)));
    }
    __device__ static sum value(scalars, element e)
    {
        return e;
    }
    __device__ own load_own(int64_t, double *, double *) const
    {
        return {};
    }
    __device__ tiles_terms finish(scalars, int64_t i, element, own, const sum &sum, X *y) const
    {
        store(sum, y + place(threadIdx.x, i));
        return {0, 0};
    }
};

template <int COUNT, typename Sum, typename X>
CGSOLVE_HOST_AND_DEVICE inline int tiles_shift(const tiles_columns<COUNT, Sum, X> &vector)
{
    return vector.shift;
}

#endif
