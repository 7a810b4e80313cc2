#include "io/vectors.h"

#include "base/memory.h"
#include "base/text.h"
#include "io/input_file.h"
#include "io/npy_header.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { PIECE = 1 << 16 /* doubles */ };

static const char magic[] = "\x93NUMPY";

struct array {
    struct input_file input;
    struct npy_header header;
    int64_t begin; /* at which byte its elements do */
};

static enum status read_header(struct array *array, struct error *error)
{
    int64_t size = array->input.size;
    struct byte_stream bytes;
    enum status status = byte_stream_begin(
        &array->input, &(struct byte_part){.packed = size, .size = size}, &bytes, error);
    if (!status)
        status = npy_header_read(&bytes, array->input.path, &array->header, error);
    array->begin = bytes.part.begin;
    byte_stream_end(&bytes);
    return status;
}

/* The caller calls input_close, also after a failure. */
static enum status open_vectors(const char *path, int64_t n, struct array *array,
                                struct error *error)
{
    *array = (struct array){.begin = 0};
    enum status status = input_open(path, &array->input, error);
    if (!status)
        status = read_header(array, error);
    if (!status && array->header.rows == 1 && array->header.columns == n) { /* a row alone */
        array->header.rows = n;
        array->header.columns = 1;
    }
    if (status || array->header.rows == n)
        return status;
    return error_set(error, STATUS_INPUT,
                     "%s: is an array of %" PRId64 " rows, but must have %" PRId64, path,
                     array->header.rows, n);
}

static enum status begins(const char *path, bool *is_npy, struct error *error)
{
    struct input_file input;
    char begin[sizeof magic - 1];
    *is_npy = false;
    enum status status = input_open(path, &input, error);
    if (status)
        return status;
    if (input.size >= (int64_t)sizeof begin) {
        status = input_read(&input, begin, sizeof begin, 0, error);
        *is_npy = !status && memcmp(begin, magic, sizeof begin) == 0;
    }
    input_close(&input);
    return status;
}

static enum status count_columns(const char *path, int64_t n, int64_t *columns, struct error *error)
{
    struct array array;
    enum status status = open_vectors(path, n, &array, error);
    *columns = array.header.columns;
    input_close(&array.input);
    return status;
}

/* --- the elements ----------------------------------------------------------------------------- */

/* Elements [begin, begin + count) of the file. They are read into the end of the doubles' memory,
 * so that no element is overwritten before its conversion. */
static enum status read_doubles(const struct array *array, int64_t begin, int64_t count,
                                double *values, struct error *error)
{
    const struct number_type *type = &array->header.type;
    int64_t size = type->size;
    unsigned char *bytes = (unsigned char *)values + count * ((int64_t)sizeof *values - size);
    enum status status =
        input_read(&array->input, bytes, count * size, array->begin + begin * size, error);
    bool exact = true;
    for (int64_t k = 0; k < count && !status; k++) {
        values[k] = number_real(type, bytes + k * size, &exact);
        if (!exact)
            return error_set(error, STATUS_INPUT,
                             "%s: element %" PRId64
                             ", counted from 0, is an integer that no double "
                             "is",
                             array->input.path, begin + k);
    }
    return status;
}

/* Columns of the file, one after the other. */
static enum status read_columns(const struct array *array, int64_t first, int64_t last, double *B,
                                struct error *error)
{
    enum status status = STATUS_OK;
    for (int64_t j = 0; j < array->header.columns && !status; j++) {
        int64_t begin = j * array->header.rows + first;
        status = read_doubles(array, begin, last - first, B + begin, error);
    }
    return status;
}

/* Rows of the file, a piece at a time, into columns. */
static enum status read_transposed(const struct array *array, int64_t first, int64_t last,
                                   double *B, struct error *error)
{
    int64_t n = array->header.rows, columns = array->header.columns;
    int64_t most = columns < PIECE ? PIECE / columns : 1;
    double *piece = memory_array(most * columns, sizeof *piece, "a piece of an array", error);
    enum status status = piece ? STATUS_OK : STATUS_MEMORY;
    for (int64_t begin = first; begin < last && !status; begin += most) {
        int64_t count = last - begin < most ? last - begin : most;
        status = read_doubles(array, begin * columns, count * columns, piece, error);
        for (int64_t j = 0; j < columns && !status; j++)
            for (int64_t i = 0; i < count; i++)
                B[j * n + begin + i] = piece[i * columns + j];
    }
    memory_free(piece);
    return status;
}

static enum status check_finite(const struct array *array, int64_t first, int64_t last,
                                const double *B, struct error *error)
{
    for (int64_t j = 0; j < array->header.columns; j++)
        for (int64_t i = first; i < last; i++) {
            double value = B[j * array->header.rows + i];
            if (!isfinite(value))
                return error_set(error, STATUS_INPUT,
                                 "%s: element (%" PRId64 ", %" PRId64 "), counted from 0, is %g",
                                 array->input.path, i, j, value);
        }
    return STATUS_OK;
}

static enum status read_vectors(const char *path, int64_t n, int64_t columns, int64_t first,
                                int64_t last, double *B, struct error *error)
{
    struct array array;
    enum status status = open_vectors(path, n, &array, error);
    if (!status && array.header.columns != columns)
        status = error_set(error, STATUS_INPUT,
                           "%s: is an array of %" PRId64 " column%s, but must have %" PRId64, path,
                           array.header.columns, text_plural(array.header.columns), columns);
    if (!status)
        status = array.header.fortran || columns == 1
                     ? read_columns(&array, first, last, B, error)
                     : read_transposed(&array, first, last, B, error);
    if (!status)
        status = check_finite(&array, first, last, B, error);
    input_close(&array.input);
    return status;
}

const struct vector_format npy_vectors = {begins, count_columns, read_vectors};
