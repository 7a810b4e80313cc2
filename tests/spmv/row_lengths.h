/* General matrices given by the lengths of their rows, for kernels that cut the list of entries and
 * rows into shares: rows of every length where the cuts are. */
#ifndef TESTS_SPMV_ROW_LENGTHS_H
#define TESTS_SPMV_ROW_LENGTHS_H

#include "matrix/csr.h"

#include <stdint.h>

struct row_lengths {
    const char *name;
    int64_t n, width;
    int64_t (*of)(int64_t i, uint64_t *state); /* at most width; random ones draw from *state */
};

extern const struct row_lengths row_lengths[];
extern const int row_lengths_count;

/* Columns spread over the width, values as those of test_rectangle_build. The caller frees it. */
void row_lengths_build(const struct row_lengths *lengths, uint64_t *state, struct csr *A);

#endif
