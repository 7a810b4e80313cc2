/* Headers of NumPy arrays ("NEP 1, a simple file format for NumPy arrays", versions 1.0 to 3.0),
 * and numbers in binary files. */
#ifndef IO_NPY_HEADER_H
#define IO_NPY_HEADER_H

#include "io/byte_stream.h"

struct number_type {
    char kind;   /* 'f': real; 'i', 'u': integer, with a sign or without */
    int size;    /* bytes: 4 or 8, of an integer 1 to 8 too */
    bool turned; /* the most significant byte comes first */
};

struct npy_header {
    struct number_type type;
    bool fortran;          /* column after column; else row after row */
    int64_t rows, columns; /* of one dimension: 1 column */
};

/* Read the header. Afterwards the stream is at the first element, and has the bytes of all
 * elements. name: of the array, in the error. Errors: STATUS_INPUT, also for an array of anything
 * but numbers, or of more dimensions; those of byte_stream_read. */
enum status npy_header_read(struct byte_stream *bytes, const char *name, struct npy_header *header,
                            struct error *error);

enum { NPY_HEADER = 128 };

/* A header of version 1.0. type: "<f8"; shape: "3,", "3, 4", "" of no dimension. */
void npy_header_make(char header[NPY_HEADER], const char *type, bool fortran, const char *shape);

/* The number of these bytes; *exact: the double is equal to it. */
double number_real(const struct number_type *type, const unsigned char *bytes, bool *exact);

/* The same for an integer; *exact: it fits into int64_t. */
int64_t number_integer(const struct number_type *type, const unsigned char *bytes, bool *exact);

#endif
