#include "spmv/cuda_csr.h"

#include "base/memory.h"

void cuda_csr_free(struct cuda_csr *device)
{
    cudaFree(device->offsets);
    cudaFree(device->columns);
    cudaFree(device->values);
    *device = {};
}

static enum status put_offsets(struct space_cuda *space, const struct csr *A,
                               struct cuda_csr *device, struct error *error)
{
    if (device->wide)
        return cuda_put(space, A->offsets, A->n + 1, sizeof(int64_t), "the row offsets",
                        &device->offsets, error);
    int32_t *narrow = (int32_t *)memory_array(A->n + 1, sizeof *narrow, "the row offsets", error);
    if (!narrow)
        return STATUS_MEMORY;
    for (int64_t i = 0; i <= A->n; i++)
        narrow[i] = (int32_t)A->offsets[i];
    enum status status = cuda_put(space, narrow, A->n + 1, sizeof *narrow, "the row offsets",
                                  &device->offsets, error);
    memory_free(narrow);
    return status;
}

enum status cuda_csr_create(struct space_cuda *space, const struct csr *A, struct cuda_csr *device,
                            struct error *error)
{
    *device = {};
    device->n = A->n;
    device->nnz = A->nnz;
    device->sign = A->kind == CSR_SKEW ? -1 : 1;
    device->wide = A->nnz > INT32_MAX - 32; /* the last step of a row may pass its end by 31 */
    enum status status = put_offsets(space, A, device, error);
    if (!status)
        status = cuda_put(space, A->columns, A->nnz, sizeof(int32_t), "the columns",
                          (void **)&device->columns, error);
    if (!status)
        status = cuda_put(space, A->values, A->nnz, sizeof(double), "the values",
                          (void **)&device->values, error);
    if (status)
        cuda_csr_free(device);
    return status;
}

int64_t cuda_csr_bytes(const struct cuda_csr *device)
{
    return device->nnz * (int64_t)(sizeof(int32_t) + sizeof(double)) +
           (device->n + 1) * (device->wide ? 8 : 4);
}

int cuda_csr_threads_per_row(const struct cuda_csr *device)
{
    int threads = 1;
    while (threads < 32 && 8 * threads * device->n <= device->nnz)
        threads *= 2;
    return threads;
}

enum status cuda_csr_check_threads(const char *kernel, int64_t threads, struct error *error)
{
    if ((threads & (threads - 1)) == 0)
        return STATUS_OK;
    return error_set(error, STATUS_CONFIG, "%s: threads_per_row = %d is not 1, 2, 4, 8, 16 or 32",
                     kernel, (int)threads);
}
