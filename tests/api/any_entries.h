/* Random entries of a matrix as a caller may hand them over: by rows or one by one, in any order
 * and of any types, with faults. */
#ifndef TESTS_API_ANY_ENTRIES_H
#define TESTS_API_ANY_ENTRIES_H

#include "cgsolve/cgsolve.h"

#include <stdbool.h>

enum { ANY_ROWS = 70, ANY_ENTRIES = 2 * ANY_ROWS * ANY_ROWS };

/* What is wrong with them. */
enum any_fault {
    FAULT_NONE,
    FAULT_ROUNDED,
    FAULT_NOISY, /* all pairs of a full matrix differ, some of rows that are small */
    FAULT_UNSYMMETRIC,
    FAULT_LONELY,
    FAULT_NOT_FINITE,
    FAULT_OVERFLOW, /* of a sum */
    FAULT_OUTSIDE,
    FAULT_BACKWARD,
    FAULT_TOO_FEW,
    FAULTS
};

struct any_entries {
    bool positive; /* definite */
    int64_t n, nnz, offsets[ANY_ROWS + 1], rows[ANY_ENTRIES], columns[ANY_ENTRIES];
    double values[ANY_ENTRIES];
    int32_t narrow_offsets[ANY_ROWS + 1], narrow_rows[ANY_ENTRIES], narrow_columns[ANY_ENTRIES];
    float singles[ANY_ENTRIES];
    struct cgs_matrix_data data; /* of these arrays */
};

/* The pattern and the form follow from `state`, the values from `seed`. */
void any_entries_make(uint64_t seed, double scale, enum any_fault fault, uint64_t state,
                      struct any_entries *made);

#endif
