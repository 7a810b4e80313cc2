#include "matrix/permute.h"

#include "base/threads.h"

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

struct permutation {
    const struct csr *A;
    const int32_t *number;
    struct csr *permuted;
};

static void clear_offsets(void *context, int64_t begin, int64_t end)
{
    const struct permutation *permutation = context;
    for (int64_t i = begin; i < end; i++)
        permutation->permuted->offsets[i] = 0;
}

static void count_rows(void *context, int64_t begin, int64_t end)
{
    const struct permutation *permutation = context;
    const struct csr *A = permutation->A;
    int64_t *counts = permutation->permuted->offsets;
    for (int64_t i = begin; i < end; i++)
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++)
            __atomic_fetch_add(&counts[place_of(permutation->number, i, A->columns[k]).row], 1,
                               __ATOMIC_RELAXED);
}

/* offsets[i] = the end of row i, from which the rows are then filled downwards. */
static void set_ends(struct permutation *permutation)
{
    int64_t n = permutation->A->n, *offsets = permutation->permuted->offsets;
    threads_each(threads_lent(), n + 1, clear_offsets, permutation);
    threads_each(threads_lent(), n, count_rows, permutation);
    for (int64_t i = 0; i < n; i++)
        offsets[i + 1] += offsets[i];
}

/* The entries of a row come in the order in which the threads arrive; sorting makes it one. */
static void scatter(void *context, int64_t begin, int64_t end)
{
    const struct permutation *permutation = context;
    const struct csr *A = permutation->A, *permuted = permutation->permuted;
    for (int64_t i = begin; i < end; i++)
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++) {
            struct place place = place_of(permutation->number, i, A->columns[k]);
            bool negative = place.mirrored && A->kind == CSR_SKEW;
            int64_t at = __atomic_sub_fetch(&permuted->offsets[place.row], 1, __ATOMIC_RELAXED);
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

static void sort_rows(void *context, int64_t begin, int64_t end)
{
    const struct csr *permuted = ((const struct permutation *)context)->permuted;
    for (int64_t i = begin; i < end; i++) {
        int64_t at = permuted->offsets[i];
        csr_sort_row(permuted->offsets[i + 1] - at, permuted->columns + at, permuted->values + at);
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
    permuted->near_null = A->near_null;
    struct permutation permutation = {A, number, permuted};
    set_ends(&permutation);
    threads_each(threads_lent(), A->n, scatter, &permutation);
    threads_each(threads_lent(), A->n, sort_rows, &permutation);
    return STATUS_OK;
}

struct moved {
    const int32_t *number;
    const double *from;
    double *to;
};

static void move(void *context, int64_t begin, int64_t end)
{
    const struct moved *moved = context;
    for (int64_t i = begin; i < end; i++)
        moved->to[moved->number[i]] = moved->from[i];
}

static void move_back(void *context, int64_t begin, int64_t end)
{
    const struct moved *moved = context;
    for (int64_t i = begin; i < end; i++)
        moved->to[i] = moved->from[moved->number[i]];
}

void vector_permute(int64_t n, const int32_t *number, const double *x, double *permuted)
{
    threads_each(threads_lent(), n, move, &(struct moved){number, x, permuted});
}

void vector_permute_back(int64_t n, const int32_t *number, const double *permuted, double *x)
{
    threads_each(threads_lent(), n, move_back, &(struct moved){number, permuted, x});
}

struct distances {
    const struct csr *A;
    const int32_t *number;       /* NULL: the rows' own */
    int64_t largest, sum, count; /* of entries off the diagonal */
};

static void measure(void *context, int64_t begin, int64_t end)
{
    struct distances *all = context;
    const struct csr *A = all->A;
    const int32_t *number = all->number;
    int64_t largest = 0, sum = 0, count = 0;
    for (int64_t i = begin; i < end; i++)
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++) {
            int64_t j = A->columns[k];
            int64_t distance = llabs(number ? (int64_t)number[j] - number[i] : j - i);
            largest = distance > largest ? distance : largest;
            sum += distance;
            count += distance > 0;
        }
    ATOMIC_MOST(&all->largest, largest);
    ATOMIC_ADD(&all->sum, sum);
    ATOMIC_ADD(&all->count, count);
}

struct csr_distances csr_distances_as(const struct csr *A, const int32_t *number)
{
    struct distances all = {A, number, 0, 0, 0};
    threads_each(threads_lent(), A->n, measure, &all);
    return (struct csr_distances){all.largest,
                                  all.count > 0 ? (double)all.sum / (double)all.count : 0};
}

struct csr_distances csr_distances(const struct csr *A)
{
    return csr_distances_as(A, NULL);
}
