#include "io/npy_file.h"

#include "base/memory.h"
#include "io/npy_header.h"
#include "io/partial_file.h"
#include "io/text_file.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the values are written as they are in memory, and the header says '<f8'"
#endif

enum { HEADER = NPY_HEADER, MAGIC = 10 };

static const char magic[MAGIC] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, HEADER - MAGIC, 0};

static void release(struct npy_file *file)
{
    memory_free(file->path);
    memory_free(file->partial);
    *file = (struct npy_file){0};
}

static enum status write_header(const struct npy_file *file, struct error *error)
{
    char header[HEADER], extents[48];
    int64_t rows = file->rows, columns = file->columns;
    bool transposed = file->shape == NPY_COLUMNS;
    if (file->shape == NPY_VECTOR)
        snprintf(extents, sizeof extents, "%" PRId64 ",", rows * columns);
    else
        snprintf(extents, sizeof extents, "%" PRId64 ", %" PRId64, transposed ? columns : rows,
                 transposed ? rows : columns);
    npy_header_make(header, "<f8", transposed, extents);
    return partial_write(file->descriptor, file->partial, header, HEADER, 0, error);
}

enum status npy_begin(const char *directory, const char *name, int64_t columns,
                      enum npy_shape shape, struct npy_file *file, struct error *error)
{
    *file = (struct npy_file){
        .path = path_join(directory, name, error), .columns = columns, .shape = shape};
    if (file->path)
        file->partial = partial_name(file->path, error);
    enum status status = file->partial ? STATUS_OK : STATUS_MEMORY;
    if (!status)
        status = partial_begin(file->partial, &file->descriptor, error);
    if (status) {
        release(file);
        return status;
    }
    status = write_header(file, error);
    if (status)
        npy_abandon(file);
    return status;
}

static int64_t row_place(const struct npy_file *file, int64_t row)
{
    return HEADER + row * file->columns * (int64_t)sizeof(double);
}

/* First the rows, then the header that counts them. */
enum status npy_append_rows(struct npy_file *file, int64_t count, const double *rows,
                            struct error *error)
{
    enum status status = partial_write(file->descriptor, file->partial, (const char *)rows,
                                       count * file->columns * (int64_t)sizeof *rows,
                                       row_place(file, file->rows), error);
    if (status)
        return status;
    file->rows += count;
    return write_header(file, error);
}

enum status npy_append(struct npy_file *file, const double *row, struct error *error)
{
    return npy_append_rows(file, 1, row, error);
}

enum status npy_finish(struct npy_file *file, struct error *error)
{
    enum status status = partial_finish(file->descriptor, file->partial, file->path, error);
    release(file);
    return status;
}

void npy_abandon(struct npy_file *file)
{
    if (!file->path)
        return;
    if (file->partial)
        close(file->descriptor);
    input_close(&file->input);
    release(file);
}

/* Whether the header is that of a trace, and the file has all of its rows. */
static bool read_header(struct npy_file *file, const char header[HEADER + 1])
{
    int end = 0;
    return memcmp(header, magic, sizeof magic) == 0 &&
           sscanf(header + MAGIC,
                  "{'descr': '<f8', 'fortran_order': False, 'shape': (%" SCNd64 ", %" SCNd64
                  "), }%n",
                  &file->rows, &file->columns, &end) == 2 &&
           end > 0 && file->rows >= 0 && file->columns >= 1 &&
           file->rows <= (file->input.size - HEADER) / (int64_t)sizeof(double) / file->columns;
}

enum status npy_open(const char *path, struct npy_file *file, struct error *error)
{
    *file = (struct npy_file){.path = memory_text(path, "a path", error)};
    if (!file->path)
        return STATUS_MEMORY;
    char header[HEADER + 1] = "";
    enum status status = input_open(file->path, &file->input, error);
    if (!status && file->input.size >= HEADER)
        status = input_read(&file->input, header, HEADER, 0, error);
    if (!status && !read_header(file, header))
        status = error_set(error, STATUS_INPUT, "%s: is not an array of rows of doubles", path);
    if (status)
        npy_abandon(file);
    return status;
}

enum status npy_read(const struct npy_file *file, int64_t row, double *values, struct error *error)
{
    return row >= 0 && row < file->rows
               ? input_read(&file->input, values, file->columns * (int64_t)sizeof *values,
                            row_place(file, row), error)
               : error_set(error, STATUS_INPUT, "%s: row %" PRId64 " is missing", file->path, row);
}
