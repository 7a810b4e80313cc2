#include "matrix/kept_rows.h"

#include "base/threads.h"
#include "matrix/store.h"

#include <pthread.h>
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

struct farthest {
    const struct csr *A;
    pthread_mutex_t lock;
    int64_t distance; /* of an entry behind the diagonal */
};

static void find_farthest(void *context, int64_t begin, int64_t end)
{
    struct farthest *farthest = context;
    const struct csr *A = farthest->A;
    int64_t own = 0;
    for (int64_t i = begin; i < end; i++) {
        int64_t distance = A->columns[A->offsets[i + 1] - 1] - i;
        own = distance > own ? distance : own;
    }
    pthread_mutex_lock(&farthest->lock);
    farthest->distance = own > farthest->distance ? own : farthest->distance;
    pthread_mutex_unlock(&farthest->lock);
}

void kept_rows_create(struct csr *A, struct kept_rows *kept)
{
    struct farthest farthest = {A, PTHREAD_MUTEX_INITIALIZER, 0};
    threads_each(threads_lent(), A->n, find_farthest, &farthest);
    *kept = (struct kept_rows){*A, farthest.distance};
    *A = csr_made(kept->A.kind, kept->A.n, &maker, kept);
}

void kept_rows_free(struct kept_rows *kept)
{
    csr_free(&kept->A);
    kept->reach = 0;
}
