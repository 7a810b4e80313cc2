/* A solve by conjugate gradients while it goes on: what its files share. */
#ifndef SOLVER_CG_WORK_H
#define SOLVER_CG_WORK_H

#include "solver/cg/cg.h"
#include "solver/cg/passes.h"
#include "solver/cg/spectrum.h"
#include "solver/krylov.h"

#include <stdbool.h>
#include <stddef.h>

/* Its vectors and scalars are in the space's memory. */
struct cg {
    struct solver base;
    bool makes_direction;     /* the kernel does */
    double *x, *r, *p[2], *q; /* p[1] only then */
    const struct linear_operator *M;
    double *z;     /* M^-1 r, where there is an M */
    int64_t turns; /* of the loop that were recorded or done: p[turns % 2] is p */
    struct cg_scalars *scalars;
    double alphas[2]; /* alpha_k at k % 2, of the last two; 0: x has that step */
    double *x_shown;  /* x_k to be looked at, where x lags behind */
    struct cg_spectrum spectrum;
    bool multiplied; /* the first product has been made */
};

_Static_assert(sizeof(struct cg_scalars) % sizeof(double) == 0, "whole doubles");

/* z = M^-1 r, *rho = r . z; residual_squared = r . r is there */
enum status cg_precondition(struct cg *cg, double *rho, struct error *error);

/* q = A p and, unless dot is NULL, *dot = p . q. Where the kernel makes p = z + beta p, that too,
 * and x takes its steps two at a time, in every second turn: the first of them is along the p that
 * is about to be overwritten. */
enum status cg_multiply(struct cg *cg, double *dot, struct error *error);

/* What a turn does besides the product; M is left out where only its rest is timed. */
enum status cg_step(struct cg *cg, bool applies, struct error *error);

extern const struct krylov_pieces cg_pieces;

#endif
