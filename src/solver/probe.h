/* Products with A that tell what norms of A hide: its largest rows hide all others there.
 *
 * With z_i = +-(1 + |u_i|) / 2, u = random numbers in [-1, 1) of one seed, z v by elements, and the
 * norm ||A|| estimated from below by a step of the power method on A z,
 *
 *     attainable = eps ||A (z x)||      what rounding x changes b - A x by
 *     singular                          ||A v|| <= 2^-36 w, v = x - x_0
 *     least squares solution            ||A v|| <= 2^-36 w, v = b - A x; or at least 0.995 of ||v||
 *                                       lies in rows with |A z|_i >= 2^-20 ||A||, or 0
 *     the same with a preconditioner    ||A v|| <= 2^-10 w, v = M^-1 (b - A x)
 *
 * where w = ||A (z v)||, and a row with (A z)_i = 0 counts in w as ||A|| |v_i|. Large rows suffice
 * without an M: MINRES has shown there that A v is small beside ||A|| ||v||. A stands for
 * shift I + A. */
#ifndef SOLVER_PROBE_H
#define SOLVER_PROBE_H

#include "solver/method.h"

struct probe {
    const struct solver *solver;
    const double *b, *x0;     /* on the host; x0 = NULL: 0 */
    int64_t n, first, last;   /* the own rows */
    double *v;                /* [n], on the host */
    double *vector, *product; /* [n], in the space */
    double *scalar;           /* in the space */
};

/* The caller calls probe_end, also after a failure. What it is given is borrowed until then.
 * Errors: STATUS_MEMORY. */
enum status probe_begin(const struct solver *solver, const double *b, const double *x0,
                        struct probe *probe, struct error *error);
void probe_end(struct probe *probe);

/* What rounding x[n] leaves of ||b - A x||. Errors: those of a product. */
enum status probe_attainable(struct probe *probe, const double *x, double *attainable,
                             struct error *error);

/* Whether what the reason says of A is true: that A is singular, or x a least squares solution;
 * false of any other. Errors: STATUS_MEMORY, those of a product. */
enum status probe_claim(struct probe *probe, enum reason reason, const double *x, bool *holds,
                        struct error *error);

#endif
