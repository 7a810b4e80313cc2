/* A product over ranks (space/ranks/ranks.h): each rank multiplies by its rows, with any kernel but
 * those whose sums follow from the whole of A.
 *
 * The rows of a rank are a symmetric matrix of their own:
 *
 *     rows of other ranks below | own rows | rows of other ranks above,      all in A's order
 *
 * where another rank's row is there when A has an entry between it and an own row, with the
 * diagonal 0 and those entries alone. So each entry that crosses is kept by both ranks; an own row
 * has all its entries, in the order of A's columns, and a kernel adds them as it would add them in
 * A. A product needs x of the other ranks' rows, which travel (spmv/distributed/rank_halo.h), and
 * no more: what the kernel makes of those rows is not used. The own rows are copied from A, or
 * A's maker generates them (spmv/distributed/rank_row.h).
 *
 * Own rows begin with a tile of the local ones. So a kernel that takes x . y while it multiplies
 * has the sums of the own tiles, and the ranks end the sum together (cpu_sum_end). One that makes
 * the direction makes it in the other ranks' rows too. A slot is used only where the kernels of all
 * ranks have it.
 *
 * Empty rows are put between them where few are enough: then a row has its place in A modulo
 * RANK_GROUP, so a kernel can reuse A's block structure. */
#ifndef SPMV_DISTRIBUTED_RANK_OPERATOR_H
#define SPMV_DISTRIBUTED_RANK_OPERATOR_H

#include "space/ranks/ranks.h"
#include "spmv/distributed/local_matrix.h"
#include "spmv/kernel.h"

/* operator_create in the space of a rank. Errors: its, and STATUS_RANK. */
enum status rank_operator_create(const struct kernel *kernel, const struct csr *A,
                                 const struct kernel_options *options, struct ranks *ranks,
                                 struct linear_operator *made, struct error *error);

/* What A is made of, for who works on its local rows as they are; NULL: A is none of a rank. */
const struct local_matrix *rank_operator_rows(const struct linear_operator *A);
const struct linear_operator *rank_operator_real(const struct linear_operator *A);

/* Where the local rows of a vector, of doubles or of singles, begin; NULL: it has no room for
 * them. */
void *rank_operator_local(const struct linear_operator *A, bool singles, const void *x);

/* x of the rows of other ranks, of the local rows from x on. All ranks call it. Errors:
 * STATUS_RANK, STATUS_DEVICE. */
enum status rank_operator_bring(const struct linear_operator *A, bool singles, void *x,
                                struct error *error);

#endif
