/* A matrix from a caller's arrays. */
#ifndef API_ARRAYS_H
#define API_ARRAYS_H

#include "api/array_rows.h"
#include "api/strided.h"
#include "io/market/entry_list.h"
#include "io/market/symmetry.h"
#include "matrix/csr.h"

#include <stdbool.h>

/* The upper triangle of what the arrays say, as cgsolve/cgsolve.h tells; the same for any number of
 * threads. *found: what was averaged. On failure A is all zero. The caller owns A. Errors:
 * STATUS_CONFIG, STATUS_INPUT, STATUS_MEMORY. */
enum status arrays_read(const struct cgs_matrix_data *data, struct csr *A, struct asymmetry *found,
                        struct error *error);

/* The same where all arrays are in the memory of the space, and there: rows that suit are copied
 * (api/array_rows.h), other entries are sorted (api/array_entries.h). Where they make no matrix, or
 * there is no room, *suits is false, nothing is done, and the host is asked, which says what is
 * wrong. Of *found worst and unequal_pairs alone are set. The caller calls device_csr_free. Errors:
 * STATUS_DEVICE. */
enum status arrays_read_on_device(struct space *space, const struct cgs_matrix_data *data,
                                  struct csr *A, struct asymmetry *found, bool *suits,
                                  struct error *error);

/* The limit that a caller's `asymmetry` stands for, of values in that precision. */
double arrays_limit(double asymmetry, enum cgs_type type);

/* The same over the caller's columns and values, for data->borrow; A owns its offsets alone, and
 * the caller calls arrays_give_back, not csr_free. Errors: as above. */
enum status arrays_borrow(const struct cgs_matrix_data *data, struct csr *A, struct error *error);
void arrays_give_back(struct csr *A);

enum { ARRAYS_OF_MATRIX = 4 };

/* What comes first: everything but what the arrays hold is checked, and nothing is left open. They
 * are where they were; arrays_fetch brings them to the host. The copies are zeroed before; the
 * caller calls strided_free for each, also after a failure. Errors: STATUS_CONFIG, STATUS_MEMORY,
 * STATUS_DEVICE. */
enum status arrays_take(const struct cgs_context *context, struct cgs_matrix_data *data,
                        struct strided copies[ARRAYS_OF_MATRIX], struct error *error);
enum status arrays_fetch(const struct cgs_context *context, struct cgs_matrix_data *data,
                         struct strided copies[ARRAYS_OF_MATRIX], struct error *error);

/* The same of the own rows of several ranks: the part of A that each of `ranks` wants. data is as
 * arrays_take leaves it, and one that has failed comes to `status` before. All ranks call it.
 * Errors: as above, STATUS_RANK; not the same in all. Where all have none, arrays_join comes next:
 * *found becomes that of all ranks, and A is zero where it is refused. Errors: STATUS_INPUT, the
 * same in all; STATUS_MEMORY, STATUS_RANK. */
enum status arrays_join(const struct cgs_matrix_data *data, struct exchange *exchange,
                        struct csr *A, struct asymmetry *found, struct error *error);
enum status arrays_read_shared(const struct cgs_matrix_data *data,
                               const struct matrix_market_ranks *ranks, enum status status,
                               struct csr *A, struct asymmetry *found, struct error *error);

/* Those of the upper triangle and those of the lower one, transposed. */
struct two_lists {
    struct entry_list upper, lower;
};

/* A and *found of such lists, whose arrays are freed on the way. ranks: that have parts of them,
 * and all call it, and do not judge yet; NULL: this one has all. Errors: STATUS_INPUT,
 * STATUS_MEMORY, STATUS_RANK. */
enum status arrays_assemble(const struct cgs_matrix_data *data,
                            const struct matrix_market_ranks *ranks, struct two_lists *lists,
                            struct csr *A, struct asymmetry *found, struct error *error);

/* STATUS_INPUT: the matrix is less symmetric than data->asymmetry says. */
enum status arrays_judge(const struct cgs_matrix_data *data, const struct asymmetry *found,
                         struct error *error);

/* Room for so many entries; the caller calls entry_list_free, also after an error. Errors:
 * STATUS_MEMORY. */
enum status arrays_create_list(int64_t count, struct entry_list *list, struct error *error);

/* Entry k, of row i, from 0 in all of A. Errors: STATUS_INPUT. */
enum status arrays_check_entry(const struct cgs_matrix_data *data, int64_t i, int64_t k,
                               struct error *error);

/* What both begin with, on the host: all but what two entries are to each other. *seen: of rows of
 * offsets, else zeroed. Errors: STATUS_INPUT. */
enum status arrays_check(const struct cgs_matrix_data *data, struct array_rows_seen *seen,
                         struct error *error);

#endif
