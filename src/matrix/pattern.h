/* The sparsity pattern of a square matrix, in small: the number of entries in each cell of a
 * grid. */
#ifndef MATRIX_PATTERN_H
#define MATRIX_PATTERN_H

#include "matrix/csr.h"

enum { PATTERN_MOST = 64 };

/* Cell (r, c) has the rows i with floor(i size / n) = r, and the columns likewise. */
struct csr_pattern {
    int64_t size; /* n, but at most PATTERN_MOST */
    /* [size]: a text for each row of cells. A cell is a digit of base 36, 0 ... 9, a ... z: the
     * number of binary digits of its number of entries. So 0 is none, and d is 2^(d - 1) ... 2^d -
     * 1. */
    char cells[PATTERN_MOST][PATTERN_MOST + 1];
};

/* Of both triangles, counted as csr_entries does. A is stored. */
void csr_pattern_make(const struct csr *A, struct csr_pattern *pattern);

/* The value of a digit; -1: no digit. */
int csr_pattern_digit(char cell);

#endif
