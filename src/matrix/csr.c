#include "matrix/csr.h"

#include "base/memory.h"
#include "base/threads.h"
#include "matrix/multiply.h"

#include <inttypes.h>
#include <string.h>

const char *csr_kind_name(enum csr_kind kind)
{
    return kind == CSR_SYMMETRIC ? "symmetric" : kind == CSR_SKEW ? "skew-symmetric" : "general";
}

enum status csr_create(struct csr *A, enum csr_kind kind, int64_t n, int64_t nnz,
                       struct error *error)
{
    *A = (struct csr){.kind = kind, .n = n, .width = n, .nnz = nnz};
    enum status status = memory_fits(8.0 * (double)n + 12.0 * (double)nnz, "the matrix", error);
    if (status) {
        csr_free(A);
        return status;
    }
    A->offsets = memory_array(n + 1, sizeof *A->offsets, "the matrix's row offsets", error);
    if (A->offsets)
        A->columns = memory_array(nnz, sizeof *A->columns, "the matrix's columns", error);
    if (A->columns)
        A->values = memory_array(nnz, sizeof *A->values, "the matrix's values", error);
    if (A->values)
        return STATUS_OK;
    csr_free(A);
    return STATUS_MEMORY;
}

void csr_free(struct csr *A)
{
    memory_free(A->offsets);
    memory_free(A->columns);
    memory_free(A->values);
    *A = (struct csr){0};
}

int64_t csr_nnz_full(const struct csr *A)
{
    return A->kind == CSR_GENERAL ? A->nnz : 2 * A->nnz - A->n;
}

struct diagonal {
    const struct csr *A;
    _Atomic int64_t zeros;
};

static void count_zeros(void *context, int64_t begin, int64_t end)
{
    struct diagonal *diagonal = context;
    const struct csr *A = diagonal->A;
    int64_t zeros = 0;
    for (int64_t i = begin; i < end; i++)
        zeros += A->values[A->offsets[i]] == 0;
    diagonal->zeros += zeros;
}

int64_t csr_entries(const struct csr *A)
{
    struct diagonal diagonal = {.A = A};
    if (A->kind == CSR_GENERAL)
        return A->nnz;
    threads_each(threads_lent(), A->n, count_zeros, &diagonal);
    return csr_nnz_full(A) - diagonal.zeros;
}

int64_t csr_bytes(const struct csr *A)
{
    return (A->n + 1) * (int64_t)sizeof *A->offsets +
           A->nnz * (int64_t)(sizeof *A->columns + sizeof *A->values);
}

struct expansion {
    const struct csr *A;
    struct csr *into; /* NULL: lower entries are counted */
    int64_t *next;    /* [n] lower entries of each row; then where the next of them goes */
};

/* A thread owns the rows begin <= j < end of the full matrix, and walks the stored rows before
 * `end` in order for the entries that are mirrored into its own, so no two threads write to the
 * same place, and each row gets its lower entries in ascending order of the columns. First they are
 * counted, then put at next[j]. */
static void mirror_entries(void *context, int64_t begin, int64_t end)
{
    const struct expansion *expansion = context;
    const struct csr *A = expansion->A;
    struct csr *into = expansion->into;
    double sign = A->kind == CSR_SKEW ? -1 : 1;
    for (int64_t i = 0; i < end; i++) {
        int64_t stop = A->offsets[i + 1];
        if (A->columns[stop - 1] < begin)
            continue;
        for (int64_t k = A->offsets[i] + 1; k < stop && A->columns[k] < end; k++) {
            int32_t j = A->columns[k];
            if (j < begin)
                continue;
            int64_t place = expansion->next[j]++;
            if (!into)
                continue;
            into->columns[place] = (int32_t)i;
            into->values[place] = sign * A->values[k];
        }
    }
}

/* Upper entries follow the lower entries. */
static void append_upper(void *context, int64_t begin, int64_t end)
{
    const struct expansion *expansion = context;
    const struct csr *A = expansion->A, *full = expansion->into;
    for (int64_t i = begin; i < end; i++) {
        int64_t from = A->offsets[i], to = expansion->next[i];
        size_t count = (size_t)(A->offsets[i + 1] - from);
        memcpy(full->columns + to, A->columns + from, count * sizeof *A->columns);
        memcpy(full->values + to, A->values + from, count * sizeof *A->values);
    }
}

