/* y = A x from the upper triangle, threads, atomic additions.
 *
 * The parallel form of cpu_sym that everybody writes first: any thread may add to any y_j, so every
 * addition is atomic, and the order in which they arrive decides the last bits. Rows go out in
 * small dynamic chunks, which is what a GPU's scheduler does, so that the order really differs from
 * run to run, on regular grids too. Beside the matrix it moves x once and y three times (zeroed,
 * read, written); the time goes into the atomics. In single precision the additions go to a vector
 * of singles, from which y is copied. */
#include "cgsolve/kernel.h"

#include "base/memory.h"
#include "base/threads.h"
#include "matrix/multiply.h"
#include "spmv/single.h"

#include <string.h>

extern const struct kernel kernel_cpu_sym_atomic;

static const struct kernel_parameter parameters[] = {
    {.name = "chunk",
     .meaning = "rows that a thread takes at a time",
     .minimum = 1,
     .maximum = INT32_MAX,
     .standard = 16},
    KERNEL_PARAMETER_PRECISION,
    {0},
};

struct atomic {
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

static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct space *space, void **state, struct error *error)
{
    (void)space;
    *state = NULL;
    struct atomic *made = memory_zeros(1, sizeof *made, "the kernel's state", error);
    if (!made)
        return STATUS_MEMORY;
    made->A = A;
    made->chunk = (int)options->values[0];
    made->precision = kernel_precision(&kernel_cpu_sym_atomic, options);
    enum status status = STATUS_OK;
    if (made->precision != PRECISION_DOUBLE)
        status = single_values(A, &made->singles, error);
    if (!status && made->precision == PRECISION_FLOAT) {
        made->sums = memory_array(A->n, sizeof *made->sums, "y in single precision", error);
        status = made->sums ? STATUS_OK : STATUS_MEMORY;
    }
    if (status)
        destroy(made);
    else
        *state = made;
    return status;
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
            _Pragma("omp atomic") y[j] += product;                                                 \
        }                                                                                          \
        _Pragma("omp atomic") y[i] += sum;                                                         \
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
        threads_each(atomic->A->n, name##_zeros, &product);                                        \
        threads_take(atomic->A->n, atomic->chunk, name##_rows, &product);                          \
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

static enum status apply(void *state, const double *x, double *y, struct error *error)
{
    (void)error;
    const struct atomic *atomic = state;
    switch (atomic->precision) {
    case PRECISION_DOUBLE:
        add_double(atomic, atomic->A->values, x, y);
        break;
    case PRECISION_FLOAT_DOUBLE:
        add_float_double(atomic, atomic->singles, x, y);
        break;
    case PRECISION_FLOAT:
        add_float(atomic, atomic->singles, x, atomic->sums);
        threads_each(atomic->A->n, widen, &(struct product){.x = atomic->sums, .y = y});
        break;
    }
    return STATUS_OK;
}

static enum status apply_float(void *state, const float *x, float *y, struct error *error)
{
    (void)error;
    const struct atomic *atomic = state;
    add_floats(atomic, atomic->singles, x, y);
    return STATUS_OK;
}

static int64_t memory_bytes(const void *state)
{
    const struct atomic *atomic = state;
    int64_t singles = (atomic->singles ? atomic->A->nnz : 0) + (atomic->sums ? atomic->A->n : 0);
    return (int64_t)sizeof *atomic + singles * (int64_t)sizeof(float);
}

/* y is zeroed, then read and written; the sums in single precision likewise, and then read, and y
 * written. */
static int64_t bytes_per_apply(const void *state)
{
    const struct atomic *atomic = state;
    int64_t matrix = atomic->singles ? single_bytes(atomic->A) : csr_bytes(atomic->A);
    int64_t row = atomic->sums ? 2 * sizeof(double) + 4 * sizeof(float) : 4 * sizeof(double);
    return matrix + atomic->A->n * row;
}

const struct kernel kernel_cpu_sym_atomic = {
    .name = "cpu_sym_atomic",
    .summary = "upper triangle, threads, atomic additions in the order in which they arrive",
    .space = SPACE_CPU,
    .storage = STORAGE_UPPER,
    .kinds = CSR_SYMMETRIC | CSR_SKEW,
    .guarantee = GUARANTEE_NONE,
    .parameters = parameters,
    .setup = setup,
    .apply = apply,
    .apply_float = apply_float,
    .bytes_per_apply = bytes_per_apply,
    .memory_bytes = memory_bytes,
    .destroy = destroy,
};
