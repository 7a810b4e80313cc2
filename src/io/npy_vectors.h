/* Vectors from a .npy file of NumPy ("NEP 1, a simple file format for NumPy arrays", versions 1.0
 * to 3.0): an array of shape (n,), (n, columns) or (1, n), in C's or in Fortran's order, of real
 * numbers of 4 or 8 bytes or integers of 1 to 8 bytes, with or without a sign, in either order of
 * bytes. All become doubles. */
#ifndef IO_NPY_VECTORS_H
#define IO_NPY_VECTORS_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* *is_npy: whether the file begins as one of NumPy does. Errors: STATUS_INPUT. */
enum status npy_vectors_are_there(const char *path, bool *is_npy, struct error *error);

/* How many vectors of n elements the file holds. Errors: STATUS_INPUT, also for any other array,
 * and for one that is not whole. A row alone is a vector where n > 1. */
enum status npy_vectors_columns(const char *path, int64_t n, int64_t *columns, struct error *error);

/* Read the rows first <= i < last of the vectors, of which there must be `columns`. B[columns][n],
 * whose other rows are left as they are; undefined on failure. Errors: as above; STATUS_INPUT for
 * an element that is not finite, or an integer that no double is; STATUS_MEMORY. */
enum status npy_vectors_read(const char *path, int64_t n, int64_t columns, int64_t first,
                             int64_t last, double *B, struct error *error);

#endif
