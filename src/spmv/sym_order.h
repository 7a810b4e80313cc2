/* The order of additions of the kernels *_sym_bitwise: written here, followed by each of them.
 *
 * A matrix is kept in a form, which follows from the matrix (sym_form_choose) or is named in the
 * config. Every step of a chain is one fused multiply-add, s = fma(a_jk, x_k, s), with a_jk the
 * value as it stands in row j (of a skew-symmetric matrix: with its sign).
 *
 * diagonals: the entries lie at the distances 0 = d_0 < d_1 < ... from the diagonal. y_j is one chain
 * from +0 in ascending column order, k = j - d_m, ..., j - d_1, j, j + d_1, ..., j + d_m, those
 * outside the matrix left out. Where the matrix has no entry at one of the distances, a zero takes
 * part: the chain is that of cpu_csr and cpu_sym, bit for bit as long as x is finite, but for the sign
 * of a zero.
 *
 * general: the rows are cut into consecutive blocks (sym_blocks below). Row j of block b splits its
 * full row of A into
 *
 *     near    the columns from the first row of b on: those left of j in its own block, the
 *             diagonal, and everything right of it
 *     far_c   for every earlier block c: the columns in c
 *
 * and each part is one chain from +0 in ascending column order;
 *
 *     y_j = ((near + far_c1) + far_c2) + ...          c1 < c2 < ..., only those that have entries
 *
 * With one block this is the order of cpu_csr and cpu_sym. Why this order: walking a block's rows
 * from the upper triangle alone makes near and all its far_c at once (a far one is a private slot
 * of the block), so blocks can be walked at the same time by any number of threads and each stored
 * value is read once; and a gather over full rows can follow it just as well. */
#ifndef SPMV_SYM_ORDER_H
#define SPMV_SYM_ORDER_H

#include "cgsolve/csr.h"
#include "cgsolve/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum sym_form {
    SYM_FORM_AUTO,
    SYM_FORM_DIAGONALS,
    SYM_FORM_GENERAL,
};

/* diagonals for a matrix with at most SYM_DIAGONALS_MAX distances d_k whose upper triangle fills at
 * least 4/5 of the diagonals, n values each; general for every other. Errors: STATUS_MEMORY. */
enum { SYM_DIAGONALS_MAX = 32 };
enum status sym_form_choose(const struct csr *A, enum sym_form *form, struct error *error);

enum {
    SYM_BLOCKS = 64,                 /* how many blocks a matrix is cut into, if each then has */
    SYM_BLOCK_ENTRIES_MIN = 4096,    /* at least this many stored entries, so that the far parts */
    SYM_BLOCK_ENTRIES_MAX = 1 << 18, /* stay few, and at most this many, so that what a block
                                        works on stays in a cache */
};

/* Cut the rows of A into blocks: a block ends with the row that brings its stored entries to
 * `entries` or above; entries = 0 takes nnz / SYM_BLOCKS, held between the two constants.
 * *first_rows[*count + 1] begins with 0 and ends with n; the caller frees it with memory_free.
 * Errors: STATUS_MEMORY. */
enum status sym_blocks(const struct csr *A, int64_t entries, int64_t **first_rows, int64_t *count,
                       struct error *error);

#ifdef __cplusplus
}
#endif
#endif
