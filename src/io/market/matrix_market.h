/* Matrix Market files (Boisvert, Pozo, Remington 1996, NISTIR 5935), plain or packed, read strictly
 * and in parallel. The result is exactly the file's matrix, or a message with file, line and fault,
 * the first fault of the file.
 *
 * Read: coordinate (real, integer, pattern) and array (real, integer) files, symmetric,
 * skew-symmetric or general. Numbers are decimal and correctly rounded, with any count of digits;
 * "double" in the banner is taken as "real", and "hermitian" as "symmetric", because the values are
 * real. The first bytes tell a packed file, not the name. Beyond the standard, lines may end with
 * LF, CR or CR LF, comments and blank lines may stand anywhere after the banner, blank lines,
 * blanks and a byte order mark of UTF-8 before it, and the exponent letter may be Fortran's D or Q.
 * One entry stands on one line. Refused, among others: complex files, rectangular matrices (except
 * as CSR_GENERAL), n = 0 or above INT32_MAX, nan, inf and numbers that round to inf, nonzero
 * numbers that round to 0, more or fewer entries than announced, a value other than 0 on a
 * skew-symmetric diagonal, (i,j) together with (j,i) in a symmetric or skew-symmetric file.
 *
 * The same functions read files of other programs (io/arrays/matrix_arrays.h), as strictly, with
 * one thread; the content tells the format. The message has the place of an entry instead of a
 * line. Each rank reads all of such a file.
 *
 * matrix_market.c reads the header (header.h), then the entries (entries.h), and makes rows of them
 * (assemble.h); of a general file it joins the two triangles (symmetry.h).
 *
 * The result and the message are the same for any number of threads. A file that changes while it
 * is read is refused (io/input_file.h). */
#ifndef IO_MARKET_MATRIX_MARKET_H
#define IO_MARKET_MATRIX_MARKET_H

#include "base/exchange.h"
#include "base/status.h"
#include "io/vectors.h"
#include "matrix/csr.h"

#include <stdint.h>

/* Statistics of the file, for the report. */
struct matrix_market_report {
    int64_t entries;        /* entry lines in the file */
    int64_t duplicates;     /* repeated positions; their values were added in file order */
    double asymmetry;       /* of a general file: the largest (io/market/symmetry.h) that was
                               accepted and replaced by the mean; 0 else */
    int64_t averaged_pairs; /* the number of pairs */
    const char *symmetry; /* "symmetric", "skew-symmetric", "general": what the banner was taken as;
                             static */
    const char *field;    /* "real", "integer", "pattern" (values 1); static */
};

/* The entries of the upper triangle that a rank wants: the rows first <= i < end, and in other rows
 * the columns first <= j < last. first <= last <= end; its own rows are those below last. */
struct matrix_market_part {
    int64_t first, last, end;
};

/* Ranks that read a file together. */
struct matrix_market_ranks {
    struct exchange *exchange;
    /* [exchange->count]: the parts of all ranks, the same in all. The own rows of a rank follow
     * those of the previous rank, and together they are all n. */
    struct matrix_market_part *parts;
    struct reading_state *states; /* [exchange->count]: where they meet */
};

/* The caller sets the parts, and calls matrix_market_ranks_free, also after an error. Errors:
 * STATUS_MEMORY. */
enum status matrix_market_ranks_create(struct exchange *exchange, struct matrix_market_ranks *ranks,
                                       struct error *error);
/* The same, and sets the parts. The ranks' own rows begin at begin[0 ... count], in a matrix of
 * that shape. A part has the own rows, and the following rows of the last block of the matrix's
 * hash that begins in them (matrix/implicit_rows.h). */
enum status matrix_market_ranks_divide(struct exchange *exchange, const struct csr *shape,
                                       const int64_t *begin, struct matrix_market_ranks *ranks,
                                       struct error *error);
void matrix_market_ranks_free(struct matrix_market_ranks *ranks); /* accepts a zeroed one */

/* Read a matrix. `kind` says what a general file becomes:
 *
 *     CSR_SYMMETRIC  its mean with its transpose. No pair may be worse than `asymmetry`
 *                    (io/market/symmetry.h), 0: the file must be exactly symmetric.
 *     CSR_SKEW       a file that is exactly skew-symmetric: a_ij = -a_ji for every pair, and 0 on
 *                    the diagonal, stored or not. Its values are then those of the same matrix in
 *                    a skew-symmetric file, but for the sign of a stored 0.
 *     CSR_GENERAL    what it is, for products alone, rectangular or not, without entries that it
 *                    lacks. But a file that is symmetric or skew-symmetric in fact
 *                    (matrix/symmetry.h) becomes that triangle, which every kernel takes.
 *
 * A symmetric or skew-symmetric file becomes upper CSR of kind CSR_SYMMETRIC or CSR_SKEW. Its
 * entries may be in the lower triangle, the upper triangle, or both. Zeros in the file are stored.
 * A missing diagonal entry is stored as 0.
 *
 * ranks: NULL, or ranks that each want a part; kind is then CSR_SYMMETRIC or CSR_SKEW. A rank gets
 * the entries of its part; other rows have only a diagonal entry 0. All ranks call the function,
 * and each parses a part of the lines. The caller compares their files (io/same_file.h). *report
 * has the duplicates and averaged pairs of the own rows, and the asymmetry of what is kept. If the
 * file has a fault, one rank reads all of it to describe the fault; the others get STATUS_OK or
 * STATUS_RANK.
 *
 * Memory in use while reading: at most 2.0 times the result, 3.4 times for a general file, 2.5
 * times for one that stays general, and tens of megabytes for what is parsed or unpacked. For ranks
 * the same of what is kept, and 20 bytes for each row of others; before that, 32 bytes for each
 * entry that is parsed or kept. A rank that describes a fault takes the memory of the whole file.
 *
 * On failure A is all zero. report may be NULL. The caller owns A. Errors: STATUS_INPUT
 * ("FILE:LINE: ..."), STATUS_MEMORY; of ranks STATUS_RANK. */
enum status matrix_market_read(const char *path, enum csr_kind kind, double asymmetry,
                               const struct matrix_market_ranks *ranks, struct csr *A,
                               struct matrix_market_report *report, struct error *error);

/* The shape of the matrix that matrix_market_read makes, from the first lines: kind, n, width, and
 * nnz = n, the least number of entries; no arrays. Errors: as above. */
enum status matrix_market_shape(const char *path, struct csr *shape, struct error *error);

/* Vectors: an array or coordinate file, real or integer or pattern, general, n x columns, or 1 x n,
 * which is one vector. Entries missing in a coordinate file are 0, repeated entries are added in
 * file order. The slot `begins` is NULL: a file of no other format is taken as Matrix Market, and
 * its first lines give the message. */
extern const struct vector_format market_vectors;

#endif
