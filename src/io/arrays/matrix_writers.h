/* The formats of write_matrix.h, one a file. */
#ifndef IO_ARRAYS_MATRIX_WRITERS_H
#define IO_ARRAYS_MATRIX_WRITERS_H

#include "base/status.h"
#include "matrix/csr.h"

/* A, and both triangles of it, without the zeros on the diagonal that only a triangle must
 * store. */
struct expanded {
    const struct csr *A;
    struct csr full; /* by rows; for a format by columns its transpose: its rows are A's columns */
};

/* Write all of a file. Errors: STATUS_OUTPUT, STATUS_MEMORY; STATUS_CONFIG, where the format is too
 * small for the matrix. */
typedef enum status matrix_writer(const char *path, const struct expanded *from,
                                  struct error *error);
matrix_writer write_market, write_npz, write_petsc;          /* by rows */
matrix_writer write_matlab, write_boeing, write_boeing_full; /* by columns */

#endif
