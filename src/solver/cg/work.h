/* A solve by conjugate gradients while it goes on: what cg.c and the trace share. */
#ifndef SOLVER_CG_WORK_H
#define SOLVER_CG_WORK_H

#include "cgsolve/cg.h"
#include "solver/cg/spectrum.h"
#include "solver/row_loop.h"

#include <stdbool.h>

/* When the next look of a trace is due. */
struct tracing {
    const struct cg_trace *wanted; /* NULL: none */
    int64_t due;                   /* the next iteration to look at; INT64_MAX: none */
    double *host;                  /* [n] */
    double *x;                     /* [n] in the space, where x lags behind; else NULL */
};

/* Its vectors and scalars are in the space's memory. */
struct cg {
    struct linear_operator *spmv;
    struct space *space;
    const struct space_operations *space_do;
    int64_t n;
    bool makes_direction;     /* the kernel does */
    double *x, *r, *p[2], *q; /* p[1] only then */
    const struct linear_operator *M;
    double *z;     /* M^-1 r, where there is an M */
    int64_t turns; /* of the loop that were recorded or done: p[turns % 2] is p */
    struct cg_scalars *scalars;
    double alphas[2]; /* alpha_k at k % 2, of the last two */
    struct row_loop loop;
    struct tracing tracing;
    struct cg_spectrum spectrum;
    const struct solver_observer *observer;
    struct solver_result *result;
};

enum { CG_SCALARS = sizeof(struct cg_scalars) / sizeof(double) };
_Static_assert(sizeof(struct cg_scalars) % sizeof(double) == 0, "it travels as doubles");

#endif
