/* The terms of the two sums that a level is told by, for host and device: of its map, and of its
 * matrix. Sums of whole numbers have no order. */
#ifndef PRECONDITION_MULTIGRID_SETUP_LEVEL_HASH_H
#define PRECONDITION_MULTIGRID_SETUP_LEVEL_HASH_H

#include "base/host_device.h"
#include "base/random.h"
#include "matrix/csr.h"

#include <string.h>

/* Of row i, which lies in aggregate I. */
CGSOLVE_HOST_AND_DEVICE static inline uint64_t hash_of_place(int32_t I, int64_t i)
{
    return splitmix64((uint64_t)(int64_t)I, (uint64_t)i);
}

/* Of all entries of row I. */
CGSOLVE_HOST_AND_DEVICE static inline uint64_t hash_of_row(const struct csr *coarse, int64_t I)
{
    uint64_t hash = 0;
    for (int64_t k = coarse->offsets[I]; k < coarse->offsets[I + 1]; k++) {
        uint64_t bits;
        memcpy(&bits, &coarse->values[k], sizeof bits);
        hash += splitmix64(bits, (uint64_t)I << 32 | (uint64_t)coarse->columns[k]);
    }
    return hash;
}

#endif
