/* y = A x from full rows, one thread, descending columns.
 *
 * The example of docs/architecture.md: the whole of a new kernel. The rows of cpu_csr are walked
 * backwards, so its rounding errors are of the same size, and its bits are others. */
#include "cgsolve/kernel.h"

#include "base/memory.h"

#include <math.h>

static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct space *space, void **state, struct error *error)
{
    (void)options;
    (void)space;
    *state = NULL;
    struct csr *full = memory_array(1, sizeof *full, "the full matrix", error);
    if (!full)
        return STATUS_MEMORY;
    enum status status = csr_expand(A, full, error);
    if (status)
        memory_free(full);
    else
        *state = full;
    return status;
}

static enum status apply(void *state, const double *x, double *y, struct error *error)
{
    (void)error;
    const struct csr *full = state;
    for (int64_t i = 0; i < full->n; i++) {
        double sum = 0;
        for (int64_t k = full->offsets[i + 1]; k-- > full->offsets[i];)
            sum = fma(full->values[k], x[full->columns[k]], sum);
        y[i] = sum;
    }
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

const struct kernel kernel_cpu_csr_descending = {
    .name = "cpu_csr_descending",
    .summary = "full rows, one thread, descending columns",
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
