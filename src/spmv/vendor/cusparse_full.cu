/* y = A x from full rows by cuSPARSE: the generic API's product of a CSR matrix. What a GPU user
 * has without writing a kernel, and what the others are measured against.
 *
 * algorithm 1 is the library's default, CUSPARSE_SPMV_CSR_ALG1: its documentation promises no equal
 * bits. Algorithm 2, CUSPARSE_SPMV_CSR_ALG2, gives the same bits on every run (cuSPARSE
 * documentation, cusparseSpMV), for one device and version of the library. Moves 12 bytes an entry
 * of the full matrix (16 with 64-bit indices; 4 less where the values are single), 4 or 8 a row's
 * offset, x and y once. In single precision the library takes vectors of singles only: double ones
 * are rounded and widened in passes of their own. */
#include "base/memory.h"
#include "cgsolve/kernel.h"
#include "spmv/vendor/cusparse_csr.h"

extern "C" const struct kernel kernel_cusparse_full;

static const struct kernel_parameter parameters[] = {
    {.name = "algorithm",
     .meaning = "of cuSPARSE, 1: CSR_ALG1, the default; 2: CSR_ALG2, the same bits on every run",
     .minimum = 1,
     .maximum = 2,
     .standard = 1},
    {.name = "wide_offsets",
     .meaning = "1: 64-bit offsets and columns also where 32 bits would do",
     .minimum = 0,
     .maximum = 1,
     .standard = 0},
    KERNEL_PARAMETER_PRECISION,
    {},
};

struct one_product {
    struct cusparse_csr csr;
    struct cusparse_product product;
};

static void destroy(void *state)
{
    struct one_product *full = (struct one_product *)state;
    if (!full)
        return;
    cusparse_product_release(&full->product);
    cusparse_csr_destroy(&full->csr);
    memory_free(full);
}

static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct space *space, void **state, struct error *error)
{
    *state = nullptr;
    struct one_product *full =
        (struct one_product *)memory_zeros(1, sizeof *full, "the kernel's state", error);
    if (!full)
        return STATUS_MEMORY;
    enum status status =
        cusparse_csr_create(space_cuda_of(space), A, STORAGE_FULL, options->values[1],
                            kernel_precision(&kernel_cusparse_full, options), &full->csr, error);
    if (!status)
        status = cusparse_product_create(&full->csr, CUSPARSE_OPERATION_NON_TRANSPOSE,
                                         options->values[0] == 1 ? CUSPARSE_SPMV_CSR_ALG1
                                                                 : CUSPARSE_SPMV_CSR_ALG2,
                                         &full->product, error);
    if (status)
        destroy(full);
    else
        *state = full;
    return status;
}

static enum status apply(void *state, const double *x, double *y, struct error *error)
{
    struct one_product *full = (struct one_product *)state;
    auto multiply = [&](const void *from, void *to) {
        return cusparse_product_apply(&full->csr, &full->product, 1, from, 0, to, error);
    };
    return cusparse_apply(&full->csr, x, y, multiply, error);
}

static enum status apply_float(void *state, const float *x, float *y, struct error *error)
{
    struct one_product *full = (struct one_product *)state;
    return cusparse_product_apply(&full->csr, &full->product, 1, x, 0, y, error);
}

static enum kernel_guarantee guarantee_with(const struct kernel_options *options)
{
    return options->values[0] == 1 ? GUARANTEE_NONE : GUARANTEE_RUN;
}

static int64_t setup_bytes(const struct csr *A, const struct kernel_options *options)
{
    return cusparse_csr_setup_bytes(A, csr_nnz_full(A), options->values[1],
                                    kernel_precision(&kernel_cusparse_full, options));
}

static int64_t memory_bytes(const void *state)
{
    const struct one_product *full = (const struct one_product *)state;
    return cusparse_csr_memory_bytes(&full->csr) + (int64_t)full->product.workspace_bytes;
}

/* In single precision x is read, rounded, written and read, and y likewise the other way round. */
static int64_t bytes_per_apply(const void *state)
{
    const struct cusparse_csr *csr = &((const struct one_product *)state)->csr;
    size_t element =
        csr->A.precision == PRECISION_FLOAT ? sizeof(double) + 2 * sizeof(float) : sizeof(double);
    return cusparse_csr_bytes(csr) + (csr->A.n + csr->A.width) * (int64_t)element;
}

const struct kernel kernel_cusparse_full = {
    .name = "cusparse_full",
    .summary = "full rows, by cuSPARSE",
    .space = SPACE_CUDA,
    .storage = STORAGE_FULL,
    .kinds = CSR_SYMMETRIC | CSR_SKEW | CSR_GENERAL,
    .guarantee = GUARANTEE_NONE,
    .parameters = parameters,
    .guarantee_with = guarantee_with,
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
