/* MAT-files of MATLAB, version 5 (save -v6, and packed, -v7): their only sparse matrix, or the
 * sparse matrix named A, also as field A of a struct, as in the SuiteSparse Collection. A file has
 * a header and elements, each with a tag; a matrix element consists of nested elements ("MAT-File
 * Format", The MathWorks). */
#include "io/arrays/number_arrays.h"

#include <inttypes.h>
#include <string.h>

enum {
    HEADER = 128,
    TAG = 8,
    BITS = 16 /* of a tag's first half: a small element's size is in its
                                           upper bits */
};
enum { MATRIX = 14, DEFLATED = 15 };           /* types of elements */
enum { STRUCT = 2, SPARSE = 5, NO_CLASS = 0 }; /* classes of matrices */
enum { COMPLEX = 8, LOGICAL = 2 };             /* their flags */
enum { ZLIB_HEADER = 2 };

/* --- elements --------------------------------------------------------------------------------- */

/* Walks the elements of a variable. */
struct walk {
    const struct matrix_arrays *file;
    const struct input_file *input;
    struct number_type integer; /* of 4 bytes, in the file's order */
    struct byte_part part;
    struct byte_stream bytes;
    int64_t at; /* bytes of the part before */
};

struct element {
    int64_t type, size, at, next; /* where its content begins, and the element after it */
    unsigned char tag[TAG];
};

static enum status refuse(const struct matrix_arrays *file, const char *why, struct error *error)
{
    return error_set(error, STATUS_INPUT, "%s: a MAT-file: %s", file->path, why);
}

static int64_t integer_of(const struct walk *walk, const unsigned char *bytes)
{
    bool exact;
    return number_integer(&walk->integer, bytes, &exact);
}

static enum status take(struct walk *walk, void *bytes, int64_t count, struct error *error)
{
    walk->at += count;
    return byte_stream_read(&walk->bytes, bytes, count, error);
}

/* The caller calls byte_stream_end, also after an error. */
static enum status begin_at(struct walk *walk, int64_t at, struct error *error)
{
    struct byte_part part = walk->part;
    if (!part.deflated && at <= part.size) {
        part.begin += at;
        part.packed = part.size -= at;
        walk->at = at;
    } else {
        walk->at = 0;
    }
    byte_stream_end(&walk->bytes);
    return byte_stream_begin(walk->input, &part, &walk->bytes, error);
}

/* Forwards only. */
static enum status skip_to(struct walk *walk, int64_t at, struct error *error)
{
    unsigned char bytes[4096];
    enum status status = STATUS_OK;
    if (!walk->part.deflated && at > walk->at)
        status = begin_at(walk, at, error);
    while (walk->at < at && !status) {
        int64_t left = at - walk->at,
                count = left < (int64_t)sizeof bytes ? left : (int64_t)sizeof bytes;
        status = take(walk, bytes, count, error);
    }
    return status;
}

static void take_tag(const struct walk *walk, struct element *element)
{
    element->type = integer_of(walk, element->tag);
    element->size = integer_of(walk, element->tag + 4);
    element->at = walk->at;
    element->next = walk->at + (element->size + TAG - 1) / TAG * TAG;
    if (element->type >> BITS) { /* a small element: its content is in the tag */
        element->size = element->type >> BITS;
        element->type &= (1 << BITS) - 1;
        element->at = walk->at - 4;
        element->next = walk->at;
    }
}

/* The next element, which ends before `end`. */
static enum status next_element(struct walk *walk, int64_t end, struct element *element,
                                struct error *error)
{
    enum status status = walk->at > end - TAG
                             ? refuse(walk->file, "an element of a matrix is missing", error)
                             : take(walk, element->tag, TAG, error);
    if (status)
        return status;
    take_tag(walk, element);
    return element->at + element->size <= end && element->next >= walk->at &&
                   (element->at >= walk->at || element->size <= 4)
               ? STATUS_OK
               : refuse(walk->file, "an element is longer than the matrix that it is in", error);
}

