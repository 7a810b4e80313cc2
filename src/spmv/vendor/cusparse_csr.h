/* A CSR matrix on a device as cuSPARSE's generic API takes it, for the kernels that call the
 * library. For .cu files. */
#ifndef SPMV_VENDOR_CUSPARSE_CSR_H
#define SPMV_VENDOR_CUSPARSE_CSR_H

#include "cgsolve/kernel.h"
#include "spmv/cuda_csr.h"

#include <cusparse.h>

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

/* With 64-bit offsets the library wants 64-bit columns too: then A.columns is NULL. */
struct cusparse_csr {
    struct space_cuda *space;
    struct cuda_csr A;
    int64_t *wide_columns;
    cusparseHandle_t handle;
    float *x,
        *y; /* [width], [n]: what stands between double vectors and PRECISION_FLOAT, else NULL */
};

/* The bytes of the matrix on the device, and of all arrays of *csr; the latter for `nnz` of A's
 * entries, before they are made. */
int64_t cusparse_csr_bytes(const struct cusparse_csr *csr);
int64_t cusparse_csr_memory_bytes(const struct cusparse_csr *csr);
int64_t cusparse_csr_setup_bytes(const struct csr *A, int64_t nnz, bool wide,
                                 enum precision precision);

/* Make the handle, on the space's stream, and copy the stored triangle of A, or the full matrix, to
 * the device, with 64-bit offsets where `wide` or the number of entries asks for them. Errors:
 * STATUS_MEMORY, STATUS_DEVICE, STATUS_CONFIG (spmv/single.h); then too cusparse_csr_destroy is to
 * be called. */
enum status cusparse_csr_create(struct space_cuda *space, const struct csr *A,
                                enum kernel_storage storage, bool wide, enum precision precision,
                                struct cusparse_csr *csr, struct error *error);
void cusparse_csr_destroy(struct cusparse_csr *csr); /* accepts a zeroed one */

/* Errors: STATUS_MEMORY, STATUS_DEVICE, STATUS_CONFIG when the library has no product of this
 * precision; then too *product is to be released. */
enum status cusparse_product_create(const struct cusparse_csr *csr, cusparseOperation_t operation,
                                    cusparseSpMVAlg_t algorithm, struct cusparse_product *product,
                                    struct error *error);
void cusparse_product_release(struct cusparse_product *product); /* accepts a zeroed one */

/* y = alpha op(A) x + beta y, on the device; x[width], y[n], or the other way round where op
 * transposes: floats in PRECISION_FLOAT, else doubles. */
enum status cusparse_product_apply(const struct cusparse_csr *csr, struct cusparse_product *product,
                                   double alpha, const void *x, double beta, void *y,
                                   struct error *error);

/* csr->x = fl(x), and y = csr->y. */
enum status cusparse_round_x(const struct cusparse_csr *csr, const double *x, struct error *error);
enum status cusparse_widen_y(const struct cusparse_csr *csr, double *y, struct error *error);

/* The slot apply, by multiply(x, y), which takes the vectors of the precision. */
template <typename Multiply>
enum status cusparse_apply(const struct cusparse_csr *csr, const double *x, double *y,
                           Multiply multiply, struct error *error)
{
    if (csr->A.precision != PRECISION_FLOAT)
        return multiply((const void *)x, (void *)y);
    enum status status = cusparse_round_x(csr, x, error);
    if (!status)
        status = multiply((const void *)csr->x, (void *)csr->y);
    return status ? status : cusparse_widen_y(csr, y, error);
}

#endif
