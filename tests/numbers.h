/* Numberings of rows (matrix/permute.h) in tests. */
#ifndef TESTS_NUMBERS_H
#define TESTS_NUMBERS_H

#include "matrix/csr.h"

#include <stdint.h>

/* Room for n of them; the caller frees it. */
int32_t *test_numbers(int64_t n);

/* Fail the test unless they are 0, ..., n - 1, each once. */
void expect_permutation(const int32_t *number, int64_t n);

/* A in another numbering, in its place. */
void test_permute(struct csr *A, const int32_t *number);

#endif
