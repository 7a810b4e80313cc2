/* Rows of a symmetric matrix that some ranks have and others want, on the host or in the memory of
 * a space. */
#ifndef SPMV_DISTRIBUTED_EXCHANGED_ROWS_H
#define SPMV_DISTRIBUTED_EXCHANGED_ROWS_H

#include "matrix/csr.h"
#include "space/ranks/partition.h"

/* Of a rank: the first row that its matrix has, whose columns are counted from there too, and the
 * rows first <= i < last that it wants. Its matrix has all entries of its own rows by the
 * partition. */
struct wanted_rows {
    int64_t base, first, last;
};

/* *made = the rows that this rank wants, of `wanted` by rank, with the entries between these alone,
 * counted from the first one; where A is. All ranks call it; the caller calls device_csr_free.
 * Errors: STATUS_MEMORY, STATUS_RANK, STATUS_DEVICE; STATUS_CONFIG where it wants more than
 * INT32_MAX. */
enum status exchange_rows(const struct partition *partition, const struct wanted_rows *wanted,
                          const struct csr *A, struct csr *made, struct error *error);

/* The same on the host, of an A that is not stored, of which each rank makes its own rows, with all
 * entries of these; the base is filled in, and columns go beyond the last row. */
enum status exchange_made_rows(const struct partition *partition, struct wanted_rows *wanted,
                               const struct csr *A, struct csr *made, struct error *error);

/* All rows of it, in each rank. */
enum status exchange_all_rows(const struct partition *partition, const struct csr *A,
                              struct csr *all, struct error *error);

#endif
