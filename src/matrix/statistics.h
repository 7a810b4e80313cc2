/* Statistics of the shape of a matrix that decide the speed of products. */
#ifndef MATRIX_STATISTICS_H
#define MATRIX_STATISTICS_H

#include "matrix/csr.h"
#include "matrix/symmetry.h"

/* A row of fewer entries leaves threads of a warp idle. */
enum { CSR_LENGTH_CLASSES = 11, CSR_WARP_ROW = 32 };

/* l_1 ... l_n are the row lengths of the full matrix: mirrored entries of a triangle count, and
 * stored zeros too, except on the diagonal of a triangle (csr_entries). */
struct csr_statistics {
    int64_t n, width;
    int64_t entries;  /* sum l_i = csr_entries */
    double mean;      /* m = sum l_i / n */
    double deviation; /* s = sqrt(sum (l_i - m)^2 / n) */
    double variation; /* s / m; 0 where m is 0 */
    double skewness;  /* (sum (l_i - m)^3 / n) / s^3; 0 where s is 0 */
    int64_t shortest, longest;
    int64_t empty;      /* rows without an entry */
    int64_t below_warp; /* rows of fewer than CSR_WARP_ROW, those among them */
    int64_t
        lengths[CSR_LENGTH_CLASSES]; /* rows of length 0; 1 to 9; 10 to 99; ...; 10^9 and more */
    struct csr_symmetry symmetry;
    int64_t bandwidth; /* the largest |i - j| of an entry */
    int64_t
        rcm_bandwidth; /* the same in the numbering of matrix/rcm.h, of the graph of A + A' where A
                          is general; -1 for a rectangular matrix, which has none */
};

/* lengths[n] of the rows of the full matrix. */
void csr_row_lengths(const struct csr *A, int64_t *lengths);

/* Errors: STATUS_MEMORY. */
enum status csr_statistics(const struct csr *A, struct csr_statistics *statistics,
                           struct error *error);

/* "0", "1-9", "10-99", ... */
const char *csr_length_class(int k, char text[48]);

#endif
