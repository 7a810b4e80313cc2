/* Where the entries of a square matrix stand: how many are in each cell of a grid. */
#ifndef MATRIX_PATTERN_H
#define MATRIX_PATTERN_H

#include "matrix/csr.h"

enum { PATTERN_MOST = 64 };

/* Cell (r, c) has the rows i with floor(i size / n) = r, and the columns likewise. */
struct csr_pattern {
    int64_t size; /* n, but at most PATTERN_MOST */
    /* [size]: a text for each row of cells. A cell is a digit of base 36, 0 ... 9, a ... z: how
     * many binary digits its number of entries has, so 0 for none, d for 2^(d - 1) ... 2^d - 1. */
    char cells[PATTERN_MOST][PATTERN_MOST + 1];
};

/* Of both triangles, counted as csr_entries does. A is stored. */
void csr_pattern_make(const struct csr *A, struct csr_pattern *pattern);

/* What a digit says; -1: it is none. */
int csr_pattern_digit(char cell);

#endif
