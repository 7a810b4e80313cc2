/* The order of additions of the kernels *_sym_bitwise, and the forms in which they keep a matrix.
 *
 * This folder has the kernels that multiply by the upper triangle. cpu_sym.c is the simplest.
 * cpu_sym_bitwise.c and cuda_sym_bitwise.cu use diagonals/, blocks/ and entries/, a form each.
 * scatter/ adds by atomics, some with a compensation; exact/ rounds a row's sum once.
 *
 * y_j is one chain over row j of the full matrix in ascending column order. So it adds the mirrored
 * entries first, then the diagonal, then the upper entries:
 *
 *     s = +0;  for k ascending:  s = fma(a_jk, x_k, s);  y_j = s
 *
 * with a_jk the value as it stands in row j (of a skew-symmetric matrix: with its sign). It is the
 * order of cpu_csr and cpu_sym. It does not depend on forms, blocks, threads or devices. So all of
 * them give the same bits, up to the sign of a zero, if x is finite. With precision = "float" a_jk,
 * x_k, fma and s are of single precision.
 *
 * A form may store a zero where the matrix has no entry, and the zero takes part. It may turn a sum
 * that has underflown to -0 into +0. It changes no other bit while x, in its precision, is finite.
 *
 * The forms in which a matrix is kept, and how threads share a product without races:
 *
 *     diagonals   spmv/symmetric/diagonals/sym_diagonals.h: no indices. A thread owns rows of y and
 *                 gathers: row i reads its mirrored value at distance d from row i - d.
 *     blocks      spmv/symmetric/blocks/sym_blocks.h: one index for k k values, k = 2, ..., 6.
 *     general     rows of entries: entries/cpu_sym_general.c, entries/cuda_sym_general.cu.
 *
 * Blocks and general on a CPU: a thread takes a part of the rows, and alone writes that part of y.
 * It begins y with a list of the mirrored entries from other parts (row_partition.h). On a GPU a
 * thread makes a row, and lists say where its mirrored entries lie: cuda_sym_blocks.h,
 * cuda_sym_entries.h, cuda_sym_staged.h.
 *
 * The rule below chooses a form from the matrix and the constants written here. Values may be
 * singles, or codes of one or two bytes (value_dictionary.h); but of diagonals on a GPU one byte
 * stands for the stencil of a row, and blocks on a GPU have no codes. */
#ifndef SPMV_SYMMETRIC_SYM_ORDER_H
#define SPMV_SYMMETRIC_SYM_ORDER_H

#include "base/status.h"
#include "matrix/csr.h"
#include "spmv/kernel.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum sym_form {
    SYM_FORM_AUTO,
    SYM_FORM_DIAGONALS,
    SYM_FORM_BLOCKS,
    SYM_FORM_GENERAL,
};

/* The parameters of the kernels *_sym_bitwise, and their places in the options: form, an enum
 * sym_form, compress, 0 for "auto" and 1 for "never", and an enum precision. */
enum sym_parameter {
    SYM_FORM,
    SYM_COMPRESS,
    SYM_PRECISION,
};
extern const struct parameter sym_parameters[];

/* How a kernel is to keep a matrix. */
struct sym_choice {
    enum sym_form form; /* not SYM_FORM_AUTO */
    int k;              /* of the blocks; 0 in the other forms */
    bool compress;      /* as codes, where these save bytes */
    /* set-up rounds the values to single precision (single_round of spmv/single.h), and keeps them
     * as codes or as floats */
    bool singles;
    bool single_sums; /* and so are x, the products and their sums; only with singles */
};

/* struct kernel's check. Errors: STATUS_CONFIG, if the form is "blocks" and no k divides n. */
enum status sym_check(const struct csr *A, const struct kernel_options *options,
                      struct error *error);

/* The form that the options name; set-up on a device tries the forms in the same order. "auto" is
 *
 *     diagonals   for at most SYM_DIAGONALS_MAX distances from the diagonal, when the upper
 *                 triangle fills at least 4/5 of those diagonals, n values each
 *     blocks      else, when sym_blocks_find gives a k
 *     general     else
 *
 * "blocks" takes the k of sym_blocks_best, for an A that sym_check has passed. Errors:
 * STATUS_MEMORY. */
enum { SYM_DIAGONALS_MAX = 32 };
enum status sym_choose(const struct csr *A, const struct kernel_options *options,
                       struct sym_choice *choice, struct error *error);

/* What the options say by themselves: form may be SYM_FORM_AUTO. */
struct sym_choice sym_wanted(const struct kernel_options *options);

/* Whether A, with entries at `count` distances, fills 4/5 of its diagonals. */
bool sym_fills_diagonals(const struct csr *A, int64_t count);

#ifdef __cplusplus
}
#endif
#endif
