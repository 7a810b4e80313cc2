/* The near-null space of a system's matrix (matrix/near_null.h), from the files that the options of
 * a preconditioner name. */
#ifndef PROGRAM_CONFIG_NEAR_NULL_H
#define PROGRAM_CONFIG_NEAR_NULL_H

#include "base/status.h"
#include "matrix/near_null.h"

#include <stdint.h>

/* Of a matrix of n rows, from wanted->coordinates, nodes x 2 or nodes x 3, or wanted->vectors,
 * n x count. Without both *near_null is zeroed. The caller calls near_null_free. Errors:
 * STATUS_INPUT (a file that cannot be read, of another shape, with what near_null_of refuses),
 * STATUS_MEMORY. */
enum status near_null_read(const struct near_null_wanted *wanted, int64_t n,
                           struct near_null *near_null, struct error *error);

#endif
