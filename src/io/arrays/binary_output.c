#include "io/arrays/binary_output.h"

#include "base/memory.h"
#include "io/partial_file.h"

#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum status binary_write(const char *path, binary_writer *write, const struct csr *A,
                         struct error *error)
{
    struct binary_output output = {.partial = partial_name(path, error)};
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

enum status binary_bytes(struct binary_output *output, const void *bytes, int64_t count,
                         struct error *error)
{
    output->at += count;
    output->crc = (uint32_t)crc32_z(output->crc, bytes, (size_t)count);
    return partial_write(output->descriptor, output->partial, bytes, count, output->at - count,
                         error);
}

void binary_integer(unsigned char *bytes, uint64_t value, int size, bool turned)
{
    for (int k = 0; k < size; k++)
        bytes[turned ? size - 1 - k : k] = (unsigned char)(value >> 8 * k);
}

uint64_t binary_offset_of(const struct csr *A, int64_t k)
{
    return (uint64_t)A->offsets[k];
}

uint64_t binary_length_of(const struct csr *A, int64_t k)
{
    return (uint64_t)(A->offsets[k + 1] - A->offsets[k]);
}

uint64_t binary_column_of(const struct csr *A, int64_t k)
{
    return (uint64_t)A->columns[k];
}

uint64_t binary_value_of(const struct csr *A, int64_t k)
{
    uint64_t bits;
    memcpy(&bits, &A->values[k], sizeof bits);
    return bits;
}

enum status binary_array(struct binary_output *output, const struct csr *A, binary_element *of,
                         int64_t count, int size, bool turned, struct error *error)
{
    enum { PIECE = 1 << 13 };
    unsigned char bytes[PIECE * sizeof(uint64_t)];
    enum status status = STATUS_OK;
    for (int64_t begin = 0; begin < count && !status; begin += PIECE) {
        int64_t piece = count - begin < PIECE ? count - begin : PIECE;
        for (int64_t k = 0; k < piece; k++)
            binary_integer(bytes + k * size, of(A, begin + k), size, turned);
        status = binary_bytes(output, bytes, piece * size, error);
    }
    return status;
}

int binary_index_size(const struct csr *A)
{
    return A->nnz > INT32_MAX ? 8 : 4;
}
