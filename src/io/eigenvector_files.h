/* eigenvectors-LABEL-RUN.npy: what a run by Lanczos has found, a matrix n x count whose column k is eigenvector k, from
 * 0 by ascending eigenvalue, of norm 1, in the problem's own numbering, in Fortran's order (io/npy_file.h). In LABEL
 * every byte of the kernel's label but letters, digits and . _ = - is % and two hexadecimal digits; where that is
 * longer than 150 bytes, it is the label's hash (base/hash.h, a byte a word) with 16 of them. */
#ifndef IO_EIGENVECTOR_FILES_H
#define IO_EIGENVECTOR_FILES_H

#include "cgsolve/status.h"
#include "io/npy_file.h"

#include <stdbool.h>
#include <stdint.h>

enum { EIGENVECTOR_NAME = 200 };

const char *eigenvector_file_name(char name[EIGENVECTOR_NAME], const char *label, int64_t run);

/* Whether a name, without directory, is that of such a file, or of one on the way. */
bool eigenvector_file_is_named(const char *name);

/* Eigenvector k of a run, v[n]; with k = 0 *file, zeroed, is begun. The caller calls npy_finish at the end of the run, or
 * npy_abandon. Errors: STATUS_OUTPUT, STATUS_MEMORY. */
enum status eigenvector_file_take(struct npy_file *file, const char *directory, const char *label,
                                  int64_t run, int64_t k, const double *v, int64_t n,
                                  struct error *error);

/* Take those of an earlier study out of the directory. Errors: STATUS_OUTPUT, STATUS_MEMORY. */
enum status eigenvector_files_remove(const char *directory, struct error *error);

#endif