/* The lower triangle of A, in rows with room for the upper triangle after it, or without. next[n],
 * zeroed before, becomes the ends of the lower entries. */
static void mirror(const struct csr *A, bool with_upper, int64_t *next, struct csr *into)
{
    struct expansion expansion = {A, NULL, next};
    threads_each(threads_lent(), A->n, mirror_entries, &expansion);
    into->offsets[0] = 0;
    for (int64_t i = 0; i < A->n; i++) {
        int64_t length = next[i] + (with_upper ? A->offsets[i + 1] - A->offsets[i] : 0);
        next[i] = into->offsets[i];
        into->offsets[i + 1] = into->offsets[i] + length;
    }
    expansion.into = into;
    threads_each(threads_lent(), A->n, mirror_entries, &expansion);
    if (with_upper)
        threads_each(threads_lent(), A->n, append_upper, &expansion);
}

static enum status create_mirrored(const struct csr *A, bool with_upper, struct csr *made,
                                   struct error *error)
{
    int64_t nnz = with_upper ? csr_nnz_full(A) : A->nnz - A->n;
    enum status status = csr_create(made, CSR_GENERAL, A->n, nnz, error);
    if (status)
        return status;
    made->width = A->width;
    int64_t *next = memory_zeros(A->n, sizeof *next, "the expansion's cursors", error);
    if (!next) {
        csr_free(made);
        return STATUS_MEMORY;
    }
    mirror(A, with_upper, next, made);
    memory_free(next);
    return STATUS_OK;
}

enum status csr_lower(const struct csr *A, struct csr *lower, struct error *error)
{
    return create_mirrored(A, false, lower, error);
}

enum status csr_expand(const struct csr *A, struct csr *full, struct error *error)
{
    if (A->kind != CSR_GENERAL)
        return create_mirrored(A, true, full, error);
    enum status status = csr_create(full, CSR_GENERAL, A->n, A->nnz, error);
    if (status)
        return status;
    full->width = A->width;
    memcpy(full->offsets, A->offsets, (size_t)(A->n + 1) * sizeof *A->offsets);
    memcpy(full->columns, A->columns, (size_t)A->nnz * sizeof *A->columns);
    memcpy(full->values, A->values, (size_t)A->nnz * sizeof *A->values);
    return STATUS_OK;
}

/* Backwards, so that each row is filled from its end, and offsets[j] comes to where it begins. */
enum status csr_transpose(const struct csr *A, struct csr *transposed, struct error *error)
{
    enum status status = csr_create(transposed, CSR_GENERAL, A->width, A->nnz, error);
    if (status)
        return status;
    int64_t *offsets = transposed->offsets;
    transposed->width = A->n;
    memset(offsets, 0, (size_t)(A->width + 1) * sizeof *offsets);
    for (int64_t k = 0; k < A->nnz; k++)
        offsets[A->columns[k]]++;
    for (int64_t j = 1; j <= A->width; j++)
        offsets[j] += offsets[j - 1];
    for (int64_t i = A->n - 1; i >= 0; i--)
        for (int64_t k = A->offsets[i + 1] - 1; k >= A->offsets[i]; k--) {
            int64_t place = --offsets[A->columns[k]];
            transposed->columns[place] = (int32_t)i;
            transposed->values[place] = A->values[k];
        }
    return STATUS_OK;
}

CSR_MULTIPLY_ROWS(multiply_rows, double, double, double)
CSR_MULTIPLY_UPPER(multiply_upper, double, double, double)

void csr_multiply_rows(const struct csr *A, int64_t begin, int64_t end, const double *x, double *y)
{
    multiply_rows(A, A->values, begin, end, x, y);
}

void csr_multiply(const struct csr *A, const double *x, double *y)
{
    if (A->kind == CSR_GENERAL)
        multiply_rows(A, A->values, 0, A->n, x, y);
    else
        multiply_upper(A, A->values, A->kind == CSR_SKEW ? -1 : 1, x, y);
}
