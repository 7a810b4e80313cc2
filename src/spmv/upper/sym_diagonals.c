#include "spmv/upper/sym_diagonals.h"

#include "base/memory.h"

#include <string.h>

/* seen[d] = 1 for every distance d of an entry. Threads write the same value, if any. */
static void mark_distances(const struct csr *A, int64_t begin, int64_t end, unsigned char *seen)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = begin; i < end; i++)
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++) {
            int64_t distance = A->columns[k] - i;
            unsigned char there;
#pragma omp atomic read
            there = seen[distance];
            if (!there) {
#pragma omp atomic write
                seen[distance] = 1;
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
    mark_distances(A, 0, first, seen);
    *count = count_distances(A->n, seen);
    if (*count <= most) {
        mark_distances(A, first, A->n, seen);
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

void sym_diagonals_line(const struct csr *A, int64_t d, double *line)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < A->n; i++) {
        int64_t k = A->offsets[i], end = A->offsets[i + 1];
        while (k < end && A->columns[k] < i + d)
            k++;
        line[i] = k < end && A->columns[k] == i + d ? A->values[k] : 0;
    }
}

/* places[d] = k for every distance d = distances[k]. */
static void fill_values(const struct csr *A, const int32_t *places, struct sym_diagonals *diagonals)
{
    int64_t n = A->n;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < diagonals->count; k++)
            diagonals->values[k * n + i] = 0;
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++)
            diagonals->values[places[A->columns[k] - i] * n + i] = A->values[k];
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
        fill_values(A, places, diagonals);
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
