/* The forms that cuda_sym_bitwise keeps a matrix in; the twins of those of
 * spmv/upper/cpu_sym_forms.h. For .cu files. */
#ifndef SPMV_UPPER_CUDA_SYM_FORMS_H
#define SPMV_UPPER_CUDA_SYM_FORMS_H

#include "spmv/cuda_kernel.h"
#include "spmv/upper/sym_order.h"

/* struct kernel's setup, with the form chosen; nothing of A is borrowed. Only the diagonals make
 * the direction: the others would read r and p of every neighbour through the caches, which are
 * their bound. */
enum status cuda_sym_diagonals_setup(const struct csr *A, const struct sym_choice *choice,
                                     struct linear_operator *made, struct error *error);
enum status cuda_sym_blocks_setup(const struct csr *A, const struct sym_choice *choice,
                                  struct linear_operator *made, struct error *error);
enum status cuda_sym_general_setup(const struct csr *A, const struct sym_choice *choice,
                                   struct linear_operator *made, struct error *error);

#endif
