/* Right-hand sides. */
#ifndef PROBLEM_RHS_H
#define PROBLEM_RHS_H

#include "cgsolve/csr.h"
#include "cgsolve/status.h"

#include <stdint.h>

enum rhs_type {
    RHS_ONES,     /* b_i = 1 */
    RHS_UNIT,     /* b_i = 1 for i = row - 1, else 0 */
    RHS_RANDOM,   /* b_i uniform in [-1, 1), see random_vector of base/random.h */
    RHS_SOLUTION, /* b = (shift I + A) x for a known x: x_i = 1, or random */
    RHS_FILE,     /* read from a Matrix Market file by the caller */
};

enum rhs_solution {
    SOLUTION_ONES,
    SOLUTION_RANDOM,
};

struct rhs {
    enum rhs_type type;
    enum rhs_solution solution; /* for RHS_SOLUTION */
    int64_t row;                /* for RHS_UNIT: from 1 to n */
    int64_t seed;               /* for the random ones, >= 0 */
    char *path;                 /* for RHS_FILE; owned by whoever owns this struct */
};

/* Fill b[A->n] for every type but RHS_FILE, which is STATUS_CONFIG. RHS_SOLUTION: b_i = fma(shift,
 * x_i, (A x)_i), or (A x)_i where shift is 0, by csr_multiply. Errors: STATUS_CONFIG (also where A
 * has no such row), STATUS_MEMORY. */
enum status rhs_fill(const struct rhs *rhs, const struct csr *A, double shift, double *b,
                     struct error *error);

#endif
