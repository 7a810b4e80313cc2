/* Integers in a caller's arrays: rows, columns and offsets, any value. */
#ifndef API_INTEGERS_H
#define API_INTEGERS_H

#include "base/host_device.h"
#include "base/status.h"
#include "cgsolve/cgsolve.h"

#include <inttypes.h>

/* The integer as given. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t given_at(const struct cgs_array *array, int64_t k)
{
    return array->type == CGS_INT32 ? ((const int32_t *)array->data)[k]
                                    : ((const int64_t *)array->data)[k];
}

/* The integer counted from 0; INT64_MIN, which is no valid row or column, is unchanged. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t integer_at(const struct cgs_matrix_data *data,
                                                         const struct cgs_array *array, int64_t k)
{
    int64_t value = given_at(array, k);
    return value - (value > INT64_MIN ? data->base : 0);
}

/* STATUS_INPUT: entry k, of row i if there are offsets, is outside of the matrix. */
enum status integers_refuse_place(const struct cgs_matrix_data *data, int64_t i, int64_t k,
                                  struct error *error);

#endif
