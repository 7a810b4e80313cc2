#include "spmv/cusparse_csr.h"

enum { THREADS = 256 };

static enum status check(cusparseStatus_t result, const char *what, struct error *error)
{
    if (result == CUSPARSE_STATUS_SUCCESS)
        return STATUS_OK;
    return error_set(error,
                     result == CUSPARSE_STATUS_ALLOC_FAILED ||
                             result == CUSPARSE_STATUS_INSUFFICIENT_RESOURCES
                         ? STATUS_MEMORY
                         : STATUS_DEVICE,
                     "cuSPARSE: %s: %s", what, cusparseGetErrorString(result));
}

int64_t cusparse_csr_bytes(const struct cusparse_csr *csr)
{
    int64_t wider = sizeof(int64_t) - sizeof(int32_t);
    return cuda_csr_bytes(&csr->A) + (csr->A.wide ? csr->A.nnz * wider : 0);
}

int64_t cusparse_csr_setup_bytes(int64_t n, int64_t nnz, bool wide)
{
    int64_t wider = sizeof(int64_t) - sizeof(int32_t);
    return cuda_csr_bytes_of(n, nnz, wide) + (wide || cuda_csr_needs_wide(nnz) ? nnz * wider : 0);
}

static enum status open(struct space_cuda *space, struct cusparse_csr *csr, struct error *error)
{
    *csr = {};
    csr->space = space;
    enum status status = check(cusparseCreate(&csr->handle), "a handle", error);
    if (!status)
        status = check(cusparseSetStream(csr->handle, space->stream), "the stream", error);
    if (!status)
        status = check(cusparseSetPointerMode(csr->handle, CUSPARSE_POINTER_MODE_HOST),
                       "the pointer mode", error);
    return status;
}

__global__ static void widen(int64_t count, const int32_t *narrow, int64_t *wide)
{
    int64_t k = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    if (k < count)
        wide[k] = narrow[k];
}

static enum status widen_columns(struct cusparse_csr *csr, struct error *error)
{
    struct cuda_csr *A = &csr->A;
    enum status status = cuda_array(A->nnz, sizeof *csr->wide_columns, "the 64-bit columns",
                                    (void **)&csr->wide_columns, error);
    if (status)
        return status;
    unsigned int blocks = (unsigned int)((A->nnz + THREADS) / THREADS); /* no launch has none */
    widen<<<blocks, THREADS, 0, csr->space->stream>>>(A->nnz, A->columns, csr->wide_columns);
    status = cuda_check_launch("widening the columns", error);
    if (!status)
        status =
            cuda_check(cudaStreamSynchronize(csr->space->stream), "widening the columns", error);
    cudaFree(A->columns);
    A->columns = nullptr;
    return status;
}

enum status cusparse_csr_create(struct space_cuda *space, const struct csr *A,
                                enum kernel_storage storage, bool wide, struct cusparse_csr *csr,
                                struct error *error)
{
    enum status status = open(space, csr, error);
    if (!status)
        status = storage == STORAGE_FULL ? cuda_csr_create_full(space, A, wide, &csr->A, error)
                                         : cuda_csr_create(space, A, wide, &csr->A, error);
    if (!status && csr->A.wide)
        status = widen_columns(csr, error);
    return status;
}

void cusparse_csr_destroy(struct cusparse_csr *csr)
{
    cuda_csr_free(&csr->A);
    cudaFree(csr->wide_columns);
    if (csr->handle)
        cusparseDestroy(csr->handle);
    *csr = {};
}

/* The vectors' descriptors want an address from the start: any will do, because every call sets
 * them. */
static enum status describe(const struct cusparse_csr *csr, struct cusparse_product *product,
                            struct error *error)
{
    const struct cuda_csr *A = &csr->A;
    cusparseIndexType_t type = A->wide ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
    void *columns = A->wide ? (void *)csr->wide_columns : (void *)A->columns;
    enum status status =
        check(cusparseCreateCsr(&product->matrix, A->n, A->width, A->nnz, A->offsets, columns,
                                A->values, type, type, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F),
              "the matrix", error);
    if (!status)
        status =
            check(cusparseCreateDnVec(&product->x, A->width, A->values, CUDA_R_64F), "x", error);
    if (!status)
        status = check(cusparseCreateDnVec(&product->y, A->n, A->values, CUDA_R_64F), "y", error);
    return status;
}

enum status cusparse_product_create(const struct cusparse_csr *csr, cusparseOperation_t operation,
                                    cusparseSpMVAlg_t algorithm, struct cusparse_product *product,
                                    struct error *error)
{
    const double one = 1, zero = 0;
    *product = {};
    product->operation = operation;
    product->algorithm = algorithm;
    enum status status = describe(csr, product, error);
    if (!status)
        status = check(cusparseSpMV_bufferSize(csr->handle, operation, &one, product->matrix,
                                               product->x, &zero, product->y, CUDA_R_64F, algorithm,
                                               &product->workspace_bytes),
                       "the size of the work space", error);
    if (!status)
        status = cuda_array((int64_t)product->workspace_bytes, 1, "cuSPARSE's work space",
                            &product->workspace, error);
    if (!status)
        status = check(cusparseSpMV_preprocess(csr->handle, operation, &one, product->matrix,
                                               product->x, &zero, product->y, CUDA_R_64F, algorithm,
                                               product->workspace),
                       "the preparation of a product", error);
    return status;
}

void cusparse_product_release(struct cusparse_product *product)
{
    if (product->matrix)
        cusparseDestroySpMat(product->matrix);
    if (product->x)
        cusparseDestroyDnVec(product->x);
    if (product->y)
        cusparseDestroyDnVec(product->y);
    cudaFree(product->workspace);
    *product = {};
}

enum status cusparse_product_apply(const struct cusparse_csr *csr, struct cusparse_product *product,
                                   double alpha, const double *x, double beta, double *y,
                                   struct error *error)
{
    enum status status =
        check(cusparseDnVecSetValues(product->x, const_cast<double *>(x)), "x", error);
    if (!status)
        status = check(cusparseDnVecSetValues(product->y, y), "y", error);
    if (!status)
        status = check(cusparseSpMV(csr->handle, product->operation, &alpha, product->matrix,
                                    product->x, &beta, product->y, CUDA_R_64F, product->algorithm,
                                    product->workspace),
                       "a product", error);
    return status;
}
