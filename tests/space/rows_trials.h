/* The scan and the sorts of space/rows.h, in any space. */
#ifndef TESTS_SPACE_ROWS_TRIALS_H
#define TESTS_SPACE_ROWS_TRIALS_H

#include "space/space.h"

/* NULL: on the host. */
void try_scan(struct space *space, uint64_t *state);
void try_sort(struct space *space, uint64_t *state);
void try_pairs(struct space *space, uint64_t *state);

#endif
