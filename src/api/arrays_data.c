/* What is said of the arrays of a matrix, before they are looked at. */
#include "api/arrays.h"

#include <inttypes.h>

enum status arrays_check_data(const struct cgs_matrix_data *data, struct error *error)
{
    const char *wrong = NULL;
    if (data->n < 1 || data->n > INT32_MAX)
        return error_set(error, STATUS_CONFIG,
                         "a matrix has n = %" PRId64 " rows: it can have 1 to %d", data->n,
                         INT32_MAX);
    if (data->nnz < 0)
        return error_set(error, STATUS_CONFIG, "a matrix has nnz = %" PRId64 " entries", data->nnz);
    if (!data->offsets == !data->rows)
        wrong = "one of offsets and rows must be there, and not both";
    else if (data->nnz > 0 && (!data->columns || !data->values))
        wrong = "columns and values must be there";
    else if (data->index != CGS_INT32 && data->index != CGS_INT64)
        wrong = "index must be CGS_INT32 or CGS_INT64";
    else if (data->real != CGS_DOUBLE && data->real != CGS_FLOAT)
        wrong = "real must be CGS_DOUBLE or CGS_FLOAT";
    else if (data->base != 0 && data->base != 1)
        wrong = "base must be 0 or 1";
    else if (data->part != CGS_UPPER && data->part != CGS_LOWER && data->part != CGS_FULL)
        wrong = "part must be CGS_UPPER, CGS_LOWER or CGS_FULL";
    else if (data->kind != CGS_SYMMETRIC && data->kind != CGS_SKEW)
        wrong = "kind must be CGS_SYMMETRIC or CGS_SKEW";
    else if (!(data->asymmetry < 1))
        wrong = "asymmetry must be below 1";
    else if (data->asymmetry > 0 && (data->part != CGS_FULL || data->kind != CGS_SYMMETRIC))
        wrong = "asymmetry is for CGS_FULL and CGS_SYMMETRIC";
    else if (data->borrow != 0 && data->borrow != 1)
        wrong = "borrow must be 0 or 1";
    else if (data->place != CGS_CPU && data->place != CGS_CUDA)
        wrong = "place must be CGS_CPU or CGS_CUDA";
    else if (data->place == CGS_CUDA && data->borrow)
        wrong = "arrays in a device's memory cannot be borrowed";
    return wrong ? error_set(error, STATUS_CONFIG, "the data of a matrix: %s", wrong) : STATUS_OK;
}
