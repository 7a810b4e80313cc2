/* SDDMM in a space: for every stored entry (i, j) of a pattern v_ij = x_i . y_j, with the rows of
 * two multivectors X and Y of K columns (spmv/operator.h). The order of the sum is that of
 * matrix/sddmm.h, so the bits are the same in every space, for every number of threads, and for any
 * numbers in the columns of padding, which are not used. */
#ifndef SPMV_SDDMM_SDDMM_H
#define SPMV_SDDMM_SDDMM_H

#include "base/status.h"
#include "matrix/csr.h"
#include "space/space.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sddmm_table {
    enum status (*apply)(void *state, const double *X, const double *Y, double *values,
                         struct error *error);
    void (*destroy)(void *state); /* accepts NULL */
};

/* A pattern made ready for products of K columns. A zeroed one is none. */
struct sddmm {
    const char *name; /* of the maker; static */
    const struct sddmm_table *table;
    void *state;
    struct space *space;
    int64_t n, width, nnz, columns;
    int64_t bytes_per_apply; /* the pattern, X, Y and the values once */
    int64_t memory_bytes;    /* what making it left allocated, in a GPU's memory */
};

/* The pattern, of any kind, is borrowed and outlives *made; its values are not looked at. columns:
 * 1 or more. The caller calls sddmm_destroy; on failure *made is zeroed. Errors: STATUS_MEMORY,
 * STATUS_DEVICE. */
enum status sddmm_create(struct space *space, const struct csr *pattern, int64_t columns,
                         struct sddmm *made, struct error *error);
void sddmm_destroy(struct sddmm *made); /* accepts a zeroed one */

/* values[k] = x_i . y_j of the pattern's entry k: every one is overwritten, even where it held NaN.
 * X has n rows, Y `width`; they may be one, and live in the space as values[nnz] does. Nothing is
 * allocated. Errors: STATUS_DEVICE. */
enum status sddmm_apply(const struct sddmm *of, const double *X, const double *Y, double *values,
                        struct error *error);

/* The same by cuSPARSE (spmv/vendor/cusparse_sddmm.cu), in a CUDA space, in the CUDA part. It
 * promises no equal bits. values must hold numbers before a product: the documentation does not say
 * that the library does not read them. Each call for a group of 32 columns adds to them. Errors: as
 * above; STATUS_CONFIG for more than INT32_MAX entries. */
enum status cusparse_sddmm_create(struct space *space, const struct csr *pattern, int64_t columns,
                                  struct sddmm *made, struct error *error);

/* For another maker: the members but for name, table and state. */
struct sddmm sddmm_of(struct space *space, const struct csr *pattern, int64_t columns);

/* table and state, in a CUDA space. On failure the caller destroys what they hold by then. In the
 * CUDA part (base/cuda_part.h). */
enum status sddmm_cuda_create(const struct csr *pattern, struct sddmm *made, struct error *error);

#ifdef __cplusplus
}
#endif
#endif
