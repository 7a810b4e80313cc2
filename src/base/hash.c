#include "base/hash.h"

#include <string.h>

static const uint64_t PRIME = UINT64_C(0x100000001b3);

uint64_t hash_doubles(uint64_t hash, const double *values, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        for (int byte = 0; byte < 8; byte++)
            hash = (hash ^ (bits >> 8 * byte & 0xff)) * PRIME;
    }
    return hash;
}
