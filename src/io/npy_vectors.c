#include "io/vectors.h"

#include "base/memory.h"
#include "base/text.h"
#include "io/input_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the bytes of values are turned where the header says '>', as in '>f8'"
#endif

enum { BEFORE = 12, HEADER = 4096, PIECE = 1 << 16 /* doubles */ };

static const char magic[] = "\x93NUMPY";

/* An array, open. */
struct array {
    struct input_file input;
    int64_t begin; /* at which byte its elements do */
    int64_t rows, columns;
    bool fortran; /* column after column; else row after row */
    char kind;    /* of its elements: 'f', 'i' or 'u' */
    int size;     /* bytes of one */
    bool turned;  /* their most significant byte comes first */
};

/* --- the header ------------------------------------------------------------------------------- */

static enum status refuse(const char *path, const char *what, struct error *error)
{
    return error_set(error, STATUS_INPUT, "%s: %s", path, what);
}

/* What stands after 'KEY': in the dictionary, or NULL. */
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

/* "'<f8'" */
static bool take_type(struct array *array, const char *type)
{
    char order;
    int end = 0;
    if (!type || sscanf(type, "'%c%c%1d'%n", &order, &array->kind, &array->size, &end) != 3)
        return false;
    array->turned = order == '>';
    bool power = array->size == 1 || array->size == 2 || array->size == 4 || array->size == 8;
    return end > 0 && strchr("<>|=", order) && strchr("fiu", array->kind) && power &&
           (array->kind != 'f' || array->size >= 4);
}

static enum status take_dictionary(struct array *array, const char *dictionary, struct error *error)
{
    const char *path = array->input.path;
    const char *order = value_of(dictionary, "'fortran_order':");
    if (!take_type(array, value_of(dictionary, "'descr':")))
        return refuse(path,
                      "is not an array of numbers: of real ones of 4 or 8 bytes, as numpy.float64 "
                      "has them, or of integers",
                      error);
    array->fortran = begins_with(order, "True");
    if ((!array->fortran && !begins_with(order, "False")) ||
        !take_shape(array, value_of(dictionary, "'shape':")))
        return refuse(path, "is an array neither of one dimension nor of two", error);
    if (array->columns == 0)
        return refuse(path, "has no columns", error);
    int64_t held = (array->input.size - array->begin) / array->size;
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
    if (!status && array->rows == 1 && array->columns == n) { /* a row alone */
        array->rows = n;
        array->columns = 1;
    }
    if (status || array->rows == n)
        return status;
    return error_set(error, STATUS_INPUT,
                     "%s: is an array of %" PRId64 " rows, but must have %" PRId64, path,
                     array->rows, n);
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
    *columns = array.columns;
    input_close(&array.input);
    return status;
}

/* --- the elements ----------------------------------------------------------------------------- */

/* The element whose bytes these are; *exact: the double is what it says. */
static double element(const struct array *array, const unsigned char *bytes, bool *exact)
{
    union {
        unsigned char bytes[8];
        double real;
        float single;
        uint64_t whole;
    } as = {{0}};
    for (int k = 0; k < array->size; k++)
        as.bytes[k] = bytes[array->turned ? array->size - 1 - k : k];
    *exact = true;
    if (array->kind == 'f')
        return array->size == 8 ? as.real : (double)as.single;
    int above = 64 - 8 * array->size;
    int64_t with_sign = (int64_t)(as.whole << above) >> above;
    bool negative = array->kind == 'i' && with_sign < 0;
    uint64_t magnitude = negative ? 0 - (uint64_t)with_sign : as.whole;
    double value = (double)magnitude;
    *exact = value < 0x1p64 && (uint64_t)value == magnitude;
    return negative ? -value : value;
}

/* Elements [begin, begin + count) of the file. They are read to the end of the doubles, where none
 * is overwritten before it has been turned into one. */
static enum status read_doubles(const struct array *array, int64_t begin, int64_t count,
                                double *values, struct error *error)
{
    int64_t size = array->size;
    unsigned char *bytes = (unsigned char *)values + count * ((int64_t)sizeof *values - size);
    enum status status =
        input_read(&array->input, bytes, count * size, array->begin + begin * size, error);
    bool exact = true;
    for (int64_t k = 0; k < count && !status; k++) {
        values[k] = element(array, bytes + k * size, &exact);
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

static enum status read_vectors(const char *path, int64_t n, int64_t columns, int64_t first,
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

const struct vector_format npy_vectors = {begins, count_columns, read_vectors};
