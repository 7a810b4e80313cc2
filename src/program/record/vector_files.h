/* The vectors that a run writes, in a file of their own: WHAT-LABEL-RUN.EXTENSION, in the problem's
 * own numbering.
 *
 *     eigenvectors-LABEL-RUN.npy   of Lanczos: a matrix n x count whose column k is eigenvector k,
 *                                  from 0 by ascending eigenvalue, of norm 1, in Fortran's order
 *                                  (io/npy_file.h)
 *     solution-LABEL-RUN.npy       x of another method: an array of shape (n,)
 *     solution-LABEL-RUN.mtx       a Matrix Market array, real general, n x 1
 *     solution-LABEL-RUN.txt       a number a line
 *
 * Of several right-hand sides a solution is X: an array of shape (n, columns) in Fortran's order, a
 * Matrix Market array n x columns, `columns` numbers a line.
 *
 * A .npy has every bit. In the texts a finite number has 17 significant digits: a reader that
 * rounds correctly gets its bits. The others are nan, without its sign, inf and -inf; Matrix Market
 * has no word for them, so market_vectors refuses such a file. In LABEL every byte of
 * the kernel's label but letters, digits and . _ = - is % and two hexadecimal digits; where that is
 * longer than 150 bytes, it is the label's hash (base/hash.h, a byte a word) with 16 of them. */
#ifndef PROGRAM_RECORD_VECTOR_FILES_H
#define PROGRAM_RECORD_VECTOR_FILES_H

#include "base/observer.h"
#include "base/status.h"
#include "io/npy_file.h"
#include "io/text_file.h"
#include "program/config/settings.h"

#include <stdbool.h>
#include <stdint.h>

enum { VECTOR_FILE_NAME = 200 };

/* "WHAT-LABEL-RUN.EXTENSION"; what and extension as above. */
const char *vector_file_name(char name[VECTOR_FILE_NAME], const char *what, const char *label,
                             int64_t run, const char *extension);

/* Whether a name, without directory, is that of such a file, or of one on the way. */
bool vector_file_is_named(const char *name);

/* An EVENT_EIGENVECTOR; with the first of a run *file, zeroed, is begun. The caller calls
 * npy_finish at the end of the run, or npy_abandon. Errors: STATUS_OUTPUT, STATUS_MEMORY. */
enum status eigenvector_file_take(struct npy_file *file, const char *directory,
                                  const struct event *vector, int64_t n, struct error *error);

/* A solution, in a file of any name. */
struct solution_file {
    enum solution_format format;
    int64_t n, columns;
    struct npy_file npy;   /* of SOLUTION_NPY */
    struct text_file text; /* of the others */
};

/* format is not SOLUTION_NONE. On failure *file holds nothing. Errors: STATUS_OUTPUT,
 * STATUS_MEMORY. */
enum status solution_file_begin(const char *path, enum solution_format format, int64_t n,
                                int64_t columns, struct solution_file *file, struct error *error);

/* Write a piece of it, an EVENT_SOLUTION. With the last one the file gets its name, and *file is
 * freed, as after an error. Errors: as above. */
enum status solution_file_piece(struct solution_file *file, const struct event *piece,
                                struct error *error);

/* Free *file and leave PATH.partial. Accepts a zeroed one. */
void solution_file_abandon(struct solution_file *file);

/* The same in the file of its run in that directory, which the first piece begins; *file is zeroed
 * before. Errors: as above. */
enum status solution_file_take(struct solution_file *file, const char *directory,
                               enum solution_format format, const struct event *piece, int64_t n,
                               int64_t columns, struct error *error);

#endif
