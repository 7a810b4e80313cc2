#include "matrix/kept_rows.h"

#include "matrix/store.h"

#include <string.h>

static int64_t entries(const void *options)
{
    return ((const struct kept_rows *)options)->A.nnz;
}

static int64_t reach(const void *options)
{
    return ((const struct kept_rows *)options)->reach;
}

static const struct csr *kept_rows(const void *options)
{
    return &((const struct kept_rows *)options)->A;
}

static void make_rows(const void *options, int64_t first, int64_t base, const struct csr *rows)
{
    const struct csr *A = &((const struct kept_rows *)options)->A;
    int64_t begin = A->offsets[first], count = A->offsets[first + rows->n] - begin;
    if (!rows->columns) {
        for (int64_t i = 0; i <= rows->n; i++)
            rows->offsets[i] = A->offsets[first + i] - begin;
        return;
    }
    int64_t at = rows->offsets[0];
    for (int64_t k = 0; k < count; k++)
        rows->columns[at + k] = (int32_t)(A->columns[begin + k] - base);
    memcpy(rows->values + at, A->values + begin, (size_t)count * sizeof *rows->values);
}

static const struct csr_maker maker = {
    .entries = entries, .reach = reach, .rows = make_rows, .kept = kept_rows};

void kept_rows_create(struct csr *A, struct kept_rows *kept)
{
    int64_t farthest = 0;
#pragma omp parallel for schedule(static) reduction(max : farthest)
    for (int64_t i = 0; i < A->n; i++) {
        int64_t distance = A->columns[A->offsets[i + 1] - 1] - i;
        farthest = distance > farthest ? distance : farthest;
    }
    *kept = (struct kept_rows){*A, farthest};
    *A = csr_made(kept->A.kind, kept->A.n, &maker, kept);
}

void kept_rows_free(struct kept_rows *kept)
{
    csr_free(&kept->A);
    kept->reach = 0;
}
