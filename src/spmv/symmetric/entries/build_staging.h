/* sym_staging.h's staging of a matrix in a device's memory, made there: the same orders, sectors
 * and words, by sorts and sums over all entries in the place of loops over tiles. For .cu files. */
#ifndef SPMV_SYMMETRIC_ENTRIES_BUILD_STAGING_H
#define SPMV_SYMMETRIC_ENTRIES_BUILD_STAGING_H

#include "space/cuda/cuda.h"
#include "spmv/symmetric/entries/sym_staging.h"

/* In the device's memory, but for this itself. */
struct cuda_staging {
    struct staging staging;
    void *arena;      /* all arrays but staging.tile */
    uint32_t *row_of; /* [nnz] the row of an entry */
};

/* What the arena of a matrix takes: 68 bytes an entry and about 12 a row. The sorts take up to a
 * byte an entry beside. */
int64_t cuda_staging_bytes(const struct csr *A);

/* Whether every tile's values fit into STAGED_SHARED bytes, with so many each; *longest: the upper
 * entries of the longest row. Before that is known a row may be of any length, and no thread shall
 * walk one. Errors: STATUS_MEMORY, STATUS_DEVICE. */
enum status cuda_staging_fits(struct space_cuda *space, const struct csr *A, int64_t value_bytes,
                              int64_t *longest, bool *fits, struct error *error);

/* Of A with at most INT32_MAX entries, which cuda_staging_fits has found to fit. *made is then as
 * staging_create makes it, but that sectors lie close. *fits is false, and no more is known, where
 * the numbers of its tiles are too many to be sorted. On failure as well the caller calls
 * cuda_staging_free. Errors: STATUS_MEMORY, STATUS_DEVICE. */
enum status cuda_staging_create(struct space_cuda *space, const struct csr *A, int64_t value_bytes,
                                int64_t longest, struct cuda_staging *made, bool *fits,
                                struct error *error);
void cuda_staging_free(struct space_cuda *space,
                       struct cuda_staging *made); /* accepts a zeroed one */

/* All tiles' lists and values, into zeroed arrays; what is begun here ends on the space's stream.
 * Errors: STATUS_DEVICE. */
enum status cuda_staging_fill(struct space_cuda *space, const struct cuda_staging *made,
                              uint32_t *lists, void *values, struct error *error);

#endif
