/* The forms that cuda_sym_bitwise keeps a matrix in; the twins of those of
 * spmv/symmetric/cpu_sym_forms.h. For .cu files. */
#ifndef SPMV_SYMMETRIC_CUDA_SYM_FORMS_H
#define SPMV_SYMMETRIC_CUDA_SYM_FORMS_H

#include "spmv/cuda_kernel.h"
#include "spmv/single.h"
#include "spmv/symmetric/sym_order.h"

/* cuda_put of numbers, as singles where that is wanted. */
static inline enum status cuda_sym_put(struct space_cuda *space, bool singles,
                                       const double *numbers, int64_t count, const char *what,
                                       void **device, struct error *error)
{
    if (!singles)
        return cuda_put(space, numbers, count, sizeof *numbers, what, device, error);
    float *narrow = (float *)memory_array(count, sizeof *narrow, what, error);
    if (!narrow)
        return STATUS_MEMORY;
    single_narrow(numbers, count, narrow);
    enum status status = cuda_put(space, narrow, count, sizeof *narrow, what, device, error);
    memory_free(narrow);
    return status;
}

/* struct kernel's setup, with the form chosen; nothing of A is borrowed. Only the diagonals make
 * the direction: the others would read r and p of every neighbour through the caches, which are
 * their bound. With single sums the product makes neither that nor the dot product: a cycle of
 * multigrid, which uses them, needs neither. */
enum status cuda_sym_diagonals_setup(const struct csr *A, const struct sym_choice *choice,
                                     struct linear_operator *made, struct error *error);
/* The same from A in the space's memory; *suits: whether A has such diagonals, or the choice asks
 * for this form; else nothing is made. */
enum status cuda_sym_diagonals_setup_on_device(const struct csr *A, const struct sym_choice *choice,
                                               struct linear_operator *made, bool *suits,
                                               struct error *error);
/* The same of an A on the host by the kinds of its rows (matrix/row_kinds.h): one row of each kind
 * is made. *suits: likewise, and the different rows are few enough for codes. */
enum status cuda_sym_diagonals_setup_of_kinds(const struct csr *A, const struct sym_choice *choice,
                                              struct linear_operator *made, bool *suits,
                                              struct error *error);
enum status cuda_sym_blocks_setup(const struct csr *A, const struct sym_choice *choice,
                                  struct linear_operator *made, struct error *error);
/* The same from A in the space's memory; *suits: whether A has such blocks, or the choice asks for
 * this form and some k divides n; else nothing is made. The k of the choice is not read. */
enum status cuda_sym_blocks_setup_on_device(const struct csr *A, const struct sym_choice *choice,
                                            struct linear_operator *made, bool *suits,
                                            struct error *error);
enum status cuda_sym_general_setup(const struct csr *A, const struct sym_choice *choice,
                                   struct linear_operator *made, struct error *error);
/* The same from A in the space's memory, of the form SYM_FORM_GENERAL or SYM_FORM_AUTO, and of no
 * diagonals or blocks: *suits is false where a row is very long, and where there is no room to make
 * that there. */
enum status cuda_sym_general_setup_on_device(const struct csr *A, const struct sym_choice *choice,
                                             struct linear_operator *made, bool *suits,
                                             struct error *error);

#endif
