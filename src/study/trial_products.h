/* A product by an operator of any space, over vectors on the host, as a trial wants it: nothing of
 * y may be left as it was, and nothing else may change. */
#ifndef STUDY_TRIAL_PRODUCTS_H
#define STUDY_TRIAL_PRODUCTS_H

#include "base/status.h"
#include "spmv/operator.h"

#include <stdbool.h>
#include <stdint.h>

struct trial_product {
    int64_t columns;   /* 0 is 1 */
    bool singles, dot; /* vectors of singles; x . y with the product: of one vector only */
    const double *x;   /* [columns width], one column behind the other; as singles, rounded first */
    double *y;         /* [columns n], likewise */
    /* Made: */
    double with, apart; /* x . y as it comes with the product, and by the space's sum alone */
    const char *wrong;  /* a sentence, "it changes x" or likewise; NULL: nothing is */
};

/* Y = A X. In the space Y is full of NaN before, and so is the padding of X. Errors: STATUS_MEMORY,
 * those of the operator. */
enum status trial_multiply(const struct linear_operator *A, struct trial_product *product,
                           struct error *error);

/* A as it is, but for one product: when it has made `left` ones, the next fails with STATUS_DEVICE,
 * and `left` is then below 0. A and the fault are borrowed; nothing is to be destroyed. */
struct trial_fault {
    const struct linear_operator *A;
    int64_t left;
};
struct linear_operator trial_failing(struct trial_fault *fault);

/* Random in [-1, 1), every fifth a million times larger. */
void trial_vector(double *v, int64_t n, uint64_t *state);

/* The first row where y has other bits than `wanted`; n: none. */
int64_t trial_other_bits(int64_t n, const double *wanted, const double *y);

#endif
