/* y = A x from the upper triangle, one thread.
 *
 * Row i adds its entries a_ij x_j to y_i and mirrors each to y_j += a_ij x_i, j > i. Because rows
 * are walked in ascending order, y_j has met exactly the columns left of j when row j is reached:
 * its additions come in ascending column order, so the bits are those of cpu_csr at half the
 * storage. It moves 12 bytes an upper entry, 4 of them its column (8 where the values are single),
 * 8 a row's offset, and x and y once while the band between a row and its farthest column fits in a
 * cache. The matrix is used as it is; only single values are a copy. */
#include "spmv/kernel.h"

#include "base/memory.h"
#include "matrix/multiply.h"
#include "spmv/single.h"

extern const struct kernel kernel_cpu_sym;

static const struct parameter parameters[] = {KERNEL_PRECISION(0), {0}};

struct upper_rows {
    const struct csr *A;
    enum precision precision;
    float *singles; /* NULL: A's values */
};

static void destroy(void *state)
{
    if (state)
        memory_free(((struct upper_rows *)state)->singles);
    memory_free(state);
}

CSR_MULTIPLY_UPPER(upper_float, float, float, double)
CSR_MULTIPLY_UPPER(upper_float_double, float, double, double)
CSR_MULTIPLY_UPPER(upper_of_floats, float, float, float)

static enum status apply(void *state, const struct operands *operands, struct error *error)
{
    (void)error;
    const struct upper_rows *kept = state;
    const void *x = operands->x;
    void *y = operands->y;
    int sign = kept->A->kind == CSR_SKEW ? -1 : 1;
    switch (kept->precision) {
    case PRECISION_DOUBLE:
        csr_multiply(kept->A, x, y);
        break;
    case PRECISION_FLOAT:
        if (operands->singles)
            upper_of_floats(kept->A, kept->singles, (float)sign, x, y);
        else
            upper_float(kept->A, kept->singles, (float)sign, x, y);
        break;
    case PRECISION_FLOAT_DOUBLE:
        upper_float_double(kept->A, kept->singles, sign, x, y);
        break;
    }
    return STATUS_OK;
}

static const struct operator_table table = {.apply = apply, .destroy = destroy};

static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct linear_operator *made, struct error *error)
{
    struct upper_rows *kept = made->state =
        memory_zeros(1, sizeof *kept, "the kernel's state", error);
    if (!kept)
        return STATUS_MEMORY;
    kept->A = A;
    kept->precision = kernel_precision(&kernel_cpu_sym, options);
    made->table = &table;
    made->can = precision_can(kept->precision);
    bool narrow = kept->precision != PRECISION_DOUBLE;
    made->memory_bytes =
        (int64_t)sizeof *kept + (narrow ? A->nnz * (int64_t)sizeof *kept->singles : 0);
    made->bytes_per_apply =
        (narrow ? single_bytes(A) : csr_bytes(A)) + 2 * A->n * (int64_t)sizeof(double);
    return narrow ? single_values(A, &kept->singles, error) : STATUS_OK;
}

const struct kernel kernel_cpu_sym = {
    .component = KERNEL_COMPONENT(
        "cpu_sym", "upper triangle, one thread, each entry used for its row and its column",
        parameters),
    .space = SPACE_CPU,
    .storage = STORAGE_UPPER,
    .kinds = CSR_SYMMETRIC | CSR_SKEW,
    .guarantee = GUARANTEE_BITWISE,
    .setup = setup,
};
