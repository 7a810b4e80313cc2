/* The vectors of a file, b or x_0: of NumPy (io/npy_vectors.h), plain numbers (io/text_vectors.h),
 * or of Matrix Market, as its first bytes tell. Each column is a vector. */
#ifndef PROBLEM_VECTOR_FILE_H
#define PROBLEM_VECTOR_FILE_H

#include "problem/rhs.h"

/* How many vectors of n elements it holds. Errors: STATUS_INPUT, STATUS_MEMORY. */
enum status vector_file_columns(const char *path, int64_t n, int64_t *columns, struct error *error);

/* Read a part of so many. B[columns][n], of which that part is undefined on failure. Errors: as
 * above. */
enum status vector_file_read(const char *path, int64_t n, const struct rhs_part *part, double *B,
                             struct error *error);

#endif
