#include "matrix/symmetry.h"

#include "base/threads.h"
#include "matrix/csr.h"

#include <string.h>

/* Where (i, j) is stored in a general A, or -1. */
static int64_t find(const struct csr *A, int64_t i, int64_t j)
{
    int64_t low = csr_find_entry_from(A, i, j);
    return low < A->offsets[i + 1] && A->columns[low] == j ? low : -1;
}

struct counts {
    const struct csr *A;
    _Atomic int64_t entries, matched, equal, opposite, diagonal;
};

static void count_mirrored(void *context, int64_t begin, int64_t end)
{
    struct counts *counts = context;
    const struct csr *A = counts->A;
    int64_t entries = 0, matched = 0, equal = 0, opposite = 0, diagonal = 0;
    for (int64_t i = begin; i < end; i++)
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++) {
            if (A->columns[k] == i) {
                diagonal += A->values[k] != 0;
                continue;
            }
            entries++;
            int64_t mirrored = find(A, A->columns[k], i);
            if (mirrored < 0)
                continue;
            matched++;
            equal += A->values[mirrored] == A->values[k];
            opposite += A->values[mirrored] == -A->values[k];
        }
    counts->entries += entries;
    counts->matched += matched;
    counts->equal += equal;
    counts->opposite += opposite;
    counts->diagonal += diagonal;
}

struct csr_symmetry csr_symmetry(const struct csr *A)
{
    struct csr_symmetry none = {.no_diagonal = true};
    struct counts counts = {.A = A};
    if (A->n != A->width)
        return none;
    if (A->kind != CSR_GENERAL) {
        int64_t entries = csr_nnz_full(A) - A->n;
        bool skew = A->kind == CSR_SKEW;
        return (struct csr_symmetry){entries, entries, skew ? 0 : entries, skew ? entries : 0,
                                     skew};
    }
    threads_take(threads_lent(), A->n, 1024, count_mirrored, &counts);
    return (struct csr_symmetry){counts.entries, counts.matched, counts.equal, counts.opposite,
                                 counts.diagonal == 0};
}

enum csr_kind csr_kind_in_fact(const struct csr *A)
{
    if (A->kind != CSR_GENERAL || A->n != A->width)
        return A->kind;
    struct csr_symmetry found = csr_symmetry(A);
    if (found.equal == found.entries)
        return CSR_SYMMETRIC;
    return found.opposite == found.entries && found.no_diagonal ? CSR_SKEW : CSR_GENERAL;
}

/* The first entry of row i at or after the diagonal. */
static int64_t upper_part(const struct csr *A, int64_t i)
{
    int64_t k = A->offsets[i];
    while (k < A->offsets[i + 1] && A->columns[k] < i)
        k++;
    return k;
}

/* The entries of the rows made from A, or from A and B. */
struct row_count {
    const struct csr *A, *B;
    _Atomic int64_t nnz;
};

static void count_upper(void *context, int64_t begin, int64_t end)
{
    struct row_count *count = context;
    const struct csr *A = count->A;
    int64_t nnz = 0;
    for (int64_t i = begin; i < end; i++) {
        int64_t k = upper_part(A, i);
        nnz += A->offsets[i + 1] - k + !(k < A->offsets[i + 1] && A->columns[k] == i);
    }
    count->nnz += nnz;
}

enum status csr_fold(const struct csr *A, enum csr_kind kind, struct csr *upper,
                     struct error *error)
{
    struct row_count count = {.A = A};
    threads_each(threads_lent(), A->n, count_upper, &count);
    enum status status = csr_create(upper, kind, A->n, count.nnz, error);
    if (status)
        return status;
    int64_t at = 0;
    for (int64_t i = 0; i < A->n; i++) {
        int64_t k = upper_part(A, i), length = A->offsets[i + 1] - k;
        upper->offsets[i] = at;
        if (length == 0 || A->columns[k] != i) {
            upper->columns[at] = (int32_t)i;
            upper->values[at++] = 0;
        }
        memcpy(upper->columns + at, A->columns + k, (size_t)length * sizeof *A->columns);
        memcpy(upper->values + at, A->values + k, (size_t)length * sizeof *A->values);
        at += length;
    }
    upper->offsets[A->n] = at;
    return STATUS_OK;
}

/* The walk goes over ascending rows, and ascending columns within them. So each row of the
 * transposed matrix gets its entries in ascending order too. */
static enum status transpose(const struct csr *A, struct csr *transposed, struct error *error)
{
    enum status status = csr_create(transposed, CSR_GENERAL, A->n, A->nnz, error);
    if (status)
        return status;
    memset(transposed->offsets, 0, (size_t)(A->n + 1) * sizeof *A->offsets);
    for (int64_t k = 0; k < A->nnz; k++)
        transposed->offsets[A->columns[k]]++;
    for (int64_t i = 0; i < A->n; i++)
        transposed->offsets[i + 1] += transposed->offsets[i];
    for (int64_t i = A->n - 1; i >= 0; i--)
        for (int64_t k = A->offsets[i + 1] - 1; k >= A->offsets[i]; k--)
            transposed->columns[--transposed->offsets[A->columns[k]]] = (int32_t)i;
    return STATUS_OK;
}

/* The number of columns from the diagonal on in row i of either matrix, the diagonal always
 * included; unless `columns` is NULL, these columns. */
static int64_t join_row(const struct csr *A, const struct csr *B, int64_t i, int32_t *columns)
{
    int64_t a = upper_part(A, i), b = upper_part(B, i), count = 1;
    if (columns)
        columns[0] = (int32_t)i;
    while (a < A->offsets[i + 1] || b < B->offsets[i + 1]) {
        int32_t of_a = a < A->offsets[i + 1] ? A->columns[a] : INT32_MAX;
        int32_t of_b = b < B->offsets[i + 1] ? B->columns[b] : INT32_MAX;
        int32_t column = of_a < of_b ? of_a : of_b;
        a += of_a == column;
        b += of_b == column;
        if (column == i)
            continue;
        if (columns)
            columns[count] = column;
        count++;
    }
    return count;
}

static void count_joined(void *context, int64_t begin, int64_t end)
{
    struct row_count *count = context;
    int64_t nnz = 0;
    for (int64_t i = begin; i < end; i++)
        nnz += join_row(count->A, count->B, i, NULL);
    count->nnz += nnz;
}

enum status csr_symmetric_pattern(const struct csr *A, struct csr *pattern, struct error *error)
{
    struct csr transposed;
    *pattern = (struct csr){0};
    enum status status = transpose(A, &transposed, error);
    if (status)
        return status;
    struct row_count count = {.A = A, .B = &transposed};
    threads_each(threads_lent(), A->n, count_joined, &count);
    status = csr_create(pattern, CSR_SYMMETRIC, A->n, count.nnz, error);
    for (int64_t i = 0, at = 0; i < A->n && !status; i++) {
        pattern->offsets[i] = at;
        at += join_row(A, &transposed, i, pattern->columns + at);
        pattern->offsets[i + 1] = at;
    }
    if (!status)
        memset(pattern->values, 0, (size_t)pattern->nnz * sizeof *pattern->values);
    csr_free(&transposed);
    return status;
}
