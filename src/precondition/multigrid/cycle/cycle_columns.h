/* The levels of a cycle for several columns: those of the hierarchy, with multivectors
 * (spmv/operator.h) in the place of their vectors. Passes over elements then take a multivector for
 * a vector of more elements; so 1 / a_ii stands there once for each column. Nothing is fused. */
#ifndef PRECONDITION_MULTIGRID_CYCLE_CYCLE_COLUMNS_H
#define PRECONDITION_MULTIGRID_CYCLE_CYCLE_COLUMNS_H

#include "precondition/multigrid/cycle/cycle.h"

/* Whether the cycle can be for several columns: every level's product has a sweep for them. */
bool cycle_takes_columns(const struct multigrid *m);

/* Of that many columns, 0 and 1 included, the least s with 2^s >= columns. */
int cycle_shift(int columns);

/* Makes m->columns for 2, 4, 8, 16 or 32 columns; the second time there is nothing to do. Errors:
 * STATUS_MEMORY, STATUS_DEVICE. */
enum status cycle_prepare_columns(struct multigrid *m, int columns, struct error *error);

/* An apply for K columns moves *once + K *each. */
void cycle_columns_bytes(const struct multigrid *m, int64_t *once, int64_t *each);

/* How many launches such an apply has more than one for a column. */
int64_t cycle_columns_launches(const struct multigrid *m);

void cycle_free_columns(struct multigrid *m);

#endif
