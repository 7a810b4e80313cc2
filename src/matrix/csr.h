/* The matrix of the whole program: compressed sparse rows, and of a symmetric or skew-symmetric
 * matrix only the upper triangle.
 *
 *     row i holds the entries  A[i][columns[k]] = values[k],  offsets[i] <= k < offsets[i+1]
 *
 * Symmetric and skew-symmetric (A = -A'): columns[k] >= i, the diagonal entry comes first in each
 * row and is stored even when it is zero (for skew-symmetric it must be), columns increase
 * strictly. The lower entry is A[j][i] = A[i][j], or -A[i][j]. General (products and benchmarks
 * only, and the expanded form inside full-storage kernels): every entry of the row, columns
 * increase strictly, the diagonal only where there is one; it may be rectangular.
 *
 * Tests of the reader and of every generator check these rules, and that all values are finite. The
 * library does not check them again. */
#ifndef MATRIX_CSR_H
#define MATRIX_CSR_H

#include "base/host_device.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum csr_kind {
    CSR_SYMMETRIC = 1, /* bits, so that a kernel can declare the set that it takes */
    CSR_SKEW = 2,
    CSR_GENERAL = 4,
};

struct csr;
struct near_null;
struct null_space;
struct space;

/* Rows as below in the memory of the calling thread's CUDA device, on the stream, a cudaStream_t.
 * Errors: STATUS_MEMORY, STATUS_DEVICE. */
typedef enum status csr_rows_on_device(const void *options, void *stream, int64_t first,
                                       int64_t base, const struct csr *rows, struct error *error);

enum { CSR_KINDS_MAX = 32 };

/* Where the rows of a generator repeat: row x + n[0] (y + n[1] z) belongs to the point (x, y, z) of
 * a grid. Two rows whose places have equal kinds along each axis are alike in the full matrix: they
 * have the same values at the same distances from the diagonal. */
struct csr_kinds {
    void (*sizes)(const void *options, int64_t n[3]);
    int (*kind)(const void *options, int axis, int64_t place); /* 0 <= kind < CSR_KINDS_MAX */
};

/* A generator, which makes any rows of A: the rows->n rows from `first` on, with columns counted
 * from `base` on. It takes two calls. With rows->columns = NULL it makes rows->offsets[0 ... n],
 * from 0 on; otherwise the columns and values at these offsets. */
struct csr_maker {
    int64_t (*entries)(const void *options); /* of A, or of the rows that it makes */
    int64_t (*reach)(const void *options);   /* the largest j - i of an entry (i, j) of these */
    void (*rows)(const void *options, int64_t first, int64_t base, const struct csr *rows);
    /* The name of a csr_rows_on_device in the CUDA part (base/cuda_part.h), or NULL. */
    const char *rows_on_device;
    /* The rows that it can make, if not all (struct partial_csr): then A is not stored. NULL:
     * all. */
    const struct csr *(*kept)(const void *options);
    /* Whether entries other than 0 are known to join all rows of A, also where it has been scaled:
     * it is one connected component. NULL: not known. */
    bool (*connected)(const void *options);
    /* Where its rows repeat, or NULL: not known. */
    const struct csr_kinds *kinds;
};

/* The rows of a matrix of which many are alike: row i has the entries of row r = codes[i] of these,
 * with columns counted from i on. `full` has the rows of the full matrix, with 0 where they have no
 * entry, at the distances -d_m, ..., -d_1, 0, d_1, ..., d_m from the diagonal. */
struct repeated_rows {
    const uint8_t *codes; /* [n]; NULL: not known */
    const int32_t *offsets, *ahead;
    const double *values;
    int32_t count;            /* of different rows */
    int32_t diagonals;        /* m + 1 */
    const int32_t *distances; /* [m + 1] */
    const double *full;       /* [count][2 m + 1] */
};

struct csr {
    enum csr_kind kind;
    int64_t n;        /* rows, 1 <= n; n <= INT32_MAX if the arrays are stored */
    int64_t width;    /* columns, likewise; of a symmetric or skew-symmetric matrix n */
    int64_t nnz;      /* stored entries = offsets[n] */
    int64_t *offsets; /* [n + 1]; NULL: A is not stored */
    int32_t *columns; /* [nnz], counted from 0 */
    double *values;   /* [nnz] */
    /* Makes the same rows on demand, or NULL. With a maker the arrays may be NULL, if the owner has
     * not stored them (matrix/implicit_rows.h). Set it to NULL when you change them. */
    const struct csr_maker *maker;
    const void *maker_options; /* borrowed */
    /* The matrix is 2^exponent times these values, or the maker's values from
     * matrix/implicit_rows.h. A solve may scale A (matrix/scale.h); else exponent is 0. Products
     * use these values, without 2^exponent. */
    int exponent;
    /* The space whose memory has the arrays (spmv/device_csr.h); NULL: the host. Unless stated
     * otherwise, functions take a matrix on the host. */
    struct space *space;
    const struct csr *host; /* for a space: the same matrix on the host, borrowed, or NULL */
    /* The same rows by codes, which are read faster; in the same memory, borrowed. Set codes to
     * NULL when you change values or move offsets. */
    struct repeated_rows repeated;
    /* The near-null space of A, borrowed, in the numbering of the problem; NULL: unknown. */
    const struct near_null *near_null;
    /* The known null space of A (solver/null_space.h), borrowed, in A's own numbering; NULL:
     * none. */
    const struct null_space *null_space;
};

