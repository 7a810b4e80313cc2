/* Where an entry stands, for host and device. */
#ifndef MATRIX_FIND_ENTRY_H
#define MATRIX_FIND_ENTRY_H

#include "base/host_device.h"
#include "matrix/csr.h"

/* The place of the entry (i, j) among the stored ones; -1: there is none. For rows of few. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t csr_find_entry(const struct csr *A, int64_t i,
                                                             int64_t j)
{
    for (int64_t k = A->offsets[i]; k < A->offsets[i + 1] && A->columns[k] <= j; k++)
        if (A->columns[k] == j)
            return k;
    return -1;
}

/* The first entry of row i whose column is not below j; where the row ends if there is none. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t csr_find_entry_from(const struct csr *A, int64_t i,
                                                                  int64_t j)
{
    int64_t low = A->offsets[i], high = A->offsets[i + 1];
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (A->columns[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#endif
