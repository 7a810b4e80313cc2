/* y = A x from the upper triangle by cuSPARSE, in two calls: what a user of the library has who
 * stores one triangle.
 *
 * Let U be the upper triangle with its diagonal halved (exact, but for subnormal numbers): then
 *
 *     A = U + U',     y = U x,  y = U' x + y           (skew-symmetric: A = U - U', zero diagonal)
 *
 * One array of values serves both calls. The transposed product scatters, and its bits differ from
 * run to run. It reads the triangle twice (24 bytes an upper entry, 16 where the values are single,
 * no less than the full matrix once), x twice, and y three times. */
#include "base/memory.h"
#include "cgsolve/kernel.h"
#include "spmv/vendor/cusparse_csr.h"

extern "C" const struct kernel kernel_cusparse_half;

enum { THREADS = 256 };

static const struct kernel_parameter parameters[] = {
    {.name = "wide_offsets",
     .meaning = "1: 64-bit offsets and columns also where 32 bits would do",
     .minimum = 0,
     .maximum = 1,
     .standard = 0},
    KERNEL_PARAMETER_PRECISION,
    {},
};

struct two_products {
    struct cusparse_csr csr;
    struct cusparse_product upper, transposed;
};

static void destroy(void *state)
{
    struct two_products *half = (struct two_products *)state;
    if (!half)
        return;
    cusparse_product_release(&half->upper);
    cusparse_product_release(&half->transposed);
    cusparse_csr_destroy(&half->csr);
    memory_free(half);
}

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

static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct space *space, void **state, struct error *error)
{
    *state = nullptr;
    struct two_products *half =
        (struct two_products *)memory_zeros(1, sizeof *half, "the kernel's state", error);
    if (!half)
        return STATUS_MEMORY;
    enum status status =
        cusparse_csr_create(space_cuda_of(space), A, STORAGE_UPPER, options->values[0],
                            kernel_precision(&kernel_cusparse_half, options), &half->csr, error);
    if (!status)
        status = halve(&half->csr, error);
    if (!status)
        status = cusparse_product_create(&half->csr, CUSPARSE_OPERATION_NON_TRANSPOSE,
                                         CUSPARSE_SPMV_ALG_DEFAULT, &half->upper, error);
    if (!status)
        status = cusparse_product_create(&half->csr, CUSPARSE_OPERATION_TRANSPOSE,
                                         CUSPARSE_SPMV_ALG_DEFAULT, &half->transposed, error);
    if (status)
        destroy(half);
    else
        *state = half;
    return status;
}

/* Of floats in single precision, else of doubles. */
static enum status multiply(struct two_products *half, const void *x, void *y, struct error *error)
{
    enum status status = cusparse_product_apply(&half->csr, &half->upper, 1, x, 0, y, error);
    if (!status)
        status =
            cusparse_product_apply(&half->csr, &half->transposed, half->csr.A.sign, x, 1, y, error);
    return status;
}

static enum status apply(void *state, const double *x, double *y, struct error *error)
{
    struct two_products *half = (struct two_products *)state;
    auto product = [&](const void *from, void *to) { return multiply(half, from, to, error); };
    return cusparse_apply(&half->csr, x, y, product, error);
}

static enum status apply_float(void *state, const float *x, float *y, struct error *error)
{
    return multiply((struct two_products *)state, x, y, error);
}

static int64_t setup_bytes(const struct csr *A, const struct kernel_options *options)
{
    return cusparse_csr_setup_bytes(A, A->nnz, options->values[0],
                                    kernel_precision(&kernel_cusparse_half, options));
}

static int64_t memory_bytes(const void *state)
{
    const struct two_products *half = (const struct two_products *)state;
    return cusparse_csr_memory_bytes(&half->csr) +
           (int64_t)(half->upper.workspace_bytes + half->transposed.workspace_bytes);
}

/* In single precision x is read and rounded first, and y widened at the end. */
static int64_t bytes_per_apply(const void *state)
{
    const struct cusparse_csr *csr = &((const struct two_products *)state)->csr;
    size_t row = csr->A.precision == PRECISION_FLOAT ? 2 * sizeof(double) + 7 * sizeof(float)
                                                     : 5 * sizeof(double);
    return 2 * cusparse_csr_bytes(csr) + csr->A.n * (int64_t)row;
}

const struct kernel kernel_cusparse_half = {
    .name = "cusparse_half",
    .summary = "upper triangle, by cuSPARSE in two calls, the second transposed",
    .space = SPACE_CUDA,
    .storage = STORAGE_UPPER,
    .kinds = CSR_SYMMETRIC | CSR_SKEW,
    .guarantee = GUARANTEE_NONE,
    .parameters = parameters,
    .unavailable = cuda_unavailable,
    .setup_bytes = setup_bytes,
    .setup = setup,
    .apply = apply,
    .apply_float = apply_float,
    .apply_dot = nullptr,
    .bytes_per_apply = bytes_per_apply,
    .memory_bytes = memory_bytes,
    .destroy = destroy,
};
