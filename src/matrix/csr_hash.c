#include "base/hash.h"
#include "base/threads.h"
#include "matrix/implicit_rows.h"

#include <pthread.h>

/* The result for a block of rows. */
struct found {
    uint64_t hash;
    int64_t zeros; /* on the diagonal */
};

/* Rows of A; row 0 of these is row `first` of A. */
static struct found look_at(const struct csr *A, int64_t begin, int64_t end, int64_t first)
{
    struct found found = {HASH_START, 0};
    for (int64_t i = begin; i < end; i++) {
        int64_t at = A->offsets[i], stop = A->offsets[i + 1];
        found.zeros += A->kind != CSR_GENERAL && A->values[at] == 0;
        found.hash = hash_word(found.hash, (uint64_t)(stop - at));
        for (; at < stop; at++) {
            found.hash = hash_word(found.hash, (uint64_t)(first + A->columns[at]));
            found.hash = hash_doubles(found.hash, &A->values[at], 1);
        }
    }
    return found;
}

static enum status look(const struct csr *A, int64_t begin, int64_t end, struct found *found,
                        struct error *error)
{
    struct csr rows;
    if (A->offsets) {
        *found = look_at(A, begin, end, 0);
        return STATUS_OK;
    }
    enum status status = csr_make_rows(A, begin, end, &rows, error);
    if (!status)
        *found = look_at(&rows, 0, end - begin, begin);
    csr_free(&rows);
    return status;
}

int64_t csr_hash_block_from(int64_t row)
{
    return (row + HASH_BLOCK - 1) / HASH_BLOCK;
}

int64_t csr_hash_block_begin(const struct csr *A, int64_t block)
{
    return block * HASH_BLOCK < A->n ? block * HASH_BLOCK : A->n;
}

int64_t csr_hash_blocks(const struct csr *A)
{
    return csr_hash_block_from(A->n);
}

uint64_t csr_hash_head(const struct csr *A)
{
    uint64_t hash = hash_word(hash_word(HASH_START, (uint64_t)A->kind), (uint64_t)A->n);
    return A->width == A->n ? hash : hash_word(hash, (uint64_t)A->width);
}

struct survey {
    const struct csr *A;
    int64_t first; /* block */
    uint64_t *hashes;
    _Atomic int64_t zeros;
    pthread_mutex_t lock;
    enum status status; /* of the last that failed */
    struct error *error;
};

static void survey_blocks(void *context, int64_t begin, int64_t end)
{
    struct survey *survey = context;
    const struct csr *A = survey->A;
    for (int64_t k = begin; k < end; k++) {
        struct found found = {0};
        struct error why;
        int64_t block = survey->first + k;
        enum status status = look(A, csr_hash_block_begin(A, block),
                                  csr_hash_block_begin(A, block + 1), &found, &why);
        if (status) {
            pthread_mutex_lock(&survey->lock);
            survey->status = status;
            *survey->error = why;
            pthread_mutex_unlock(&survey->lock);
        }
        survey->hashes[k] = found.hash;
        survey->zeros += found.zeros;
    }
}

enum status csr_count_and_hash_blocks(const struct csr *A, int64_t first, int64_t count,
                                      uint64_t *hashes, int64_t *zeros, struct error *error)
{
    struct survey survey = {.A = A,
                            .first = first,
                            .hashes = hashes,
                            .lock = PTHREAD_MUTEX_INITIALIZER,
                            .error = error};
    threads_take(threads_lent(), count, 1, survey_blocks, &survey);
    *zeros += survey.zeros;
    return survey.status;
}

/* A hash of the hashes of blocks of rows: in parallel, and equal for any number of threads. */
enum status csr_count_and_hash(const struct csr *A, int64_t *entries, uint64_t *hash,
                               struct error *error)
{
    enum { BLOCKS_AT_ONCE = 1024 };
    uint64_t hashes[BLOCKS_AT_ONCE];
    int64_t blocks = csr_hash_blocks(A), zeros = 0;
    enum status status = STATUS_OK;
    *hash = csr_hash_head(A);
    for (int64_t first = 0; first < blocks && !status; first += BLOCKS_AT_ONCE) {
        int64_t left = blocks - first, count = left < BLOCKS_AT_ONCE ? left : BLOCKS_AT_ONCE;
        status = csr_count_and_hash_blocks(A, first, count, hashes, &zeros, error);
        for (int64_t k = 0; k < count; k++)
            *hash = hash_word(*hash, hashes[k]);
    }
    *entries = csr_nnz_full(A) - zeros;
    return status;
}

uint64_t csr_hash(const struct csr *A)
{
    struct error none; /* a stored A causes no error */
    int64_t entries;
    uint64_t hash;
    csr_count_and_hash(A, &entries, &hash, &none);
    return hash;
}
