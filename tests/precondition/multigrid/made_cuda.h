/* M^-1 of multigrid on a GPU, and vectors there. */
#ifndef TESTS_PRECONDITION_MULTIGRID_MADE_CUDA_H
#define TESTS_PRECONDITION_MULTIGRID_MADE_CUDA_H

#include "precondition/multigrid/cycle/cycle.h"
#include "solver/solve.h"
#include "spmv/preconditioner.h"

#include <stdbool.h>

struct made {
    struct options options; /* given */
    struct space *space;
    struct linear_operator spmv, M;
    double *host, *r, *z, *dot;
};

/* By made->options; kernel: options of cuda_sym_bitwise, or NULL; apart: without fused levels, each
 * level as the kernel keeps it. The caller calls made_destroy. */
void made_create(const struct csr *A, const struct kernel_options *kernel,
                 enum reductions reductions, bool apart, struct made *made);
void made_destroy(struct made *made);

/* z[n + 1]: M^-1 r and, where it is wanted, r . z, which are NaN before. */
void made_apply(struct made *made, bool dot, double *z);

struct multigrid *multigrid_of(struct made *made);
struct hierarchy *hierarchy_of(struct made *made);

#endif
