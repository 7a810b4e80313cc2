/* A solve by minimal residuals while it goes on, for the files of this method. */
#ifndef SOLVER_MINRES_WORK_H
#define SOLVER_MINRES_WORK_H

#include "solver/krylov.h"
#include "solver/minres/minres.h"
#include "solver/minres/preconditioned_scalars.h"

#include <stdbool.h>
#include <stddef.h>

/* Its vectors and scalars are in the space's memory. */
struct minres {
    struct solver base;
    bool skew;
    const struct linear_operator *M; /* borrowed; NULL: none */
    double *x;
    double *v[2], *d[2]; /* v_k at v[(k - 1) % 2], d_k at d[(k - 1) % 2]; with an M y_k for v_k */
    double *q;           /* without an M: q = A v, then w */
    double *r, *z[2];    /* with one: z_k at z[(k - 1) % 2]; A z_k, then z_{k+1}, at the other */
    int64_t turns;       /* of the loop that were recorded or done: k - 1 */
    struct minres_preconditioned_scalars *preconditioned; /* beyond `of` only with an M */
    struct minres_scalars *scalars;                       /* its `of` */
};

_Static_assert(sizeof(struct minres_preconditioned_scalars) % sizeof(double) == 0, "whole doubles");

/* Whether v . A v is a pass of its own. */
bool minres_dots_apart(const struct minres *minres);

/* --- without an M (turn.c) -------------------------------------------------------------------- */

/* Row 0 and v_1, where q = r_0 and norm_squared = q . q. */
enum status minres_first(struct minres *minres, struct error *error);

/* One turn of the loop of solver/minres/minres.h, or what it does besides the product, with other
 * coefficients of the recurrence. v_{k+1} goes where v_{k-1} was, d_k where d_{k-2} was. */
enum status minres_turn(struct minres *minres, bool multiplies, const double *alpha,
                        const double *upper, struct error *error);

int64_t minres_turn_bytes(bool skew, const struct linear_operator *spmv);

/* --- with one (preconditioned.c) -------------------------------------------------------------- */

/* Row 0, y_1 and z_1, where r = r_0 and residual_squared = r . r. */
enum status minres_preconditioned_first(struct minres *minres, struct error *error);

/* One turn, or what it does besides the products with A and M^-1. y_{k+1} goes where y_{k-1} was,
 * d_k where d_{k-2} was, and z_{k+1} where A z_k was. */
enum status minres_preconditioned_turn(struct minres *minres, bool multiplies, struct error *error);

int64_t minres_preconditioned_bytes(const struct linear_operator *M,
                                    const struct linear_operator *spmv);

/* --- the time of the pieces (time_split.c) ---------------------------------------------------- */

extern const struct krylov_pieces minres_pieces;

#endif
