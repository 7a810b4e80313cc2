/* What set-up finds by a look at each row of a level, on the host and on a device
 * (space/find.h). */
#ifndef PRECONDITION_MULTIGRID_SETUP_LEVEL_ROWS_H
#define PRECONDITION_MULTIGRID_SETUP_LEVEL_ROWS_H

#include "matrix/csr.h"
#include "precondition/multigrid/setup/torn_rows.h"
#include "space/find.h"

/* Of a matrix, or of its row sums. */
struct level_rows {
    struct csr A;
    const double *sums; /* A 1 */
    int64_t row, base;  /* of all rows, which row 0 here is, and which columns are counted from */
};

/* The greatest 2 - sums_i / a_ii and the greatest |sums_i / a_ii|. */
FIND_DECLARE(find_gershgorin);
/* The greatest a_ii and the greatest -a_ii. */
FIND_DECLARE(find_extremes);
/* sum: a hash of all entries, of what stands where. */
FIND_DECLARE(find_matrix_hash);

/* The map of aggregates; sum: its hash, likewise. */
struct level_map {
    const int32_t *map;
    int64_t row, base; /* likewise */
};
FIND_DECLARE(find_map_hash);

/* The aggregates of a grid; sum: how many would be torn (torn_rows.h). */
struct level_pairs {
    struct csr A;
    struct pairing pairing;
    int64_t first; /* aggregate */
};
FIND_DECLARE(find_torn);

/* Block rows of k; sum: their blocks right of the diagonal. */
struct level_blocks {
    struct csr A;
    int k;
    int64_t first; /* block row */
};
FIND_DECLARE(find_blocks);

#endif
