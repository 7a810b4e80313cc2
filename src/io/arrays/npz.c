/* .npz files of scipy.sparse.save_npz: a zip archive of .npy files: format, shape and arrays of a
 * matrix. */
#include "base/text.h"
#include "io/arrays/number_arrays.h"
#include "io/arrays/zip.h"

#include <stdio.h>
#include <string.h>

enum { FORMAT_MOST = 1024, FORMAT_LETTERS = 3 };

struct npz {
    struct matrix_arrays *file;
    struct number_arrays *arrays;
    struct zip_directory directory;
};

/* A format, and the names of its arrays. */
static const struct npz_format {
    const char name[FORMAT_LETTERS + 1];
    bool by_entries, by_columns;
    const char *arrays[ARRAYS];
} formats[] = {
    {"csr", false, false, {"indptr.npy", "indices.npy", "data.npy"}},
    {"csc", false, true, {"indptr.npy", "indices.npy", "data.npy"}},
    {"coo", true, false, {"row.npy", "col.npy", "data.npy"}},
};

/* The caller calls byte_stream_end, also after an error. */
static enum status begin_member(const struct npz *npz, const char *name, struct byte_part *part,
                                struct byte_stream *bytes, struct error *error)
{
    bool found;
    *bytes = (struct byte_stream){0};
    enum status status = zip_find(&npz->directory, name, &found, part, error);
    if (!status && !found)
        return error_set(error, STATUS_INPUT,
                         "%s: a zip archive without %s, so none of scipy.sparse.save_npz: unzip "
                         "takes out of it what it has",
                         npz->file->path, name);
    return status ? status : byte_stream_begin(&npz->arrays->input, part, bytes, error);
}

/* *format: the text of three letters in format.npy, an array of no dimension. */
static enum status read_format(const struct npz *npz, const struct npz_format **format,
                               struct error *error)
{
    char text[FORMAT_MOST + 1] = {0}, quoted[TEXT_QUOTED];
    struct byte_part part;
    struct byte_stream bytes;
    *format = NULL;
    enum status status = begin_member(npz, "format.npy", &part, &bytes, error);
    int64_t length = !status && part.size < FORMAT_MOST ? part.size : FORMAT_MOST;
    if (!status)
        status = byte_stream_read(&bytes, text, length, error);
    byte_stream_end(&bytes);
    if (status)
        return status;
    const char *letters = text + (length > FORMAT_LETTERS ? length - FORMAT_LETTERS : 0);
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
        if (memcmp(letters, formats[k].name, FORMAT_LETTERS) == 0 &&
            memmem(text, (size_t)length, "'|S3'", 5))
            *format = &formats[k];
    if (*format)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT,
                     "%s: format.npy says %s: a matrix can be read as csr, csc or coo",
                     npz->file->path, text_quote(letters, letters + strlen(letters), quoted));
}

/* The stream stands after the header of the member. */
static enum status read_header(const struct npz *npz, const char *name, struct byte_part *part,
                               struct byte_stream *bytes, struct npy_header *header,
                               struct error *error)
{
    char shown[FORMAT_MOST];
    enum status status = begin_member(npz, name, part, bytes, error);
    if (status)
        return status;
    snprintf(shown, sizeof shown, "%s: %s", npz->file->path, name);
    status = npy_header_read(bytes, shown, header, error);
    if (status || (header->columns == 1 && bytes->part.size == header->rows * header->type.size))
        return status;
    return error_set(error, STATUS_INPUT, "%s: is no array of one dimension", shown);
}

static enum status read_shape(const struct npz *npz, struct error *error)
{
    struct byte_part part;
    struct byte_stream bytes;
    struct npy_header header;
    unsigned char numbers[2 * sizeof(int64_t)];
    bool exact[2] = {false};
    enum status status = read_header(npz, "shape.npy", &part, &bytes, &header, error);
    bool is_pair = !status && header.rows == 2 && header.type.kind != 'f';
    if (is_pair)
        status = byte_stream_read(&bytes, numbers, 2 * (int64_t)header.type.size, error);
    byte_stream_end(&bytes);
    if (status)
        return status;
    if (is_pair) {
        npz->file->rows = number_integer(&header.type, numbers, &exact[0]);
        npz->file->columns = number_integer(&header.type, numbers + header.type.size, &exact[1]);
    }
    return exact[0] && exact[1]
               ? STATUS_OK
               : error_set(error, STATUS_INPUT, "%s: shape.npy: has not the two sizes of a matrix",
                           npz->file->path);
}

/* count: of its numbers. */
static enum status read_array(const struct npz *npz, const char *name, enum array which,
                              int64_t *count, struct error *error)
{
    struct number_array *array = &npz->arrays->array[which];
    struct npy_header header;
    array->name = name;
    enum status status = read_header(npz, name, &array->part, &array->bytes, &header, error);
    if (status)
        return status;
    *count = header.rows;
    array->type = header.type;
    array->header = array->part.size - array->bytes.part.size;
    return which == ARRAY_VALUES || header.type.kind != 'f'
               ? STATUS_OK
               : error_set(error, STATUS_INPUT, "%s: %s: indices are integers, not real numbers",
                           npz->file->path, name);
}

static enum status read_arrays(const struct npz *npz, const struct npz_format *format,
                               struct error *error)
{
    struct matrix_arrays *file = npz->file;
    int64_t count[ARRAYS] = {0};
    enum status status = STATUS_OK;
    for (int a = 0; a < ARRAYS && !status; a++)
        status = read_array(npz, format->arrays[a], (enum array)a, &count[a], error);
    if (status)
        return status;
    file->by_entries = format->by_entries;
    file->by_columns = format->by_columns;
    file->entries = count[ARRAY_VALUES];
    file->integer_values = npz->arrays->array[ARRAY_VALUES].type.kind != 'f';
    int64_t pointers = (file->by_columns ? file->columns : file->rows);
    if (count[ARRAY_MINOR] == file->entries &&
        (file->by_entries ? count[ARRAY_MAJOR] == file->entries
                          : pointers < INT64_MAX && count[ARRAY_MAJOR] == pointers + 1))
        return STATUS_OK;
    return error_set(error, STATUS_INPUT,
                     "%s: the lengths of %s (%lld), %s (%lld) and %s (%lld) do not fit", file->path,
                     format->arrays[0], (long long)count[0], format->arrays[1], (long long)count[1],
                     format->arrays[2], (long long)count[2]);
}

enum status npz_open(struct matrix_arrays *file, bool *is, struct error *error)
{
    struct npz npz = {.file = file};
    const struct npz_format *format;
    char mark[4] = "";
    enum status status = number_arrays_open(file, error);
    npz.arrays = file->data;
    if (!status && npz.arrays->input.size >= 4)
        status = input_read(&npz.arrays->input, mark, 4, 0, error);
    *is = !status && zip_begins(mark);
    if (!*is)
        return status;
    status = zip_open(&npz.arrays->input, &npz.directory, error);
    if (!status)
        status = read_format(&npz, &format, error);
    if (!status)
        status = read_shape(&npz, error);
    if (!status)
        status = read_arrays(&npz, format, error);
    zip_close(&npz.directory);
    return status;
}
