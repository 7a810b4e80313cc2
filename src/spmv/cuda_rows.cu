#include "spmv/cuda_rows.h"

#include "base/memory.h"

static int default_threads(const struct cuda_csr *A)
{
    int threads = 1;
    while (threads < 32 && 8 * threads * A->n <= A->nnz)
        threads *= 2;
    return threads;
}

static enum status check_threads(const struct kernel *kernel, int64_t threads, struct error *error)
{
    if ((threads & (threads - 1)) == 0)
        return STATUS_OK;
    return error_set(error, STATUS_CONFIG, "%s: threads_per_row = %d is not 1, 2, 4, 8, 16 or 32",
                     kernel->name, (int)threads);
}

enum status cuda_rows_setup(const struct kernel *kernel, size_t state_size, const struct csr *A,
                            const struct kernel_options *options, struct space *space, void **state,
                            struct error *error)
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
    enum precision precision = kernel_precision(kernel, options);
    status = kernel->storage == STORAGE_FULL
                 ? cuda_csr_create_full(rows->space, A, wide, precision, &rows->A, error)
                 : cuda_csr_create(rows->space, A, wide, precision, &rows->A, error);
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

/* Whatever other choices there are, the first one is double, and the others keep single values. */
static int64_t bytes_of(const struct csr *A, int64_t nnz, const struct kernel_options *options)
{
    bool is_double = options->values[CUDA_ROWS_PARAMETER_PRECISION] == PRECISION_DOUBLE;
    return cuda_csr_bytes_of(A->n, nnz, options->values[1],
                             is_double ? PRECISION_DOUBLE : PRECISION_FLOAT_DOUBLE);
}

int64_t cuda_rows_setup_bytes_full(const struct csr *A, const struct kernel_options *options)
{
    return bytes_of(A, csr_nnz_full(A), options);
}

int64_t cuda_rows_setup_bytes_upper(const struct csr *A, const struct kernel_options *options)
{
    return bytes_of(A, A->nnz, options);
}
