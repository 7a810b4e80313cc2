/* The forms that cpu_sym_bitwise keeps a matrix in. Each is a kernel of its own, with the slots from
 * setup on, but not one of the list: cpu_sym_bitwise chooses one by spmv/sym_order.h, and hands it
 * the options that it got itself. */
#ifndef SPMV_CPU_SYM_FORMS_H
#define SPMV_CPU_SYM_FORMS_H

#include "cgsolve/kernel.h"
#include "spmv/sym_order.h"

/* The places of the parameters of cpu_sym_bitwise. */
enum sym_parameter {
    SYM_FORM,
    SYM_BLOCK,
};

extern const struct kernel cpu_sym_diagonals;
extern const struct kernel cpu_sym_general;

#endif
