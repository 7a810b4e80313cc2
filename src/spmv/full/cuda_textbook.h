/* What cuda_csr_scalar and cuda_csr_vector share: parameters, state, slots. For .cu files. */
#ifndef SPMV_FULL_CUDA_TEXTBOOK_H
#define SPMV_FULL_CUDA_TEXTBOOK_H

#include "cgsolve/kernel.h"
#include "spmv/cuda_csr.h"

#define CUDA_TEXTBOOK_PARAMETERS                                                                   \
    {.name = "block_size",                                                                         \
     .meaning = "threads of a block: a multiple of 32",                                            \
     .minimum = 32,                                                                                \
     .maximum = 1024,                                                                              \
     .standard = 256},                                                                             \
        {.name = "wide_offsets",                                                                   \
         .meaning = "1: 64-bit row offsets also where 32 bits would do",                           \
         .minimum = 0,                                                                             \
         .maximum = 1,                                                                             \
         .standard = 0},                                                                           \
        KERNEL_PARAMETER_PRECISION

struct cuda_textbook {
    struct space_cuda *space;
    struct cuda_csr A; /* the full matrix */
    unsigned int block_size;
};

/* The slots setup (for that kernel), destroy, memory_bytes, setup_bytes and bytes_per_apply. */
enum status cuda_textbook_setup(const struct kernel *kernel, const struct csr *A,
                                const struct kernel_options *options, struct space *space,
                                void **state, struct error *error);
void cuda_textbook_destroy(void *state);
int64_t cuda_textbook_memory_bytes(const void *state);
int64_t cuda_textbook_setup_bytes(const struct csr *A, const struct kernel_options *options);
int64_t cuda_textbook_bytes_per_apply(const void *state);

/* launch(values, zero, offsets): the types of the values, of the sums and of the offsets. */
template <typename Launch> auto cuda_textbook_typed(const struct cuda_csr *A, Launch launch)
{
    return cuda_csr_typed(A, [&](auto values, auto zero) {
        return A->wide ? launch(values, zero, (const int64_t *)A->offsets)
                       : launch(values, zero, (const int32_t *)A->offsets);
    });
}

#endif
