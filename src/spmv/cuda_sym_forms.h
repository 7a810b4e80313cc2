/* The forms that cuda_sym_bitwise keeps a matrix in; see spmv/cpu_sym_forms.h, whose twins they are.
 * For .cu files. */
#ifndef SPMV_CUDA_SYM_FORMS_H
#define SPMV_CUDA_SYM_FORMS_H

#include "cgsolve/kernel.h"
#include "spmv/sym_order.h"

/* The places of the parameters of cuda_sym_bitwise. */
enum cuda_sym_parameter {
    CUDA_SYM_FORM,
    CUDA_SYM_COMPRESS,
};

extern "C" const struct kernel cuda_sym_diagonals;
extern "C" const struct kernel cuda_sym_blocks;
extern "C" const struct kernel cuda_sym_general;

#endif
