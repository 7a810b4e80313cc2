/* The entries of a caller's arrays in any order, wherever these are: the upper triangle of a matrix
 * that is in order. They are sorted by their place in it; then each row of it is the work of a
 * function for host and device. Entries that come twice are added in the order in which they come,
 * and of an entry and its mirror image the mean is taken: the bits are those of api/arrays.h. */
#ifndef API_ARRAY_ENTRIES_H
#define API_ARRAY_ENTRIES_H

#include "api/integers.h"
#include "io/market/symmetry.h"
#include "matrix/csr.h"

#include <stdbool.h>

struct space;

/* *A = the upper triangle of arrays in the memory of the space, NULL: of the host, complete when it
 * returns; of rows with offsets it is known that no row ends before it begins. limit: of asymmetry.
 * *found: what was averaged; worst and unequal_pairs alone are set. *suits = false, and A is
 * zeroed: there is no such matrix, and who reads the entries one by one says why; or there are
 * none, or 2^32 of them. On failure A is zeroed; the caller calls device_csr_free. Errors:
 * STATUS_MEMORY, STATUS_DEVICE. */
enum status array_entries_read(struct space *space, const struct cgs_matrix_data *data,
                               double limit, struct csr *A, struct asymmetry *found, bool *suits,
                               struct error *error);

#endif
