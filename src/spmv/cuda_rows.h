/* What the kernels share in which 1 to 32 threads walk along a row of CSR: parameters, state, most
 * slots, and the launch. For .cu files. */
#ifndef SPMV_CUDA_ROWS_H
#define SPMV_CUDA_ROWS_H

#include "cgsolve/kernel.h"
#include "spmv/cuda_csr.h"

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

/* The first two parameters of each of these kernels. The third one is the precision. */
#define CUDA_ROWS_PARAMETERS                                                                       \
    {.name = "threads_per_row",                                                                    \
     .meaning = "1, 2, 4, 8, 16 or 32 threads; 0: by the mean row length",                         \
     .minimum = 0,                                                                                 \
     .maximum = 32,                                                                                \
     .standard = 0},                                                                               \
    {                                                                                              \
        .name = "wide_offsets", .meaning = "1: 64-bit row offsets also where 32 bits would do",    \
        .minimum = 0, .maximum = 1, .standard = 0                                                  \
    }

enum { CUDA_ROWS_PARAMETER_PRECISION = 2 };

/* The state of such a kernel begins with this. */
struct cuda_rows {
    struct space_cuda *space;
    struct cuda_csr A;
    int threads_per_row;
};

/* The slot setup, with what is special to a kernel: its parameters and storage, and the size of its
 * state, of which what follows struct cuda_rows is zeroed. threads_per_row = 0 takes the largest
 * power of two that leaves each thread four entries of a row of mean length: it follows from the
 * matrix alone. */
enum status cuda_rows_setup(const struct kernel *kernel, size_t state_size, const struct csr *A,
                            const struct kernel_options *options, struct space *space, void **state,
                            struct error *error);

/* Slots, for a state that holds no other memory. */
void cuda_rows_destroy(void *state);
int64_t cuda_rows_memory_bytes(const void *state);
int64_t cuda_rows_setup_bytes_full(const struct csr *A, const struct kernel_options *options);
int64_t cuda_rows_setup_bytes_upper(const struct csr *A, const struct kernel_options *options);

/* launch(T, offsets, blocks): T is threads_per_row as a compile-time constant, offsets a pointer of
 * the right type, blocks the number of blocks. */
template <typename Launch> void cuda_rows_launch(const struct cuda_rows *rows, Launch launch)
{
    auto with_threads = [&](auto offsets) {
        auto with = [&](auto threads) {
            constexpr int ROWS = CUDA_ROWS_THREADS / decltype(threads)::value;
            launch(threads, offsets, (unsigned int)((rows->A.n + ROWS - 1) / ROWS));
        };
        switch (rows->threads_per_row) {
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
    };
    if (rows->A.wide)
        with_threads((const int64_t *)rows->A.offsets);
    else
        with_threads((const int32_t *)rows->A.offsets);
}

#endif
