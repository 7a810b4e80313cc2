/* b_i = 1, in every column. */
#include "problem/rhs.h"

static enum status fill(const void *options, const struct csr *A, double shift, int64_t columns,
                        double *B, struct error *error)
{
    (void)options, (void)shift, (void)error;
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < columns * A->n; k++)
        B[k] = 1;
    return STATUS_OK;
}

const struct rhs rhs_ones = {{COMPONENT_RHS, "ones", "b_i = 1", NULL, 0, NULL}, fill, NULL};
