/* The first iterations of conjugate gradients with an M^-1, to see how fast they are: for the b of
 * spectrum_first_vector, from x = 0, without x.
 *
 *     r_0 = b; or A b, where the null space of A is known: b would have a part in it
 *     z_k = M^-1 r_k,  p_k = z_k + beta_k p_{k-1},  r_{k+1} = r_k - alpha_k A p_k
 *
 * by the operations of the space, so the bits are as reproducible as its sums. */
#ifndef PRECONDITION_AUTOMATIC_ATTEMPT_H
#define PRECONDITION_AUTOMATIC_ATTEMPT_H

#include "spmv/kernel.h"

#include <stdbool.h>

enum { ATTEMPT_MOST = 128 };

struct attempt {
    struct linear_operator *spmv;
    const struct linear_operator *M;
    double *r, *z, *p, *q; /* [n] in the space */
    double *scalar;        /* there too */
    int steps;
    bool ended;      /* r is 0 */
    bool indefinite; /* a p . A p or an r . M^-1 r was not above 0 */
    bool infinite;   /* or not finite */
    /* r_k . r_k and r_k . M^-1 r_k; of the last step the first alone */
    double squared[ATTEMPT_MOST + 1], rho[ATTEMPT_MOST + 1];
    double curvature; /* the last p . A p */
};

/* number: as spectrum_estimate takes it. What it is given is borrowed until attempt_end, which the
 * caller calls, after a failure too. Errors: STATUS_MEMORY, STATUS_DEVICE; STATUS_RANK. */
enum status attempt_begin(struct linear_operator *spmv, const struct linear_operator *M,
                          const int32_t *number, bool singular, struct attempt *attempt,
                          struct error *error);
void attempt_end(struct attempt *attempt);

/* Goes on until so many steps are done, at most ATTEMPT_MOST, or it cannot go on. Errors:
 * STATUS_DEVICE, STATUS_RANK. */
enum status attempt_advance(struct attempt *attempt, int steps, struct error *error);

/* Whether r . M^-1 r > 0, by another M, where r has been left; z is overwritten. Errors:
 * likewise. */
enum status attempt_try(struct attempt *attempt, const struct linear_operator *M, bool *positive,
                        struct error *error);

/* By the mean reduction of a step, how many steps reduce a norm to `tolerance` of its first one;
 * INFINITY where it has not become smaller. Of ||r_k||; and of (r_{k-1} . M^-1 r_{k-1})^{1/2}. */
double attempt_steps(const struct attempt *attempt, int k, double tolerance);
double attempt_steps_of_M(const struct attempt *attempt, int k, double tolerance);

#endif
