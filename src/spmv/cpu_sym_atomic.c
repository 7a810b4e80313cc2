/* y = A x from the upper triangle, threads, atomic additions.
 *
 * The parallel form of cpu_sym that everybody writes first: any thread may add to any y_j, so every
 * addition is atomic, and the order in which they arrive decides the last bits. Rows go out in
 * small dynamic chunks, which is what a GPU's scheduler does, so that the order really differs from
 * run to run, on regular grids too. Beside the matrix it moves x once and y three times (zeroed,
 * read, written); the time goes into the atomics. */
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

struct atomic {
    const struct csr *A;
    int chunk;
};

static enum status setup(const struct csr *A, const struct kernel_options *options,
                         struct space *space, void **state, struct error *error)
{
    (void)space;
    struct atomic *made = memory_array(1, sizeof *made, "the kernel's state", error);
    *state = made;
    if (!made)
        return STATUS_MEMORY;
    *made = (struct atomic){A, (int)options->values[0]};
    return STATUS_OK;
}

MULTIVERSION static void add_row(const struct csr *A, int64_t i, double sign, const double *x,
                                 double *y)
{
    int64_t k = A->offsets[i], end = A->offsets[i + 1];
    double mirrored = sign * x[i];
    double sum = A->values[k] * x[i];
    for (k++; k < end; k++) {
        int32_t j = A->columns[k];
        sum = fma(A->values[k], x[j], sum);
        double product = A->values[k] * mirrored;
#pragma omp atomic
        y[j] += product;
    }
#pragma omp atomic
    y[i] += sum;
}

static enum status apply(void *state, const double *x, double *y, struct error *error)
{
    (void)error;
    const struct atomic *atomic = state;
    const struct csr *A = atomic->A;
    double sign = A->kind == CSR_SKEW ? -1 : 1;
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (int64_t i = 0; i < A->n; i++)
            y[i] = 0;
#pragma omp for schedule(dynamic, atomic->chunk)
        for (int64_t i = 0; i < A->n; i++)
            add_row(A, i, sign, x, y);
    }
    return STATUS_OK;
}

static int64_t memory_bytes(const void *state)
{
    (void)state;
    return (int64_t)sizeof(struct atomic);
}

/* y is zeroed, then read and written. */
static int64_t bytes_per_apply(const void *state)
{
    const struct csr *A = ((const struct atomic *)state)->A;
    return csr_bytes(A) + 4 * A->n * (int64_t)sizeof(double);
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
    .bytes_per_apply = bytes_per_apply,
    .memory_bytes = memory_bytes,
    .destroy = memory_free,
};
