#include "api/strided.h"

#include "base/memory.h"

#include <inttypes.h>

enum {
    ROWS_AT_ONCE = 256
}; /* of all columns, so that they are in a cache when the next column is
                                read */

static const char *const type_names[] = {[CGS_DOUBLE] = "CGS_DOUBLE",
                                         [CGS_FLOAT] = "CGS_FLOAT",
                                         [CGS_INT32] = "CGS_INT32",
                                         [CGS_INT64] = "CGS_INT64"};

static int64_t size_of(const struct cgs_array *at)
{
    return at->type == CGS_FLOAT || at->type == CGS_INT32 ? 4 : 8;
}

/* --- what is refused -------------------------------------------------------------------------- */

static enum status check_type(const struct cgs_array *at, const struct strided_wanted *wanted,
                              struct error *error)
{
    for (size_t k = 0; k < sizeof at->reserved / sizeof *at->reserved; k++)
        if (at->reserved[k])
            return error_set(error, STATUS_CONFIG,
                             "%s has something that this version of the library, %s, does not know",
                             wanted->what, CGSOLVE_VERSION);
    if ((unsigned)at->type > CGS_INT64)
        return error_set(error, STATUS_CONFIG, "%s has the type %d, which is none", wanted->what,
                         (int)at->type);
    if (wanted->types >> at->type & 1)
        return STATUS_OK;
    return error_set(error, STATUS_CONFIG, "%s has the type %s: it must be %s", wanted->what,
                     type_names[at->type],
                     wanted->types == STRIDED_DOUBLES ? "CGS_DOUBLE"
                     : wanted->types == STRIDED_REALS ? "CGS_DOUBLE or CGS_FLOAT"
                                                      : "CGS_INT32 or CGS_INT64");
}

static enum status check_place(const struct cgs_context *context, struct space *space,
                               const struct cgs_array *at, const char *what, struct error *error)
{
    if (at->place == CGS_CPU)
        return STATUS_OK;
    if (at->place != CGS_CUDA)
        return error_set(error, STATUS_CONFIG, "%s has the place %d, which is none", what,
                         (int)at->place);
    if (context->place != SPACE_CUDA)
        return error_set(error, STATUS_CONFIG,
                         "%s is in the memory of CUDA device %d: this context is on the CPU", what,
                         at->device);
    if (at->device != context->device)
        return error_set(error, STATUS_CONFIG,
                         "%s is in the memory of CUDA device %d: this context is on device %d",
                         what, at->device, context->device);
    return space_check_array(space, context->stream, at->data, what, error);
}

static enum status check_strides(struct strided *array, struct error *error)
{
    const struct cgs_array *at = &array->at;
    int64_t row = at->row_stride, column = at->column_stride, down, across, all, bytes;
    if (row < 1 || column < 1)
        return error_set(error, STATUS_CONFIG,
                         "the strides of %s are %" PRId64 " and %" PRId64 ": each is at least 1",
                         array->what, row, column);
    if (__builtin_mul_overflow(at->rows - 1, row, &down) ||
        __builtin_mul_overflow(at->columns - 1, column, &across) ||
        __builtin_add_overflow(down, across, &all) ||
        __builtin_mul_overflow(all, size_of(at), &bytes))
        return error_set(error, STATUS_MEMORY,
                         "the size of %s overflows: %" PRId64 " rows and %" PRId64
                         " columns with the strides %" PRId64 " and %" PRId64,
                         array->what, at->rows, at->columns, row, column);
    if (at->columns > 1 && column <= down && row <= across)
        return error_set(error, STATUS_CONFIG,
                         "with the strides %" PRId64 " and %" PRId64 " of %s its %" PRId64
                         " rows and %" PRId64 " columns overlap",
                         row, column, array->what, at->rows, at->columns);
    array->span = all + 1;
    return STATUS_OK;
}

/* Fills in defaults, and strides without effect. */
static void complete(struct cgs_array *at)
{
    if (at->columns == 0)
        at->columns = 1;
    if (at->row_stride == 0 || at->rows <= 1)
        at->row_stride = 1;
    if ((at->column_stride == 0 && at->row_stride == 1) || at->columns == 1)
        at->column_stride = at->rows > 0 ? at->rows : 1;
}

enum status strided_check(const struct cgs_context *context, struct space *space,
                          const struct cgs_array *given, const struct strided_wanted *wanted,
                          struct strided *made, struct error *error)
{
    *made = (struct strided){.at = *given, .what = wanted->what};
    struct cgs_array *at = &made->at;
    if (!at->data)
        return STATUS_OK;
    complete(at);
    int64_t columns = wanted->columns ? wanted->columns : at->columns > 0 ? at->columns : 1;
    if (at->rows != wanted->rows || at->columns != columns)
        return error_set(error, STATUS_CONFIG,
                         "%s is %" PRId64 " x %" PRId64 ": it must be %" PRId64 " x %" PRId64,
                         wanted->what, at->rows, at->columns, wanted->rows, columns);
    enum status status = check_type(at, wanted, error);
    if (!status)
        status = check_strides(made, error);
    return status ? status : check_place(context, space, at, wanted->what, error);
}

