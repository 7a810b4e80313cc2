/* y = A x from the upper triangle, threads, atomic additions with their errors kept.
 *
 * As cpu_sym_atomic, but each atomic addition hands back the value that it found, from which its
 * rounding error follows exactly (Knuth's TwoSum); the errors are added atomically to a correction
 * vector c, and y += c ends the product. What is left of the order's influence is the rounding in
 * c, about 2^-53 of the error itself: usually no bit of y, but nothing promises it. Products are
 * split too (TwoProduct), so nothing else is lost. Moves c three times more than cpu_sym_atomic
 * moves. */
#include "cgsolve/kernel.h"

#include "base/memory.h"
#include "base/multiversion.h"

#include <math.h>

static const struct kernel_parameter parameters[] = {
    {.name = "chunk",
     .meaning = "rows that a thread takes at a time",
     .minimum = 1,
     .maximum = INT32_MAX,
     .standard = 16},
    {0},
};

struct compensated {
    const struct csr *A;
    int chunk;
    double *corrections; /* [n] */
};

static void destroy(void *state)
{
    if (state)
        memory_free(((struct compensated *)state)->corrections);
    memory_free(state);
}

static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct space *space, void **state, struct error *error)
{
    (void)space;
    *state = NULL;
    struct compensated *made = memory_array(1, sizeof *made, "the kernel's state", error);
    if (!made)
        return STATUS_MEMORY;
    *made = (struct compensated){.A = A, .chunk = (int)options->values[0]};
    made->corrections =
        memory_array(A->n, sizeof *made->corrections, "the correction vector", error);
    if (!made->corrections) {
        destroy(made);
        return STATUS_MEMORY;
    }
    *state = made;
    return STATUS_OK;
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
    double before;
#pragma omp atomic capture
    {
        before = *y;
        *y += value;
    }
    error += lost(before, value, before + value);
#pragma omp atomic
    *c += error;
}

MULTIVERSION static void add_row(const struct csr *A, int64_t i, double sign, const double *x,
                                 double *y, double *c)
{
    int64_t k = A->offsets[i], end = A->offsets[i + 1];
    double mirrored = sign * x[i];
    double sum = A->values[k] * x[i];
    double sum_error = fma(A->values[k], x[i], -sum);
    for (k++; k < end; k++) {
        int32_t j = A->columns[k];
        double product = A->values[k] * x[j];
        double next = sum + product;
        sum_error += fma(A->values[k], x[j], -product) + lost(sum, product, next);
        sum = next;
        product = A->values[k] * mirrored;
        add(&y[j], &c[j], product, fma(A->values[k], mirrored, -product));
    }
    add(&y[i], &c[i], sum, sum_error);
}

static enum status apply(void *state, const double *x, double *y, struct error *error)
{
    (void)error;
    const struct compensated *compensated = state;
    const struct csr *A = compensated->A;
    double *c = compensated->corrections;
    double sign = A->kind == CSR_SKEW ? -1 : 1;
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (int64_t i = 0; i < A->n; i++)
            y[i] = c[i] = 0;
#pragma omp for schedule(dynamic, compensated->chunk)
        for (int64_t i = 0; i < A->n; i++)
            add_row(A, i, sign, x, y, c);
#pragma omp for schedule(static)
        for (int64_t i = 0; i < A->n; i++)
            y[i] += c[i];
    }
    return STATUS_OK;
}

static int64_t memory_bytes(const void *state)
{
    const struct compensated *compensated = state;
    return (int64_t)sizeof *compensated + compensated->A->n * (int64_t)sizeof(double);
}

/* x once; y and c zeroed, read, written, and read again; y written again. */
static int64_t bytes_per_apply(const void *state)
{
    const struct csr *A = ((const struct compensated *)state)->A;
    return csr_bytes(A) + 10 * A->n * (int64_t)sizeof(double);
}

const struct kernel kernel_cpu_sym_compensated = {
    .name = "cpu_sym_compensated",
    .summary = "upper triangle, threads, atomic additions whose rounding errors are kept and added",
    .space = SPACE_CPU,
    .storage = STORAGE_UPPER,
    .kinds = CSR_SYMMETRIC | CSR_SKEW,
    .guarantee = GUARANTEE_ACCURATE,
    .parameters = parameters,
    .setup = setup,
    .apply = apply,
    .bytes_per_apply = bytes_per_apply,
    .memory_bytes = memory_bytes,
    .destroy = destroy,
};
