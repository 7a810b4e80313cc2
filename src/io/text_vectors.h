/* Vectors as plain text, packed or not, as the program writes them (`solution = "txt"`): a line
 * for each row, with a number for each vector, decimal, separated by blanks. The exponent letter
 * may be Fortran's D or Q. Blank lines do not count. */
#ifndef IO_TEXT_VECTORS_H
#define IO_TEXT_VECTORS_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* *is_text: whether the first line that is not blank begins with a number. Errors: STATUS_INPUT,
 * STATUS_MEMORY. */
enum status text_vectors_are_there(const char *path, bool *is_text, struct error *error);

/* How many numbers the first row has. Errors: as above. */
enum status text_vectors_columns(const char *path, int64_t *columns, struct error *error);

/* Read the rows first <= i < last of `columns` vectors of n elements. B[columns][n], whose other
 * rows are left as they are; undefined on failure. Errors: as above, STATUS_INPUT
 * also for other numbers of rows and columns, and for what is no number, not finite, or too
 * small. */
enum status text_vectors_read(const char *path, int64_t n, int64_t columns, int64_t first,
                              int64_t last, double *B, struct error *error);

#endif
