/* Small random matrices of every shape, for our tests and for `cgsolve bench --prove`
 * (study/kernel_trials.h). */
#ifndef STUDY_TEST_MATRICES_H
#define STUDY_TEST_MATRICES_H

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

/* Make one: random values in [-1, 1), of very different sizes in some rows; symmetric or skew. The
 * caller frees it. Errors: STATUS_MEMORY. */
enum status test_matrix_make(const struct test_matrix *matrix, enum csr_kind kind, uint64_t *state,
                             struct csr *A, struct error *error);

/* The same pattern, symmetric positive definite: off-diagonal entries are in (-1, 0], and the sum
 * of each row is 1. The spectrum lies in [1, 2 max a_ii], by Gershgorin's circles. */
enum status test_matrix_make_positive(const struct test_matrix *matrix, uint64_t *state,
                                      struct csr *A, struct error *error);

/* The same pattern, well-conditioned: off-diagonal entries of both signs, scaled so that a
 * symmetric matrix has ones on its diagonal and a spectrum in [1/2, 3/2], a skew-symmetric one a
 * norm of 1/2 at the most. */
enum status test_matrix_make_easy(const struct test_matrix *matrix, enum csr_kind kind,
                                  uint64_t *state, struct csr *A, struct error *error);

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

/* Make one, with values as those of test_matrix_make. The caller frees it. Errors:
 * STATUS_MEMORY. */
enum status test_rectangle_make(const struct test_rectangle *rectangle, uint64_t *state,
                                struct csr *A, struct error *error);

/* The next number of the stream, uniform in [0, 1). */
double test_stream(uint64_t *state);

#endif
