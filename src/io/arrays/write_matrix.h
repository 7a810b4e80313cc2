/* Files of matrices, written so that reading them gives every bit back. */
#ifndef IO_ARRAYS_WRITE_MATRIX_H
#define IO_ARRAYS_WRITE_MATRIX_H

#include "matrix/csr.h"

/* Write A in the format that the ending of the name says:
 *
 *     .mtx    Matrix Market, coordinate, numbers with 17 significant digits; a triangle is
 *             "symmetric" or "skew-symmetric"
 *     .npz    as scipy.sparse.save_npz does with compressed=False: csr, both triangles
 *     .petsc  as MatView of PETSc does in binary form: AIJ, both triangles; for a PETSc with 64-bit
 *             indices where the entries are more than INT32_MAX
 *     .mat    as `save -v6` of MATLAB does: version 5, not packed, the sparse matrix A, both
 *             triangles; less than 4 GiB
 *     .rb     Rutherford-Boeing, numbers with 17 significant digits; a triangle is rsa or rza, by
 *             its lower one; another matrix is rua, or rra where it is rectangular
 *     .rua    the same, but rua, both triangles, of any matrix: scipy.io.hb_read reads no other
 *
 * A triangle's diagonal entries that are +0 are left out: it has them all, the file or not. The
 * file is called PATH.partial until it is complete. Memory: that of csr_expand; twice that for the
 * last three, where A is general. Errors: STATUS_CONFIG (another ending, a matrix too large for the
 * format), STATUS_OUTPUT, STATUS_MEMORY. */
enum status matrix_write(const char *path, const struct csr *A, struct error *error);

#endif
