/* Random matrices for the kernels *_sym_bitwise: of each structure that they have a form for, with
 * values that become codes of one byte, of two, or none. */
#ifndef TESTS_SPMV_SYM_MATRICES_H
#define TESTS_SPMV_SYM_MATRICES_H

#include "matrix/csr.h"

#include <stdint.h>

/* How many there are. */
int sym_matrices_count(void);

/* Number 0 <= k < sym_matrices_count(), symmetric or skew-symmetric, up to 1000 rows; gives its
 * name, until the next one is made. The caller frees A. */
const char *sym_matrix(int k, uint64_t *state, struct csr *A);

#endif
