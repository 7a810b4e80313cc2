/* Small matrices of every shape that a kernel has to survive (study/test_matrices.h), in tests. */
#ifndef TESTS_MATRICES_H
#define TESTS_MATRICES_H

#include "study/test_matrices.h"

#include <stdint.h>

/* test_matrix_make and test_rectangle_make, which must succeed. The caller frees A. */
void test_matrix_build(const struct test_matrix *matrix, enum csr_kind kind, uint64_t *state,
                       struct csr *A);

void test_rectangle_build(const struct test_rectangle *rectangle, uint64_t *state, struct csr *A);

/* The same pattern with every off-diagonal -1 < a < 0 and a diagonal that dominates its full row:
 * symmetric positive definite. */
void test_matrix_build_positive(const struct test_matrix *matrix, uint64_t *state, struct csr *A);

/* A symmetric n x n matrix from its upper triangle, row by row: n (n + 1) / 2 values, zeros off the
 * diagonal left out. */
void test_matrix_from_dense(int64_t n, const double *upper, enum csr_kind kind, struct csr *A);

#endif
