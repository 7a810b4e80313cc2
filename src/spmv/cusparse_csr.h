/* A CSR matrix on a device as cuSPARSE's generic API takes it, for the kernels that call the library.
 * For .cu files. */
#ifndef SPMV_CUSPARSE_CSR_H
#define SPMV_CUSPARSE_CSR_H

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
};

/* The bytes of the matrix on the device; the same for one with nnz entries, before it is made. */
int64_t cusparse_csr_bytes(const struct cusparse_csr *csr);
int64_t cusparse_csr_setup_bytes(int64_t n, int64_t nnz, bool wide);

/* Make the handle, on the space's stream, and copy the stored triangle of A, or the full matrix, to
 * the device, with 64-bit offsets where `wide` or the number of entries asks for them. Errors:
 * STATUS_MEMORY, STATUS_DEVICE; then too cusparse_csr_destroy is to be called. */
enum status cusparse_csr_create(struct space_cuda *space, const struct csr *A,
                                enum kernel_storage storage, bool wide, struct cusparse_csr *csr,
                                struct error *error);
void cusparse_csr_destroy(struct cusparse_csr *csr); /* accepts a zeroed one */

/* Errors: STATUS_MEMORY, STATUS_DEVICE; then too *product is to be released. */
enum status cusparse_product_create(const struct cusparse_csr *csr, cusparseOperation_t operation,
                                    cusparseSpMVAlg_t algorithm, struct cusparse_product *product,
                                    struct error *error);
void cusparse_product_release(struct cusparse_product *product); /* accepts a zeroed one */

/* y = alpha op(A) x + beta y, on the device; x[width], y[n], or the other way round where op transposes */
enum status cusparse_product_apply(const struct cusparse_csr *csr, struct cusparse_product *product,
                                   double alpha, const double *x, double beta, double *y,
                                   struct error *error);

#endif
