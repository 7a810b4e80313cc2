#include "cgsolve/csr.h"

#include "base/hash.h"

static uint64_t hash_rows(const struct csr *A, int64_t begin, int64_t end)
{
    uint64_t hash = HASH_START;
    for (int64_t i = begin; i < end; i++) {
        hash = hash_word(hash, (uint64_t)(A->offsets[i + 1] - A->offsets[i]));
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++) {
            hash = hash_word(hash, (uint64_t)A->columns[k]);
            hash = hash_doubles(hash, &A->values[k], 1);
        }
    }
    return hash;
}

/* Blocks of rows have hashes of their own, and these are hashed: in parallel, and the same with any
 * number of threads. */
uint64_t csr_hash(const struct csr *A)
{
    enum { BLOCKS_AT_ONCE = 1024 };
    uint64_t blocks[BLOCKS_AT_ONCE];
    uint64_t hash = hash_word(hash_word(HASH_START, (uint64_t)A->kind), (uint64_t)A->n);
    if (A->width != A->n)
        hash = hash_word(hash, (uint64_t)A->width);
    for (int64_t first = 0; first < A->n; first += BLOCKS_AT_ONCE * HASH_BLOCK) {
        int64_t rest = (A->n - first + HASH_BLOCK - 1) / HASH_BLOCK;
        int64_t count = rest < BLOCKS_AT_ONCE ? rest : BLOCKS_AT_ONCE;
#pragma omp parallel for schedule(dynamic)
        for (int64_t k = 0; k < count; k++) {
            int64_t begin = first + k * HASH_BLOCK;
            int64_t end = A->n - begin < HASH_BLOCK ? A->n : begin + HASH_BLOCK;
            blocks[k] = hash_rows(A, begin, end);
        }
        for (int64_t k = 0; k < count; k++)
            hash = hash_word(hash, blocks[k]);
    }
    return hash;
}
