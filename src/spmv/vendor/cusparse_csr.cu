#include "spmv/vendor/cusparse_csr.h"

enum { THREADS = 256 };

enum status cusparse_check(cusparseStatus_t result, const char *what, struct error *error)
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

int64_t cusparse_csr_setup_bytes(const struct csr *A, int64_t nnz, bool wide,
                                 enum precision precision)
{
    int64_t wider = sizeof(int64_t) - sizeof(int32_t);
    int64_t singles = precision == PRECISION_FLOAT ? A->n + A->width : 0;
    return cuda_csr_bytes_of(A->n, nnz, wide, precision) +
           (wide || cuda_csr_needs_wide(nnz) ? nnz * wider : 0) + singles * (int64_t)sizeof(float);
}

enum status cusparse_open(struct space_cuda *space, cusparseHandle_t *handle, struct error *error)
{
    enum status status = cusparse_check(cusparseCreate(handle), "a handle", error);
    if (!status)
        status = cusparse_check(cusparseSetStream(*handle, space->stream), "the stream", error);
    if (!status)
        status = cusparse_check(cusparseSetPointerMode(*handle, CUSPARSE_POINTER_MODE_HOST),
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
    enum status status = cuda_array(csr->space, A->nnz, sizeof *csr->wide_columns,
                                    "the 64-bit columns", (void **)&csr->wide_columns, error);
    if (status)
        return status;
    unsigned int blocks = (unsigned int)((A->nnz + THREADS) / THREADS); /* no launch has none */
    widen<<<blocks, THREADS, 0, csr->space->stream>>>(A->nnz, A->columns, csr->wide_columns);
    status = cuda_check_launch("widening the columns", error);
    if (!status)
        status =
            cuda_check(cudaStreamSynchronize(csr->space->stream), "widening the columns", error);
    cuda_free(csr->space, A->columns);
    A->columns = nullptr;
    return status;
}

static enum status make_vectors(struct cusparse_csr *csr, struct error *error)
{
    const struct cuda_csr *A = &csr->A;
    enum status status = cuda_array(csr->space, A->width, sizeof *csr->x, "x in single precision",
                                    (void **)&csr->x, error);
    if (status)
        return status;
    return cuda_array(csr->space, A->n, sizeof *csr->y, "y in single precision", (void **)&csr->y,
                      error);
}

enum status cusparse_csr_create(const struct kernel *kernel, const struct operator_table *table,
                                const struct csr *A, const struct kernel_options *options,
                                bool wide, struct linear_operator *made, struct error *error)
{
    enum precision precision = kernel_precision(kernel, options);
    struct cusparse_csr *csr = cuda_state_create<struct cusparse_csr>(table, made, error);
    if (!csr)
        return STATUS_MEMORY;
    made->can = precision_can(precision);
    auto create = kernel->storage == STORAGE_FULL ? cuda_csr_create_full : cuda_csr_create;
    enum status status = cusparse_open(csr->space, &csr->handle, error);
    if (!status)
        status = create(csr->space, A, wide, precision, &csr->A, error);
    if (!status && csr->A.wide)
        status = widen_columns(csr, error);
    if (!status && precision == PRECISION_FLOAT)
        status = make_vectors(csr, error);
    int64_t singles = precision == PRECISION_FLOAT ? A->n + A->width : 0;
    made->memory_bytes = cusparse_csr_bytes(csr) + singles * (int64_t)sizeof(float);
    return status;
}

static void release(struct space_cuda *space, struct cusparse_product *product)
{
    if (product->matrix)
        cusparseDestroySpMat(product->matrix);
    if (product->x)
        cusparseDestroyDnVec(product->x);
    if (product->y)
        cusparseDestroyDnVec(product->y);
    cuda_free(space, product->workspace);
}

void cusparse_csr_destroy(void *state)
{
    struct cusparse_csr *csr = (struct cusparse_csr *)state;
    if (!csr)
        return;
    release(csr->space, &csr->products[0]);
    release(csr->space, &csr->products[1]);
    cusparse_columns_destroy(csr);
    cuda_csr_free(csr->space, &csr->A);
    cuda_free(csr->space, csr->wide_columns);
    cuda_free(csr->space, csr->x);
    cuda_free(csr->space, csr->y);
    if (csr->handle)
        cusparseDestroy(csr->handle);
    memory_free(csr);
}

static cudaDataType type_of_values(const struct cusparse_csr *csr)
{
    return csr->A.precision == PRECISION_DOUBLE ? CUDA_R_64F : CUDA_R_32F;
}

/* Of the vectors and the sums: single values with double vectors are among the pairs that the
 * library offers (cuSPARSE documentation, cusparseSpMV, mixed-precision computation). */
static cudaDataType type_of_sums(const struct cusparse_csr *csr)
{
    return csr->A.precision == PRECISION_FLOAT ? CUDA_R_32F : CUDA_R_64F;
}

/* A number of that type. */
struct scalar {
    float single;
    double number;
};

static const void *scalar_of(const struct cusparse_csr *csr, const struct scalar *scalar)
{
    return csr->A.precision == PRECISION_FLOAT ? (const void *)&scalar->single : &scalar->number;
}

enum status cusparse_matrix(const struct cusparse_csr *csr, cusparseSpMatDescr_t *matrix,
                            struct error *error)
{
    const struct cuda_csr *A = &csr->A;
    cusparseIndexType_t type = A->wide ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
    void *columns = A->wide ? (void *)csr->wide_columns : (void *)A->columns;
    int64_t k = csr->block;
    cusparseStatus_t result =
        k > 1 ? cusparseCreateBsr(matrix, A->n / k, A->width / k, A->nnz, k, k, A->offsets, columns,
                                  A->values, type, type, CUSPARSE_INDEX_BASE_ZERO,
                                  type_of_values(csr), CUSPARSE_ORDER_ROW)
              : cusparseCreateCsr(matrix, A->n, A->width, A->nnz, A->offsets, columns, A->values,
                                  type, type, CUSPARSE_INDEX_BASE_ZERO, type_of_values(csr));
    return cusparse_check(result, "the matrix", error);
}

/* The vectors' descriptors want an address from the start: any will do, because every call sets
 * them. */
static enum status describe(const struct cusparse_csr *csr, struct cusparse_product *product,
                            struct error *error)
{
    const struct cuda_csr *A = &csr->A;
    enum status status = cusparse_matrix(csr, &product->matrix, error);
    if (!status)
        status = cusparse_check(
            cusparseCreateDnVec(&product->x, A->width, A->values, type_of_sums(csr)), "x", error);
    if (!status)
        status = cusparse_check(
            cusparseCreateDnVec(&product->y, A->n, A->values, type_of_sums(csr)), "y", error);
    return status;
}

/* cusparse_check, for what the library may not offer in every precision. */
static enum status check_offered(const struct cusparse_csr *csr, cusparseStatus_t result,
                                 const char *what, struct error *error)
{
    if (result != CUSPARSE_STATUS_NOT_SUPPORTED)
        return cusparse_check(result, what, error);
    return error_set(error, STATUS_CONFIG,
                     "cuSPARSE: this version has no product of precision \"%s\"",
                     kernel_precisions[csr->A.precision]);
}

static enum status make_ready(const struct cusparse_csr *csr, struct cusparse_product *product,
                              struct error *error)
{
    const struct scalar one = {1, 1}, zero = {0, 0};
    const void *alpha = scalar_of(csr, &one), *beta = scalar_of(csr, &zero);
    cudaDataType type = type_of_sums(csr);
    enum status status =
        check_offered(csr,
                      cusparseSpMV_bufferSize(csr->handle, product->operation, alpha,
                                              product->matrix, product->x, beta, product->y, type,
                                              product->algorithm, &product->workspace_bytes),
                      "the size of the work space", error);
    if (!status)
        status = cuda_array(csr->space, (int64_t)product->workspace_bytes, 1,
                            "cuSPARSE's work space", &product->workspace, error);
    if (!status)
        status =
            check_offered(csr,
                          cusparseSpMV_preprocess(csr->handle, product->operation, alpha,
                                                  product->matrix, product->x, beta, product->y,
                                                  type, product->algorithm, product->workspace),
                          "the preparation of a product", error);
    return status;
}

enum status cusparse_product_create(struct linear_operator *made, int k,
                                    cusparseOperation_t operation, cusparseSpMVAlg_t algorithm,
                                    struct error *error)
{
    const struct cusparse_csr *csr = (const struct cusparse_csr *)made->state;
    struct cusparse_product *product = &((struct cusparse_csr *)made->state)->products[k];
    product->operation = operation;
    product->algorithm = algorithm;
    enum status status = describe(csr, product, error);
    if (!status)
        status = make_ready(csr, product, error);
    made->memory_bytes += (int64_t)product->workspace_bytes;
    return status;
}

enum status cusparse_product_apply(struct cusparse_csr *csr, int k, double alpha, const void *x,
                                   double beta, void *y, struct error *error)
{
    struct cusparse_product *product = &csr->products[k];
    const struct scalar a = {(float)alpha, alpha}, b = {(float)beta, beta};
    enum status status =
        cusparse_check(cusparseDnVecSetValues(product->x, const_cast<void *>(x)), "x", error);
    if (!status)
        status = cusparse_check(cusparseDnVecSetValues(product->y, y), "y", error);
    if (!status)
        status =
            cusparse_check(cusparseSpMV(csr->handle, product->operation, scalar_of(csr, &a),
                                        product->matrix, product->x, scalar_of(csr, &b), product->y,
                                        type_of_sums(csr), product->algorithm, product->workspace),
                           "a product", error);
    return status;
}

template <typename From, typename To>
__global__ static void convert(int64_t n, const From *from, To *to)
{
    int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    if (i < n)
        to[i] = (To)from[i];
}

enum status cusparse_round_x(const struct cusparse_csr *csr, const double *x, struct error *error)
{
    unsigned int blocks = (unsigned int)((csr->A.width + THREADS - 1) / THREADS);
    convert<<<blocks, THREADS, 0, csr->space->stream>>>(csr->A.width, x, csr->x);
    return cuda_check_launch("rounding x", error);
}

enum status cusparse_widen_y(const struct cusparse_csr *csr, double *y, struct error *error)
{
    unsigned int blocks = (unsigned int)((csr->A.n + THREADS - 1) / THREADS);
    convert<<<blocks, THREADS, 0, csr->space->stream>>>(csr->A.n, csr->y, y);
    return cuda_check_launch("widening y", error);
}
