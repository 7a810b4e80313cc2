#include "io/npy_vectors.h"

#include "base/memory.h"
#include "base/text.h"
#include "io/input_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the values are read as they are in memory, and the header says '<f8'"
#endif

enum { BEFORE = 12, HEADER = 4096, PIECE = 1 << 16 /* doubles */ };

static const char magic[] = "\x93NUMPY";

/* An array, open. */
struct array {
    struct input_file input;
    int64_t begin; /* at which byte its elements do */
    int64_t rows, columns;
    bool fortran; /* column after column; else row after row */
};

/* --- the header ------------------------------------------------------------------------------- */

static enum status refuse(const char *path, const char *what, struct error *error)
{
    return error_set(error, STATUS_INPUT, "%s: %s", path, what);
}

/* What stands behind 'KEY': in the dictionary, or NULL. */
static const char *value_of(const char *dictionary, const char *key)
{
    const char *at = strstr(dictionary, key);
    at = at ? at + strlen(key) : NULL;
    return at ? at + strspn(at, " ") : NULL;
}

static bool begins_with(const char *text, const char *beginning)
{
    return text && strncmp(text, beginning, strlen(beginning)) == 0;
}

/* "(3,)" or "(3, 4)" */
static bool take_shape(struct array *array, const char *shape)
{
    int end = 0;
    array->columns = 1;
    if (shape && sscanf(shape, "(%" SCNd64 " , )%n", &array->rows, &end) == 1 && end == 0)
        sscanf(shape, "(%" SCNd64 " , %" SCNd64 " )%n", &array->rows, &array->columns, &end);
    return end > 0 && array->rows >= 0 && array->columns >= 0;
}

static enum status take_dictionary(struct array *array, const char *dictionary, struct error *error)
{
    const char *path = array->input.path;
    const char *order = value_of(dictionary, "'fortran_order':");
    if (!begins_with(value_of(dictionary, "'descr':"), "'<f8'"))
        return refuse(path, "is not an array of doubles, '<f8', which numpy.float64 is", error);
    array->fortran = begins_with(order, "True");
    if ((!array->fortran && !begins_with(order, "False")) ||
        !take_shape(array, value_of(dictionary, "'shape':")))
        return refuse(path, "is an array neither of one dimension nor of two", error);
    if (array->columns == 0)
        return refuse(path, "has no columns", error);
    int64_t held = (array->input.size - array->begin) / (int64_t)sizeof(double);
    return array->rows > held / array->columns
               ? refuse(path, "is shorter than its header says", error)
               : STATUS_OK;
}

/* Where the elements begin, from the bytes before the dictionary. */
static int64_t elements_begin(const unsigned char before[BEFORE], int64_t *dictionary)
{
    bool is_first = before[6] == 1;
    int64_t length = before[8] | before[9] << 8;
    if (!is_first)
        length |= (int64_t)before[10] << 16 | (int64_t)before[11] << 24;
    *dictionary = is_first ? 10 : 12;
    return *dictionary + length;
}

static enum status read_header(struct array *array, struct error *error)
{
    unsigned char before[BEFORE];
    char text[HEADER + 1] = "";
    int64_t begin;
    const struct input_file *input = &array->input;
    if (input->size < BEFORE)
        return refuse(input->path, "is shorter than its header says", error);
    enum status status = input_read(input, before, BEFORE, 0, error);
    if (status)
        return status;
    array->begin = elements_begin(before, &begin);
    int64_t length = array->begin - begin;
    if (memcmp(before, magic, sizeof magic - 1) != 0 || before[6] < 1 || before[6] > 3 ||
        length > HEADER)
        return refuse(input->path, "is not a .npy file of version 1, 2 or 3", error);
    if (array->begin > input->size)
        return refuse(input->path, "is shorter than its header says", error);
    status = input_read(input, text, length, begin, error);
    return status ? status : take_dictionary(array, text, error);
}

/* The caller calls input_close, also after a failure. */
static enum status open_vectors(const char *path, int64_t n, struct array *array,
                                struct error *error)
{
    *array = (struct array){.begin = 0};
    enum status status = input_open(path, &array->input, error);
    if (!status)
        status = read_header(array, error);
    if (status || array->rows == n)
        return status;
    return error_set(error, STATUS_INPUT,
                     "%s: is an array of %" PRId64 " rows, but must have %" PRId64, path,
                     array->rows, n);
}

enum status npy_vectors_are_there(const char *path, bool *is_npy, struct error *error)
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

enum status npy_vectors_columns(const char *path, int64_t n, int64_t *columns, struct error *error)
{
    struct array array;
    enum status status = open_vectors(path, n, &array, error);
    *columns = array.columns;
    input_close(&array.input);
    return status;
}

/* --- the elements ----------------------------------------------------------------------------- */

static enum status read_doubles(const struct array *array, int64_t begin, int64_t count,
                                double *values, struct error *error)
{
    enum { SIZE = sizeof(double) };
    return input_read(&array->input, values, count * SIZE, array->begin + begin * SIZE, error);
}

/* Columns of the file, one after the other. */
static enum status read_columns(const struct array *array, int64_t first, int64_t last, double *B,
                                struct error *error)
{
    enum status status = STATUS_OK;
    for (int64_t j = 0; j < array->columns && !status; j++) {
        int64_t begin = j * array->rows + first;
        status = read_doubles(array, begin, last - first, B + begin, error);
    }
    return status;
}

/* Rows of the file, a piece at a time, into columns. */
static enum status read_transposed(const struct array *array, int64_t first, int64_t last,
                                   double *B, struct error *error)
{
    int64_t n = array->rows, columns = array->columns;
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
    for (int64_t j = 0; j < array->columns; j++)
        for (int64_t i = first; i < last; i++) {
            double value = B[j * array->rows + i];
            if (!isfinite(value))
                return error_set(error, STATUS_INPUT,
                                 "%s: element (%" PRId64 ", %" PRId64 "), counted from 0, is %g",
                                 array->input.path, i, j, value);
        }
    return STATUS_OK;
}

enum status npy_vectors_read(const char *path, int64_t n, int64_t columns, int64_t first,
                             int64_t last, double *B, struct error *error)
{
    struct array array;
    enum status status = open_vectors(path, n, &array, error);
    if (!status && array.columns != columns)
        status = error_set(error, STATUS_INPUT,
                           "%s: is an array of %" PRId64 " column%s, but must have %" PRId64, path,
                           array.columns, text_plural(array.columns), columns);
    if (!status)
        status = array.fortran || columns == 1 ? read_columns(&array, first, last, B, error)
                                               : read_transposed(&array, first, last, B, error);
    if (!status)
        status = check_finite(&array, first, last, B, error);
    input_close(&array.input);
    return status;
}
