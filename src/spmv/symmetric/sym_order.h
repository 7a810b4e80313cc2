/* The order of additions of the kernels *_sym_bitwise: written here, followed by each of them.
 *
 * y_j is one chain over row j of the full matrix in ascending column order, the mirrored entries,
 * the diagonal, the upper ones:
 *
 *     s = +0;  for k ascending:  s = fma(a_jk, x_k, s);  y_j = s
 *
 * with a_jk the value as it stands in row j (of a skew-symmetric matrix: with its sign). It is the
 * order of cpu_csr and cpu_sym. Nothing in it knows of forms, blocks, threads or devices, so all
 * of these give the same bits. With precision = "float" a_jk, x_k, fma and s are of single
 * precision.
 *
 * A form may hold zeros where the matrix has no entry; they take part. That changes no bit as long
 * as x, in its precision, is finite, but for the sign of a zero: a chain that has underflown to -0
 * becomes +0 with the next of them.
 *
 * The forms in which a matrix is kept:
 *
 *     diagonals   spmv/symmetric/diagonals/sym_diagonals.h: no indices
 *     blocks      spmv/symmetric/blocks/sym_blocks.h: one index for k k values, k = 2, ..., 6
 *     general     rows of entries: entries/cpu_sym_general.c, entries/cuda_sym_general.cu
 *
 * The rule below chooses one from the matrix and the constants written here. The values can be kept
 * as codes in each of them, or as singles (spmv/symmetric/value_dictionary.h). */
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
    /* the values are to be numbers of single precision (single_round of spmv/single.h), and kept as
     * such where not as codes */
    bool singles;
    bool single_sums; /* and so are x, the products and their sums; only with singles */
};

/* struct kernel's check: STATUS_CONFIG, "blocks" for an n that no k divides. */
enum status sym_check(const struct csr *A, const struct kernel_options *options,
                      struct error *error);

/* The form that the options name. "auto" is
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

/* Whether A, with entries at so many distances, fills 4/5 of its diagonals. */
bool sym_fills_diagonals(const struct csr *A, int64_t count);

#ifdef __cplusplus
}
#endif
#endif
