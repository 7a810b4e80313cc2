#include "base/hash.h"

#include <string.h>

static const uint64_t PRIME = UINT64_C(0x100000001b3);

uint64_t hash_word(uint64_t hash, uint64_t word)
{
    for (int byte = 0; byte < 8; byte++)
        hash = (hash ^ (word >> 8 * byte & 0xff)) * PRIME;
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

uint64_t hash_vector(const double *v, int64_t n)
{
    enum { BLOCKS_AT_ONCE = 1024 };
    uint64_t blocks[BLOCKS_AT_ONCE], hash = HASH_START;
    for (int64_t begin = 0; begin < n; begin += BLOCKS_AT_ONCE * HASH_BLOCK) {
        int64_t rest = (n - begin + HASH_BLOCK - 1) / HASH_BLOCK;
        int64_t count = rest < BLOCKS_AT_ONCE ? rest : BLOCKS_AT_ONCE;
#pragma omp parallel for schedule(static)
        for (int64_t k = 0; k < count; k++) {
            int64_t first = begin + k * HASH_BLOCK;
            int64_t size = n - first < HASH_BLOCK ? n - first : HASH_BLOCK;
            blocks[k] = hash_doubles(HASH_START, v + first, size);
        }
        for (int64_t k = 0; k < count; k++)
            hash = hash_word(hash, blocks[k]);
    }
    return hash;
}
