#include "matrix/permute.h"

#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>

/* Where the entry (i, j) of A is stored in P A P'. */
struct place {
    int32_t row, column;
    bool mirrored;
};

static struct place place_of(const int32_t *number, int64_t i, int64_t j)
{
    int32_t row = number[i], column = number[j];
    return row <= column ? (struct place){row, column, false} : (struct place){column, row, true};
}

/* offsets[i] = the end of row i, from which the rows are then filled downwards. */
static void set_ends(const struct csr *A, const int32_t *number, int64_t *offsets)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i <= A->n; i++)
        offsets[i] = 0;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++) {
            int64_t row = place_of(number, i, A->columns[k]).row;
#pragma omp atomic
            offsets[row]++;
        }
    for (int64_t i = 0; i < A->n; i++)
        offsets[i + 1] += offsets[i];
}

/* The entries of a row come in the order in which the threads arrive; sorting makes it one. */
static void scatter(const struct csr *A, const int32_t *number, struct csr *permuted)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++) {
            struct place place = place_of(number, i, A->columns[k]);
            bool negative = place.mirrored && A->kind == CSR_SKEW;
            int64_t at;
#pragma omp atomic capture
            at = --permuted->offsets[place.row];
            permuted->columns[at] = place.column;
            permuted->values[at] = negative ? -A->values[k] : A->values[k];
        }
}

/* Shell's sort with the gaps of Gonnet and Baeza-Yates (1991), which needs no memory; of a short
 * row an insertion sort. */
void csr_sort_row(int64_t count, int32_t *columns, double *values)
{
    enum { SHORT = 32 };
    for (int64_t gap = count <= SHORT ? 2 : count; gap > 1;) {
        gap = gap < 5 ? 1 : (5 * gap - 1) / 11;
        for (int64_t k = gap; k < count; k++) {
            int32_t column = columns[k];
            double value = values[k];
            int64_t at = k;
            for (; at >= gap && columns[at - gap] > column; at -= gap) {
                columns[at] = columns[at - gap];
                values[at] = values[at - gap];
            }
            columns[at] = column;
            values[at] = value;
        }
    }
}

enum status csr_permute(const struct csr *A, const int32_t *number, struct csr *permuted,
                        struct error *error)
{
    *permuted = (struct csr){0};
    if (A->kind == CSR_GENERAL)
        return error_set(error, STATUS_CONFIG,
                         "a general matrix cannot be renumbered: only symmetric and "
                         "skew-symmetric ones are");
    enum status status = csr_create(permuted, A->kind, A->n, A->nnz, error);
    if (status)
        return status;
    set_ends(A, number, permuted->offsets);
    scatter(A, number, permuted);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < A->n; i++) {
        int64_t begin = permuted->offsets[i];
        csr_sort_row(permuted->offsets[i + 1] - begin, permuted->columns + begin,
                     permuted->values + begin);
    }
    return STATUS_OK;
}

void vector_permute(int64_t n, const int32_t *number, const double *x, double *permuted)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++)
        permuted[number[i]] = x[i];
}

void vector_permute_back(int64_t n, const int32_t *number, const double *permuted, double *x)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++)
        x[i] = permuted[number[i]];
}

struct csr_distances csr_distances(const struct csr *A)
{
    int64_t bandwidth = 0, sum = 0, count = 0;
#pragma omp parallel for schedule(static) reduction(max : bandwidth) reduction(+ : sum, count)
    for (int64_t i = 0; i < A->n; i++)
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++) {
            int64_t distance = llabs(A->columns[k] - i);
            bandwidth = distance > bandwidth ? distance : bandwidth;
            sum += distance;
            count += distance > 0;
        }
    return (struct csr_distances){bandwidth, count > 0 ? (double)sum / (double)count : 0};
}
