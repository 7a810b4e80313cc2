#include "spmv/cuda_rows.h"

#include "base/memory.h"

static int default_threads(const struct cuda_csr *A)
{
    int threads = 1;
    while (threads < 32 && 8 * threads * A->n <= A->nnz)
        threads *= 2;
    return threads;
}

static enum status check_threads(const char *kernel, int64_t threads, struct error *error)
{
    if ((threads & (threads - 1)) == 0)
        return STATUS_OK;
    return error_set(error, STATUS_CONFIG, "%s: threads_per_row = %d is not 1, 2, 4, 8, 16 or 32",
                     kernel, (int)threads);
}

enum status cuda_rows_setup(const char *kernel, enum kernel_storage storage, size_t state_size,
                            const struct csr *A, const struct kernel_options *options,
                            struct space *space, void **state, struct error *error)
{
    *state = nullptr;
    int64_t threads = options->values[0];
    bool wide = options->values[1];
    enum status status = check_threads(kernel, threads, error);
    if (status)
        return status;
    struct cuda_rows *rows =
        (struct cuda_rows *)memory_zeros(1, state_size, "the kernel's state", error);
    if (!rows)
        return STATUS_MEMORY;
    rows->space = space_cuda_of(space);
    status = storage == STORAGE_FULL ? cuda_csr_create_full(rows->space, A, wide, &rows->A, error)
                                     : cuda_csr_create(rows->space, A, wide, &rows->A, error);
    rows->threads_per_row = threads ? (int)threads : default_threads(&rows->A);
    if (status)
        cuda_rows_destroy(rows);
    else
        *state = rows;
    return status;
}

void cuda_rows_destroy(void *state)
{
    struct cuda_rows *rows = (struct cuda_rows *)state;
    if (!rows)
        return;
    cuda_csr_free(&rows->A);
    memory_free(rows);
}

int64_t cuda_rows_memory_bytes(const void *state)
{
    return cuda_csr_bytes(&((const struct cuda_rows *)state)->A);
}

int64_t cuda_rows_setup_bytes_full(const struct csr *A, const struct kernel_options *options)
{
    return cuda_csr_bytes_of(A->n, csr_nnz_full(A), options->values[1]);
}

int64_t cuda_rows_setup_bytes_upper(const struct csr *A, const struct kernel_options *options)
{
    return cuda_csr_bytes_of(A->n, A->nnz, options->values[1]);
}
