/* y = A x from the upper triangle, threads, atomic additions with their errors kept.
 *
 * As cpu_sym_atomic, but each atomic addition hands back the value that it found, from which its
 * rounding error follows exactly (Knuth's TwoSum); the errors are added atomically to a correction
 * vector c, and y += c ends the product. What is left of the order's influence is the rounding in
 * c, about 2^-53 of the error itself: usually no bit of y, but nothing promises it. With
 * compensate = "all" the errors of the products and of the additions within a row are kept as well
 * (spmv/symmetric/scatter/compensate.h). Moves c three times more than cpu_sym_atomic moves. */
#include "spmv/kernel.h"

#include "base/memory.h"
#include "base/multiversion.h"
#include "base/threads.h"
#include "spmv/single.h"
#include "spmv/symmetric/scatter/compensate.h"

#include <math.h>

extern const struct kernel kernel_cpu_sym_compensated;

enum { PARAMETER_CHUNK, PARAMETER_PRECISION, PARAMETER_COMPENSATE };

static const struct parameter parameters[] = {
    KERNEL_INTEGER(PARAMETER_CHUNK, "chunk", "rows that a thread takes at a time", "16", 1,
                   INT32_MAX),
    KERNEL_PRECISION_OF_VALUES(PARAMETER_PRECISION),
    KERNEL_COMPENSATE(PARAMETER_COMPENSATE),
    {0},
};

static enum compensate compensate_of(const struct kernel_options *options)
{
    return (enum compensate)options->values[PARAMETER_COMPENSATE];
}

struct compensated {
    struct threads *threads;
    const struct csr *A;
    int chunk;
    enum compensate compensate;
    float *singles;      /* NULL: A's values */
    double *corrections; /* [n] */
};

static void destroy(void *state)
{
    struct compensated *compensated = state;
    if (!compensated)
        return;
    memory_free(compensated->singles);
    memory_free(compensated->corrections);
    memory_free(compensated);
}

/* What a + b lost when it was rounded to `sum`. */
static inline double lost(double a, double b, double sum)
{
    double part = sum - a;
    return (a - (sum - part)) + (b - part);
}

/* *y += value and *c += what that addition, and `error` before it, lost; both atomically. */
static inline void add(double *y, double *c, double value, double error)
{
    double before, sum;
    __atomic_load(y, &before, __ATOMIC_RELAXED);
    do
        sum = before + value;
    while (!__atomic_compare_exchange(y, &before, &sum, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    ATOMIC_ADD(c, error + lost(before, value, sum));
}

/* Row i, and the entries mirrored from it, of the values where there are no singles. */
static inline void add_row_of(const struct csr *A, const double *values, const float *singles,
                              enum compensate compensate, int64_t i, double sign, const double *x,
                              double *y, double *c)
{
    bool all = compensate == COMPENSATE_ALL;
    int64_t k = A->offsets[i], end = A->offsets[i + 1];
    double a = singles ? singles[k] : values[k];
    double mirrored = sign * x[i];
    double sum = a * x[i];
    double sum_error = all ? fma(a, x[i], -sum) : 0;
    for (k++; k < end; k++) {
        int32_t j = A->columns[k];
        a = singles ? singles[k] : values[k];
        double product = a * x[j];
        double next = all ? sum + product : fma(a, x[j], sum);
        if (all)
            sum_error += fma(a, x[j], -product) + lost(sum, product, next);
        sum = next;
        product = a * mirrored;
        add(&y[j], &c[j], product, all ? fma(a, mirrored, -product) : 0);
    }
    add(&y[i], &c[i], sum, sum_error);
}

/* A loop for each choice, with no question of it inside. */
MULTIVERSION static void add_row(const struct compensated *state, int64_t i, double sign,
                                 const double *x, double *y)
{
    const struct csr *A = state->A;
    bool all = state->compensate == COMPENSATE_ALL;
    double *c = state->corrections;
    if (state->singles && all)
        add_row_of(A, NULL, state->singles, COMPENSATE_ALL, i, sign, x, y, c);
    else if (state->singles)
        add_row_of(A, NULL, state->singles, COMPENSATE_ATOMICS, i, sign, x, y, c);
    else if (all)
        add_row_of(A, A->values, NULL, COMPENSATE_ALL, i, sign, x, y, c);
    else
        add_row_of(A, A->values, NULL, COMPENSATE_ATOMICS, i, sign, x, y, c);
}

struct product {
    const struct compensated *state;
    const double *x;
    double *y;
};

static void zero_rows(void *context, int64_t begin, int64_t end)
{
    const struct product *product = context;
    for (int64_t i = begin; i < end; i++)
        product->y[i] = product->state->corrections[i] = 0;
}

static void add_rows(void *context, int64_t begin, int64_t end)
{
    const struct product *product = context;
    double sign = product->state->A->kind == CSR_SKEW ? -1 : 1;
    for (int64_t i = begin; i < end; i++)
        add_row(product->state, i, sign, product->x, product->y);
}

static void correct_rows(void *context, int64_t begin, int64_t end)
{
    const struct product *product = context;
    for (int64_t i = begin; i < end; i++)
        product->y[i] += product->state->corrections[i];
}

static enum status apply(void *state, const struct operands *operands, struct error *error)
{
    (void)error;
    const struct compensated *compensated = state;
    struct product product = {compensated, operands->x, operands->y};
    struct threads *threads = compensated->threads;
    int64_t n = compensated->A->n;
    threads_each(threads, n, zero_rows, &product);
    threads_take(threads, n, compensated->chunk, add_rows, &product);
    threads_each(threads, n, correct_rows, &product);
    return STATUS_OK;
}

static const struct operator_table table = {.apply = apply, .destroy = destroy};

/* x is moved once; y and c are zeroed, read, written, and read again; y written again. */
static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct linear_operator *made, struct error *error)
{
    struct compensated *compensated = made->state =
        memory_zeros(1, sizeof *compensated, "the kernel's state", error);
    if (!compensated)
        return STATUS_MEMORY;
    made->table = &table;
    compensated->threads = made->space->threads;
    compensated->A = A;
    compensated->chunk = (int)options->values[PARAMETER_CHUNK];
    compensated->compensate = compensate_of(options);
    bool narrow = kernel_precision(&kernel_cpu_sym_compensated, options) != PRECISION_DOUBLE;
    int64_t vector = A->n * (int64_t)sizeof(double);
    made->memory_bytes =
        (int64_t)sizeof *compensated + (narrow ? A->nnz * (int64_t)sizeof(float) : 0) + vector;
    made->bytes_per_apply = (narrow ? single_bytes(A) : csr_bytes(A)) + 10 * vector;
    compensated->corrections =
        memory_array(A->n, sizeof *compensated->corrections, "the correction vector", error);
    if (!compensated->corrections)
        return STATUS_MEMORY;
    return narrow ? single_values(A, &compensated->singles, error) : STATUS_OK;
}

static int64_t setup_bytes(const struct csr *A, const struct kernel_options *options)
{
    (void)options;
    return A->n * (int64_t)sizeof(double);
}

const struct kernel kernel_cpu_sym_compensated = {
    .component = KERNEL_COMPONENT(
        "cpu_sym_compensated",
        "upper triangle, threads, atomic additions whose rounding errors are kept and added",
        parameters),
    .space = SPACE_CPU,
    .storage = STORAGE_UPPER,
    .kinds = CSR_SYMMETRIC | CSR_SKEW,
    .guarantee = GUARANTEE_NONE,
    .promises = compensate_promises,
    .setup_bytes = setup_bytes,
    .setup = setup,
};