/* bytes[most] = the content, or its beginning, then zeros. */
static enum status read_content(struct walk *walk, const struct element *element,
                                unsigned char *bytes, int64_t most, struct error *error)
{
    int64_t count = element->size < most ? element->size : most;
    memset(bytes, 0, (size_t)most);
    if (element->at >= walk->at)
        return take(walk, bytes, count, error);
    memcpy(bytes, element->tag + 4, (size_t)count);
    return STATUS_OK;
}

static enum status read_element(struct walk *walk, int64_t end, unsigned char *bytes, int64_t most,
                                int64_t *size, struct error *error)
{
    struct element element;
    enum status status = next_element(walk, end, &element, error);
    if (!status)
        status = read_content(walk, &element, bytes, most, error);
    if (status)
        return status;
    *size = element.size;
    return skip_to(walk, element.next < end ? element.next : end, error);
}

/* --- variables -------------------------------------------------------------------------------- */

struct variable {
    int class, flags;
    int64_t rows, columns;
    bool is_A;
    int64_t at, end; /* of its elements after the name, in the part */
    struct byte_part part;
};

/* The beginning of a matrix after its tag, up to its name. An empty matrix has no class. */
static enum status read_beginning(struct walk *walk, const struct element *matrix,
                                  struct variable *variable, struct error *error)
{
    unsigned char flags[8], sizes[8], name[2];
    int64_t size, rank_bytes;
    *variable = (struct variable){.end = matrix->at + matrix->size, .part = walk->part};
    if (matrix->size == 0)
        return STATUS_OK;
    enum status status = read_element(walk, variable->end, flags, sizeof flags, &size, error);
    if (!status)
        status = read_element(walk, variable->end, sizes, sizeof sizes, &rank_bytes, error);
    if (!status)
        status = read_element(walk, variable->end, name, sizeof name, &size, error);
    if (status)
        return status;
    int64_t word = integer_of(walk, flags);
    variable->class = rank_bytes == sizeof sizes ? (int)(word & 0xff) : NO_CLASS;
    variable->flags = (int)(word >> 8 & 0xff);
    variable->rows = integer_of(walk, sizes);
    variable->columns = integer_of(walk, sizes + 4);
    variable->is_A = size == 1 && name[0] == 'A';
    variable->at = walk->at;
    return STATUS_OK;
}

/* *place: which of the fields is A; -1: none. */
static enum status find_field(struct walk *walk, int64_t end, int64_t *place, struct error *error)
{
    unsigned char length_bytes[4], name[2];
    struct element names;
    int64_t size;
    *place = -1;
    enum status status = read_element(walk, end, length_bytes, sizeof length_bytes, &size, error);
    if (!status)
        status = next_element(walk, end, &names, error);
    if (status)
        return status;
    int64_t length = integer_of(walk, length_bytes);
    if (names.at < walk->at || length < (int64_t)sizeof name)
        return skip_to(walk, names.next, error); /* no such name fits into 4 bytes */
    for (int64_t k = 0; k < names.size / length && *place < 0 && !status; k++) {
        status = skip_to(walk, names.at + k * length, error);
        if (!status)
            status = take(walk, name, sizeof name, error);
        if (!status && name[0] == 'A' && name[1] == 0)
            *place = k;
    }
    return status ? status : skip_to(walk, names.next, error);
}

/* The struct is replaced by its field A; without one it gets NO_CLASS. */
static enum status take_field(struct walk *walk, struct variable *variable, struct error *error)
{
    int64_t place, end = variable->end;
    struct element field;
    variable->class = NO_CLASS;
    enum status status = find_field(walk, end, &place, error);
    for (int64_t k = 0; k <= place && !status; k++) {
        status = next_element(walk, end, &field, error);
        if (!status && field.type != MATRIX)
            status = refuse(walk->file, "a field of a struct is no matrix", error);
        if (!status && k < place)
            status = skip_to(walk, field.next, error);
    }
    if (status || place < 0)
        return status;
    status = read_beginning(walk, &field, variable, error);
    variable->is_A = true;
    return status;
}

