/* Aggregates: the rows of A in groups, each of which is one row of the next, coarser matrix
 *
 *     A_c = P^T A P,   P_{iI} = 1 where row i lies in aggregate I, else 0
 *
 * (plain aggregation: Braess, Computing 55, 1995; Notay, ETNA 37, 2010). A row may lie in none. */
#ifndef PRECONDITION_MULTIGRID_SETUP_AGGREGATES_H
#define PRECONDITION_MULTIGRID_SETUP_AGGREGATES_H

#include "base/status.h"
#include "matrix/csr.h"

#include <stdint.h>

enum { IN_NO_AGGREGATE = -1 };

struct aggregates {
    struct space *space; /* whose memory the arrays are in; NULL: the host's */
    int64_t n, count;
    int distance;     /* of their roots, by distance2.h; 0: of another kind */
    int32_t *map;     /* [n]: the aggregate of a row, or IN_NO_AGGREGATE */
    int32_t *offsets; /* [count + 1] */
    int32_t *members; /* [offsets[count]]: of each aggregate its rows, ascending */
};

/* Aggregates that came about one after the other: the rows of a pass are the aggregates of the one
 * before. Sums have another order than over all at once. count = 0: there was one pass. */
enum { PASSES_MAX = 4 };
struct passes {
    int count;
    struct aggregates of[PASSES_MAX];
};

/* offsets and members by space, n, count and map; on failure they are NULL. Errors: STATUS_MEMORY,
 * STATUS_DEVICE. */
enum status aggregates_list(struct aggregates *aggregates, struct error *error);

/* How many rows lie in one. Errors: STATUS_DEVICE. */
enum status aggregates_members(const struct aggregates *aggregates, int64_t *members,
                               struct error *error);

void aggregates_free(struct aggregates *aggregates); /* accepts a zeroed one */
void passes_free(struct passes *passes);             /* likewise */

/* A_c of a symmetric A, from upper triangle to upper triangle, in this order, for I <= J: the
 * stored entries a_ij, i <= j, with one of i, j in I and the other one in J, by ascending i, and j
 * within i; s = +0, and for each s = s + a_ij, or s + 2 a_ij where I = J and i < j. There is at
 * least one aggregate. All of it is in the memory of A->space. The caller calls device_csr_free.
 * Errors: STATUS_MEMORY, STATUS_DEVICE. */
enum status coarse_matrix(const struct csr *A, const struct aggregates *aggregates,
                          struct csr *coarse, struct error *error);

/* The same from pass to pass. Errors: likewise. */
enum status coarse_matrix_by_passes(const struct csr *A, const struct passes *passes,
                                    struct csr *coarse, struct error *error);

/* coarse_matrix as a device makes it, by the map alone; nnz < 2^31. Errors: likewise. */
enum status coarse_matrix_by_sort(const struct csr *A, const struct aggregates *aggregates,
                                  struct csr *coarse, struct error *error);

#endif
