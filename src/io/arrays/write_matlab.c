/* MAT-files of MATLAB, version 5, not packed ("MAT-File Format", The MathWorks): a header, and one
 * element, the sparse matrix A, by columns. It consists of elements, each with a tag, and at a
 * multiple of 8 bytes. */
#include "io/arrays/binary_output.h"
#include "io/arrays/matrix_writers.h"

#include <stdio.h>
#include <string.h>

enum { HEADER = 128, TEXT = 116, TAG = 8 };
enum { TYPE_I1 = 1, TYPE_I4 = 5, TYPE_U4 = 6, TYPE_F8 = 9, TYPE_MATRIX = 14 };
enum { CLASS_SPARSE = 5 };
enum { BEGINNING = 3 * TAG + 3 * 8 }; /* of the matrix: its tag, flags, sizes, and name */

static int64_t padded(int64_t bytes)
{
    return (bytes + TAG - 1) / TAG * TAG;
}

/* Of the matrix's element after its tag: the beginning, and the three arrays. */
static int64_t content_bytes(const struct csr *columns)
{
    return BEGINNING - TAG + 3 * TAG + padded(4 * columns->nnz) + padded(4 * (columns->n + 1)) +
           8 * columns->nnz;
}

static void put_tag(unsigned char *at, int type, int64_t bytes)
{
    binary_integer(at, (uint64_t)type, 4, false);
    binary_integer(at + 4, (uint64_t)bytes, 4, false);
}

static enum status write_header(struct binary_output *output, struct error *error)
{
    char header[HEADER + 1];
    snprintf(header, sizeof header, "%-*s", HEADER, "MATLAB 5.0 MAT-file, written by cgsolve");
    memcpy(header + TEXT, "\0\0\0\0\0\0\0\0\0\1IM", HEADER - TEXT);
    return binary_bytes(output, header, HEADER, error);
}

static enum status write_beginning(struct binary_output *output, const struct csr *columns,
                                   struct error *error)
{
    unsigned char bytes[BEGINNING] = {0};
    put_tag(bytes, TYPE_MATRIX, content_bytes(columns));
    put_tag(bytes + 8, TYPE_U4, 8);
    binary_integer(bytes + 16, CLASS_SPARSE, 4, false);
    binary_integer(bytes + 20, (uint64_t)(columns->nnz ? columns->nnz : 1), 4, false); /* nzmax */
    put_tag(bytes + 24, TYPE_I4, 8);
    binary_integer(bytes + 32, (uint64_t)columns->width, 4, false);
    binary_integer(bytes + 36, (uint64_t)columns->n, 4, false);
    put_tag(bytes + 40, 1 << 16 | TYPE_I1, 'A'); /* a short element has its content in the tag */
    return binary_bytes(output, bytes, BEGINNING, error);
}

static enum status write_array(struct binary_output *output, const struct csr *columns, int type,
                               binary_element *of, int64_t count, struct error *error)
{
    unsigned char tag[TAG];
    int size = type == TYPE_F8 ? 8 : 4;
    put_tag(tag, type, count * size);
    enum status status = binary_bytes(output, tag, TAG, error);
    if (!status)
        status = binary_array(output, columns, of, count, size, false, error);
    return status ? status
                  : binary_bytes(output, (const char[TAG]){0}, padded(count * size) - count * size,
                                 error);
}

static enum status write_content(struct binary_output *output, const struct csr *columns,
                                 struct error *error)
{
    enum status status = write_header(output, error);
    if (!status)
        status = write_beginning(output, columns, error);
    if (!status)
        status = write_array(output, columns, TYPE_I4, binary_column_of, columns->nnz, error);
    if (!status)
        status = write_array(output, columns, TYPE_I4, binary_offset_of, columns->n + 1, error);
    return status ? status
                  : write_array(output, columns, TYPE_F8, binary_value_of, columns->nnz, error);
}

enum status write_matlab(const char *path, const struct expanded *from, struct error *error)
{
    if (content_bytes(&from->full) > UINT32_MAX)
        return error_set(error, STATUS_CONFIG,
                         "%s: the matrix is too large for a MAT-file of version 5, which has less "
                         "than 4 GiB: .npz and .petsc take it",
                         path);
    return binary_write(path, write_content, &from->full, error);
}
