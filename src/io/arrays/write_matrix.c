#include "io/arrays/write_matrix.h"

#include "base/memory.h"
#include "io/npy_header.h"
#include "io/partial_file.h"
#include "io/text_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* A, and all that it stands for: rows of both triangles. */
struct expanded {
    const struct csr *A;
    struct csr full;
};

/* Without the zeros on the diagonal that only a triangle must store. */
static void drop_zeros(struct csr *full)
{
    int64_t to = 0, k = 0;
    for (int64_t i = 0; i < full->n; i++) {
        for (; k < full->offsets[i + 1]; k++) {
            if (full->columns[k] == i && full->values[k] == 0 && !signbit(full->values[k]))
                continue;
            full->columns[to] = full->columns[k];
            full->values[to++] = full->values[k];
        }
        full->offsets[i + 1] = to;
    }
    full->nnz = to;
}

/* --- Matrix Market ---------------------------------------------------------------------------- */

/* A triangle is written as the lower one. */
static bool is_written(const struct expanded *from, int64_t i, int64_t k)
{
    return from->A->kind == CSR_GENERAL || from->full.columns[k] <= i;
}

static enum status write_entries(const struct expanded *from, struct text_file *file,
                                 struct error *error)
{
    const struct csr *full = &from->full;
    enum status status = STATUS_OK;
    for (int64_t i = 0; i < full->n; i++)
        for (int64_t k = full->offsets[i]; k < full->offsets[i + 1] && !status; k++)
            if (is_written(from, i, k))
                status = text_file_line(file, error, "%" PRId64 " %d %.17g", i + 1,
                                        full->columns[k] + 1, full->values[k]);
    return status;
}

static enum status write_market(const char *path, const struct expanded *from, struct error *error)
{
    static const char *const symmetries[] = {
        [CSR_GENERAL] = "general", [CSR_SYMMETRIC] = "symmetric", [CSR_SKEW] = "skew-symmetric"};
    const struct csr *full = &from->full;
    struct text_file file;
    int64_t entries = 0;
    for (int64_t i = 0; i < full->n; i++)
        for (int64_t k = full->offsets[i]; k < full->offsets[i + 1]; k++)
            entries += is_written(from, i, k);
    enum status status = text_file_begin(NULL, path, &file, error);
    if (!status)
        status = text_file_line(&file, error,
                                "%%%%MatrixMarket matrix coordinate real %s\n%" PRId64 " %" PRId64
                                " %" PRId64,
                                symmetries[from->A->kind], full->n, full->width, entries);
    if (!status)
        status = write_entries(from, &file, error);
    if (!status)
        return text_file_finish(&file, error);
    text_file_abandon(&file);
    return status;
}

/* --- binary files ----------------------------------------------------------------------------- */

struct output {
    char *partial;
    int descriptor;
    int64_t at;
    uint32_t crc; /* of what was written since it was 0 */
};

static enum status write_bytes(struct output *output, const void *bytes, int64_t count,
                               struct error *error)
{
    output->at += count;
    output->crc = (uint32_t)crc32_z(output->crc, bytes, (size_t)count);
    return partial_write(output->descriptor, output->partial, bytes, count, output->at - count,
                         error);
}

/* The arrays of a matrix in rows: the bits of element k. */
typedef uint64_t element(const struct csr *A, int64_t k);

static uint64_t offset_of(const struct csr *A, int64_t k)
{
    return (uint64_t)A->offsets[k];
}

static uint64_t length_of(const struct csr *A, int64_t k)
{
    return (uint64_t)(A->offsets[k + 1] - A->offsets[k]);
}

static uint64_t column_of(const struct csr *A, int64_t k)
{
    return (uint64_t)A->columns[k];
}

static uint64_t value_of(const struct csr *A, int64_t k)
{
    uint64_t bits;
    memcpy(&bits, &A->values[k], sizeof bits);
    return bits;
}

/* The least significant byte first, or turned. */
static void put_integer(unsigned char *bytes, uint64_t value, int size, bool turned)
{
    for (int k = 0; k < size; k++)
        bytes[turned ? size - 1 - k : k] = (unsigned char)(value >> 8 * k);
}

static enum status write_array(struct output *output, const struct csr *A, element *of,
                               int64_t count, int size, bool turned, struct error *error)
{
    enum { PIECE = 1 << 13 };
    unsigned char bytes[PIECE * sizeof(uint64_t)];
    enum status status = STATUS_OK;
    for (int64_t begin = 0; begin < count && !status; begin += PIECE) {
        int64_t piece = count - begin < PIECE ? count - begin : PIECE;
        for (int64_t k = 0; k < piece; k++)
            put_integer(bytes + k * size, of(A, begin + k), size, turned);
        status = write_bytes(output, bytes, piece * size, error);
    }
    return status;
}

