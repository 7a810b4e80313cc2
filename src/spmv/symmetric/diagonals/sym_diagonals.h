/* The diagonals of the upper triangle of a matrix: row i's entry at distance d = distances[k] is
 * values[k][i]. It is 0 where the matrix has none, and past the end of a diagonal. Row i's mirrored
 * entry at that distance is sign times values[k][i - d]. */
#ifndef SPMV_SYMMETRIC_DIAGONALS_SYM_DIAGONALS_H
#define SPMV_SYMMETRIC_DIAGONALS_SYM_DIAGONALS_H

#include "base/status.h"
#include "matrix/csr.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sym_diagonals {
    int64_t n;
    double sign;        /* of a mirrored entry: -1 for a skew-symmetric matrix */
    int64_t count;      /* of distances */
    int32_t *distances; /* [count], ascending, the first is 0 */
    double *values;     /* [count n]: diagonal k begins at values + k n */
};

/* The distances at which the upper triangle A (symmetric or skew-symmetric) has entries, ascending;
 * *count of them, the first is 0. If there are more than `most`, the search ends early, with some
 * of them, and *count exceeds `most`. The caller frees *distances with memory_free. Errors:
 * STATUS_MEMORY. */
enum status sym_diagonals_find(const struct csr *A, int64_t most, int32_t **distances,
                               int64_t *count, struct error *error);

/* line[i] = the entry of row i at the distance d from the diagonal, or 0: n values. */
void sym_diagonals_line(const struct csr *A, int64_t d, double *line);

/* The caller calls sym_diagonals_free. Errors: STATUS_MEMORY, with how much is needed. */
enum status sym_diagonals_create(const struct csr *A, struct sym_diagonals *diagonals,
                                 struct error *error);
void sym_diagonals_free(struct sym_diagonals *diagonals); /* accepts a zeroed one */

#ifdef __cplusplus
}
#endif
#endif
