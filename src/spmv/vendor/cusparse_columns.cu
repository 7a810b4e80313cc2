#include "spmv/vendor/cusparse_csr.h"

static const double one = 1, zero = 0;

/* Of a block that turns a multivector over, from row by row to column by column, or back. */
enum { THREADS = 256, ROWS = 64 };

template <int COLUMNS, bool BACK>
__global__ static void __launch_bounds__(THREADS)
    turn_over(int64_t n, const double *from, double *to)
{
    __shared__ double tile[COLUMNS][ROWS + 1];
    int64_t first = blockIdx.x * (int64_t)ROWS;
    int rows = (int)min((int64_t)ROWS, n - first);
    auto by_rows = [&](auto put) {
        for (int k = threadIdx.x; k < rows * COLUMNS; k += THREADS)
            put(first * COLUMNS + k, tile[k % COLUMNS][k / COLUMNS]);
    };
    auto by_columns = [&](auto put) {
        for (int k = threadIdx.x; k < ROWS * COLUMNS; k += THREADS)
            if (k % ROWS < rows)
                put(k / ROWS * n + first + k % ROWS, tile[k / ROWS][k % ROWS]);
    };
    auto take = [&](int64_t place, double &element) { element = from[place]; };
    auto give = [&](int64_t place, double &element) { to[place] = element; };
    if constexpr (BACK)
        by_columns(take);
    else
        by_rows(take);
    __syncthreads();
    if constexpr (BACK)
        by_rows(give);
    else
        by_columns(give);
}

template <bool BACK>
static enum status turn(const struct cusparse_csr *csr, int columns, int64_t n, const void *from,
                        void *to, struct error *error)
{
    unsigned int blocks = (unsigned int)((n + ROWS - 1) / ROWS);
    cuda_with_columns(columns, [&]<int COLUMNS>() {
        turn_over<COLUMNS, BACK>
            <<<blocks, THREADS, 0, csr->space->stream>>>(n, (const double *)from, (double *)to);
    });
    return cuda_check_launch("turning several vectors over", error);
}

static void release(struct space_cuda *space, struct cusparse_columns *product)
{
    if (product->matrix)
        cusparseDestroySpMat(product->matrix);
    if (product->X)
        cusparseDestroyDnMat(product->X);
    if (product->Y)
        cusparseDestroyDnMat(product->Y);
    cuda_free(space, product->x);
    cuda_free(space, product->y);
    cuda_free(space, product->workspace);
    *product = {};
}

void cusparse_columns_destroy(struct cusparse_csr *csr)
{
    for (struct cusparse_columns &product : csr->columns)
        release(csr->space, &product);
}

/* As the vectors' in cusparse_csr.cu: any address will do. */
static enum status describe_matrix(const struct cusparse_csr *csr, int64_t n, int columns,
                                   cusparseDnMatDescr_t *made, const char *what,
                                   struct error *error)
{
    return cusparse_check(
        cusparseCreateDnMat(made, n, columns, csr->by_columns ? n : columns, csr->A.values,
                            CUDA_R_64F, csr->by_columns ? CUSPARSE_ORDER_COL : CUSPARSE_ORDER_ROW),
        what, error);
}

static enum status describe(const struct cusparse_csr *csr, int columns,
                            struct cusparse_columns *product, struct error *error)
{
    static const char *const what = "several vectors column by column";
    const struct cuda_csr *A = &csr->A;
    enum status status = cusparse_matrix(csr, &product->matrix, error);
    if (!status)
        status = describe_matrix(csr, A->width, columns, &product->X, "X", error);
    if (!status)
        status = describe_matrix(csr, A->n, columns, &product->Y, "Y", error);
    if (!status && csr->by_columns)
        status = cuda_array(csr->space, A->width * columns, sizeof *product->x, what,
                            (void **)&product->x, error);
    if (!status && csr->by_columns)
        status = cuda_array(csr->space, A->n * columns, sizeof *product->y, what,
                            (void **)&product->y, error);
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

static enum status multiply(const struct cusparse_csr *csr, const struct cusparse_columns *product,
                            const void *x, void *y, struct error *error)
{
    enum status status =
        cusparse_check(cusparseDnMatSetValues(product->X, const_cast<void *>(x)), "X", error);
    if (!status)
        status = cusparse_check(cusparseDnMatSetValues(product->Y, y), "Y", error);
    if (!status)
        status = cusparse_check(
            cusparseSpMM(csr->handle, CUSPARSE_OPERATION_NON_TRANSPOSE,
                         CUSPARSE_OPERATION_NON_TRANSPOSE, &one, product->matrix, product->X, &zero,
                         product->Y, CUDA_R_64F, csr->columns_algorithm, product->workspace),
            "a product with several vectors", error);
    return status;
}

enum status cusparse_columns_apply(struct cusparse_csr *csr, const struct operands *operands,
                                   struct error *error)
{
    int columns = operands->columns;
    const struct cusparse_columns *product = &csr->columns[cuda_stride_place(columns)];
    if (!csr->by_columns)
        return multiply(csr, product, operands->x, operands->y, error);
    enum status status = turn<false>(csr, columns, csr->A.width, operands->x, product->x, error);
    if (!status)
        status = multiply(csr, product, product->x, product->y, error);
    if (!status)
        status = turn<true>(csr, columns, csr->A.n, product->y, operands->y, error);
    return status;
}