/* Of an index, in files where all have the same. */
static int index_size(const struct csr *A)
{
    return A->nnz > INT32_MAX ? 8 : 4;
}

/* --- PETSc ------------------------------------------------------------------------------------ */

static enum status write_petsc(struct output *output, const struct csr *A, struct error *error)
{
    enum { MAT = 1211216, COUNT = 4 };
    const int64_t header[COUNT] = {MAT, A->n, A->width, A->nnz};
    unsigned char bytes[COUNT * sizeof(int64_t)];
    int size = index_size(A);
    for (int k = 0; k < COUNT; k++)
        put_integer(bytes + k * size, (uint64_t)header[k], size, true);
    enum status status = write_bytes(output, bytes, COUNT * size, error);
    if (!status)
        status = write_array(output, A, length_of, A->n, size, true, error);
    if (!status)
        status = write_array(output, A, column_of, A->nnz, size, true, error);
    return status ? status : write_array(output, A, value_of, A->nnz, 8, true, error);
}

/* --- .npz ------------------------------------------------------------------------------------- */

enum { MEMBERS = 5, CENTRAL = 46, LOCAL = 30, EXTRA = 28, END = 98 };

/* Sizes stand in an extra field of 64 bits. */
struct member {
    const char *name;
    char type[8], shape[32];
    int64_t begin, size;
    uint32_t crc;
};

/* What a header of the file and one of the directory have alike, from the version on. */
static void put_common(unsigned char *at, const struct member *member, int extra)
{
    enum { VERSION = 45, DATE = 0x21 }; /* 64 bits; 1980-01-01 */
    put_integer(at, VERSION, 2, false);
    put_integer(at + 8, DATE, 2, false);
    put_integer(at + 10, member->crc, 4, false);
    put_integer(at + 14, UINT32_MAX, 4, false);
    put_integer(at + 18, UINT32_MAX, 4, false);
    put_integer(at + 22, strlen(member->name), 2, false);
    put_integer(at + 24, (uint64_t)extra, 2, false);
}

static void put_extra(unsigned char *at, const struct member *member, int extra)
{
    put_integer(at, 1, 2, false);
    put_integer(at + 2, (uint64_t)extra - 4, 2, false);
    put_integer(at + 4, (uint64_t)member->size, 8, false);
    put_integer(at + 12, (uint64_t)member->size, 8, false);
    if (extra == EXTRA)
        put_integer(at + 20, (uint64_t)member->begin, 8, false);
}

static enum status write_local(struct output *output, const struct member *member,
                               struct error *error)
{
    unsigned char bytes[LOCAL + 16 + EXTRA] = "PK\3\4";
    int extra = EXTRA - 8;
    size_t name = strlen(member->name);
    put_common(bytes + 4, member, extra);
    memcpy(bytes + LOCAL, member->name, name);
    put_extra(bytes + LOCAL + name, member, extra);
    return write_bytes(output, bytes, (int64_t)(LOCAL + name) + extra, error);
}

static enum status write_central(struct output *output, const struct member *member,
                                 struct error *error)
{
    unsigned char bytes[CENTRAL + 16 + EXTRA] = "PK\1\2";
    size_t name = strlen(member->name);
    put_integer(bytes + 4, 45, 2, false);
    put_common(bytes + 6, member, EXTRA);
    put_integer(bytes + 42, UINT32_MAX, 4, false);
    memcpy(bytes + CENTRAL, member->name, name);
    put_extra(bytes + CENTRAL + name, member, EXTRA);
    return write_bytes(output, bytes, (int64_t)(CENTRAL + name) + EXTRA, error);
}

/* The records at the end: with 64 bits, where that one is, and the one that all archives have. */
static enum status write_end(struct output *output, int64_t begin, struct error *error)
{
    unsigned char bytes[END] = "PK\6\6", *locator = bytes + 56, *end = locator + 20;
    int64_t at = output->at;
    put_integer(bytes + 4, 44, 8, false);
    put_integer(bytes + 12, 45, 2, false);
    put_integer(bytes + 14, 45, 2, false);
    put_integer(bytes + 24, MEMBERS, 8, false);
    put_integer(bytes + 32, MEMBERS, 8, false);
    put_integer(bytes + 40, (uint64_t)(at - begin), 8, false);
    put_integer(bytes + 48, (uint64_t)begin, 8, false);
    memcpy(locator, "PK\6\7", 4);
    put_integer(locator + 8, (uint64_t)at, 8, false);
    put_integer(locator + 16, 1, 4, false);
    memcpy(end, "PK\5\6", 4);
    put_integer(end + 8, MEMBERS, 2, false);
    put_integer(end + 10, MEMBERS, 2, false);
    put_integer(end + 12, UINT32_MAX, 4, false);
    put_integer(end + 16, UINT32_MAX, 4, false);
    return write_bytes(output, bytes, END, error);
}

