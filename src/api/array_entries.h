/* Makes the upper triangle of a matrix from a caller's entries in any order, on the host or a
 * device. The entries are sorted by their place in it; then a function for host and device makes
 * each row. Repeated entries are added in their given order, and an entry and its mirror image
 * become their mean: the bits are those of api/arrays.h. */
#ifndef API_ARRAY_ENTRIES_H
#define API_ARRAY_ENTRIES_H

#include "api/integers.h"
#include "io/market/symmetry.h"
#include "matrix/csr.h"

#include <stdbool.h>

struct space;

/* *A = the upper triangle of arrays in the memory of the space, NULL: of the host, complete when it
 * returns; offsets, if given, must not decrease. limit: of asymmetry. *found: only worst and
 * unequal_pairs are set. *suits = false, with A zeroed: the entries make no matrix (the reader on
 * the host names the error), or are none, or 2^32. On failure A is zeroed; the caller calls
 * device_csr_free. Errors: STATUS_MEMORY, STATUS_DEVICE. */
enum status array_entries_read(struct space *space, const struct cgs_matrix_data *data,
                               double limit, struct csr *A, struct asymmetry *found, bool *suits,
                               struct error *error);

#endif
