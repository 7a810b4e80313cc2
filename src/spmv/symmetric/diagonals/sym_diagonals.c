#include "spmv/symmetric/diagonals/sym_diagonals.h"

#include "base/memory.h"
#include "base/threads.h"

#include <string.h>

struct search {
    const struct csr *A;
    int64_t first; /* rows from there on */
    unsigned char *seen;
};

/* seen[d] = 1 for every distance d of an entry. Threads write the same value, if any. */
static void mark_distances(void *context, int64_t row, int64_t end)
{
    const struct search *search = context;
    const struct csr *A = search->A;
    for (; row < end; row++) {
        int64_t i = search->first + row;
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++) {
            unsigned char *seen = &search->seen[A->columns[k] - i];
            if (!__atomic_load_n(seen, __ATOMIC_RELAXED))
                __atomic_store_n(seen, 1, __ATOMIC_RELAXED);
        }
    }
}

static int64_t count_distances(int64_t n, const unsigned char *seen)
{
    int64_t count = 0;
    for (int64_t d = 0; d < n; d++)
        count += seen[d];
    return count;
}

enum status sym_diagonals_find(const struct csr *A, int64_t most, int32_t **distances,
                               int64_t *count, struct error *error)
{
    *distances = NULL;
    *count = 0;
    unsigned char *seen = memory_zeros(A->n, sizeof *seen, "the diagonals", error);
    if (!seen)
        return STATUS_MEMORY;
    int64_t first = A->n / 16; /* rows that mostly tell whether there are too many */
    struct search search = {A, 0, seen};
    threads_each(threads_lent(), first, mark_distances, &search);
    *count = count_distances(A->n, seen);
    if (*count <= most) {
        search.first = first;
        threads_each(threads_lent(), A->n - first, mark_distances, &search);
        *count = count_distances(A->n, seen);
    }
    *distances = memory_array(*count, sizeof **distances, "the diagonals", error);
    if (*distances)
        for (int64_t d = 0, k = 0; d < A->n; d++)
            if (seen[d])
                (*distances)[k++] = (int32_t)d;
    memory_free(seen);
    return *distances ? STATUS_OK : STATUS_MEMORY;
}

struct line {
    const struct csr *A;
    int64_t d;
    double *values;
};

static void fill_line(void *context, int64_t i, int64_t last)
{
    const struct line *line = context;
    const struct csr *A = line->A;
    for (; i < last; i++) {
        int64_t k = A->offsets[i], end = A->offsets[i + 1], column = i + line->d;
        while (k < end && A->columns[k] < column)
            k++;
        line->values[i] = k < end && A->columns[k] == column ? A->values[k] : 0;
    }
}

void sym_diagonals_line(const struct csr *A, int64_t d, double *line)
{
    threads_each(threads_lent(), A->n, fill_line, &(struct line){A, d, line});
}

struct filling {
    const struct csr *A;
    int32_t *places; /* places[d] = k for every distance d = distances[k] */
    struct sym_diagonals *diagonals;
};

static void fill_values(void *context, int64_t i, int64_t end)
{
    const struct filling *filling = context;
    const struct csr *A = filling->A;
    const int32_t *places = filling->places;
    double *values = filling->diagonals->values;
    int64_t n = A->n, count = filling->diagonals->count;
    for (; i < end; i++) {
        for (int64_t k = 0; k < count; k++)
            values[k * n + i] = 0;
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++)
            values[places[A->columns[k] - i] * n + i] = A->values[k];
    }
}

enum status sym_diagonals_create(const struct csr *A, struct sym_diagonals *diagonals,
                                 struct error *error)
{
    *diagonals = (struct sym_diagonals){.n = A->n, .sign = A->kind == CSR_SKEW ? -1 : 1};
    enum status status =
        sym_diagonals_find(A, A->n, &diagonals->distances, &diagonals->count, error);
    if (!status)
        status = memory_fits(8.0 * (double)diagonals->count * (double)A->n,
                             "the matrix by diagonals", error);
    int32_t *places = NULL;
    if (!status) {
        diagonals->values = memory_array(diagonals->count * A->n, sizeof *diagonals->values,
                                         "the matrix by diagonals", error);
        places = memory_array(A->n, sizeof *places, "the places of the diagonals", error);
        status = diagonals->values && places ? STATUS_OK : STATUS_MEMORY;
    }
    if (!status) {
        for (int64_t k = 0; k < diagonals->count; k++)
            places[diagonals->distances[k]] = (int32_t)k;
        threads_each(threads_lent(), A->n, fill_values, &(struct filling){A, places, diagonals});
    }
    memory_free(places);
    if (status)
        sym_diagonals_free(diagonals);
    return status;
}

void sym_diagonals_free(struct sym_diagonals *diagonals)
{
    memory_free(diagonals->distances);
    memory_free(diagonals->values);
    *diagonals = (struct sym_diagonals){0};
}
