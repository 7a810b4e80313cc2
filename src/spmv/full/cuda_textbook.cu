#include "spmv/full/cuda_textbook.h"

#include "base/memory.h"

enum { BLOCK_SIZE, WIDE_OFFSETS, PRECISION }; /* places of the parameters */

enum status cuda_textbook_setup(const struct kernel *kernel, const struct csr *A,
                                const struct kernel_options *options, struct space *space,
                                void **state, struct error *error)
{
    *state = nullptr;
    int64_t block_size = options->values[BLOCK_SIZE];
    if (block_size % 32 != 0)
        return error_set(error, STATUS_CONFIG, "%s: block_size = %d is not a multiple of 32",
                         kernel->name, (int)block_size);
    struct cuda_textbook *made =
        (struct cuda_textbook *)memory_zeros(1, sizeof *made, "the kernel's state", error);
    if (!made)
        return STATUS_MEMORY;
    made->space = space_cuda_of(space);
    made->block_size = (unsigned int)block_size;
    enum status status = cuda_csr_create_full(made->space, A, options->values[WIDE_OFFSETS],
                                              kernel_precision(kernel, options), &made->A, error);
    if (status)
        cuda_textbook_destroy(made);
    else
        *state = made;
    return status;
}

void cuda_textbook_destroy(void *state)
{
    if (state)
        cuda_csr_free(&((struct cuda_textbook *)state)->A);
    memory_free(state);
}

int64_t cuda_textbook_memory_bytes(const void *state)
{
    return cuda_csr_bytes(&((const struct cuda_textbook *)state)->A);
}

int64_t cuda_textbook_setup_bytes(const struct csr *A, const struct kernel_options *options)
{
    return cuda_csr_bytes_of(A->n, csr_nnz_full(A), options->values[WIDE_OFFSETS],
                             (enum precision)options->values[PRECISION]);
}

int64_t cuda_textbook_bytes_per_apply(const void *state)
{
    const struct cuda_csr *A = &((const struct cuda_textbook *)state)->A;
    return cuda_csr_bytes(A) + (A->n + A->width) * (int64_t)sizeof(double);
}
