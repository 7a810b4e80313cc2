/* The same system in another numbering of its rows.
 *
 * A numbering is an array number[n], a permutation of 0 ... n - 1: row i becomes row number[i]. In
 * the new numbering A x = b reads (P A P') (P x) = P b with (P x)[number[i]] = x[i] and (P A
 * P')[number[i]][number[j]] = A[i][j]. Nothing is computed: every value keeps its bits, and its
 * sign except where stated below. */
#ifndef MATRIX_PERMUTE_H
#define MATRIX_PERMUTE_H

#include "base/status.h"
#include "matrix/csr.h"

#include <stdint.h>

/* permuted = the upper triangle of P A P', by the rules of matrix/csr.h, whatever the number of
 * threads. An entry that would fall below the diagonal is stored as its mirror image: its value, or
 * for a skew-symmetric A minus its value. near_null stays A's. The caller owns permuted. Errors:
 * STATUS_CONFIG (a general matrix), STATUS_MEMORY. */
enum status csr_permute(const struct csr *A, const int32_t *number, struct csr *permuted,
                        struct error *error);

/* Sort a row's entries by columns, which are distinct. The time per entry grows with log(count) at
 * most. */
void csr_sort_row(int64_t count, int32_t *columns, double *values);

/* permuted = P x, and x = P' permuted. x[n] and permuted[n] do not overlap. */
void vector_permute(int64_t n, const int32_t *number, const double *x, double *permuted);
void vector_permute_back(int64_t n, const int32_t *number, const double *permuted, double *x);

/* How far from the diagonal the stored entries are: the largest |j - i| (the bandwidth), and its
 * mean over the entries off the diagonal, 0 where there is none. */
struct csr_distances {
    int64_t bandwidth;
    double mean;
};

struct csr_distances csr_distances(const struct csr *A);
/* The same in another numbering, without moving an entry. */
struct csr_distances csr_distances_as(const struct csr *A, const int32_t *number);

#endif
