/* The rows of a caller's arrays, wherever these are: what is wrong with them, and the upper
 * triangle of those that are in order. Each row is looked at by a function for host and device. */
#ifndef API_ARRAY_ROWS_H
#define API_ARRAY_ROWS_H

#include "api/integers.h"
#include "matrix/csr.h"

#include <math.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct space;

/* --- entries ---------------------------------------------------------------------------------- */

CGSOLVE_HOST_AND_DEVICE static inline int64_t offset_at(const struct cgs_matrix_data *data,
                                                        int64_t i)
{
    return integer_at(data, &data->offsets, i);
}

CGSOLVE_HOST_AND_DEVICE static inline int64_t column_at(const struct cgs_matrix_data *data,
                                                        int64_t k)
{
    return integer_at(data, &data->columns, k);
}

CGSOLVE_HOST_AND_DEVICE static inline double value_at(const struct cgs_matrix_data *data, int64_t k)
{
    return data->values.type == CGS_FLOAT ? (double)((const float *)data->values.data)[k]
                                          : ((const double *)data->values.data)[k];
}

enum entry_fault {
    ENTRY_IS_GOOD,
    ENTRY_IS_OUTSIDE,
    ENTRY_IS_NOT_FINITE,
    ENTRY_IS_OF_OTHER_TRIANGLE,
    ENTRY_IS_ON_SKEW_DIAGONAL,
};

/* What is wrong with entry k, of row i; both may be anything. */
CGSOLVE_HOST_AND_DEVICE static inline enum entry_fault
entry_fault(const struct cgs_matrix_data *data, int64_t i, int64_t k)
{
    int64_t j = column_at(data, k);
    double value = value_at(data, k);
    if (i < 0 || i >= data->n || j < 0 || j >= data->n)
        return ENTRY_IS_OUTSIDE;
    if (!isfinite(value))
        return ENTRY_IS_NOT_FINITE;
    if ((data->part == CGS_UPPER && j < i) || (data->part == CGS_LOWER && j > i))
        return ENTRY_IS_OF_OTHER_TRIANGLE;
    return data->kind == CGS_SKEW && i == j && value != 0 ? ENTRY_IS_ON_SKEW_DIAGONAL
                                                          : ENTRY_IS_GOOD;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* What is known of rows of offsets. Each is looked for only where those before it are in order. */
struct array_rows_seen {
    int64_t first, last; /* the first offset and the last one, as they stand there */
    int64_t backward;    /* the first row that ends before it begins, or n */
    int64_t bad;         /* the first row with a fault, or n */
    bool sorted;         /* the columns of every row increase */
    bool mirrored;       /* each entry of CGS_FULL off the diagonal has its mirror image */
};

/* Whether the upper triangle of these rows is copied as it is. */
bool array_rows_suit(const struct cgs_matrix_data *data, const struct array_rows_seen *seen);

/* Whether they are good entries, in any order. */
bool array_rows_are_entries(const struct cgs_matrix_data *data, const struct array_rows_seen *seen);

/* Of arrays in the memory of the space, NULL: of the host. Errors: STATUS_MEMORY, STATUS_DEVICE. */
enum status array_rows_see(struct space *space, const struct cgs_matrix_data *data,
                           struct array_rows_seen *seen, struct error *error);

/* *A = the upper triangle of rows that suit, in the same memory, complete when it returns. On
 * failure *A is zeroed; the caller calls device_csr_free. Errors: as above. */
enum status array_rows_copy(struct space *space, const struct cgs_matrix_data *data, struct csr *A,
                            struct error *error);

/* Whether A and other, in the memory of one space, have their entries at the same places. Errors:
 * as above. */
enum status array_rows_same_pattern(const struct csr *A, const struct csr *other, bool *same,
                                    struct error *error);

#ifdef __cplusplus
}
#endif
#endif
