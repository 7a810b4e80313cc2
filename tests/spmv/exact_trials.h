/* What the exact kernel of a space has to pass: cpu_sym_exact and cuda_sym_exact, on every kind of
 * product of spmv/exact_products.h, symmetric and skew-symmetric, in both precisions of the values,
 * and in solves. */
#ifndef TESTS_SPMV_EXACT_TRIALS_H
#define TESTS_SPMV_EXACT_TRIALS_H

#include "spmv/exact_products.h"
#include "spmv/kernel.h"

/* Every y_i is the exact sum rounded once, with and without x . y, with 1, 2, 3 and 7 threads. */
void trial_exact_products(enum space_kind kind);

/* (P A P') (P x) = P y, bit for bit. */
void trial_exact_numbering(enum space_kind kind);

/* With exact reductions too, every scalar of a solve and the solution are those of cpu_sym_exact,
 * in the same numbering and in others. */
void trial_exact_solves(enum space_kind kind);

/* A reproducible space, and the exact kernel of a space over A. */
struct space *exact_space(enum space_kind kind);
struct linear_operator exact_spmv(const struct csr *A, enum precision precision,
                                  struct space *space);

/* Call check for every product, of one of products_kinds. */
typedef void exact_check(const struct exact_product *product, int kind, struct space *space,
                         uint64_t *state);
void every_exact_product(enum space_kind kind, exact_check *check);

#endif
