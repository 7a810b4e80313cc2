/* Y = A X for a matrix by blocks and several columns of X: the chains of cuda_sym_blocks.cu, for
 * each column.
 *
 * A thread makes some rows of a block row, for some columns. All threads of a block row are
 * neighbours; each number of X that one has read meets all its rows, and each value all its
 * columns, in registers. What comes from memory is the matrix once, as for one column, and X and Y
 * once; each block reads its k rows of X from the L2 cache, in whole sectors.
 *
 * By a count of what the instructions read, the first-level cache bounds it up to 8 columns: it
 * hands 128 bytes a cycle to registers, and finds few lines in a cycle. So a thread has rows and
 * columns enough for a number to serve several operations (k = 4, 8 columns: 8 bytes an operation;
 * 32 columns: 4), but a block row has several threads where there are columns for that, so that a
 * warp reads few lines at once. With more columns it is the L2 cache, which a row of X passes once
 * for each block that finds it no longer in the first. Of odd k a block lies column by column, and
 * its values come one by one: then the whole block is a thread's from 8 columns on, so that they
 * come seldom. */
#include "spmv/symmetric/blocks/cuda_sym_blocks.h"

#include "spmv/symmetric/blocks/sym_blocks.h"
#include "spmv/symmetric/cuda_sym_columns.cuh"

enum { THREADS = 256 };

/* Rows of a K x K block and COLUMNS a thread. */
template <int K, int ROWS, int COLUMNS, typename Value, typename Sum, typename Real>
struct part_of_row {
    enum { BY_COLUMNS = K % 2 };
    typedef tiles_columns<COLUMNS, Sum, Real> vector;
    typedef typename vector::element element;
    const struct by_blocks &A;
    const vector &X;
    const Real *x; /* the thread's first pair of row 0 */
    int first;     /* row of the block */
    int flip;      /* of a mirrored value: the sign's bit of a skew-symmetric matrix */
    element sum[ROWS];

    /* a = the rows of the block, or with ACROSS its columns. */
    template <bool ACROSS> __device__ void load(const Value *block, Sum (&a)[ROWS][K]) const
    {
        if constexpr (ACROSS) {
#pragma unroll
            for (int c = 0; c < K; c++) {
                Sum line[ROWS];
                tiles_line(block + c * K + first, line);
#pragma unroll
                for (int r = 0; r < ROWS; r++)
                    a[r][c] = line[r];
            }
        } else {
#pragma unroll
            for (int r = 0; r < ROWS; r++)
                tiles_line(block + (first + r) * K, a[r]);
        }
    }
    __device__ const Value *block(int64_t place) const
    {
        return (const Value *)A.values + place * (K * K);
    }
    __device__ void add(const Sum (&a)[ROWS][K], int64_t column)
    {
        element e[K];
#pragma unroll
        for (int c = 0; c < K; c++)
            e[c] = X.load(x + (column * K + c) * (COLUMNS << X.shift));
#pragma unroll
        for (int c = 0; c < K; c++)
#pragma unroll
            for (int r = 0; r < ROWS; r++)
                sum[r] = fma(a[r][c], e[c], sum[r]);
    }
    __device__ void add_mirrored(const struct mirrored *lower)
    {
        int2 at = *(const int2 *)lower; /* its row and place at once */
        Sum a[ROWS][K];
        load<!BY_COLUMNS>(block(at.y), a);
#pragma unroll
        for (int r = 0; r < ROWS; r++)
#pragma unroll
            for (int c = 0; c < K; c++)
                a[r][c] = tiles_flip(a[r][c], flip);
        add(a, at.x);
    }
    __device__ void add_diagonal(unsigned int row)
    {
        const Value *triangle = (const Value *)A.diagonals + (int64_t)row * (K * (K + 1) / 2);
        Sum a[ROWS][K];
#pragma unroll
        for (int r = 0; r < ROWS; r++)
#pragma unroll
            for (int c = 0; c < K; c++)
                a[r][c] = tiles_flip((Sum)triangle[sym_blocks_place(K, first + r, c)],
                                     c < first + r ? flip : 0);
        add(a, row);
    }
    __device__ void add_upper(int64_t place)
    {
        Sum a[ROWS][K];
        load<BY_COLUMNS>(block(place), a);
        add(a, A.columns[place]);
    }
};