/* The variable of the element at byte `begin`, plain or deflated. */
static enum status read_variable(struct walk *walk, int64_t begin, const struct element *outer,
                                 struct variable *variable, struct error *error)
{
    struct element matrix;
    bool deflated = outer->type == DEFLATED;
    int64_t packed = deflated ? outer->size - ZLIB_HEADER : TAG + outer->size;
    *variable = (struct variable){0};
    if (outer->type != MATRIX && (!deflated || packed <= 0))
        return STATUS_OK; /* of another kind */
    walk->part = (struct byte_part){.begin = deflated ? begin + TAG + ZLIB_HEADER : begin,
                                    .packed = packed,
                                    .size = deflated ? unpack_deflate.ratio * packed : packed,
                                    .deflated = deflated};
    enum status status = begin_at(walk, 0, error);
    if (!status)
        status = next_element(walk, walk->part.size, &matrix, error);
    if (status || matrix.type != MATRIX)
        return status;
    walk->part.size = matrix.at + matrix.size;
    status = read_beginning(walk, &matrix, variable, error);
    return !status && variable->class == STRUCT ? take_field(walk, variable, error) : status;
}

/* --- the matrix ------------------------------------------------------------------------------- */

/* The only sparse matrix, or of several the only one named A. */
static enum status choose(struct walk *walk, struct variable *chosen, struct error *error)
{
    struct variable variable;
    struct element outer;
    int64_t found[2] = {0, 0}, begin = HEADER; /* others, and those that are A */
    enum status status = STATUS_OK;
    while (begin < walk->input->size && !status) {
        if (walk->input->size - begin < TAG)
            return refuse(walk->file, "it ends within a tag", error);
        status = input_read(walk->input, outer.tag, TAG, begin, error);
        walk->at = begin + TAG;
        take_tag(walk, &outer);
        if (!status && outer.size > walk->input->size - begin - TAG)
            return refuse(walk->file, "it is shorter than its tags say", error);
        if (!status)
            status = read_variable(walk, begin, &outer, &variable, error);
        begin = outer.type == DEFLATED ? outer.at + outer.size : outer.next;
        if (status || variable.class != SPARSE)
            continue;
        if (variable.is_A || found[1] == 0)
            *chosen = variable;
        found[variable.is_A]++;
    }
    if (status || found[1] == 1 || (found[1] == 0 && found[0] == 1))
        return status;
    return refuse(walk->file,
                  found[0] + found[1] == 0
                      ? "it has no sparse matrix"
                      : "it has several sparse matrices, and not one of them alone is A",
                  error);
}

/* size 0: no numbers. */
static struct number_type type_of(const struct walk *walk, int64_t type)
{
    static const struct number_type types[] = {
        [1] = {'i', 1, false},  [2] = {'u', 1, false}, [3] = {'i', 2, false}, [4] = {'u', 2, false},
        [5] = {'i', 4, false},  [6] = {'u', 4, false}, [7] = {'f', 4, false}, [9] = {'f', 8, false},
        [12] = {'i', 8, false}, [13] = {'u', 8, false}};
    bool known = type > 0 && type < (int64_t)(sizeof types / sizeof *types);
    struct number_type found = known ? types[type] : (struct number_type){'i', 0, false};
    found.turned = walk->integer.turned;
    return found;
}

/* count: of its numbers; next: where the element after it begins. */
static enum status take_array(struct walk *walk, const struct variable *matrix,
                              struct number_array *array, int64_t *count, int64_t *next,
                              struct error *error)
{
    struct element element;
    enum status status = next_element(walk, matrix->end, &element, error);
    if (status)
        return status;
    *array = (struct number_array){.name = matrix->part.deflated ? "the unpacked variable" : NULL,
                                   .part = matrix->part,
                                   .header = element.at,
                                   .type = type_of(walk, element.type)};
    if (array->type.size == 0)
        return refuse(walk->file, "an array of the matrix has no numbers", error);
    *count = element.size / array->type.size;
    *next = element.next;
    return STATUS_OK;
}

