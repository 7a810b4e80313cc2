#include "base/hash.h"
#include "matrix/store.h"

/* What is found in a block of rows. */
struct found {
    uint64_t hash;
    int64_t zeros; /* on the diagonal */
};

/* Rows of A, of which row 0 here is row `first`. */
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
    if (csr_is_stored(A)) {
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

enum status csr_survey_blocks(const struct csr *A, int64_t first, int64_t count, uint64_t *hashes,
                              int64_t *zeros, struct error *error)
{
    enum status status = STATUS_OK;
    int64_t found_zeros = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : found_zeros)
    for (int64_t k = 0; k < count; k++) {
        struct found found = {0};
        struct error why;
        int64_t begin = (first + k) * HASH_BLOCK, left = A->n - begin;
        enum status its =
            look(A, begin, left < HASH_BLOCK ? A->n : begin + HASH_BLOCK, &found, &why);
        if (its) {
#pragma omp critical(csr_survey_blocks)
            {
                status = its;
                *error = why;
            }
        }
        hashes[k] = found.hash;
        found_zeros += found.zeros;
    }
    *zeros += found_zeros;
    return status;
}

/* Blocks of rows have hashes of their own, and these are hashed: in parallel, and the same with any
 * number of threads. */
enum status csr_survey(const struct csr *A, int64_t *entries, uint64_t *hash, struct error *error)
{
    enum { BLOCKS_AT_ONCE = 1024 };
    uint64_t hashes[BLOCKS_AT_ONCE];
    int64_t blocks = csr_hash_blocks(A), zeros = 0;
    enum status status = STATUS_OK;
    *hash = csr_hash_head(A);
    for (int64_t first = 0; first < blocks && !status; first += BLOCKS_AT_ONCE) {
        int64_t left = blocks - first, count = left < BLOCKS_AT_ONCE ? left : BLOCKS_AT_ONCE;
        status = csr_survey_blocks(A, first, count, hashes, &zeros, error);
        for (int64_t k = 0; k < count; k++)
            *hash = hash_word(*hash, hashes[k]);
    }
    *entries = csr_nnz_full(A) - zeros;
    return status;
}

uint64_t csr_hash(const struct csr *A)
{
    struct error none; /* comes of an A that is stored */
    int64_t entries;
    uint64_t hash;
    csr_survey(A, &entries, &hash, &none);
    return hash;
}
