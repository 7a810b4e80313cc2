/* Checks of struct cgs_matrix_data, without the elements of its arrays. */
#include "api/arrays.h"
#include "api/strided.h"

#include <inttypes.h>

static bool any_on_device(const struct cgs_matrix_data *data)
{
    return data->offsets.place == CGS_CUDA || data->rows.place == CGS_CUDA ||
           data->columns.place == CGS_CUDA || data->values.place == CGS_CUDA;
}

/* first_row and own_rows. */
static enum status check_rows(const struct cgs_context *context, const struct cgs_matrix_data *data,
                              struct error *error)
{
    int64_t first = data->first_row, own = data->own_rows;
    if (context->exchange ? first >= 0 && own >= 0 && first <= data->n && own <= data->n - first
                          : first == 0 && (own == 0 || own == data->n))
        return STATUS_OK;
    return error_set(error, STATUS_CONFIG,
                     "own_rows = %" PRId64 " from first_row = %" PRId64
                     " on are not rows of a matrix that has %" PRId64 "%s",
                     own, first, data->n, context->exchange ? "" : ", and one rank has all");
}

static enum status check_data(const struct cgs_context *context, const struct cgs_matrix_data *data,
                              struct error *error)
{
    const char *wrong = NULL;
    if (data->n < 1 || data->n > INT32_MAX)
        return error_set(error, STATUS_CONFIG,
                         "a matrix has n = %" PRId64 " rows: it can have 1 to %d", data->n,
                         INT32_MAX);
    if (data->columns.rows < 0)
        return error_set(error, STATUS_CONFIG, "a matrix has columns of %" PRId64 " entries",
                         data->columns.rows);
    bool is_empty = context->exchange && data->own_rows == 0 && data->columns.rows == 0;
    if (!data->offsets.data == !data->rows.data && !(is_empty && !data->rows.data))
        wrong = "it has offsets or rows, and not both";
    else if ((data->columns.rows > 0 || data->values.rows > 0) &&
             (!data->columns.data || !data->values.data))
        wrong = "it must have columns and values";
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
    else if (data->borrow && any_on_device(data))
        wrong = "arrays in a device's memory cannot be borrowed";
    else if (data->borrow && context->exchange)
        wrong = "several ranks borrow no arrays";
    return wrong ? error_set(error, STATUS_CONFIG, "the data of a matrix: %s", wrong)
                 : check_rows(context, data, error);
}

static enum status check_array(const struct cgs_context *context, struct cgs_array *given,
                               const struct strided_wanted *wanted, struct strided *made,
                               struct error *error)
{
    enum status status = strided_check(context, context->space, given, wanted, made, error);
    if (!status && made->at.data && made->at.row_stride != 1)
        status = error_set(error, STATUS_CONFIG,
                           "%s has the stride %" PRId64 ": those of a matrix are without gaps",
                           wanted->what, made->at.row_stride);
    *given = made->at;
    return status;
}

static enum status check_arrays(const struct cgs_context *context, struct cgs_matrix_data *data,
                                struct strided *made, struct error *error)
{
    int64_t rows = context->exchange ? data->own_rows : data->n;
    const struct strided_wanted wanted[] = {
        {"the array offsets", rows + 1, 1, STRIDED_INTEGERS},
        {"the array rows", data->columns.rows, 1, STRIDED_INTEGERS},
        {"the array columns", data->columns.rows, 1, STRIDED_INTEGERS},
        {"the array values", data->columns.rows, 1, STRIDED_REALS}};
    struct cgs_array *given[] = {&data->offsets, &data->rows, &data->columns, &data->values};
    enum status status = STATUS_OK;
    for (int k = 0; k < ARRAYS_OF_MATRIX && !status; k++)
        status = check_array(context, given[k], &wanted[k], &made[k], error);
    return status;
}

enum status arrays_take(const struct cgs_context *context, struct cgs_matrix_data *data,
                        struct strided copies[ARRAYS_OF_MATRIX], struct error *error)
{
    enum status status = check_data(context, data, error);
    return status ? status : check_arrays(context, data, copies, error);
}

enum status arrays_fetch(const struct cgs_context *context, struct cgs_matrix_data *data,
                         struct strided copies[ARRAYS_OF_MATRIX], struct error *error)
{
    struct cgs_array *arrays[] = {&data->offsets, &data->rows, &data->columns, &data->values};
    enum status status = STATUS_OK;
    for (int k = 0; k < ARRAYS_OF_MATRIX && !status; k++) {
        status = strided_read(context->space, &copies[k], NULL, error);
        arrays[k]->data = copies[k].host;
    }
    return status;
}
