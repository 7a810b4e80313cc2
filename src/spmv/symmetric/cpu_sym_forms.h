/* The forms that cpu_sym_bitwise keeps a matrix in. */
#ifndef SPMV_SYMMETRIC_CPU_SYM_FORMS_H
#define SPMV_SYMMETRIC_CPU_SYM_FORMS_H

#include "spmv/operator.h"
#include "spmv/symmetric/sym_order.h"
#include "spmv/symmetric/value_dictionary.h"

/* struct kernel's setup, with the form chosen. Values kept as doubles may be borrowed from A; codes
 * and singles are copies. */
enum status cpu_sym_diagonals_setup(const struct csr *A, const struct sym_choice *choice,
                                    struct linear_operator *made, struct error *error);
enum status cpu_sym_blocks_setup(const struct csr *A, const struct sym_choice *choice,
                                 struct linear_operator *made, struct error *error);
enum status cpu_sym_general_setup(const struct csr *A, const struct sym_choice *choice,
                                  struct linear_operator *made, struct error *error);

/* The loops of a form stand in a header of their own, which its .c file includes, by
 * spmv/symmetric/cpu_sym_loops.h, once for each type of sums and of vectors:
 *
 *     NAME(f)   the name of function f with these types: f_double, f_float, f_float_vectors
 *     SUM       of the sums and of the table of codes
 *     VECTOR    of x and y, which hold what SUM does
 *
 * Sums of type float meet no values of type double: SUM_WIDTHS(SUM, f) is f(width) for each width
 * of struct value_dictionary that there is with such sums, and SUM_WIDTH(SUM) the one of values
 * that are numbers of their type. */
#define SUM_WIDTHS_double(f) f(0) f(1) f(2) f(4)
#define SUM_WIDTHS_float(f) f(1) f(2) f(4)
#define SUM_WIDTHS_OF(sum, f) SUM_WIDTHS_##sum(f)
#define SUM_WIDTHS(sum, f) SUM_WIDTHS_OF(sum, f)
#define SUM_WIDTH(sum) (sizeof(sum) == sizeof(double) ? 0 : VALUE_DICTIONARY_SINGLES)
_Static_assert(VALUE_DICTIONARY_SINGLES == 4, "the widths above are all that there are");

/* Value p of an array of doubles (width 0, no table), of singles (likewise) or of codes, as a
 * number of the table's type. `width` is a constant where this is called from a loop. */
#define CPU_SYM_VALUE(name, Sum)                                                                   \
    static inline Sum name(const void *values, const Sum *table, int width, int64_t p)             \
    {                                                                                              \
        if (width == 0)                                                                            \
            return (Sum)((const double *)values)[p];                                               \
        if (width == VALUE_DICTIONARY_SINGLES)                                                     \
            return (Sum)((const float *)values)[p];                                                \
        return table[width == 1 ? ((const uint8_t *)values)[p] : ((const uint16_t *)values)[p]];   \
    }
CPU_SYM_VALUE(cpu_sym_value_double, double)
CPU_SYM_VALUE(cpu_sym_value_float, float)
#define cpu_sym_value(values, table, width, p)                                                     \
    _Generic((table), const double *                                                               \
             : cpu_sym_value_double, const float *                                                 \
             : cpu_sym_value_float)(values, table, width, p)

#endif
