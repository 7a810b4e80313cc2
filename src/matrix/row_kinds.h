/* The kinds of rows of a generator that knows them (struct csr_kinds): one row of a kind stands for
 * all of its rows. */
#ifndef MATRIX_ROW_KINDS_H
#define MATRIX_ROW_KINDS_H

#include "matrix/csr.h"

#ifdef __cplusplus
extern "C" {
#endif

struct row_kinds {
    int64_t n[3];                                             /* of the grid */
    int count[3];                                             /* kinds along an axis that occur */
    int64_t first[3][CSR_KINDS_MAX], often[3][CSR_KINDS_MAX]; /* the first place of each; places */
    /* [n[axis]]: of the row at (x, y, z) the kind is at[0][x] + at[1][y] + at[2][z]. One block of
     * memory. */
    uint16_t *at[3];
};

/* Whether A's maker knows kinds. */
static inline bool row_kinds_known(const struct csr *A)
{
    return A->maker && A->maker->kinds;
}

/* Those of A. The caller calls row_kinds_free. Errors: STATUS_MEMORY. */
enum status row_kinds_create(const struct csr *A, struct row_kinds *kinds, struct error *error);
void row_kinds_free(struct row_kinds *kinds); /* accepts a zeroed one */

/* How many kinds of rows there are; and the first row of a kind, *often: how many rows it has. */
int row_kinds_count(const struct row_kinds *kinds);
int64_t row_kinds_first(const struct row_kinds *kinds, int kind, int64_t *often);

#ifdef __cplusplus
}
#endif
#endif
