/* The scan and the sorts of space/rows.h, in any space. */
#ifndef TESTS_SPACE_ROWS_TRIALS_H
#define TESTS_SPACE_ROWS_TRIALS_H

#include "space/space.h"

/* 50 random ones of each; space NULL: on the host. */
void try_rows(struct space *space, uint64_t *state);

#endif
