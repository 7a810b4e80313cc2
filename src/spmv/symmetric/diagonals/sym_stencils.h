/* A matrix by diagonals whose rows repeat: each row of the full matrix is one of a few stencils,
 * and one byte says which. A row of Poisson's matrix on a grid is one of 27.
 *
 * The stencil of row i is the row's entries at the distances -d_m, ..., -d_1, 0, d_1, ..., d_m from
 * the diagonal, as they stand in the full matrix (those left of the diagonal of a skew-symmetric
 * one with their sign), 0 where it has none. Stencils are told apart by their bits, so nothing is
 * lost. */
#ifndef SPMV_SYMMETRIC_DIAGONALS_SYM_STENCILS_H
#define SPMV_SYMMETRIC_DIAGONALS_SYM_STENCILS_H

#include "base/status.h"
#include "matrix/csr.h"
#include "matrix/row_kinds.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SYM_STENCILS_MAX = 256,
    SYM_STENCILS_BYTES =
        1 << 15, /* of the table at most: what a GPU's block of threads keeps beside its tiles */
};

struct sym_stencils {
    int count;      /* of different stencils; 0: too many */
    int width;      /* 2 m + 1 */
    double *table;  /* [count width], the most frequent one first, ties by their bits */
    uint8_t *codes; /* [n]: row i has the stencil table + codes[i] width */
    bool exact;     /* every stored entry of the upper triangle is known not to be 0 */
};

/* The stencils of the upper triangle A, whose entries lie at distances[diagonals]
 * (sym_diagonals_find). *stencils is all zero when they are more than SYM_STENCILS_MAX or the table
 * would take more than SYM_STENCILS_BYTES. The caller calls sym_stencils_free. Errors:
 * STATUS_MEMORY. */
enum status sym_stencils_create(const struct csr *A, const int32_t *distances, int64_t diagonals,
                                struct sym_stencils *stencils, struct error *error);

/* The same of a generator that knows the kinds of its rows. The codes are those of the kinds,
 * codes[row_kinds_count(kinds)]. *distances, *count of them, are those of sym_diagonals_find; if
 * they are more than SYM_DIAGONALS_MAX, *stencils is all zero. The caller frees both. Errors:
 * STATUS_MEMORY. */
enum status sym_stencils_of_kinds(const struct csr *A, const struct row_kinds *kinds,
                                  int32_t **distances, int64_t *count,
                                  struct sym_stencils *stencils, struct error *error);

/* The order of a table: order[k] = which one of `count` different stencils, met so often, stands in
 * place k. rows[count width]. */
void sym_stencils_rank(const double *rows, const int64_t *often, int count, int width, int *order);

void sym_stencils_free(struct sym_stencils *stencils); /* accepts a zeroed one */

#ifdef __cplusplus
}
#endif
#endif
