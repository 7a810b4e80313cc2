/* Rows of doubles as one array in the format of NumPy, version 1.0 ("NEP 1, a simple file format
 * for NumPy arrays"): 128 bytes of header, then rows[rows][columns], least significant byte first.
 * Its shape is that, or another with the same bytes (enum npy_shape). It is written as
 * NAME.partial, whose header always has the number of complete rows. */
#ifndef IO_NPY_FILE_H
#define IO_NPY_FILE_H

#include "base/status.h"
#include "io/input_file.h"

#include <stdint.h>

enum npy_shape {
    NPY_ROWS,    /* (rows, columns) */
    NPY_COLUMNS, /* (columns, rows), in Fortran order: each append is a column */
    NPY_VECTOR,  /* (rows columns,): each append is a piece */
};

struct npy_file {
    char *path, *partial;
    int descriptor;          /* to write to */
    struct input_file input; /* to read from */
    int64_t rows, columns;
    enum npy_shape shape;
};

/* Begin DIRECTORY/NAME, or the path `name` where the directory is NULL, without rows. On failure
 * *file is zeroed. Errors: STATUS_OUTPUT, STATUS_MEMORY. */
enum status npy_begin(const char *directory, const char *name, int64_t columns,
                      enum npy_shape shape, struct npy_file *file, struct error *error);

/* Append row[columns], or `count` rows. */
enum status npy_append(struct npy_file *file, const double *row, struct error *error);
enum status npy_append_rows(struct npy_file *file, int64_t count, const double *rows,
                            struct error *error);

/* Give the file its name, and free *file. */
enum status npy_finish(struct npy_file *file, struct error *error);

/* Free *file and leave NAME.partial. Accepts a zeroed one. */
void npy_abandon(struct npy_file *file);

/* Open such a file, of NPY_ROWS, for reading. Other arrays and incomplete files are refused. The
 * caller calls npy_abandon. Errors: STATUS_INPUT, STATUS_MEMORY. */
enum status npy_open(const char *path, struct npy_file *file, struct error *error);

/* values[columns] = row `row`. Errors: STATUS_INPUT. */
enum status npy_read(const struct npy_file *file, int64_t row, double *values, struct error *error);

#endif
