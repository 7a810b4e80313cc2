/* y = A x from full rows, one thread: the reference that every kernel is held against.
 *
 * Every row is one chain in ascending column order, s = fma(a_ij, x_j, s) from s = 0, so the bits
 * follow from the matrix alone. It moves 12 bytes for each of the full matrix's entries, 8 for a
 * row's offset, and x and y once. */
#include "cgsolve/kernel.h"

#include "base/memory.h"

static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct space *space, void **state, struct error *error)
{
    (void)options;
    (void)space;
    struct csr *full = memory_array(1, sizeof *full, "the full matrix", error);
    *state = NULL;
    if (!full)
        return STATUS_MEMORY;
    enum status status = csr_expand(A, full, error);
    if (status) {
        memory_free(full);
        return status;
    }
    *state = full;
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
    return csr_bytes(state);
}

static int64_t bytes_per_apply(const void *state)
{
    const struct csr *full = state;
    return csr_bytes(full) + 2 * full->n * (int64_t)sizeof(double);
}

static void destroy(void *state)
{
    if (state)
        csr_free(state);
    memory_free(state);
}

const struct kernel kernel_cpu_csr = {
    .name = "cpu_csr",
    .summary = "full rows, one thread, ascending columns: the reference",
    .space = SPACE_CPU,
    .storage = STORAGE_FULL,
    .kinds = CSR_SYMMETRIC | CSR_SKEW | CSR_GENERAL,
    .guarantee = GUARANTEE_BITWISE,
    .setup = setup,
    .apply = apply,
    .bytes_per_apply = bytes_per_apply,
    .memory_bytes = memory_bytes,
    .destroy = destroy,
};
