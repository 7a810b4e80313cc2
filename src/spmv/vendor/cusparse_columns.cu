#include "spmv/vendor/cusparse_csr.h"

static const double one = 1, zero = 0;

static void release(struct space_cuda *space, struct cusparse_columns *product)
{
    if (product->matrix)
        cusparseDestroySpMat(product->matrix);
    if (product->X)
        cusparseDestroyDnMat(product->X);
    if (product->Y)
        cusparseDestroyDnMat(product->Y);
    cuda_free(space, product->workspace);
    *product = {};
}

void cusparse_columns_destroy(struct cusparse_csr *csr)
{
    for (struct cusparse_columns &product : csr->columns)
        release(csr->space, &product);
}

/* As the vectors' in cusparse_csr.cu: any address will do. */
static enum status describe(const struct cusparse_csr *csr, int columns,
                            struct cusparse_columns *product, struct error *error)
{
    const struct cuda_csr *A = &csr->A;
    enum status status = cusparse_matrix(csr, &product->matrix, error);
    if (!status)
        status = cusparse_check(cusparseCreateDnMat(&product->X, A->width, columns, columns,
                                                    A->values, CUDA_R_64F, CUSPARSE_ORDER_ROW),
                                "X", error);
    if (!status)
        status = cusparse_check(cusparseCreateDnMat(&product->Y, A->n, columns, columns, A->values,
                                                    CUDA_R_64F, CUSPARSE_ORDER_ROW),
                                "Y", error);
    return status;
}

static enum status make_ready(const struct cusparse_csr *csr, struct cusparse_columns *product,
                              struct error *error)
{
    const cusparseOperation_t as_it_is = CUSPARSE_OPERATION_NON_TRANSPOSE;
    size_t bytes = 0;
    enum status status = cusparse_check(
        cusparseSpMM_bufferSize(csr->handle, as_it_is, as_it_is, &one, product->matrix, product->X,
                                &zero, product->Y, CUDA_R_64F, csr->columns_algorithm, &bytes),
        "the size of the work space of several vectors", error);
    if (!status)
        status = cuda_array(csr->space, (int64_t)bytes, 1, "cuSPARSE's work space",
                            &product->workspace, error);
    if (!status)
        status = cusparse_check(cusparseSpMM_preprocess(csr->handle, as_it_is, as_it_is, &one,
                                                        product->matrix, product->X, &zero,
                                                        product->Y, CUDA_R_64F,
                                                        csr->columns_algorithm, product->workspace),
                                "the preparation of products with several vectors", error);
    return status;
}

enum status cusparse_columns_prepare(void *state, int columns, struct error *error)
{
    struct cusparse_csr *csr = (struct cusparse_csr *)state;
    struct cusparse_columns *product = &csr->columns[cuda_stride_place(columns)];
    if (product->matrix)
        return STATUS_OK;
    enum status status = describe(csr, columns, product, error);
    if (!status)
        status = make_ready(csr, product, error);
    if (status)
        release(csr->space, product);
    return status;
}

enum status cusparse_columns_apply(void *state, const struct operands *operands,
                                   struct error *error)
{
    const struct cusparse_csr *csr = (const struct cusparse_csr *)state;
    const struct cusparse_columns *product = &csr->columns[cuda_stride_place(operands->columns)];
    enum status status = cusparse_check(
        cusparseDnMatSetValues(product->X, const_cast<void *>(operands->x)), "X", error);
    if (!status)
        status = cusparse_check(cusparseDnMatSetValues(product->Y, operands->y), "Y", error);
    if (!status)
        status = cusparse_check(
            cusparseSpMM(csr->handle, CUSPARSE_OPERATION_NON_TRANSPOSE,
                         CUSPARSE_OPERATION_NON_TRANSPOSE, &one, product->matrix, product->X, &zero,
                         product->Y, CUDA_R_64F, csr->columns_algorithm, product->workspace),
            "a product with several vectors", error);
    return status;
}
