/* A matrix from a caller's arrays. */
#ifndef API_ARRAYS_H
#define API_ARRAYS_H

#include "cgsolve/cgsolve.h"
#include "io/market/symmetry.h"
#include "matrix/csr.h"

#include <stdbool.h>

/* The upper triangle of what the arrays say, as cgsolve/cgsolve.h tells; the same for any number of
 * threads. *found: what was averaged. On failure A is all zero. The caller owns A. Errors:
 * STATUS_CONFIG, STATUS_INPUT, STATUS_MEMORY. */
enum status arrays_read(const struct cgs_matrix_data *data, struct csr *A, struct asymmetry *found,
                        struct error *error);

/* The limit that a caller's `asymmetry` stands for, of values in that precision. */
double arrays_limit(double asymmetry, enum cgs_reals real);

/* The same over the caller's columns and values, for data->borrow; A owns its offsets alone, and
 * the caller calls arrays_give_back, not csr_free. Errors: as above. */
enum status arrays_borrow(const struct cgs_matrix_data *data, struct csr *A, struct error *error);
void arrays_give_back(struct csr *A);

/* Everything but what the arrays hold. Errors: STATUS_CONFIG. */
enum status arrays_check_data(const struct cgs_matrix_data *data, struct error *error);

/* What both begin with: all but what two entries are to each other. *sorted: there are offsets, and
 * the columns of every row increase. Errors: STATUS_CONFIG, STATUS_INPUT. */
enum status arrays_check(const struct cgs_matrix_data *data, bool *sorted, struct error *error);

#endif
