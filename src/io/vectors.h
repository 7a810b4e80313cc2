/* Files of vectors, in several formats. Each column is a vector. */
#ifndef IO_VECTORS_H
#define IO_VECTORS_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct vector_format {
    /* *is: the file begins as files of this format do. Errors: STATUS_INPUT, STATUS_MEMORY. */
    enum status (*begins)(const char *path, bool *is, struct error *error);

    /* The number of vectors of n elements in the file. Errors: as above, also for other files, and
     * for a file found to be incomplete. */
    enum status (*columns)(const char *path, int64_t n, int64_t *columns, struct error *error);

    /* Read the rows first <= i < last of the vectors into B[columns][n]. The file must have
     * `columns` vectors. Other rows of B are unchanged; undefined on failure. Errors: as above,
     * also for an element that is no finite double. */
    enum status (*read)(const char *path, int64_t n, int64_t columns, int64_t first, int64_t last,
                        double *B, struct error *error);
};

/* A .npy file of NumPy ("NEP 1, a simple file format for NumPy arrays", versions 1.0 to 3.0): an
 * array of shape (n,), (n, columns) or (1, n), which is a vector where n > 1, in C's or in
 * Fortran's order, of real numbers of 4 or 8 bytes or integers of 1 to 8 bytes, with or without a
 * sign, in either order of bytes. All become doubles. */
extern const struct vector_format npy_vectors;

/* A Vec of PETSc (io/arrays/petsc.c), alone or after a Mat. */
extern const struct vector_format petsc_vectors;

/* Plain text, packed or not, as the program writes it (`solution = "txt"`): a line for each row,
 * with a number for each vector, decimal, separated by blanks. The exponent letter may be Fortran's
 * D or Q. Blank lines do not count. The first line that is not blank begins with a number, which
 * identifies the format; it also gives the number of vectors. */
extern const struct vector_format text_vectors;

#endif
