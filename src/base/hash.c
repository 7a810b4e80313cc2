#include "base/hash.h"

#include <string.h>

uint64_t hash_doubles(uint64_t hash, const double *values, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        hash = hash_word(hash, bits);
    }
    return hash;
}

/* Of v[n], some blocks one after the other. */
struct blocks {
    const double *v;
    int64_t n;
    uint64_t *hashes; /* of each */
};

static void hash_blocks(void *context, int64_t begin, int64_t end)
{
    const struct blocks *blocks = context;
    for (int64_t k = begin; k < end; k++) {
        int64_t first = k * HASH_BLOCK, left = blocks->n - first;
        blocks->hashes[k] =
            hash_doubles(HASH_START, blocks->v + first, left < HASH_BLOCK ? left : HASH_BLOCK);
    }
}

uint64_t hash_vector(struct threads *threads, const double *v, int64_t n)
{
    enum { BLOCKS_AT_ONCE = 1024 };
    uint64_t hashes[BLOCKS_AT_ONCE], hash = HASH_START;
    for (int64_t begin = 0; begin < n; begin += BLOCKS_AT_ONCE * HASH_BLOCK) {
        int64_t rest = (n - begin + HASH_BLOCK - 1) / HASH_BLOCK;
        int64_t count = rest < BLOCKS_AT_ONCE ? rest : BLOCKS_AT_ONCE;
        threads_each(threads, count, hash_blocks, &(struct blocks){v + begin, n - begin, hashes});
        for (int64_t k = 0; k < count; k++)
            hash = hash_word(hash, hashes[k]);
    }
    return hash;
}
