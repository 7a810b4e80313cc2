/* Small matrices of every shape that a kernel has to survive, made from a seed. */
#ifndef TESTS_MATRICES_H
#define TESTS_MATRICES_H

#include "matrix/csr.h"

#include <stdint.h>

struct test_matrix {
    const char *name;
    int64_t n;
    /* Whether row i has an entry at column j > i; random ones draw from *state. */
    int (*has)(int64_t i, int64_t j, int64_t n, uint64_t *state);
};

extern const struct test_matrix test_matrices[];
extern const int test_matrices_count;

/* Build one: random values in [-1, 1), of very different sizes in some rows; symmetric or skew. The
 * caller frees it. */
void test_matrix_build(const struct test_matrix *matrix, enum csr_kind kind, uint64_t *state,
                       struct csr *A);

/* Small general matrices of every shape: wide, tall, a row, a column, nothing in them, rows that
 * are empty or hold everything. */
struct test_rectangle {
    const char *name;
    int64_t n, width;
    /* Whether row i has an entry at column j; random ones draw from *state. */
    int (*has)(int64_t i, int64_t j, uint64_t *state);
};

extern const struct test_rectangle test_rectangles[];
extern const int test_rectangles_count;

/* Build one, with values as those of test_matrix_build. The caller frees it. */
void test_rectangle_build(const struct test_rectangle *rectangle, uint64_t *state, struct csr *A);

/* The same pattern with every off-diagonal -1 < a < 0 and a diagonal that dominates its full row:
 * symmetric positive definite. */
void test_matrix_build_positive(const struct test_matrix *matrix, uint64_t *state, struct csr *A);

/* A symmetric n x n matrix from its upper triangle, row by row: n (n + 1) / 2 values, zeros off the
 * diagonal left out. */
void test_matrix_from_dense(int64_t n, const double *upper, enum csr_kind kind, struct csr *A);

#endif
