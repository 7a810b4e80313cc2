/* y = A x from the upper triangle, threads, atomic additions.
 *
 * The parallel form of cpu_sym that everybody writes first: any thread may add to any y_j, so every
 * addition is atomic, and the order in which they arrive decides the last bits. Rows go out in
 * small dynamic chunks, which is what a GPU's scheduler does, so that the order really differs from
 * run to run, on regular grids too. Beside the matrix it moves x once and y three times (zeroed,
 * read, written); the time goes into the atomics. In single precision the additions go to a vector
 * of singles, from which y is copied. */
#include "spmv/kernel.h"

#include "base/memory.h"
#include "base/threads.h"
#include "matrix/multiply.h"
#include "spmv/single.h"

#include <string.h>

extern const struct kernel kernel_cpu_sym_atomic;

enum { PARAMETER_CHUNK, PARAMETER_PRECISION };

static const struct parameter parameters[] = {
    KERNEL_INTEGER(PARAMETER_CHUNK, "chunk", "rows that a thread takes at a time", "16", 1,
                   INT32_MAX),
    KERNEL_PRECISION(PARAMETER_PRECISION),
    {0},
};

struct atomic {
    struct threads *threads;
    const struct csr *A;
    int chunk;
    enum precision precision;
    float *singles; /* fl(A's values), NULL in double */
    float *sums;    /* [n] what becomes y in single precision, else NULL */
};

static void destroy(void *state)
{
    struct atomic *atomic = state;
    if (!atomic)
        return;
    memory_free(atomic->singles);
    memory_free(atomic->sums);
    memory_free(atomic);
}

/* Row i: its own sum to y_i, and each of its entries right of the diagonal to the y of its
 * column. */
#define ADD_ROW(name, Value, Sum, Vector)                                                          \
    MULTIVERSION static void name(const struct csr *A, const Value *values, int64_t i, Sum sign,   \
                                  const Vector *x, Sum *y)                                         \
    {                                                                                              \
        int64_t k = A->offsets[i], end = A->offsets[i + 1];                                        \
        Sum mirrored = sign * (Sum)x[i];                                                           \
        Sum sum = (Sum)values[k] * (Sum)x[i];                                                      \
        for (k++; k < end; k++) {                                                                  \
            int32_t j = A->columns[k];                                                             \
            sum = CSR_FMA((Sum)values[k], (Sum)x[j], sum);                                         \
            Sum product = (Sum)values[k] * mirrored;                                               \
            ATOMIC_ADD(&y[j], product);                                                            \
        }                                                                                          \
        ATOMIC_ADD(&y[i], sum);                                                                    \
    }

/* A product; what the pointers point to is in the name of its functions. */
struct product {
    const struct csr *A;
    const void *values, *x;
    void *y;
};

/* y zeroed, and then all rows, by all threads. */
#define ADD_ROWS(name, Value, Sum, Vector)                                                         \
    ADD_ROW(name##_row, Value, Sum, Vector)                                                        \
    static void name##_zeros(void *context, int64_t begin, int64_t end)                            \
    {                                                                                              \
        const struct product *product = context;                                                   \
        memset((Sum *)product->y + begin, 0, (size_t)(end - begin) * sizeof(Sum));                 \
    }                                                                                              \
    static void name##_rows(void *context, int64_t begin, int64_t end)                             \
    {                                                                                              \
        const struct product *product = context;                                                   \
        Sum sign = product->A->kind == CSR_SKEW ? -1 : 1;                                          \
        for (int64_t i = begin; i < end; i++)                                                      \
            name##_row(product->A, product->values, i, sign, product->x, product->y);              \
    }                                                                                              \
    static void name(const struct atomic *atomic, const Value *values, const Vector *x, Sum *y)    \
    {                                                                                              \
        struct product product = {atomic->A, values, x, y};                                        \
        threads_each(atomic->threads, atomic->A->n, name##_zeros, &product);                       \
        threads_take(atomic->threads, atomic->A->n, atomic->chunk, name##_rows, &product);         \
    }

ADD_ROWS(add_double, double, double, double)
ADD_ROWS(add_float, float, float, double)
ADD_ROWS(add_float_double, float, double, double)
ADD_ROWS(add_floats, float, float, float)

static void widen(void *context, int64_t begin, int64_t end)
{
    const struct product *product = context;
    const float *x = product->x;
    double *y = product->y;
    for (int64_t i = begin; i < end; i++)
        y[i] = x[i];
}

static enum status apply(void *state, const struct operands *operands, struct error *error)
{
    (void)error;
    const struct atomic *atomic = state;
    const void *x = operands->x;
    void *y = operands->y;
    switch (atomic->precision) {
    case PRECISION_DOUBLE:
        add_double(atomic, atomic->A->values, x, y);
        break;
    case PRECISION_FLOAT_DOUBLE:
        add_float_double(atomic, atomic->singles, x, y);
        break;
    case PRECISION_FLOAT:
        if (operands->singles) {
            add_floats(atomic, atomic->singles, x, y);
            break;
        }
        add_float(atomic, atomic->singles, x, atomic->sums);
        threads_each(atomic->threads, atomic->A->n, widen,
                     &(struct product){.x = atomic->sums, .y = y});
        break;
    }
    return STATUS_OK;
}

static const struct operator_table table = {.apply = apply, .destroy = destroy};

/* y is zeroed, then read and written; the sums in single precision likewise, and then read, and y
 * written. */
static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct linear_operator *made, struct error *error)
{
    struct atomic *atomic = made->state =
        memory_zeros(1, sizeof *atomic, "the kernel's state", error);
    if (!atomic)
        return STATUS_MEMORY;
    atomic->threads = made->space->threads;
    atomic->A = A;
    atomic->chunk = (int)options->values[PARAMETER_CHUNK];
    atomic->precision = kernel_precision(&kernel_cpu_sym_atomic, options);
    made->table = &table;
    made->can = precision_can(atomic->precision);
    enum status status = STATUS_OK;
    if (atomic->precision != PRECISION_DOUBLE)
        status = single_values(A, &atomic->singles, error);
    if (!status && atomic->precision == PRECISION_FLOAT) {
        atomic->sums = memory_array(A->n, sizeof *atomic->sums, "y in single precision", error);
        status = atomic->sums ? STATUS_OK : STATUS_MEMORY;
    }
    int64_t singles = (atomic->singles ? A->nnz : 0) + (atomic->sums ? A->n : 0);
    int64_t row = atomic->sums ? 2 * sizeof(double) + 4 * sizeof(float) : 4 * sizeof(double);
    made->memory_bytes = (int64_t)sizeof *atomic + singles * (int64_t)sizeof(float);
    made->bytes_per_apply = (atomic->singles ? single_bytes(A) : csr_bytes(A)) + A->n * row;
    return status;
}

const struct kernel kernel_cpu_sym_atomic = {
    .component = KERNEL_COMPONENT(
        "cpu_sym_atomic",
        "upper triangle, threads, atomic additions in the order in which they arrive", parameters),
    .space = SPACE_CPU,
    .storage = STORAGE_UPPER,
    .kinds = CSR_SYMMETRIC | CSR_SKEW,
    .guarantee = GUARANTEE_NONE,
    .setup = setup,
};
