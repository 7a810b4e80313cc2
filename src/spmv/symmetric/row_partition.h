/* y = A x from the upper triangle by parts of the rows, for the forms by blocks and general on a
 * CPU: any number of threads may walk the parts, in any order, and each row's additions are those
 * of spmv/symmetric/sym_order.h.
 *
 * Set-up cuts the rows into consecutive parts of about equal work, one for each thread of the team,
 * but no more than there are tiles. A part a <= i < b makes all of y_a, ..., y_{b-1} and reads
 * nothing that another part writes:
 *
 *     An entry (i, j) with i < a <= j < b crosses into the part. y_j begins with these entries,
 *     mirrored, in ascending i: set-up makes a list of them, with its own copy of their values.
 *     Then the rows are walked, i = a, a + 1, ...:  s = fma(a_ii, x_i, y_i), and for every entry
 *     right of the diagonal s = fma(a_ij, x_j, s) and, if j < b, y_j = fma(a_ji, x_i, y_j);
 *     y_i = s.
 *
 * When row i is reached y_i has met the columns left of i, in ascending order. So there are no
 * private vectors, no atomics and no second pass. y is zeroed a few tiles ahead of the walk. Parts
 * begin with a tile of space/sum/sum_order.h, so the dot x . y of a tile is summed when its rows
 * have been walked.
 *
 * A "row" is here k rows of the matrix, and an "entry" is k x k of its entries, for matrices kept
 * by blocks; else k = 1. */
#ifndef SPMV_SYMMETRIC_ROW_PARTITION_H
#define SPMV_SYMMETRIC_ROW_PARTITION_H

#include "base/status.h"
#include "space/space.h"

#include <stddef.h>
#include <stdint.h>

/* The upper triangle's entries. Columns ascend in a row; the diagonal may be among them or not. */
struct sym_graph {
    int64_t rows;
    int k;
    const int64_t *offsets; /* [rows + 1] */
    const int32_t *columns; /* [offsets[rows]] */
};

/* The crossing entries of a row that has some. */
struct sym_crossing {
    int64_t rows;     /* that have some, of all parts */
    int32_t *row;     /* [rows], ascending */
    int64_t *offsets; /* [rows + 1] */
    int32_t *columns; /* [offsets[rows]] the i of each, ascending in a row */
    void *values; /* [offsets[rows]] copies of the entries' values, in whatever way the kernel keeps
                     them, not mirrored */
};

struct row_partition {
    struct space *space; /* of the CPU, whose threads walk them; borrowed */
    int64_t rows;
    int k;
    int64_t tile_rows;       /* SUM_TILE / k */
    int64_t tiles;           /* of the dot product */
    int64_t count;           /* of parts */
    int64_t *first_tiles;    /* [count + 1] */
    int64_t *first_crossing; /* [count + 1], into crossing.row */
    int64_t *reach; /* [tiles] one past the last column of a tile's rows, at least their end */
    struct sym_crossing crossing;
    double *tile_dots; /* [tiles] */
};

/* Cut the rows, and copy the crossing values: entry p has `size` bytes from values + p size on. The
 * caller calls row_partition_free. Errors: STATUS_MEMORY; parts is then all zero. */
enum status row_partition_create(struct space *space, const struct sym_graph *graph,
                                 const void *values, size_t size, struct row_partition *parts,
                                 struct error *error);
void row_partition_free(struct row_partition *parts); /* accepts a zeroed one */

/* What a form adds: its rows. x and y are vectors of doubles, or of singles. */
struct sym_walk {
    const void *state;
    /* For the rows begin <= c < end of parts->crossing: y_j, which is 0, becomes the chain over
     * the crossing entries. */
    void (*add_crossing)(const void *state, int64_t begin, int64_t end, const void *x, void *y);
    /* The rows begin <= i < end, of one tile; mirrored entries only for columns below part_end. */
    void (*walk_rows)(const void *state, int64_t begin, int64_t end, int64_t part_end,
                      const void *x, void *y);
};

/* y = A x, elements of `size` bytes each, and *dot = x . y unless dot is NULL: of doubles only.
 * Errors: those of cpu_sum_end. */
enum status row_partition_multiply(const struct row_partition *parts, const struct sym_walk *walk,
                                   size_t size, const void *x, void *y, double *dot,
                                   struct error *error);

/* Bytes that set-up allocated, and that a product moves, both without the crossing values, and the
 * number of these. */
int64_t row_partition_memory(const struct row_partition *parts);
int64_t row_partition_moved(const struct row_partition *parts);
int64_t row_partition_crossing(const struct row_partition *parts);

/* For tests: which part is walked at a turn, any permutation of 0, ..., count - 1; it may sleep.
 * NULL (the default): one after the other. */
extern int64_t (*row_partition_schedule)(int64_t turn, int64_t count);

#endif
