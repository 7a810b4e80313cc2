#include "spmv/cuda_csr.h"

#include "base/memory.h"
#include "spmv/single.h"

void cuda_csr_free(struct space_cuda *space, struct cuda_csr *device)
{
    cuda_free(space, device->offsets);
    cuda_free(space, device->columns);
    cuda_free(space, device->values);
    *device = {};
}

bool cuda_csr_needs_wide(int64_t nnz)
{
    return nnz > INT32_MAX - 256; /* a thread's last step may pass the end of its row */
}

int64_t cuda_csr_bytes_of(int64_t n, int64_t nnz, bool wide, enum precision precision)
{
    size_t value = precision == PRECISION_DOUBLE ? sizeof(double) : sizeof(float);
    return nnz * (int64_t)(sizeof(int32_t) + value) +
           (n + 1) *
               (int64_t)(wide || cuda_csr_needs_wide(nnz) ? sizeof(int64_t) : sizeof(int32_t));
}

int64_t cuda_csr_bytes(const struct cuda_csr *device)
{
    return cuda_csr_bytes_of(device->n, device->nnz, device->wide, device->precision);
}

/* cuda_put with CUDA_CSR_PADDING zeroed bytes behind it. */
static enum status put(struct space_cuda *space, const void *host, int64_t count, size_t size,
                       const char *what, void **array, struct error *error)
{
    size_t bytes = (size_t)count * size;
    enum status status =
        cuda_array(space, count + CUDA_CSR_PADDING / (int64_t)size, size, what, array, error);
    if (status)
        return status;
    status = cuda_check(cudaMemsetAsync((char *)*array + bytes, 0, CUDA_CSR_PADDING, space->stream),
                        what, error);
    return status ? status : cuda_copy_up(space, (int64_t)bytes, host, *array, what, error);
}

static enum status put_offsets(struct space_cuda *space, const struct csr *A,
                               struct cuda_csr *device, struct error *error)
{
    if (device->wide)
        return put(space, A->offsets, A->n + 1, sizeof(int64_t), "the row offsets",
                   &device->offsets, error);
    int32_t *narrow = (int32_t *)memory_array(A->n + 1, sizeof *narrow, "the row offsets", error);
    if (!narrow)
        return STATUS_MEMORY;
    for (int64_t i = 0; i <= A->n; i++)
        narrow[i] = (int32_t)A->offsets[i];
    enum status status =
        put(space, narrow, A->n + 1, sizeof *narrow, "the row offsets", &device->offsets, error);
    memory_free(narrow);
    return status;
}

static enum status put_values(struct space_cuda *space, const struct csr *A,
                              struct cuda_csr *device, struct error *error)
{
    if (device->precision == PRECISION_DOUBLE)
        return put(space, A->values, A->nnz, sizeof(double), "the values", &device->values, error);
    float *singles;
    enum status status = single_values(A, &singles, error);
    if (status)
        return status;
    status = put(space, singles, A->nnz, sizeof *singles, "the values", &device->values, error);
    memory_free(singles);
    return status;
}

enum status cuda_csr_create(struct space_cuda *space, const struct csr *A, bool wide,
                            enum precision precision, struct cuda_csr *device, struct error *error)
{
    *device = {};
    device->n = A->n;
    device->width = A->width;
    device->nnz = A->nnz;
    device->sign = A->kind == CSR_SKEW ? -1 : 1;
    device->precision = precision;
    device->wide = wide || cuda_csr_needs_wide(A->nnz);
    enum status status = put_offsets(space, A, device, error);
    if (!status)
        status = put(space, A->columns, A->nnz, sizeof(int32_t), "the columns",
                     (void **)&device->columns, error);
    if (!status)
        status = put_values(space, A, device, error);
    if (status)
        cuda_csr_free(space, device);
    return status;
}

enum status cuda_csr_create_full(struct space_cuda *space, const struct csr *A, bool wide,
                                 enum precision precision, struct cuda_csr *device,
                                 struct error *error)
{
    *device = {};
    struct csr full;
    enum status status = csr_expand(A, &full, error);
    if (status)
        return status;
    status = cuda_csr_create(space, &full, wide, precision, device, error);
    csr_free(&full);
    return status;
}
