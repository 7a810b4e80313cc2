/* A matrix from a caller's arrays. */
#ifndef API_ARRAYS_H
#define API_ARRAYS_H

#include "api/array_rows.h"
#include "api/strided.h"
#include "io/market/entry_list.h"
#include "io/market/symmetry.h"
#include "matrix/csr.h"

#include <stdbool.h>

/* The upper triangle of the arrays' matrix, as cgsolve/cgsolve.h defines it; equal for any number
 * of threads. *found: the averaged pairs. On failure A is all zero. The caller owns A. Errors:
 * STATUS_CONFIG, STATUS_INPUT, STATUS_MEMORY. */
enum status arrays_read(const struct cgs_matrix_data *data, struct csr *A, struct asymmetry *found,
                        struct error *error);

/* The same in the memory of the space, for arrays that are all there: suitable rows are copied
 * (api/array_rows.h), other entries are sorted (api/array_entries.h). If they make no matrix, or
 * memory is missing, *suits is false and nothing is done: read them on the host, which names the
 * error. Of *found only worst and unequal_pairs are set. The caller calls device_csr_free. Errors:
 * STATUS_DEVICE. */
enum status arrays_read_on_device(struct space *space, const struct cgs_matrix_data *data,
                                  struct csr *A, struct asymmetry *found, bool *suits,
                                  struct error *error);

/* The limit of a caller's `asymmetry`, for values of this type. */
double arrays_limit(double asymmetry, enum cgs_type type);

/* The same with the caller's columns and values, for data->borrow; A owns only its offsets, and the
 * caller calls arrays_give_back, not csr_free. Errors: as above. */
enum status arrays_borrow(const struct cgs_matrix_data *data, struct csr *A, struct error *error);
void arrays_give_back(struct csr *A);

enum { ARRAYS_OF_MATRIX = 4 };

/* Call it first: it checks everything but the elements of the arrays. They stay in their memory;
 * arrays_fetch copies them to the host. The copies are zeroed before; the
 * caller calls strided_free for each, also after a failure. Errors: STATUS_CONFIG, STATUS_MEMORY,
 * STATUS_DEVICE. */
enum status arrays_take(const struct cgs_context *context, struct cgs_matrix_data *data,
                        struct strided copies[ARRAYS_OF_MATRIX], struct error *error);
enum status arrays_fetch(const struct cgs_context *context, struct cgs_matrix_data *data,
                         struct strided copies[ARRAYS_OF_MATRIX], struct error *error);

/* The same for the own rows of several ranks: arrays_read_shared makes the part of A that each of
 * `ranks` wants. data is the result of arrays_take; `status` is this rank's so far. All ranks call
 * it. Errors: as above, STATUS_RANK; they may differ between ranks. If no rank has an error, call
 * arrays_join: it joins *found over all ranks, and zeroes a refused A. Errors: STATUS_INPUT, the
 * same in all; STATUS_MEMORY, STATUS_RANK. */
enum status arrays_join(const struct cgs_matrix_data *data, struct exchange *exchange,
                        struct csr *A, struct asymmetry *found, struct error *error);
enum status arrays_read_shared(const struct cgs_matrix_data *data,
                               const struct matrix_market_ranks *ranks, enum status status,
                               struct csr *A, struct asymmetry *found, struct error *error);

/* The entries of the upper triangle, and those of the lower one, transposed. */
struct two_lists {
    struct entry_list upper, lower;
};

/* A and *found of the lists, which it frees. ranks: they have parts of A; all call it, and
 * arrays_join judges later; NULL: this rank has all of A. Errors: STATUS_INPUT,
 * STATUS_MEMORY, STATUS_RANK. */
enum status arrays_assemble(const struct cgs_matrix_data *data,
                            const struct matrix_market_ranks *ranks, struct two_lists *lists,
                            struct csr *A, struct asymmetry *found, struct error *error);

/* STATUS_INPUT: the matrix is less symmetric than data->asymmetry says. */
enum status arrays_judge(const struct cgs_matrix_data *data, const struct asymmetry *found,
                         struct error *error);

/* Room for `count` entries; the caller calls entry_list_free, also after an error. Errors:
 * STATUS_MEMORY. */
enum status arrays_create_list(int64_t count, struct entry_list *list, struct error *error);

/* Entry k, of row i, from 0 in all of A. Errors: STATUS_INPUT. */
enum status arrays_check_entry(const struct cgs_matrix_data *data, int64_t i, int64_t k,
                               struct error *error);

/* The common first checks, on the host: all but relations of two entries. *seen: for rows with
 * offsets, else zeroed. Errors: STATUS_INPUT. */
enum status arrays_check(const struct cgs_matrix_data *data, struct array_rows_seen *seen,
                         struct error *error);

#endif
