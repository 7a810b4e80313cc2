/* A product by an operator of any space, with vectors on the host, for a trial: it must write every
 * element of y, and nothing else. */
#ifndef STUDY_TRIAL_PRODUCTS_H
#define STUDY_TRIAL_PRODUCTS_H

#include "base/status.h"
#include "spmv/operator.h"

#include <stdbool.h>
#include <stdint.h>

struct trial_product {
    int64_t columns;   /* 0 is 1 */
    bool singles, dot; /* vectors of singles; x . y with the product, of one vector only */
    const double *x;   /* [columns width], column after column; as singles, rounded first */
    double *y;         /* [columns n], likewise */
    /* Made: */
    double with, apart; /* x . y of the product, and of the space's sum alone */
    const char *wrong;  /* an error, such as "it changes x"; NULL: none */
};

/* Y = A X. Before the product Y and the padding of X are NaN. Errors: STATUS_MEMORY,
 * those of the operator. */
enum status trial_multiply(const struct linear_operator *A, struct trial_product *product,
                           struct error *error);

/* A, but product number left + 1 fails with STATUS_DEVICE, and then left < 0. A and the fault are
 * borrowed; the operator needs no operator_destroy. */
struct trial_fault {
    const struct linear_operator *A;
    int64_t left;
};
struct linear_operator trial_failing(struct trial_fault *fault);

/* Random in [-1, 1), every fifth element a million times larger. */
void trial_vector(double *v, int64_t n, uint64_t *state);

/* The first row where y has other bits than `wanted`; n: none. */
int64_t trial_other_bits(int64_t n, const double *wanted, const double *y);

#endif