/* Row i by the arrays, or by what repeats: entry k, 0 <= k < count, is values[k] in column
 * from + columns[k]. */
struct csr_row {
    int64_t count, from;
    const int32_t *columns;
    const double *values;
};

CGSOLVE_HOST_AND_DEVICE static inline struct csr_row csr_row_at(const struct csr *A, int64_t i)
{
    bool repeats = A->repeated.codes;
    int r = repeats ? A->repeated.codes[i] : 0;
    int64_t begin = repeats ? A->repeated.offsets[r] : A->offsets[i];
    int64_t end = repeats ? A->repeated.offsets[r + 1] : A->offsets[i + 1];
    struct csr_row row = {end - begin, repeats ? i : 0,
                          (repeats ? A->repeated.ahead : A->columns) + begin,
                          (repeats ? A->repeated.values : A->values) + begin};
    return row;
}

/* Whether csr_row_at can read A's rows: they are stored, or have codes. */
static inline bool csr_has_rows(const struct csr *A)
{
    return A->offsets || A->repeated.codes;
}

/* "symmetric", "skew-symmetric" or "general"; static. */
const char *csr_kind_name(enum csr_kind kind);

/* Allocate the three arrays (uninitialised) and set kind, n, width = n, nnz. On failure A is all
 * zero. The caller owns A and calls csr_free. Errors: STATUS_MEMORY. */
enum status csr_create(struct csr *A, enum csr_kind kind, int64_t n, int64_t nnz,
                       struct error *error);

/* Free the arrays and zero A. Accepts a zeroed A. */
void csr_free(struct csr *A);

/* full = the general matrix equal to A, with its lower triangle, rows in ascending column order. A
 * of kind general is copied, rectangular or not. Errors: STATUS_MEMORY. */
enum status csr_expand(const struct csr *A, struct csr *full, struct error *error);

/* transposed = A' of an A that is general, rows in ascending column order. Errors:
 * STATUS_MEMORY. */
enum status csr_transpose(const struct csr *A, struct csr *transposed, struct error *error);

/* lower = the general matrix of the entries left of the diagonal, of an A that is not general, rows
 * in ascending column order. Errors: STATUS_MEMORY. */
enum status csr_lower(const struct csr *A, struct csr *lower, struct error *error);

/* Entries of the full matrix as csr_expand stores it: nnz, or 2 nnz - n when only the upper
 * triangle is stored. */
int64_t csr_nnz_full(const struct csr *A);

/* Entries of the matrix, both triangles: csr_nnz_full without the zeros on the diagonal of a
 * symmetric or skew-symmetric one. A triangle always stores its diagonal, so nothing tells which of
 * these zeros were in a file. */
int64_t csr_entries(const struct csr *A);

/* Bytes of the three arrays. */
int64_t csr_bytes(const struct csr *A);

/* A hash of the matrix, 64 bits (base/hash.h): of kind, n, width if it is not n, and of every row's
 * length, columns and values' bits. Equal for any number of threads and on every machine. */
uint64_t csr_hash(const struct csr *A);

/* The index of the stored entry (i, j), by linear search, for short rows; -1: not stored. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t csr_find_entry(const struct csr *A, int64_t i,
                                                             int64_t j)
{
    for (int64_t k = A->offsets[i]; k < A->offsets[i + 1] && A->columns[k] <= j; k++)
        if (A->columns[k] == j)
            return k;
    return -1;
}

/* The first entry of row i whose column is not below j; where the row ends if there is none. */
CGSOLVE_HOST_AND_DEVICE static inline int64_t csr_find_entry_from(const struct csr *A, int64_t i,
                                                                  int64_t j)
{
    int64_t low = A->offsets[i], high = A->offsets[i + 1];
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (A->columns[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* y = A x, one thread, any kind; x[width], y[n], not overlapping. (For upper rows with more columns
 * than rows, y[width], and y_i lacks the terms of other rows.) Each y[i] is the chain
 *     s = 0;  for j ascending over the full row i:  s = fma(A[i][j], x[j], s)
 * so that this is, bit for bit, what the kernels cpu_csr and cpu_sym compute. */
void csr_multiply(const struct csr *A, const double *x, double *y);

/* The same for the rows begin <= i < end alone, of a matrix of kind general. */
void csr_multiply_rows(const struct csr *A, int64_t begin, int64_t end, const double *x, double *y);

#ifdef __cplusplus
}
#endif
#endif