static enum status write_content(struct output *output, const struct csr *A, int number,
                                 struct error *error)
{
    unsigned char shape[2 * sizeof(int64_t)];
    int size = index_size(A);
    put_integer(shape, (uint64_t)A->n, 8, false);
    put_integer(shape + 8, (uint64_t)A->width, 8, false);
    switch (number) {
    case 0:
        return write_array(output, A, column_of, A->nnz, size, false, error);
    case 1:
        return write_array(output, A, offset_of, A->n + 1, size, false, error);
    case 2:
        return write_bytes(output, "csr", 3, error);
    case 3:
        return write_bytes(output, shape, sizeof shape, error);
    default:
        return write_array(output, A, value_of, A->nnz, 8, false, error);
    }
}

/* The header of a member needs its checksum and its size: it is written anew after the content. */
static enum status write_member(struct output *output, const struct csr *A, int number,
                                struct member *member, struct error *error)
{
    char header[NPY_HEADER];
    npy_header_make(header, member->type, false, member->shape);
    member->begin = output->at;
    enum status status = write_local(output, member, error);
    int64_t begin = output->at;
    output->crc = 0;
    if (!status)
        status = write_bytes(output, header, NPY_HEADER, error);
    if (!status)
        status = write_content(output, A, number, error);
    int64_t end = output->at;
    member->size = end - begin;
    member->crc = output->crc;
    output->at = member->begin;
    if (!status)
        status = write_local(output, member, error);
    output->at = end;
    return status;
}

static enum status write_npz(struct output *output, const struct csr *A, struct error *error)
{
    const char *type = index_size(A) == 8 ? "<i8" : "<i4";
    struct member members[MEMBERS] = {{.name = "indices.npy"},
                                      {.name = "indptr.npy"},
                                      {.name = "format.npy", .type = "|S3"},
                                      {.name = "shape.npy", .type = "<i8"},
                                      {.name = "data.npy", .type = "<f8"}};
    const int64_t counts[MEMBERS] = {A->nnz, A->n + 1, 0, 2, A->nnz};
    enum status status = STATUS_OK;
    for (int m = 0; m < MEMBERS && !status; m++) {
        if (!members[m].type[0])
            snprintf(members[m].type, sizeof members[m].type, "%s", type);
        if (members[m].type[0] != '|')
            snprintf(members[m].shape, sizeof members[m].shape, "%" PRId64 ",", counts[m]);
        status = write_member(output, A, m, &members[m], error);
    }
    int64_t begin = output->at;
    for (int m = 0; m < MEMBERS && !status; m++)
        status = write_central(output, &members[m], error);
    return status ? status : write_end(output, begin, error);
}

/* --- all of it -------------------------------------------------------------------------------- */

typedef enum status writer(struct output *output, const struct csr *A, struct error *error);

static enum status write_binary(const char *path, writer *write, const struct csr *A,
                                struct error *error)
{
    struct output output = {.partial = partial_name(path, error)};
    if (!output.partial)
        return STATUS_MEMORY;
    enum status status = partial_begin(output.partial, &output.descriptor, error);
    bool is_open = !status;
    if (!status)
        status = write(&output, A, error);
    if (!status)
        status = partial_finish(output.descriptor, output.partial, path, error);
    else if (is_open)
        close(output.descriptor);
    memory_free(output.partial);
    return status;
}

static bool ends_with(const char *path, const char *ending)
{
    size_t length = strlen(path), least = strlen(ending);
    return length > least && strcmp(path + length - least, ending) == 0;
}

enum status matrix_write(const char *path, const struct csr *A, struct error *error)
{
    writer *write = ends_with(path, ".npz")     ? write_npz
                    : ends_with(path, ".petsc") ? write_petsc
                                                : NULL;
    struct expanded from = {.A = A};
    if (!write && !ends_with(path, ".mtx"))
        return error_set(error, STATUS_CONFIG, "%s: the name must end with .mtx, .npz or .petsc",
                         path);
    enum status status = csr_expand(A, &from.full, error);
    if (status)
        return status;
    if (A->kind != CSR_GENERAL)
        drop_zeros(&from.full);
    status =
        write ? write_binary(path, write, &from.full, error) : write_market(path, &from, error);
    csr_free(&from.full);
    return status;
}