/* --- its columns on the host ------------------------------------------------------------------ */

bool strided_is_dense(const struct strided *array)
{
    const struct cgs_array *at = &array->at;
    return at->row_stride == 1 && (at->columns == 1 || at->column_stride == at->rows);
}

void strided_copy(const struct cgs_array *from, const struct cgs_array *to)
{
    const double *in = from->data;
    double *out = to->data;
    for (int64_t begin = 0, end; begin < to->rows; begin = end) {
        end = to->rows - begin < ROWS_AT_ONCE ? to->rows : begin + ROWS_AT_ONCE;
        for (int64_t j = 0; j < to->columns; j++)
            for (int64_t i = begin; i < end; i++)
                out[i * to->row_stride + j * to->column_stride] =
                    in[i * from->row_stride + j * from->column_stride];
    }
}

struct cgs_array strided_columns(const struct strided *array)
{
    struct cgs_array made = array->at;
    made.data = array->host;
    made.row_stride = 1;
    made.column_stride = made.rows;
    return made;
}

static enum status reserve(struct strided *array, bool in_place, struct error *error)
{
    const struct cgs_array *at = &array->at;
    if (!at->data || (in_place && at->place == CGS_CPU && strided_is_dense(array)))
        array->host = at->data;
    else
        array->host = memory_array(at->rows * at->columns, (size_t)size_of(at), array->what, error);
    return array->host || !at->data ? STATUS_OK : STATUS_MEMORY;
}

enum status strided_reserve(struct strided *array, struct error *error)
{
    const struct cgs_array *at = &array->at;
    bool by_rows = at->column_stride == 1 && at->row_stride == at->columns;
    if (at->place == CGS_CPU || at->row_stride == 1 || by_rows)
        return reserve(array, true, error);
    return error_set(error, STATUS_CONFIG,
                     "on a device the columns of %s, or all its rows, are without gaps: not with "
                     "the strides %" PRId64 " and %" PRId64,
                     array->what, at->row_stride, at->column_stride);
}

bool strided_overlap(const struct strided *array, const struct strided *written)
{
    uintptr_t a = (uintptr_t)array->at.data, b = (uintptr_t)written->host, size = sizeof(double);
    return a < b + (uintptr_t)written->span * size && b < a + (uintptr_t)array->span * size;
}

enum status strided_read(struct space *space, struct strided *array, const struct strided *written,
                         struct error *error)
{
    struct cgs_array at = array->at;
    int64_t bytes = array->span * size_of(&at);
    enum status status = reserve(array, !written || !strided_overlap(array, written), error);
    if (status || array->host == at.data)
        return status;
    if (at.place == CGS_CUDA && strided_is_dense(array))
        return space->operations->download(space, bytes, at.data, array->host, error);
    double *all = NULL;
    if (at.place == CGS_CUDA) {
        all = memory_array(array->span, sizeof *all, array->what, error);
        status =
            all ? space->operations->download(space, bytes, at.data, all, error) : STATUS_MEMORY;
        at.data = all;
    }
    const struct cgs_array columns = strided_columns(array);
    if (!status)
        strided_copy(&at, &columns);
    memory_free(all);
    return status;
}

/* Does not write between two columns. */
static enum status upload(struct space *space, const struct strided *array, struct error *error)
{
    const struct cgs_array *at = &array->at, columns = strided_columns(array);
    struct cgs_array all = *at;
    enum status status = STATUS_OK;
    if (at->row_stride == 1) {
        for (int64_t j = 0; j < at->columns && !status; j++)
            status = space_upload(space, at->rows, (double *)array->host + j * at->rows,
                                  (double *)at->data + j * at->column_stride, error);
        return status;
    }
    all.data = memory_array(array->span, sizeof(double), array->what, error);
    if (!all.data)
        return STATUS_MEMORY;
    strided_copy(&columns, &all);
    status = space_upload(space, array->span, all.data, at->data, error);
    memory_free(all.data);
    return status;
}

enum status strided_write(struct space *space, const struct strided *array, struct error *error)
{
    const struct cgs_array columns = strided_columns(array);
    if (array->at.place == CGS_CUDA)
        return upload(space, array, error);
    if (array->host != array->at.data)
        strided_copy(&columns, &array->at);
    return STATUS_OK;
}

void strided_free(struct strided *array)
{
    if (array->host != array->at.data)
        memory_free(array->host);
}
