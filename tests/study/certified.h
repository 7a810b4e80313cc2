/* What the suites of the certificate share. */
#ifndef TESTS_STUDY_CERTIFIED_H
#define TESTS_STUDY_CERTIFIED_H

#include "study/certificate.h"

enum { CERTIFIED_ROWS = 24 };

/* The certificate, whose counts must be those of the verdicts[A->n]. */
struct certificate certificate_of(const struct csr *A, const double *x, unsigned char *verdicts);

/* A whole number of at most so many bits, of any sign, times a power of two out of `range` + 1; 0
 * at times. */
double few_bits(int bits, int range, uint64_t *state);

/* A full n x n matrix of such values, n <= CERTIFIED_ROWS. The caller frees it. */
void few_bits_matrix(enum csr_kind kind, int bits, int range, uint64_t *state, struct csr *A);

#endif
