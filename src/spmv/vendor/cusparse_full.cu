/* y = A x from full rows by cuSPARSE: the generic API's product of a CSR matrix. What a GPU user
 * has without writing a kernel, and what the others are measured against.
 *
 * algorithm 1 is the library's default, CUSPARSE_SPMV_CSR_ALG1: its documentation promises no equal
 * bits. Algorithm 2, CUSPARSE_SPMV_CSR_ALG2, gives the same bits on every run (cuSPARSE
 * documentation, cusparseSpMV), for one device and version of the library. Moves 12 bytes an entry
 * of the full matrix (16 with 64-bit indices; 4 less where the values are single), 4 or 8 a row's
 * offset, x and y once. In single precision the library takes vectors of singles only: double ones
 * are rounded and widened in passes of their own.
 *
 * Several vectors in double precision are a product of the library's own, cusparseSpMM, of which
 * columns_algorithm says which: 1 and 2 are CUSPARSE_SPMM_CSR_ALG1 and CUSPARSE_SPMM_CSR_ALG2, of
 * which the documentation advises the first for X and Y column by column, the second for row by
 * row; 3 is CUSPARSE_SPMM_CSR_ALG3. columns_order says how the library has X and Y: row by row, as
 * multivectors are, or column by column. That takes copies of both, which the product makes: X is
 * turned over before, and Y after it. So its time has two passes that the library's user, whose
 * vectors are column by column anyway, does not need: they read and write X and Y once more, 16
 * bytes for each of their elements, which are not in the byte model. No bits are promised: the
 * documentation calls the third deterministic, but a matrix with a full row once had two results in
 * two calls (H200, CUDA 13.0). With values in single precision the library has no such product for
 * double vectors. */
#include "spmv/vendor/cusparse_csr.h"

extern "C" const struct kernel kernel_cusparse_full;

enum { ALGORITHM, WIDE, PRECISION, COLUMNS, ORDER }; /* places of the parameters */
static const char *const orders[] = {"row", "column", nullptr};

static const struct parameter parameters[] = {
    KERNEL_INTEGER(ALGORITHM, "algorithm",
                   "the algorithm of cuSPARSE, 1: CSR_ALG1, the default; 2: CSR_ALG2, the same "
                   "bits on every run",
                   "1", 1, 2),
    CUSPARSE_WIDE(WIDE),
    KERNEL_PRECISION(PRECISION),
    KERNEL_INTEGER(
        COLUMNS, "columns_algorithm",
        "the algorithm of cuSPARSE for several vectors of doubles, 1 to 3: SPMM_CSR_ALG1 to ALG3",
        "2", 1, 3),
    KERNEL_CHOICE(
        ORDER, "columns_order",
        "the order of several vectors of doubles: row by row; column: with two passes that turn "
        "them over",
        "row", orders),
    {},
};

static const struct kernel_promise promises[] = {{"algorithm", 2, GUARANTEE_RUN}, {}};

static enum status multiply(struct cusparse_csr *csr, const void *x, void *y, struct error *error)
{
    return cusparse_product_apply(csr, 0, 1, x, 0, y, error);
}

static const cusparseSpMMAlg_t columns_algorithms[] = {
    CUSPARSE_SPMM_CSR_ALG1, CUSPARSE_SPMM_CSR_ALG2, CUSPARSE_SPMM_CSR_ALG3};

static void choose_columns(const int64_t *values, struct linear_operator *made)
{
    struct cusparse_csr *csr = (struct cusparse_csr *)made->state;
    csr->columns_algorithm = columns_algorithms[values[COLUMNS] - 1];
    csr->by_columns = values[ORDER];
    if (csr->A.precision == PRECISION_DOUBLE)
        made->can |= OPERATOR_APART;
}

/* In single precision x is read, rounded, written and read, and y likewise the other way round. */
static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct linear_operator *made, struct error *error)
{
    enum status status = cusparse_csr_create(&kernel_cusparse_full, &cusparse_table<multiply>, A,
                                             options, options->values[WIDE], made, error);
    if (!status)
        status = cusparse_product_create(made, 0, CUSPARSE_OPERATION_NON_TRANSPOSE,
                                         options->values[ALGORITHM] == 1 ? CUSPARSE_SPMV_CSR_ALG1
                                                                         : CUSPARSE_SPMV_CSR_ALG2,
                                         error);
    if (status)
        return status;
    choose_columns(options->values, made);
    const struct cusparse_csr *csr = (const struct cusparse_csr *)made->state;
    size_t element =
        csr->A.precision == PRECISION_FLOAT ? sizeof(double) + 2 * sizeof(float) : sizeof(double);
    made->bytes_per_apply = cusparse_csr_bytes(csr) + (A->n + A->width) * (int64_t)element;
    return STATUS_OK;
}

static int64_t setup_bytes(const struct csr *A, const struct kernel_options *options)
{
    return cusparse_csr_setup_bytes(A, csr_nnz_full(A), options->values[WIDE],
                                    kernel_precision(&kernel_cusparse_full, options));
}

const struct kernel kernel_cusparse_full = {
    .component = KERNEL_COMPONENT("cusparse_full", "full rows, by cuSPARSE", parameters),
    .space = SPACE_CUDA,
    .storage = STORAGE_FULL,
    .kinds = CSR_SYMMETRIC | CSR_SKEW | CSR_GENERAL,
    .guarantee = GUARANTEE_NONE,
    .promises = promises,
    .unavailable = cuda_unavailable,
    .setup_bytes = setup_bytes,
    .setup = setup,
};
CUDA_PUT_CONSTANT(kernel_cusparse_full)
