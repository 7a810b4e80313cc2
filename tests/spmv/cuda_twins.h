/* Each CUDA kernel's twin: the same operations in the same order in plain C, one thread, so that
 * the algorithm is tested where there is no device. y[n] = A x[width], every y overwritten, not
 * overlapping.
 *
 * precision is the kernel's: what single precision rounds is rounded, and stands in doubles.
 * threads is threads_per_row: 1, 2, 4, ..., 32, or 0 for the kernel's own choice. What a device
 * leaves open, the order in which atomic additions arrive, a twin draws from a seed: other seeds,
 * other orders. A failed allocation fails the test. */
#ifndef TESTS_SPMV_CUDA_TWINS_H
#define TESTS_SPMV_CUDA_TWINS_H

#include "spmv/kernel.h"

#include <stdint.h>

/* threads_per_row = 0 for a matrix that is stored in nnz entries: the largest power of two, from 1
 * to 32, that leaves each thread four entries of a row of mean length. */
int twin_threads_per_row(int64_t n, int64_t nnz);

/* cuda_csr_subwarp, A of any kind: the same bits. */
void twin_csr_subwarp(const struct csr *A, enum precision precision, int threads, const double *x,
                      double *y);

/* cuda_csr_scalar and cuda_csr_vector, A of any kind, block_size threads a block: the same bits. */
void twin_csr_scalar(const struct csr *A, enum precision precision, const double *x, double *y);
void twin_csr_vector(const struct csr *A, enum precision precision, int block_size, const double *x,
                     double *y);

/* cuda_sym_atomic: row sums and mirrored products added to a zeroed y in an arbitrary order. What a
 * device gives is what one of these orders gives. */
void twin_sym_atomic(const struct csr *A, enum precision precision, int threads, uint64_t seed,
                     const double *x, double *y);

/* cuda_sym_compensated, not in single precision: the same, and the errors of these additions added
 * to a zeroed c in an order of their own, then y += c. _all: with compensate = "all". */
void twin_sym_compensated(const struct csr *A, enum precision precision, int threads, uint64_t seed,
                          const double *x, double *y);
void twin_sym_compensated_all(const struct csr *A, enum precision precision, int threads,
                              uint64_t seed, const double *x, double *y);

/* What cuda_sym_atomic adds to y: row i of *terms, of kind general, has the numbers that go to y_i,
 * so y is about terms times a vector of ones. They do not depend on the order in which anything
 * arrives. With one thread they are those of cpu_sym_atomic. The caller frees *terms. */
void twin_sym_terms(const struct csr *A, enum precision precision, int threads, const double *x,
                    struct csr *terms);

/* cusparse_full, A of any kind: the library does not say how it sums, so each row's rounded
 * products are added in an arbitrary order and grouping. */
void twin_cusparse_full(const struct csr *A, enum precision precision, uint64_t seed,
                        const double *x, double *y);

/* cusparse_half: A = U + U', or U - U' when skew-symmetric, where U is the upper triangle with its
 * diagonal halved. y = U x as in twin_cusparse_full, then the products of U' are added to y in an
 * arbitrary order. */
void twin_cusparse_half(const struct csr *A, enum precision precision, uint64_t seed,
                        const double *x, double *y);

#endif
