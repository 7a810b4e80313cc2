/* Archives as scipy.sparse.save_npz writes them with compressed=False: csr. */
#include "io/arrays/binary_output.h"
#include "io/arrays/matrix_writers.h"
#include "io/npy_header.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MEMBERS = 5, CENTRAL = 46, LOCAL = 30, EXTRA = 28, END = 98 };

/* Sizes stand in an extra field of 64 bits. */
struct member {
    const char *name;
    char type[8], shape[32];
    int64_t begin, size;
    uint32_t crc;
};

/* The common fields of a member's local header and its directory entry, from the version on. */
static void put_common(unsigned char *at, const struct member *member, int extra)
{
    enum { VERSION = 45, DATE = 0x21 }; /* 64 bits; 1980-01-01 */
    binary_integer(at, VERSION, 2, false);
    binary_integer(at + 8, DATE, 2, false);
    binary_integer(at + 10, member->crc, 4, false);
    binary_integer(at + 14, UINT32_MAX, 4, false);
    binary_integer(at + 18, UINT32_MAX, 4, false);
    binary_integer(at + 22, strlen(member->name), 2, false);
    binary_integer(at + 24, (uint64_t)extra, 2, false);
}

static void put_extra(unsigned char *at, const struct member *member, int extra)
{
    binary_integer(at, 1, 2, false);
    binary_integer(at + 2, (uint64_t)extra - 4, 2, false);
    binary_integer(at + 4, (uint64_t)member->size, 8, false);
    binary_integer(at + 12, (uint64_t)member->size, 8, false);
    if (extra == EXTRA)
        binary_integer(at + 20, (uint64_t)member->begin, 8, false);
}

static enum status write_local(struct binary_output *output, const struct member *member,
                               struct error *error)
{
    unsigned char bytes[LOCAL + 16 + EXTRA] = "PK\3\4";
    int extra = EXTRA - 8;
    size_t name = strlen(member->name);
    put_common(bytes + 4, member, extra);
    memcpy(bytes + LOCAL, member->name, name);
    put_extra(bytes + LOCAL + name, member, extra);
    return binary_bytes(output, bytes, (int64_t)(LOCAL + name) + extra, error);
}

static enum status write_central(struct binary_output *output, const struct member *member,
                                 struct error *error)
{
    unsigned char bytes[CENTRAL + 16 + EXTRA] = "PK\1\2";
    size_t name = strlen(member->name);
    binary_integer(bytes + 4, 45, 2, false);
    put_common(bytes + 6, member, EXTRA);
    binary_integer(bytes + 42, UINT32_MAX, 4, false);
    memcpy(bytes + CENTRAL, member->name, name);
    put_extra(bytes + CENTRAL + name, member, EXTRA);
    return binary_bytes(output, bytes, (int64_t)(CENTRAL + name) + EXTRA, error);
}

/* The end records: the one of 64 bits, its locator, and the one of all archives. */
static enum status write_end(struct binary_output *output, int64_t begin, struct error *error)
{
    unsigned char bytes[END] = "PK\6\6", *locator = bytes + 56, *end = locator + 20;
    int64_t at = output->at;
    binary_integer(bytes + 4, 44, 8, false);
    binary_integer(bytes + 12, 45, 2, false);
    binary_integer(bytes + 14, 45, 2, false);
    binary_integer(bytes + 24, MEMBERS, 8, false);
    binary_integer(bytes + 32, MEMBERS, 8, false);
    binary_integer(bytes + 40, (uint64_t)(at - begin), 8, false);
    binary_integer(bytes + 48, (uint64_t)begin, 8, false);
    memcpy(locator, "PK\6\7", 4);
    binary_integer(locator + 8, (uint64_t)at, 8, false);
    binary_integer(locator + 16, 1, 4, false);
    memcpy(end, "PK\5\6", 4);
    binary_integer(end + 8, MEMBERS, 2, false);
    binary_integer(end + 10, MEMBERS, 2, false);
    binary_integer(end + 12, UINT32_MAX, 4, false);
    binary_integer(end + 16, UINT32_MAX, 4, false);
    return binary_bytes(output, bytes, END, error);
}

static enum status write_content(struct binary_output *output, const struct csr *A, int number,
                                 struct error *error)
{
    unsigned char shape[2 * sizeof(int64_t)];
    int size = binary_index_size(A);
    binary_integer(shape, (uint64_t)A->n, 8, false);
    binary_integer(shape + 8, (uint64_t)A->width, 8, false);
    switch (number) {
    case 0:
        return binary_array(output, A, binary_column_of, A->nnz, size, false, error);
    case 1:
        return binary_array(output, A, binary_offset_of, A->n + 1, size, false, error);
    case 2:
        return binary_bytes(output, "csr", 3, error);
    case 3:
        return binary_bytes(output, shape, sizeof shape, error);
    default:
        return binary_array(output, A, binary_value_of, A->nnz, 8, false, error);
    }
}

/* The header of a member needs its checksum and its size: it is written anew after the content. */
static enum status write_member(struct binary_output *output, const struct csr *A, int number,
                                struct member *member, struct error *error)
{
    char header[NPY_HEADER];
    npy_header_make(header, member->type, false, member->shape);
    member->begin = output->at;
    enum status status = write_local(output, member, error);
    int64_t begin = output->at;
    output->crc = 0;
    if (!status)
        status = binary_bytes(output, header, NPY_HEADER, error);
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

static enum status write_archive(struct binary_output *output, const struct csr *A,
                                 struct error *error)
{
    const char *type = binary_index_size(A) == 8 ? "<i8" : "<i4";
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

enum status write_npz(const char *path, const struct expanded *from, struct error *error)
{
    return binary_write(path, write_archive, &from->full, error);
}
