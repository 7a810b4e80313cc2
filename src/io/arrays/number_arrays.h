/* Arrays of binary numbers in a file: the slots of a format that has them. */
#ifndef IO_ARRAYS_NUMBER_ARRAYS_H
#define IO_ARRAYS_NUMBER_ARRAYS_H

#include "io/arrays/matrix_arrays.h"
#include "io/npy_header.h"

struct number_array {
    const char *name; /* of a member of an archive, or NULL */
    struct byte_part part;
    int64_t header; /* bytes of the part before the first number */
    struct number_type type;
    struct byte_stream bytes;
};

struct number_arrays { /* what `data` is */
    struct input_file input;
    struct number_array array[ARRAYS];
    unsigned char bytes[ARRAYS_PIECE * sizeof(double)];
};

extern const struct arrays_format number_arrays_format;

/* Sets format and data, and opens the file. Errors: STATUS_INPUT, STATUS_MEMORY. */
enum status number_arrays_open(struct matrix_arrays *file, struct error *error);

#endif
