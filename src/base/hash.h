/* FNV-1a, 64 bits (Fowler, Noll, Vo 1991; RFC 9923): to tell results apart, not for
 * cryptography. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "base/host_device.h"
#include "base/threads.h"

#include <stdint.h>

#define HASH_START UINT64_C(0xcbf29ce484222325)

#define HASH_PRIME UINT64_C(0x100000001b3)
#define HASH_PRIME_4 UINT64_C(0x9ffaac085635bc91) /* its fourth power: what 4 bytes of 0 do */

CGSOLVE_HOST_AND_DEVICE static inline uint64_t hash_half(uint64_t hash, uint32_t half)
{
    if (half == 0)
        return hash * HASH_PRIME_4;
    for (int byte = 0; byte < 4; byte++)
        hash = (hash ^ (half >> 8 * byte & 0xff)) * HASH_PRIME;
    return hash;
}

/* Continue a hash over one word, as 8 bytes, least significant first. */
CGSOLVE_HOST_AND_DEVICE static inline uint64_t hash_word(uint64_t hash, uint64_t word)
{
    return hash_half(hash_half(hash, (uint32_t)word), (uint32_t)(word >> 32));
}

/* Continue a hash over the bytes of a text, each as a word. */
uint64_t hash_text(uint64_t hash, const char *text);

/* Continue a hash over the bits of doubles, each as 8 bytes, least significant first. */
uint64_t hash_doubles(uint64_t hash, const double *values, int64_t count);

enum { HASH_BLOCK = 4096 };

/* The hash of a long vector, made in parallel: that of the hashes of its blocks of HASH_BLOCK
 * values, each hash as 8 bytes, least significant first. */
uint64_t hash_vector(struct threads *threads, const double *v, int64_t n);

/* Its two steps: hashes[last - first] of the blocks first <= k < last, and the hash of all blocks'
 * hashes. */
int64_t hash_vector_blocks(int64_t n);
void hash_vector_part(struct threads *threads, const double *v, int64_t n, int64_t first,
                      int64_t last, uint64_t *hashes);
uint64_t hash_words(uint64_t hash, const uint64_t *words, int64_t count);

#endif
