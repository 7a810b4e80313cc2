/* y = A x from full rows, one thread, descending columns.
 *
 * The example of docs/architecture.md: the whole of a new kernel. The rows of cpu_csr are walked
 * backwards, so its rounding errors are of the same size, and its bits are others. */
#include "spmv/kernel.h"

#include "base/memory.h"

#include <math.h>

static void destroy(void *state)
{
    if (state)
        csr_free(state);
    memory_free(state);
}

static enum status apply(void *state, const struct operands *operands, struct error *error)
{
    (void)error;
    const struct csr *full = state;
    const double *x = operands->x;
    double *y = operands->y;
    for (int64_t i = 0; i < full->n; i++) {
        double sum = 0;
        for (int64_t k = full->offsets[i + 1]; k-- > full->offsets[i];)
            sum = fma(full->values[k], x[full->columns[k]], sum);
        y[i] = sum;
    }
    return STATUS_OK;
}

static const struct operator_table table = {.apply = apply, .destroy = destroy};

static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct linear_operator *made, struct error *error)
{
    (void)options;
    struct csr *full = made->state = memory_zeros(1, sizeof *full, "the full matrix", error);
    if (!full)
        return STATUS_MEMORY;
    made->table = &table;
    enum status status = csr_expand(A, full, error);
    if (status)
        return status;
    made->memory_bytes = csr_bytes(full);
    made->bytes_per_apply = csr_bytes(full) + (A->n + A->width) * (int64_t)sizeof(double);
    return STATUS_OK;
}

const struct kernel kernel_cpu_csr_descending = {
    .component =
        KERNEL_COMPONENT("cpu_csr_descending", "full rows, one thread, descending columns", NULL),
    .space = SPACE_CPU,
    .storage = STORAGE_FULL,
    .kinds = CSR_SYMMETRIC | CSR_SKEW | CSR_GENERAL,
    .guarantee = GUARANTEE_BITWISE,
    .setup = setup,
};
