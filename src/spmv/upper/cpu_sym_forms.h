/* The forms that cpu_sym_bitwise keeps a matrix in: it has one chosen by spmv/upper/sym_order.h,
 * and passes on to it. */
#ifndef SPMV_UPPER_CPU_SYM_FORMS_H
#define SPMV_UPPER_CPU_SYM_FORMS_H

#include "cgsolve/csr.h"
#include "cgsolve/status.h"
#include "spmv/upper/sym_codes.h"
#include "spmv/upper/sym_order.h"

#include <stddef.h>
#include <stdint.h>

/* The slots are those of struct kernel; `multiply` is both products, *dot = x . y unless it is
 * NULL. */
struct cpu_sym_form {
    enum status (*setup)(const struct csr *A, const struct sym_choice *choice, void **state,
                         struct error *error);
    void (*multiply)(const void *state, const double *x, double *y, double *dot);
    void (*describe)(const void *state, char *text, size_t size);
    int64_t (*bytes_per_apply)(const void *state);
    int64_t (*memory_bytes)(const void *state);
    void (*destroy)(void *state); /* accepts NULL */
};

extern const struct cpu_sym_form cpu_sym_diagonals;
extern const struct cpu_sym_form cpu_sym_blocks;
extern const struct cpu_sym_form cpu_sym_general;

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
