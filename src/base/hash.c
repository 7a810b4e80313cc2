#include "base/hash.h"

#include <string.h>

uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = hash_word(hash, (unsigned char)*text);
    return hash;
}

uint64_t hash_doubles(uint64_t hash, const double *values, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        hash = hash_word(hash, bits);
    }
    return hash;
}

uint64_t hash_words(uint64_t hash, const uint64_t *words, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        hash = hash_word(hash, words[k]);
    return hash;
}

/* Hashes of consecutive blocks of v[n]. */
struct blocks {
    const double *v;
    int64_t n, from;  /* the first one */
    uint64_t *hashes; /* of each from there on */
};

static void hash_blocks(void *context, int64_t begin, int64_t end)
{
    const struct blocks *blocks = context;
    for (int64_t k = begin; k < end; k++) {
        int64_t first = (blocks->from + k) * HASH_BLOCK, left = blocks->n - first;
        blocks->hashes[k] =
            hash_doubles(HASH_START, blocks->v + first, left < HASH_BLOCK ? left : HASH_BLOCK);
    }
}

int64_t hash_vector_blocks(int64_t n)
{
    return (n + HASH_BLOCK - 1) / HASH_BLOCK;
}

void hash_vector_part(struct threads *threads, const double *v, int64_t n, int64_t first,
                      int64_t last, uint64_t *hashes)
{
    threads_each(threads, last - first, hash_blocks, &(struct blocks){v, n, first, hashes});
}

uint64_t hash_vector(struct threads *threads, const double *v, int64_t n)
{
    enum { BLOCKS_AT_ONCE = 1024 };
    uint64_t hashes[BLOCKS_AT_ONCE], hash = HASH_START;
    int64_t blocks = hash_vector_blocks(n);
    for (int64_t first = 0; first < blocks; first += BLOCKS_AT_ONCE) {
        int64_t last = blocks - first < BLOCKS_AT_ONCE ? blocks : first + BLOCKS_AT_ONCE;
        hash_vector_part(threads, v, n, first, last, hashes);
        hash = hash_words(hash, hashes, last - first);
    }
    return hash;
}
