#include "spmv/cuda_rows.h"

static int default_threads(const struct cuda_csr *A)
{
    int threads = 1;
    while (threads < 32 && 8 * threads * A->n <= A->nnz)
        threads *= 2;
    return threads;
}

enum status cuda_rows_setup(const struct kernel *kernel, const struct operator_table *table,
                            const struct csr *A, const struct kernel_options *options,
                            struct linear_operator *made, struct error *error)
{
    enum precision precision = kernel_precision(kernel, options);
    struct cuda_rows *rows = cuda_state_create<struct cuda_rows>(table, made, error);
    if (!rows)
        return STATUS_MEMORY;
    auto create = kernel->storage == STORAGE_FULL ? cuda_csr_create_full : cuda_csr_create;
    enum status status =
        create(rows->space, A, options->values[CUDA_ROWS_WIDE], precision, &rows->A, error);
    int threads = (int)options->values[CUDA_ROWS_THREADS_OR_BLOCK];
    rows->threads = threads ? threads : default_threads(&rows->A);
    made->can = precision_can(precision);
    made->memory_bytes = cuda_csr_bytes(&rows->A);
    made->bytes_per_apply = made->memory_bytes + cuda_vector_bytes(made);
    return status;
}

enum status cuda_rows_add_sums(struct linear_operator *made, size_t size, const char *what,
                               struct error *error)
{
    struct cuda_rows *rows = (struct cuda_rows *)made->state;
    made->memory_bytes += made->n * (int64_t)size;
    return cuda_array(rows->space, made->n, size, what, &rows->sums, error);
}

void cuda_rows_destroy(void *state)
{
    struct cuda_rows *rows = (struct cuda_rows *)state;
    if (!rows)
        return;
    cuda_csr_free(rows->space, &rows->A);
    cuda_free(rows->space, rows->sums);
    memory_free(rows);
}

/* Whatever other choices there are, the first one is double, and the others keep single values. */
static int64_t bytes_of(const struct csr *A, int64_t nnz, const struct kernel_options *options)
{
    bool is_double = options->values[CUDA_ROWS_PRECISION] == PRECISION_DOUBLE;
    return cuda_csr_bytes_of(A->n, nnz, options->values[CUDA_ROWS_WIDE],
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
