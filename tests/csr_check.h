/* The rules of matrix/csr.h. */
#ifndef TESTS_CSR_CHECK_H
#define TESTS_CSR_CHECK_H

#include "matrix/csr.h"

/* Prove them, and that every value is finite. Errors: STATUS_INPUT, naming row and column counted
 * from 1. */
enum status csr_check(const struct csr *A, struct error *error);

#endif
