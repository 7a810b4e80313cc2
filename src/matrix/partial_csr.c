#include "matrix/partial_csr.h"

#include "base/threads.h"
#include "matrix/implicit_rows.h"

#include <pthread.h>
#include <string.h>

static int64_t entries(const void *options)
{
    return ((const struct partial_csr *)options)->A.nnz;
}

static int64_t reach(const void *options)
{
    return ((const struct partial_csr *)options)->reach;
}

static const struct csr *partial_csr(const void *options)
{
    return &((const struct partial_csr *)options)->A;
}

static void make_rows(const void *options, int64_t first, int64_t base, const struct csr *rows)
{
    const struct csr *A = &((const struct partial_csr *)options)->A;
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
    .entries = entries, .reach = reach, .rows = make_rows, .kept = partial_csr};

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

void partial_csr_create(struct csr *A, struct partial_csr *kept)
{
    struct farthest farthest = {A, PTHREAD_MUTEX_INITIALIZER, 0};
    threads_each(threads_lent(), A->n, find_farthest, &farthest);
    *kept = (struct partial_csr){*A, farthest.distance};
    *A = csr_made(kept->A.kind, kept->A.n, &maker, kept);
}

void partial_csr_free(struct partial_csr *kept)
{
    csr_free(&kept->A);
    kept->reach = 0;
}
