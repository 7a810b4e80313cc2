#include "io/arrays/matrix_arrays.h"

#include "base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

/* --- open and close --------------------------------------------------------------------------- */

static enum status check_sizes(const struct matrix_arrays *file, struct error *error)
{
    if (file->rows >= 1 && file->columns >= 1 && file->rows <= INT32_MAX &&
        file->columns <= INT32_MAX)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT,
                     "%s: the matrix is %" PRId64 " x %" PRId64
                     ": it must have 1 to %d rows and columns",
                     file->path, file->rows, file->columns, INT32_MAX);
}

static void close_data(struct matrix_arrays *file)
{
    if (file->data)
        file->format->close(file);
    file->data = NULL;
}

void arrays_close(struct matrix_arrays *file)
{
    if (file)
        close_data(file);
    memory_free(file);
}

enum status arrays_open(const char *path, struct matrix_arrays **file, struct error *error)
{
    static arrays_opener *const openers[] = {npz_open, petsc_open, boeing_open, matlab_open};
    enum status status = STATUS_OK;
    bool is = false;
    *file = memory_zeros(1, sizeof **file, "a piece of a file", error);
    if (!*file)
        return STATUS_MEMORY;
    (*file)->path = path;
    for (size_t k = 0; !status && !is && k < sizeof openers / sizeof *openers; k++) {
        close_data(*file);
        status = openers[k](*file, &is, error);
    }
    if (is && !status)
        status = check_sizes(*file, error);
    if (is && !status)
        status = arrays_rewind(*file, error);
    if (is && !status)
        return STATUS_OK;
    arrays_close(*file);
    *file = NULL;
    return status;
}

/* --- messages --------------------------------------------------------------------------------- */

