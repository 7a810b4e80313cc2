/* What the header of a NumPy array says ("NEP 1, a simple file format for NumPy arrays", versions
 * 1.0 to 3.0), and numbers in the binary form of a file. */
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

/* Read the header; the stream is left at the first element, and has bytes for all of them. name: of
 * the array, in the error. Errors: STATUS_INPUT, also for an array of anything but numbers, or of
 * more dimensions; those of byte_stream_read. */
enum status npy_header_read(struct byte_stream *bytes, const char *name, struct npy_header *header,
                            struct error *error);

enum { NPY_HEADER = 128 };

/* A header of version 1.0. type: "<f8"; shape: "3,", "3, 4", "" of no dimension. */
void npy_header_make(char header[NPY_HEADER], const char *type, bool fortran, const char *shape);

/* The number whose bytes these are; *exact: the double is what it says. */
double number_real(const struct number_type *type, const unsigned char *bytes, bool *exact);

/* The same of an integer; *exact: no int64_t is above it. */
int64_t number_integer(const struct number_type *type, const unsigned char *bytes, bool *exact);

#endif
