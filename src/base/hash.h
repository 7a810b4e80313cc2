/* FNV-1a, 64 bits (Fowler, Noll, Vo 1991; RFC 9923): for telling results apart, not for secrets. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "base/threads.h"

#include <stdint.h>

#define HASH_START UINT64_C(0xcbf29ce484222325)

/* Continue a hash over one word, as 8 bytes, least significant first. */
uint64_t hash_word(uint64_t hash, uint64_t word);

/* Continue a hash over the bits of doubles, each as 8 bytes, least significant first. */
uint64_t hash_doubles(uint64_t hash, const double *values, int64_t count);

enum { HASH_BLOCK = 4096 };

/* The hash of a long vector, made in parallel: that of the hashes of its blocks of HASH_BLOCK
 * values, each hash as 8 bytes, least significant first. */
uint64_t hash_vector(struct threads *threads, const double *v, int64_t n);

#endif
