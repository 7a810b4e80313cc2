/* Matrix Market files (Boisvert, Pozo, Remington 1996, NISTIR 5935), plain or gzipped, read strictly
 * and in parallel: what comes back is what the file says, or a message that names file, line and
 * fault. Nothing is ever read as something else. */
#ifndef IO_MATRIX_MARKET_H
#define IO_MATRIX_MARKET_H

#include "cgsolve/csr.h"
#include "cgsolve/status.h"

#include <stdint.h>

/* What was met on the way, for the report. */
struct matrix_market_report {
    int64_t entries;          /* entry lines in the file */
    int64_t duplicates;       /* positions met again; their values were added in file order */
    double asymmetry;         /* of a general file: the largest |a_ij - a_ji| / max(|a_ij|, |a_ji|)
                                 that was accepted and replaced by the mean; 0 else */
    int64_t averaged_pairs;   /* how many pairs that was */
    const char *symmetry;     /* "symmetric", "skew-symmetric", "general", as in the banner; static */
    const char *field;        /* "real", "integer", "pattern" (values 1), ... ; static */
};

/* Read a square matrix as upper CSR: kind CSR_SYMMETRIC, or CSR_SKEW from a skew-symmetric file.
 * A general file is taken when it is symmetric: every pair within `asymmetry`, relative.
 * report may be NULL. The caller owns A.
 * Errors: STATUS_INPUT ("FILE:LINE: ..."), STATUS_MEMORY. */
enum status matrix_market_read(const char *path, double asymmetry, struct csr *A,
                               struct matrix_market_report *report, struct error *error);

/* Read a vector of exactly n entries: an n x 1 (or 1 x n) array, or coordinate file, real or integer
 * or pattern, general. b[n]. Errors: STATUS_INPUT, STATUS_MEMORY. */
enum status matrix_market_read_vector(const char *path, int64_t n, double *b, struct error *error);

#endif
