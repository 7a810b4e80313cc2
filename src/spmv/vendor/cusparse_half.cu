/* y = A x from the upper triangle by cuSPARSE, in two calls: what a user of the library has
 * who stores one triangle.
 *
 * Let U be the upper triangle with its diagonal halved (exact, but for subnormal numbers): then
 *
 *     A = U + U',     y = U x,  y = U' x + y           (skew-symmetric: A = U - U', zero diagonal)
 *
 * One array of values serves both calls. The transposed product scatters, and its bits differ from
 * run to run. It reads the triangle twice (24 bytes an upper entry, 16 where the values are single,
 * no less than the full matrix once), x twice, and y three times. */
#include "spmv/vendor/cusparse_csr.h"

extern "C" const struct kernel kernel_cusparse_half;

enum { THREADS = 256 };
enum { WIDE }; /* the place of the parameter */

static const struct parameter parameters[] = {
    CUSPARSE_WIDE(WIDE),
    KERNEL_PRECISION(WIDE + 1),
    {},
};

/* The diagonal entry comes first in each row. */
template <typename Offset, typename Value>
__global__ static void halve_diagonal(int64_t n, const Offset *offsets, Value *values)
{
    int64_t row = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    if (row < n)
        values[offsets[row]] *= (Value)0.5;
}

static enum status halve(const struct cusparse_csr *csr, struct error *error)
{
    const struct cuda_csr *A = &csr->A;
    unsigned int blocks = (unsigned int)((A->n + THREADS - 1) / THREADS);
    cudaStream_t stream = csr->space->stream;
    auto launch = [&](auto values) {
        if (A->wide)
            halve_diagonal<<<blocks, THREADS, 0, stream>>>(A->n, (const int64_t *)A->offsets,
                                                           values);
        else
            halve_diagonal<<<blocks, THREADS, 0, stream>>>(A->n, (const int32_t *)A->offsets,
                                                           values);
    };
    if (A->precision == PRECISION_DOUBLE)
        launch((double *)A->values);
    else
        launch((float *)A->values);
    return cuda_check_launch("halving the diagonal", error);
}

static enum status multiply(struct cusparse_csr *csr, const void *x, void *y, struct error *error)
{
    enum status status = cusparse_product_apply(csr, 0, 1, x, 0, y, error);
    return status ? status : cusparse_product_apply(csr, 1, csr->A.sign, x, 1, y, error);
}

/* In single precision x is read and rounded first, and y widened at the end. */
static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct linear_operator *made, struct error *error)
{
    enum status status = cusparse_csr_create(&kernel_cusparse_half, &cusparse_table<multiply>, A,
                                             options, options->values[WIDE], made, error);
    if (status)
        return status;
    const struct cusparse_csr *csr = (const struct cusparse_csr *)made->state;
    size_t row = csr->A.precision == PRECISION_FLOAT ? 2 * sizeof(double) + 7 * sizeof(float)
                                                     : 5 * sizeof(double);
    made->bytes_per_apply = 2 * cusparse_csr_bytes(csr) + A->n * (int64_t)row;
    status = halve(csr, error);
    if (!status)
        status = cusparse_product_create(made, 0, CUSPARSE_OPERATION_NON_TRANSPOSE,
                                         CUSPARSE_SPMV_ALG_DEFAULT, error);
    if (!status)
        status = cusparse_product_create(made, 1, CUSPARSE_OPERATION_TRANSPOSE,
                                         CUSPARSE_SPMV_ALG_DEFAULT, error);
    return status;
}

static int64_t setup_bytes(const struct csr *A, const struct kernel_options *options)
{
    return cusparse_csr_setup_bytes(A, A->nnz, options->values[WIDE],
                                    kernel_precision(&kernel_cusparse_half, options));
}

const struct kernel kernel_cusparse_half = {
    .component = KERNEL_COMPONENT("cusparse_half",
                                  "upper triangle, by cuSPARSE in two calls, the second transposed",
                                  parameters),
    .space = SPACE_CUDA,
    .storage = STORAGE_UPPER,
    .kinds = CSR_SYMMETRIC | CSR_SKEW,
    .guarantee = GUARANTEE_NONE,
    .unavailable = cuda_unavailable,
    .setup_bytes = setup_bytes,
    .setup = setup,
};
CUDA_PUT_CONSTANT(kernel_cusparse_half)
