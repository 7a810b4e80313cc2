/* Preconditioners that look at the near-null space of the A that their set-up gets. Both are Jacobi
 * then. */
#ifndef TESTS_NEAR_NULL_PROBE_H
#define TESTS_NEAR_NULL_PROBE_H

#include "matrix/near_null.h"

/* "probe_own", of which each rank makes its own rows, and "probe_all", which wants all rows stored.
 * They are components from the first call on. */
void near_null_probe_add(void);

/* From now on every set-up has to see these values, NULL: none. */
void near_null_probe_expect(const struct near_null *expected);

/* How many set-ups have seen it since then. The test fails if one has seen anything else. */
int near_null_probe_met(void);

#endif
