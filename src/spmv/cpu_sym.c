/* y = A x from the upper triangle, one thread.
 *
 * Row i adds its entries a_ij x_j to y_i and mirrors each to y_j += a_ij x_i, j > i. Because rows
 * are walked in ascending order, y_j has met exactly the columns left of j when row j is reached:
 * its additions come in ascending column order, so the bits are those of cpu_csr at half the
 * storage. It moves 12 bytes an upper entry, 8 a row's offset, and x and y once while the band
 * between a row and its farthest column fits in a cache. The matrix is used as it is: no set-up. */
#include "cgsolve/kernel.h"

static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct space *space, void **state, struct error *error)
{
    (void)options;
    (void)space;
    (void)error;
    *state = (void *)A;
    return STATUS_OK;
}

static enum status apply(void *state, const double *x, double *y, struct error *error)
{
    (void)error;
    csr_multiply(state, x, y);
    return STATUS_OK;
}

static int64_t memory_bytes(const void *state)
{
    (void)state;
    return 0;
}

static int64_t bytes_per_apply(const void *state)
{
    const struct csr *A = state;
    return csr_bytes(A) + 2 * A->n * (int64_t)sizeof(double);
}

static void destroy(void *state)
{
    (void)state;
}

const struct kernel kernel_cpu_sym = {
    .name = "cpu_sym",
    .summary = "upper triangle, one thread, each entry used for its row and its column",
    .space = SPACE_CPU,
    .storage = STORAGE_UPPER,
    .kinds = CSR_SYMMETRIC | CSR_SKEW,
    .guarantee = GUARANTEE_BITWISE,
    .setup = setup,
    .apply = apply,
    .bytes_per_apply = bytes_per_apply,
    .memory_bytes = memory_bytes,
    .destroy = destroy,
};
