/* What the kernels share in which 1 to 32 threads walk along a row of CSR: parameters, state,
 * set-up, and the launch. For .cu files. */
#ifndef SPMV_CUDA_ROWS_H
#define SPMV_CUDA_ROWS_H

#include "spmv/cuda_csr.h"
#include "spmv/cuda_kernel.h"

#include <type_traits>

enum { CUDA_ROWS_THREADS = 256 }; /* of a block */

/* COUNT entries of a row at once: k, k + T, ..., with k < end, the end of the row. Past the end the
 * last entry is taken again: with no branch between them all loads are on their way at once, which
 * rows of a few entries need more than anything else (loops one at a time: 4.1 ms against 3.3 for
 * Poisson3D 512^3 by cuda_csr_subwarp on an H200). */
template <int T, int COUNT, typename Offset, typename Value>
__device__ inline void cuda_rows_load(Offset k, Offset end, const int32_t *columns,
                                      const Value *values, int32_t (&j)[COUNT], Value (&a)[COUNT])
{
#pragma unroll
    for (int u = 0; u < COUNT; u++) {
        Offset place = min(k + u * T, end - 1);
        j[u] = columns[place];
        a[u] = values[place];
    }
}

/* x at those columns. */
template <int COUNT, typename Vector>
__device__ inline void cuda_rows_gather(const Vector *x, const int32_t (&j)[COUNT],
                                        Vector (&xs)[COUNT])
{
#pragma unroll
    for (int u = 0; u < COUNT; u++)
        xs[u] = x[j[u]];
}

/* The places of the first parameters of each of these kernels. */
enum cuda_rows_parameter {
    CUDA_ROWS_THREADS_OR_BLOCK,
    CUDA_ROWS_WIDE,
    CUDA_ROWS_PRECISION,
    CUDA_ROWS_MORE, /* the first of a kernel's own */
};

/* The first two; the third is the precision. */
#define CUDA_ROWS_BY_THREADS                                                                       \
    {.name = "threads_per_row",                                                                    \
     .meaning = "1, 2, 4, 8, 16 or 32 threads; 0: by the mean row length",                         \
     .default_value = "0",                                                                         \
     TAKES_INTEGER(struct kernel_options, values[CUDA_ROWS_THREADS_OR_BLOCK], 0, 32),              \
     .powers_of_two = true},                                                                       \
        CUDA_CSR_WIDE(CUDA_ROWS_WIDE)
#define CUDA_ROWS_BY_BLOCKS                                                                        \
    {.name = "block_size",                                                                         \
     .meaning = "threads of a block: a multiple of 32",                                            \
     .default_value = "256",                                                                       \
     TAKES_INTEGER(struct kernel_options, values[CUDA_ROWS_THREADS_OR_BLOCK], 32, 1024),           \
     .multiple_of = 32},                                                                           \
        CUDA_CSR_WIDE(CUDA_ROWS_WIDE)

/* The state of such a kernel. */
struct cuda_rows {
    struct space_cuda *space;
    struct cuda_csr A;
    int threads; /* of a row, or of a block */
    void *sums;  /* see cuda_rows_add_sums, or NULL */
};

/* struct kernel's setup, with the kernel's table. threads_per_row = 0 takes the largest power
 * of two that leaves each thread four entries of a row of mean length: it follows from the matrix
 * alone. bytes_per_apply: A, x and y once. */
enum status cuda_rows_setup(const struct kernel *kernel, const struct operator_table *table,
                            const struct csr *A, const struct kernel_options *options,
                            struct linear_operator *made, struct error *error);

/* After that, a vector `sums` of n elements of so many bytes. */
enum status cuda_rows_add_sums(struct linear_operator *made, size_t size, const char *what,
                               struct error *error);

/* The slot destroy, and the kernel's setup_bytes. */
void cuda_rows_destroy(void *state);
int64_t cuda_rows_setup_bytes_full(const struct csr *A, const struct kernel_options *options);
int64_t cuda_rows_setup_bytes_upper(const struct csr *A, const struct kernel_options *options);

/* launch(T, offsets, blocks): T is threads_per_row as a compile-time constant, offsets a pointer of
 * the right type, blocks the number of blocks. */
template <typename Launch> void cuda_rows_launch(const struct cuda_rows *rows, Launch launch)
{
    cuda_csr_with_offsets(&rows->A, [&](auto offsets) {
        auto with = [&](auto threads) {
            constexpr int ROWS = CUDA_ROWS_THREADS / decltype(threads)::value;
            launch(threads, offsets, (unsigned int)((rows->A.n + ROWS - 1) / ROWS));
        };
        switch (rows->threads) {
        case 1:
            return with(std::integral_constant<int, 1>());
        case 2:
            return with(std::integral_constant<int, 2>());
        case 4:
            return with(std::integral_constant<int, 4>());
        case 8:
            return with(std::integral_constant<int, 8>());
        case 16:
            return with(std::integral_constant<int, 16>());
        default:
            return with(std::integral_constant<int, 32>());
        }
    });
}

#endif