enum status arrays_refuse(const struct matrix_arrays *file, enum array array, int64_t k,
                          struct error *error, const char *format, ...)
{
    char place[ARRAYS_PLACE], what[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    file->format->place(file, array, k, place);
    return error_set(error, STATUS_INPUT, "%s: %s: %s", file->path, place, what);
}

void arrays_place(const struct matrix_arrays *file, int64_t k, char text[ARRAYS_PLACE])
{
    file->format->place(file, file->no_values ? ARRAY_MINOR : ARRAY_VALUES, k, text);
}

static enum status check_index(const struct matrix_arrays *file, enum array array, int64_t k,
                               struct error *error)
{
    bool is_column = (array == ARRAY_MINOR) != file->by_columns;
    int64_t index = file->index[array][k], first = file->base;
    int64_t last = (is_column ? file->columns : file->rows) - 1 + first;
    if (index >= first && index <= last)
        return STATUS_OK;
    return arrays_refuse(file, array, file->next, error,
                         "entry %" PRId64 ": the %s %" PRId64 " lies outside %" PRId64
                         " to %" PRId64,
                         file->next + 1, is_column ? "column" : "row", index, first, last);
}

static enum status check_value(const struct matrix_arrays *file, int64_t k, struct error *error)
{
    int64_t i = file->row[k], j = file->column[k];
    double value = file->value[k];
    if (!isfinite(value))
        return arrays_refuse(file, ARRAY_VALUES, file->next, error,
                             "a(%" PRId64 ",%" PRId64 ") = %g is not finite", i + 1, j + 1, value);
    if (file->kind != CSR_SKEW || i != j || value == 0)
        return STATUS_OK;
    return arrays_refuse(file, ARRAY_VALUES, file->next, error,
                         "a(%" PRId64 ",%" PRId64
                         ") = %g: a diagonal entry of a skew-symmetric matrix must be 0",
                         i + 1, j + 1, value);
}

/* --- rows that are compressed ----------------------------------------------------------------- */

static int64_t majors(const struct matrix_arrays *file)
{
    return file->by_columns ? file->columns : file->rows;
}

static enum status next_pointer(struct matrix_arrays *file, int64_t *pointer, struct error *error)
{
    if (file->pointer_at == file->pointer_count) {
        int64_t left = majors(file) + !file->lengths - file->pointers;
        file->pointer_count = left < ARRAYS_PIECE ? left : ARRAYS_PIECE;
        file->pointer_at = 0;
        enum status status = file->format->read(file, ARRAY_MAJOR, file->pointers,
                                                file->pointer_count, file->pointer, NULL, error);
        if (status)
            return status;
        file->pointers += file->pointer_count;
    }
    *pointer = file->pointer[file->pointer_at++];
    return STATUS_OK;
}

/* The number of the last pointer. */
static int64_t pointer_number(const struct matrix_arrays *file)
{
    return file->pointers - file->pointer_count + file->pointer_at - 1;
}

/* Go to the next row, and set `end` to its end. */
static enum status next_major(struct matrix_arrays *file, struct error *error)
{
    int64_t pointer, before = file->lengths ? 0 : file->end + file->base;
    const char *major = file->by_columns ? "column" : "row";
    enum status status = next_pointer(file, &pointer, error);
    file->major++;
    if (status)
        return status;
    if (pointer < before || pointer - before > file->entries - file->end)
        return arrays_refuse(file, ARRAY_MAJOR, pointer_number(file), error,
                             "%s %" PRId64 " %s %" PRId64 ", after %" PRId64 " of %" PRId64
                             " entries",
                             major, file->major + 1, file->lengths ? "has the length" : "ends at",
                             pointer, file->end, file->entries);
    file->end += pointer - before;
    return STATUS_OK;
}

static enum status begin_majors(struct matrix_arrays *file, struct error *error)
{
    int64_t pointer = file->base;
    file->major = -1;
    if (file->by_entries || file->lengths)
        return STATUS_OK;
    enum status status = next_pointer(file, &pointer, error);
    if (status || pointer == file->base)
        return status;
    return arrays_refuse(file, ARRAY_MAJOR, 0, error, "the first %s begins at %" PRId64 ", not %d",
                         file->by_columns ? "column" : "row", pointer, file->base);
}

/* The last entry must end the last row. */
static enum status end_majors(struct matrix_arrays *file, struct error *error)
{
    enum status status = STATUS_OK;
    while (!status && !file->by_entries && file->major + 1 < majors(file))
        status = next_major(file, error);
    return status;
}

/* The row of the next entry. */
static enum status find_major(struct matrix_arrays *file, struct error *error)
{
    enum status status = STATUS_OK;
    while (!status && file->next == file->end) {
        if (file->major + 1 == majors(file))
            return arrays_refuse(file, ARRAY_MAJOR, pointer_number(file), error,
                                 "the last %s ends after %" PRId64 " of %" PRId64 " entries",
                                 file->by_columns ? "column" : "row", file->end, file->entries);
        status = next_major(file, error);
    }
    return status;
}

/* --- entries ---------------------------------------------------------------------------------- */

enum status arrays_rewind(struct matrix_arrays *file, struct error *error)
{
    file->next = file->end = file->pointers = file->pointer_at = file->pointer_count = 0;
    enum status status = file->format->rewind(file, error);
    return status ? status : begin_majors(file, error);
}

static enum status read_piece(struct matrix_arrays *file, int64_t count, struct error *error)
{
    enum status status = file->format->read(file, ARRAY_MINOR, file->next, count,
                                            file->index[ARRAY_MINOR], NULL, error);
    if (!status && file->by_entries)
        status = file->format->read(file, ARRAY_MAJOR, file->next, count, file->index[ARRAY_MAJOR],
                                    NULL, error);
    if (!status && !file->no_values)
        status =
            file->format->read(file, ARRAY_VALUES, file->next, count, NULL, file->value, error);
    for (int64_t k = 0; k < count && file->no_values; k++)
        file->value[k] = 1;
    return status;
}

/* row[k], column[k], checked, and value[k] checked. */
static enum status take_entry(struct matrix_arrays *file, int64_t k, struct error *error)
{
    enum status status = STATUS_OK;
    if (file->by_entries)
        status = check_index(file, ARRAY_MAJOR, k, error);
    else
        status = find_major(file, error);
    if (!status)
        status = check_index(file, ARRAY_MINOR, k, error);
    if (status)
        return status;
    int64_t major = file->by_entries ? file->index[ARRAY_MAJOR][k] - file->base : file->major;
    int64_t minor = file->index[ARRAY_MINOR][k] - file->base;
    file->row[k] = (int32_t)(file->by_columns ? minor : major);
    file->column[k] = (int32_t)(file->by_columns ? major : minor);
    return check_value(file, k, error);
}

enum status arrays_next(struct matrix_arrays *file, int64_t *count, struct error *error)
{
    int64_t left = file->entries - file->next;
    *count = left < ARRAYS_PIECE ? left : ARRAYS_PIECE;
    if (*count == 0) {
        enum status status = end_majors(file, error);
        return status || !file->format->end ? status : file->format->end(file, error);
    }
    enum status status = read_piece(file, *count, error);
    for (int64_t k = 0; k < *count && !status; k++, file->next++)
        status = take_entry(file, k, error);
    return status;
}