/* How many blocks of threads a processor is to hold, for a thread that makes so many sums of so
 * many products at once: the more, the fewer registers it may have. */
constexpr int blocks_a_processor(int sums, int products)
{
    return sums * products <= 20 ? 4 : sums * products <= 24 ? 3 : 2;
}

template <int K, int ROWS, int COLUMNS, typename Value, typename Sum, typename Real>
__global__ static void __launch_bounds__(THREADS, blocks_a_processor(ROWS *COLUMNS, K))
    multiply_columns(const __grid_constant__ struct by_blocks A,
                     const __grid_constant__ tiles_columns<COLUMNS, Sum, Real> X, Real *Y,
                     const int64_t *ended)
{
    int64_t over = ended ? *ended : 0;
    unsigned int part = (unsigned int)(((int64_t)blockIdx.x * THREADS + threadIdx.x) >> X.shift);
    unsigned int row = part / (K / ROWS);
    if (row >= A.rows)
        return;
    int32_t p = A.lower_offsets[row], lower_end = A.lower_offsets[row + 1];
    int32_t q = A.offsets[row], end = A.offsets[row + 1];
    if (over) /* asked when the loads before are on their way */
        return;
    part_of_row<K, ROWS, COLUMNS, Value, Sum, Real> of = {A, X, X.x + X.place(threadIdx.x, 0),
                                                          (int)(part % (K / ROWS)) * ROWS,
                                                          A.sign < 0 ? INT32_MIN : 0};
#pragma unroll 1
    for (; p < lower_end; p++)
        of.add_mirrored(A.lower + p);
    of.add_diagonal(row);
#pragma unroll 1
    for (; q < end; q++)
        of.add_upper(q);
    Y += X.place(threadIdx.x, (int64_t)row * K + of.first);
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        X.store(of.sum[r], Y + r * (COLUMNS << X.shift));
}

template <int K, int ROWS, int COLUMNS, typename Value, typename Sum, typename Real>
static enum status launch(const struct by_blocks *A, const struct operands *operands,
                          struct error *error)
{
    tiles_columns<COLUMNS, Sum, Real> X(operands);
    int64_t threads = A->rows * (K / ROWS) << X.shift;
    multiply_columns<K, ROWS, COLUMNS, Value, Sum, Real>
        <<<(unsigned int)((threads + THREADS - 1) / THREADS), THREADS, 0, A->space->stream>>>(
            *A, X, (Real *)operands->y, A->space->base.ended);
    return cuda_check_launch("a product of blocks with several columns", error);
}

/* The rows of a block that a thread makes: of up to 4 columns, of 8, and of more, of which it takes
 * four where the blocks leave registers for that. */
template <int K, int OF_4, int OF_8, int OF_MORE, typename Value, typename Sum, typename Real>
static enum status launch_columns(const struct by_blocks *A, const struct operands *operands,
                                  struct error *error)
{
    if (operands->columns <= 4)
        return launch<K, OF_4, 2, Value, Sum, Real>(A, operands, error);
    if (operands->columns <= 8)
        return launch<K, OF_8, 2, Value, Sum, Real>(A, operands, error);
    return launch<K, OF_MORE, (K <= 4 ? 4 : 2), Value, Sum, Real>(A, operands, error);
}

template <typename Value, typename Sum, typename Real>
static enum status launch_k(const struct by_blocks *A, const struct operands *operands,
                            struct error *error)
{
    switch (A->k) {
    case 2:
        return launch_columns<2, 2, 2, 2, Value, Sum, Real>(A, operands, error);
    case 3:
        return launch_columns<3, 1, 3, 3, Value, Sum, Real>(A, operands, error);
    case 4:
        return launch_columns<4, 1, 2, 4, Value, Sum, Real>(A, operands, error);
    case 5:
        return launch_columns<5, 1, 5, 5, Value, Sum, Real>(A, operands, error);
    default:
        return launch_columns<6, 2, 2, 3, Value, Sum, Real>(A, operands, error);
    }
}

enum status cuda_sym_blocks_columns(const struct by_blocks *A, const struct operands *operands,
                                    struct error *error)
{
    return (operands->singles ? launch_k<float, float, float>
            : A->single_sums  ? launch_k<float, float, double>
            : A->singles      ? launch_k<float, double, double>
                              : launch_k<double, double, double>)(A, operands, error);
}
