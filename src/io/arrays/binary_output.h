/* Binary files that are being written: bytes, integers, and the arrays of a matrix. */
#ifndef IO_ARRAYS_BINARY_OUTPUT_H
#define IO_ARRAYS_BINARY_OUTPUT_H

#include "base/status.h"
#include "matrix/csr.h"

#include <stdbool.h>
#include <stdint.h>

struct binary_output {
    char *partial;
    int descriptor;
    int64_t at;   /* where the next bytes go */
    uint32_t crc; /* of what was written since it was 0 */
};

/* Writes all of a file. Errors: STATUS_OUTPUT. */
typedef enum status binary_writer(struct binary_output *output, const struct csr *A,
                                  struct error *error);

/* The file PATH, called PATH.partial until it is complete. Errors: STATUS_OUTPUT, STATUS_MEMORY. */
enum status binary_write(const char *path, binary_writer *write, const struct csr *A,
                         struct error *error);

enum status binary_bytes(struct binary_output *output, const void *bytes, int64_t count,
                         struct error *error);

/* bytes[size] = the integer, with the least significant byte first, or turned. */
void binary_integer(unsigned char *bytes, uint64_t value, int size, bool turned);

/* The arrays of a matrix in rows: the bits of element k. */
typedef uint64_t binary_element(const struct csr *A, int64_t k);
binary_element binary_offset_of, binary_length_of, binary_column_of, binary_value_of;

/* Elements 0 <= k < count of an array, each in `size` bytes. */
enum status binary_array(struct binary_output *output, const struct csr *A, binary_element *of,
                         int64_t count, int size, bool turned, struct error *error);

/* Bytes of an index, in files where all indices have the same. */
int binary_index_size(const struct csr *A);

#endif
