/* A CSR matrix on a device as cuSPARSE's generic API takes it, for the kernels that call the
 * library. The simplest of them is cusparse_full.cu. For .cu files. */
#ifndef SPMV_VENDOR_CUSPARSE_CSR_H
#define SPMV_VENDOR_CUSPARSE_CSR_H

#include "spmv/cuda_csr.h"
#include "spmv/cuda_kernel.h"

#include <cusparse.h>

/* STATUS_OK, or STATUS_DEVICE (STATUS_MEMORY when that is what is missing) and "cuSPARSE: what:
 * ..." */
enum status cusparse_check(cusparseStatus_t result, const char *what, struct error *error);

/* A handle on the space's stream, with scalars on the host. The caller calls cusparseDestroy, also
 * on failure, unless it is NULL. */
enum status cusparse_open(struct space_cuda *space, cusparseHandle_t *handle, struct error *error);

/* One product y = alpha op(A) x + beta y, made ready: its descriptors and its work space. A product
 * has a matrix descriptor of its own, because the library keeps what it prepares for one operation
 * there. */
struct cusparse_product {
    cusparseSpMatDescr_t matrix;
    cusparseDnVecDescr_t x, y;
    cusparseOperation_t operation;
    cusparseSpMVAlg_t algorithm;
    void *workspace;
    size_t workspace_bytes;
};

/* Products Y = A X with several vectors, for one stride: likewise. */
struct cusparse_columns {
    cusparseSpMatDescr_t matrix; /* NULL: not needed yet */
    cusparseDnMatDescr_t X, Y;
    double *x, *y; /* X and Y column by column, or NULL */
    void *workspace;
};

#define CUSPARSE_WIDE(k)                                                                           \
    KERNEL_INTEGER(k, "wide_offsets", "1: 64-bit offsets and columns also where 32 bits would do", \
                   "0", 0, 1)

/* The state of such a kernel. With 64-bit offsets the library wants 64-bit columns too: then
 * A.columns is NULL. */
struct cusparse_csr {
    struct space_cuda *space;
    struct cuda_csr A;
    /* Above 1: A is by blocks of that many rows and columns, each row by row, and A.nnz is their
     * number. */
    int block;
    int64_t *wide_columns;
    cusparseHandle_t handle;
    float *x,
        *y; /* [width], [n]: what stands between double vectors and PRECISION_FLOAT, else NULL */
    struct cusparse_product products[2]; /* the second is a kernel's that needs it */
    cusparseSpMMAlg_t columns_algorithm;
    bool by_columns; /* the library has several vectors column by column, else row by row */
    struct cusparse_columns columns[CUDA_STRIDES];
};

/* A descriptor of A. */
enum status cusparse_matrix(const struct cusparse_csr *csr, cusparseSpMatDescr_t *matrix,
                            struct error *error);

/* The bytes of the matrix on the device, and of all arrays of *csr but the work space before they
 * are made, for `nnz` of A's entries. */
int64_t cusparse_csr_bytes(const struct cusparse_csr *csr);
int64_t cusparse_csr_setup_bytes(const struct csr *A, int64_t nnz, bool wide,
                                 enum precision precision);

/* struct kernel's setup, but for the products: the table is a cusparse_table. Make the handle, on
 * the space's stream, and copy the stored triangle of A, or the full matrix, to the device, with
 * 64-bit offsets where `wide` or the number of entries asks for them. Errors: STATUS_MEMORY,
 * STATUS_DEVICE. */
enum status cusparse_csr_create(const struct kernel *kernel, const struct operator_table *table,
                                const struct csr *A, const struct kernel_options *options,
                                bool wide, struct linear_operator *made, struct error *error);
void cusparse_csr_destroy(void *csr); /* accepts NULL */

/* Make products[k] ready, and count its work space. Errors: STATUS_MEMORY, STATUS_DEVICE,
 * STATUS_CONFIG when the library has no product of this precision. */
enum status cusparse_product_create(struct linear_operator *made, int k,
                                    cusparseOperation_t operation, cusparseSpMVAlg_t algorithm,
                                    struct error *error);

/* y = alpha op(A) x + beta y, on the device; x[width], y[n], or the other way round where op
 * transposes: floats in PRECISION_FLOAT, else doubles. */
enum status cusparse_product_apply(struct cusparse_csr *csr, int k, double alpha, const void *x,
                                   double beta, void *y, struct error *error);

/* Several vectors, in double precision, by csr->columns_algorithm and by_columns: the slot prepare,
 * the product, and what the state's destroy calls. */
enum status cusparse_columns_prepare(void *csr, int columns, struct error *error);
enum status cusparse_columns_apply(struct cusparse_csr *csr, const struct operands *operands,
                                   struct error *error);
void cusparse_columns_destroy(struct cusparse_csr *csr);

/* csr->x = fl(x), and y = csr->y. */
enum status cusparse_round_x(const struct cusparse_csr *csr, const double *x, struct error *error);
enum status cusparse_widen_y(const struct cusparse_csr *csr, double *y, struct error *error);

/* A kernel's product, of vectors of the precision. */
typedef enum status cusparse_multiply(struct cusparse_csr *csr, const void *x, void *y,
                                      struct error *error);

template <cusparse_multiply *MULTIPLY>
enum status cusparse_apply(void *state, const struct operands *operands, struct error *error)
{
    struct cusparse_csr *csr = (struct cusparse_csr *)state;
    if (operands->columns > 1)
        return cusparse_columns_apply(csr, operands, error);
    if (csr->A.precision != PRECISION_FLOAT || operands->singles)
        return MULTIPLY(csr, operands->x, operands->y, error);
    enum status status = cusparse_round_x(csr, (const double *)operands->x, error);
    if (!status)
        status = MULTIPLY(csr, csr->x, csr->y, error);
    return status ? status : cusparse_widen_y(csr, (double *)operands->y, error);
}

template <cusparse_multiply *MULTIPLY>
constexpr struct operator_table cusparse_table = {.apply = cusparse_apply<MULTIPLY>,
                                                  .prepare = cusparse_columns_prepare,
                                                  .destroy = cusparse_csr_destroy};

#endif
