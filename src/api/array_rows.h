/* Checks the rows of a caller's arrays, on the host or a device, and makes the upper triangle of
 * valid ones. A function for host and device does each row. */
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

/* The fault of entry k, of row i, with any values. */
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

/* Properties of rows with offsets. Each is tested only if the previous ones hold. */
struct array_rows_seen {
    int64_t first, last; /* the first and the last offset, as given */
    int64_t backward;    /* the first row that ends before it begins, or n */
    int64_t bad;         /* the first row with a fault, or n */
    bool sorted;         /* the columns of every row increase */
    bool mirrored;       /* each entry of CGS_FULL off the diagonal has its mirror image */
};

/* Whether the upper triangle of these rows is copied as it is. */
bool array_rows_suit(const struct cgs_matrix_data *data, const struct array_rows_seen *seen);

/* Whether they are good entries, in any order. */
bool array_rows_are_entries(const struct cgs_matrix_data *data, const struct array_rows_seen *seen);

/* For arrays in the memory of the space; NULL: of the host. Errors: STATUS_MEMORY,
 * STATUS_DEVICE. */
enum status array_rows_see(struct space *space, const struct cgs_matrix_data *data,
                           struct array_rows_seen *seen, struct error *error);

/* *A = the upper triangle of suitable rows, in the same memory, complete on return. On failure *A
 * is zeroed; the caller calls device_csr_free. Errors: as above. */
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
