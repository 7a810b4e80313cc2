/* The forms that cpu_sym_bitwise keeps a matrix in. */
#ifndef SPMV_UPPER_CPU_SYM_FORMS_H
#define SPMV_UPPER_CPU_SYM_FORMS_H

#include "cgsolve/operator.h"
#include "spmv/upper/sym_codes.h"
#include "spmv/upper/sym_order.h"

/* struct kernel's setup, with the form chosen; of A's values only those of doubles are borrowed. */
enum status cpu_sym_diagonals_setup(const struct csr *A, const struct sym_choice *choice,
                                    struct linear_operator *made, struct error *error);
enum status cpu_sym_blocks_setup(const struct csr *A, const struct sym_choice *choice,
                                 struct linear_operator *made, struct error *error);
enum status cpu_sym_general_setup(const struct csr *A, const struct sym_choice *choice,
                                  struct linear_operator *made, struct error *error);

/* Value p of an array of doubles (width 0, no table), of singles (likewise) or of codes. `width` is
 * a constant where this is called from a loop. */
static inline double cpu_sym_value(const void *values, const double *table, int width, int64_t p)
{
    return width == 0                   ? ((const double *)values)[p]
           : width == SYM_CODES_SINGLES ? (double)((const float *)values)[p]
           : width == 1                 ? table[((const uint8_t *)values)[p]]
                                        : table[((const uint16_t *)values)[p]];
}

#endif
