/* The forms that cuda_sym_bitwise keeps a matrix in; see spmv/upper/cpu_sym_forms.h, whose twins
 * they are. For .cu files. */
#ifndef SPMV_UPPER_CUDA_SYM_FORMS_H
#define SPMV_UPPER_CUDA_SYM_FORMS_H

#include "cgsolve/kernel.h"
#include "space/cuda.h"
#include "spmv/upper/sym_order.h"

/* The slots are those of struct kernel; `multiply` is both products, without the dot when that is
 * NULL.
 */
struct cuda_sym_form {
    enum status (*setup)(const struct csr *A, const struct sym_choice *choice,
                         struct space_cuda *space, void **state, struct error *error);
    enum status (*multiply)(const void *state, const double *x, double *y, double *dot,
                            struct error *error);
    /* NULL where separate passes are faster. */
    enum status (*multiply_direction)(const void *state, const struct direction *direction,
                                      double *y, double *dot, struct error *error);
    void (*describe)(const void *state, char *text, size_t size);
    int64_t (*bytes_per_apply)(const void *state);
    int64_t (*memory_bytes)(const void *state);
    void (*destroy)(void *state); /* accepts NULL */
};

extern const struct cuda_sym_form cuda_sym_diagonals;
extern const struct cuda_sym_form cuda_sym_blocks;
extern const struct cuda_sym_form cuda_sym_general;

#endif
