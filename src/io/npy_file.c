#include "io/npy_file.h"

#include "base/memory.h"
#include "io/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the values are written as they are in memory, and the header says '<f8'"
#endif

enum { HEADER = 128, MAGIC = 10 };

static const char magic[MAGIC] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, HEADER - MAGIC, 0};
static const char dictionary[] =
    "{'descr': '<f8', 'fortran_order': %s, 'shape': (%" PRId64 ", %" PRId64 "), }";

static void release(struct npy_file *file)
{
    memory_free(file->path);
    memory_free(file->partial);
    *file = (struct npy_file){0};
}

static enum status write_at(const struct npy_file *file, const char *bytes, int64_t length,
                            int64_t at, struct error *error)
{
    while (length > 0) {
        ssize_t written = pwrite(file->descriptor, bytes, (size_t)length, (off_t)at);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return error_set(error, STATUS_OUTPUT, "%s: cannot write: %s", file->partial,
                             strerror(errno));
        bytes += written;
        length -= written;
        at += written;
    }
    return STATUS_OK;
}

static enum status write_header(const struct npy_file *file, struct error *error)
{
    char header[HEADER + 1];
    memcpy(header, magic, sizeof magic);
    bool transposed = file->transposed;
    int length =
        snprintf(header + MAGIC, sizeof header - MAGIC, dictionary, transposed ? "True" : "False",
                 transposed ? file->columns : file->rows, transposed ? file->rows : file->columns);
    memset(header + MAGIC + length, ' ', (size_t)(HEADER - MAGIC - length));
    header[HEADER - 1] = '\n';
    return write_at(file, header, HEADER, 0, error);
}

enum status npy_begin(const char *directory, const char *name, int64_t columns, bool transposed,
                      struct npy_file *file, struct error *error)
{
    char partial[300]; /* no system takes a longer name */
    snprintf(partial, sizeof partial, "%s.partial", name);
    *file = (struct npy_file){
        .path = path_join(directory, name, error), .columns = columns, .transposed = transposed};
    if (file->path)
        file->partial = path_join(directory, partial, error);
    enum status status = file->partial ? STATUS_OK : STATUS_MEMORY;
    if (!status) {
        file->descriptor = open(file->partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (file->descriptor < 0)
            status = error_set(error, STATUS_OUTPUT, "%s: cannot write: %s", file->partial,
                               strerror(errno));
    }
    if (status) {
        release(file);
        return status;
    }
    status = write_header(file, error);
    if (status)
        npy_abandon(file);
    return status;
}

/* -1 where no file is that long: the shape is the header's, and the row is somebody else's. */
static int64_t row_place(const struct npy_file *file, int64_t row)
{
    int64_t place;
    return __builtin_mul_overflow(row, file->columns * (int64_t)sizeof(double), &place) ||
                   __builtin_add_overflow(place, HEADER, &place)
               ? -1
               : place;
}

/* First the row, then the header that counts it. */
enum status npy_append(struct npy_file *file, const double *row, struct error *error)
{
    enum status status = write_at(file, (const char *)row, file->columns * (int64_t)sizeof *row,
                                  row_place(file, file->rows), error);
    file->rows += !status;
    return status ? status : write_header(file, error);
}

enum status npy_finish(struct npy_file *file, struct error *error)
{
    enum status status = STATUS_OK;
    if (close(file->descriptor) != 0)
        status =
            error_set(error, STATUS_OUTPUT, "%s: cannot write: %s", file->partial, strerror(errno));
    else if (rename(file->partial, file->path) != 0)
        status = error_set(error, STATUS_OUTPUT, "%s: cannot rename %s to it: %s", file->path,
                           file->partial, strerror(errno));
    release(file);
    return status;
}

void npy_abandon(struct npy_file *file)
{
    if (!file->path)
        return;
    close(file->descriptor);
    release(file);
}

enum status npy_open(const char *path, struct npy_file *file, struct error *error)
{
    *file = (struct npy_file){.path = memory_text(path, "a path", error)};
    if (!file->path)
        return STATUS_MEMORY;
    char header[HEADER + 1] = "";
    file->descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (file->descriptor < 0) {
        enum status status =
            error_set(error, STATUS_INPUT, "%s: cannot read: %s", path, strerror(errno));
        release(file);
        return status;
    }
    int end = 0;
    bool whole =
        pread(file->descriptor, header, HEADER, 0) == HEADER &&
        memcmp(header, magic, sizeof magic) == 0 &&
        sscanf(header + MAGIC,
               "{'descr': '<f8', 'fortran_order': False, 'shape': (%" SCNd64 ", %" SCNd64 "), }%n",
               &file->rows, &file->columns, &end) == 2 &&
        end > 0 && file->rows >= 0 && file->columns >= 1;
    if (whole)
        return STATUS_OK;
    npy_abandon(file);
    return error_set(error, STATUS_INPUT, "%s: is not an array of a trace", path);
}

enum status npy_read(const struct npy_file *file, int64_t row, double *values, struct error *error)
{
    int64_t length = file->columns * (int64_t)sizeof *values, at = row_place(file, row);
    char *bytes = (char *)values;
    while (length > 0 && row >= 0 && row < file->rows && at >= 0) {
        ssize_t got = pread(file->descriptor, bytes, (size_t)length, (off_t)at);
        if (got <= 0)
            break;
        bytes += got;
        length -= got;
        at += got;
    }
    return length == 0
               ? STATUS_OK
               : error_set(error, STATUS_INPUT, "%s: row %" PRId64 " is missing", file->path, row);
}
