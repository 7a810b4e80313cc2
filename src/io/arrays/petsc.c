/* Binary files of PETSc: a Mat (MatView of any AIJ format) and a Vec (VecView), alone, or the Mat
 * of a system and then its Vec. Numbers have the most significant byte first; integers have 4
 * bytes, or 8 of a PETSc with 64-bit indices; values have 8. */
#include "io/arrays/number_arrays.h"
#include "io/vectors.h"

#include <inttypes.h>
#include <math.h>

enum { MAT = 1211216, VEC = 1211214, HEADER_MOST = 4 };

static const struct number_type REAL = {'f', 8, true};

/* The header of an object in a file. */
struct object {
    int64_t begin;
    struct number_type integer; /* size 0: there is no object */
    int64_t header[HEADER_MOST];
};

/* Read the header of the object at that place; header[0] is MAT or VEC if there is an object. */
static enum status read_object(const struct input_file *input, int64_t begin, struct object *object,
                               struct error *error)
{
    unsigned char bytes[HEADER_MOST * 8];
    bool exact;
    *object = (struct object){.begin = begin};
    for (int size = 4; size <= 8; size += 4) {
        struct number_type integer = {'i', size, true};
        int64_t count = (input->size - begin) / size;
        if (count < 2)
            continue;
        count = count < HEADER_MOST ? count : HEADER_MOST;
        enum status status = input_read(input, bytes, count * size, begin, error);
        if (status)
            return status;
        for (int k = 0; k < count; k++)
            object->header[k] = number_integer(&integer, bytes + k * size, &exact);
        if (object->header[0] == VEC || (object->header[0] == MAT && count == HEADER_MOST)) {
            object->integer = integer;
            return STATUS_OK;
        }
    }
    return STATUS_OK;
}

static bool is_object(const struct object *object, int id)
{
    return object->integer.size > 0 && object->header[0] == id;
}

static enum status refuse(const char *path, const char *what, struct error *error)
{
    return error_set(error, STATUS_INPUT, "%s: a file of PETSc: %s", path, what);
}

/* Of a Vec, or of a Mat without values. */
static int64_t bytes_before_values(const struct object *object)
{
    const int64_t *header = object->header;
    int size = object->integer.size;
    return header[0] == VEC ? 2 * size : size * (HEADER_MOST + header[1] + header[3]);
}

/* Where the object ends. */
static enum status find_end(const struct input_file *input, const struct object *object,
                            int64_t *end, struct error *error)
{
    const int64_t *header = object->header;
    int64_t left = input->size - object->begin;
    int64_t values = header[0] == VEC ? header[1] : header[3];
    if (header[0] == MAT && values == -1)
        return refuse(input->path, "its matrix is dense: a sparse one can be read", error);
    if (values < 0 || header[1] < 0)
        return refuse(input->path, "a size is negative", error);
    if (values > left / 8 || header[1] > left / object->integer.size ||
        bytes_before_values(object) > left - 8 * values)
        return refuse(input->path, "it is shorter than its header says", error);
    *end = object->begin + bytes_before_values(object) + 8 * values;
    return STATUS_OK;
}

/* Only the object `may_be`, or nothing, may follow the object that ends there. */
static enum status check_rest(const struct input_file *input, int64_t end, int may_be,
                              struct error *error)
{
    struct object next;
    if (end == input->size)
        return STATUS_OK;
    enum status status = read_object(input, end, &next, error);
    if (status || (may_be && is_object(&next, may_be)))
        return status;
    return error_set(error, STATUS_INPUT,
                     "%s: a file of PETSc: it goes on after byte %" PRId64
                     ", where it should end; values of a complex PETSc cannot be read",
                     input->path, end);
}

/* --- a matrix --------------------------------------------------------------------------------- */