/* *entries = the last number of ARRAY_MAJOR, after its tag. */
static enum status read_entries(struct walk *walk, const struct number_array *array, int64_t count,
                                int64_t *entries, struct error *error)
{
    unsigned char bytes[8];
    bool exact;
    int size = array->type.size;
    *entries = -1;
    enum status status = array->header < walk->at || count == 0
                             ? refuse(walk->file, "the matrix has no columns", error)
                             : skip_to(walk, array->header + (count - 1) * size, error);
    if (!status)
        status = take(walk, bytes, size, error);
    if (!status)
        *entries = number_integer(&array->type, bytes, &exact);
    return status;
}

static enum status take_arrays(struct walk *walk, struct matrix_arrays *file,
                               const struct variable *matrix, struct error *error)
{
    struct number_array *array = ((struct number_arrays *)file->data)->array;
    int64_t count[ARRAYS] = {0}, next;
    walk->part = matrix->part;
    enum status status = begin_at(walk, 0, error);
    if (!status)
        status = skip_to(walk, matrix->at, error);
    if (!status)
        status = take_array(walk, matrix, &array[ARRAY_MINOR], &count[ARRAY_MINOR], &next, error);
    if (!status)
        status = skip_to(walk, next, error);
    if (!status)
        status = take_array(walk, matrix, &array[ARRAY_MAJOR], &count[ARRAY_MAJOR], &next, error);
    if (!status)
        status = read_entries(walk, &array[ARRAY_MAJOR], count[ARRAY_MAJOR], &file->entries, error);
    if (!status)
        status = skip_to(walk, next, error);
    if (!status)
        status = take_array(walk, matrix, &array[ARRAY_VALUES], &count[ARRAY_VALUES], &next, error);
    if (status)
        return status;
    bool fit = file->entries >= 0 && count[ARRAY_MAJOR] == file->columns + 1 &&
               file->entries <= count[ARRAY_MINOR] && file->entries <= count[ARRAY_VALUES] &&
               array[ARRAY_MAJOR].type.kind != 'f' && array[ARRAY_MINOR].type.kind != 'f';
    return fit ? STATUS_OK : refuse(file, "the lengths of its arrays do not fit", error);
}

static enum status open_matrix(struct walk *walk, struct matrix_arrays *file, struct error *error)
{
    struct variable matrix;
    enum status status = choose(walk, &matrix, error);
    if (status)
        return status;
    if (matrix.flags & COMPLEX)
        return refuse(file, "its matrix is complex", error);
    file->rows = matrix.rows;
    file->columns = matrix.columns;
    file->by_columns = true;
    file->integer_values = matrix.flags & LOGICAL;
    return take_arrays(walk, file, &matrix, error);
}

enum status matlab_open(struct matrix_arrays *file, bool *is, struct error *error)
{
    enum { MARK = 19, ORDER = 126 };
    char header[HEADER] = "";
    enum status status = number_arrays_open(file, error);
    const struct number_arrays *arrays = file->data;
    if (!status && arrays->input.size >= HEADER)
        status = input_read(&arrays->input, header, HEADER, 0, error);
    *is = !status && memcmp(header, "MATLAB ", 7) == 0 && memcmp(header + 10, " MAT-file", 9) == 0;
    if (!*is)
        return status;
    bool turned = memcmp(header + ORDER, "MI", 2) == 0;
    if (header[7] != '5' || (!turned && memcmp(header + ORDER, "IM", 2) != 0))
        return refuse(file, "only version 5 can be read: save(..., '-v7') writes it", error);
    struct walk walk = {.file = file, .input = &arrays->input, .integer = {'u', 4, turned}};
    status = open_matrix(&walk, file, error);
    byte_stream_end(&walk.bytes);
    return status;
}
