/* A solve by conjugate gradients while it goes on: what cg.c and the trace share. */
#ifndef SOLVER_CG_WORK_H
#define SOLVER_CG_WORK_H

#include "cgsolve/cg.h"

#include <stdbool.h>

/* Its vectors and scalars in the space's memory, its rows where the host sees them too. */
struct cg {
    struct spmv *spmv;
    struct space *space;
    const struct space_operations *space_do;
    int64_t n;
    bool makes_direction;     /* the kernel does */
    double *x, *r, *p[2], *q; /* p[1] only then */
    int64_t turns;            /* of the loop that were recorded or done: p[turns % 2] is p */
    struct cg_scalars *scalars;
    struct cg_rows *rows;
};

enum { CG_SCALARS = sizeof(struct cg_scalars) / sizeof(double) };
_Static_assert(sizeof(struct cg_scalars) % sizeof(double) == 0, "it travels as doubles");

#endif