static void take_arrays(struct matrix_arrays *file, const struct object *object)
{
    struct number_arrays *arrays = file->data;
    const int64_t *header = object->header, counts[ARRAYS] = {header[1], header[3], header[3]};
    int64_t at = object->begin + HEADER_MOST * object->integer.size;
    file->rows = header[1];
    file->columns = header[2];
    file->entries = header[3];
    file->lengths = true;
    for (int a = 0; a < ARRAYS; a++) {
        struct number_array *array = &arrays->array[a];
        array->type = a == ARRAY_VALUES ? REAL : object->integer;
        int64_t bytes = counts[a] * array->type.size;
        array->part = (struct byte_part){.begin = at, .packed = bytes, .size = bytes};
        at += bytes;
    }
}

enum status petsc_open(struct matrix_arrays *file, bool *is, struct error *error)
{
    struct object object;
    int64_t end = 0;
    enum status status = number_arrays_open(file, error);
    *is = false;
    if (status)
        return status;
    const struct input_file *input = &((struct number_arrays *)file->data)->input;
    status = read_object(input, 0, &object, error);
    *is = !status && object.integer.size > 0;
    if (!*is)
        return status;
    if (is_object(&object, VEC))
        return refuse(file->path, "it begins with a vector, not with a matrix", error);
    status = find_end(input, &object, &end, error);
    if (!status)
        status = check_rest(input, end, VEC, error);
    if (!status)
        take_arrays(file, &object);
    return status;
}

/* --- a vector --------------------------------------------------------------------------------- */

static enum status begins(const char *path, bool *is, struct error *error)
{
    struct input_file input;
    struct object object = {0};
    enum status status = input_open(path, &input, error);
    if (!status)
        status = read_object(&input, 0, &object, error);
    input_close(&input);
    *is = !status && object.integer.size > 0;
    return status;
}

/* The one Vec of the file, which may stand after a Mat. The caller calls input_close, also after an
 * error. */
static enum status open_vector(const char *path, int64_t n, struct input_file *input,
                               struct object *vector, struct error *error)
{
    int64_t end = 0;
    enum status status = input_open(path, input, error);
    if (!status)
        status = read_object(input, 0, vector, error);
    if (!status && is_object(vector, MAT)) {
        status = find_end(input, vector, &end, error);
        if (!status)
            status = read_object(input, end, vector, error);
    }
    if (status)
        return status;
    if (!is_object(vector, VEC))
        return refuse(path, "it has no vector", error);
    status = find_end(input, vector, &end, error);
    if (!status)
        status = check_rest(input, end, 0, error);
    if (status || vector->header[1] == n)
        return status;
    return error_set(error, STATUS_INPUT,
                     "%s: has a vector of %" PRId64 " elements, but must have %" PRId64, path,
                     vector->header[1], n);
}

static enum status count_columns(const char *path, int64_t n, int64_t *columns, struct error *error)
{
    struct input_file input;
    struct object vector;
    *columns = 1;
    enum status status = open_vector(path, n, &input, &vector, error);
    input_close(&input);
    return status;
}

/* values[count] have been read as they are in the file, from element `first` on, which is at
 * `begin`. */
static enum status turn_values(const char *path, int64_t begin, int64_t first, int64_t count,
                               double *values, struct error *error)
{
    for (int64_t k = 0; k < count; k++) {
        bool exact;
        values[k] = number_real(&REAL, (const unsigned char *)&values[k], &exact);
        if (!isfinite(values[k]))
            return error_set(error, STATUS_INPUT,
                             "%s: byte %" PRId64 ": element %" PRId64 ", counted from 0, is %g",
                             path, begin + 8 * k, first + k, values[k]);
    }
    return STATUS_OK;
}

static enum status read_vectors(const char *path, int64_t n, int64_t columns, int64_t first,
                                int64_t last, double *B, struct error *error)
{
    struct input_file input;
    struct object vector = {0};
    enum status status = open_vector(path, n, &input, &vector, error);
    if (!status && columns != 1)
        status = error_set(error, STATUS_INPUT, "%s: has one vector, but must have %" PRId64, path,
                           columns);
    int64_t begin = vector.begin + bytes_before_values(&vector) + 8 * first, count = last - first;
    if (!status)
        status = input_read(&input, B + first, 8 * count, begin, error);
    if (!status)
        status = turn_values(path, begin, first, count, B + first, error);
    input_close(&input);
    return status;
}

const struct vector_format petsc_vectors = {begins, count_columns, read_vectors};
