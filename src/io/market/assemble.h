/* From entries in file order to compressed sparse rows. */
#ifndef IO_MARKET_ASSEMBLE_H
#define IO_MARKET_ASSEMBLE_H

#include "io/market/entry_list.h"
#include "io/market/matrix_market.h"
#include "matrix/csr.h"

struct assembly {
    int64_t duplicates; /* entries at the position of an earlier entry, */
    int64_t counted;    /* and of these, in the rows that are counted */
    int64_t mirrored;   /* of these, those from the other triangle: a fault of the file */
    int64_t overflow_row, overflow_column; /* the first position whose sum is not finite, or -1 */
    int64_t first, last;                   /* the rows that are counted */
};

/* A = the n x n matrix of the list's entries, rows in ascending column order; the values of one
 * position are added in list order. With `diagonal` every row gets its diagonal entry, 0 where the
 * list has none. The result does not depend on the number of threads. Frees the list's arrays as
 * soon as possible: at most 24 bytes an entry and 16 a row are in use. part: its own rows are
 * counted; NULL: all. The caller owns A. Errors: STATUS_MEMORY. */
enum status entries_assemble(struct entry_list *list, int64_t n, enum csr_kind kind, bool diagonal,
                             const struct matrix_market_part *part, struct csr *A,
                             struct assembly *met, struct error *error);

#endif
