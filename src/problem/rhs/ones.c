/* b_i = 1. */
#include "problem/rhs.h"

static enum status fill(const void *options, const struct csr *A, double shift, double *b,
                        struct error *error)
{
    (void)options, (void)shift, (void)error;
    for (int64_t i = 0; i < A->n; i++)
        b[i] = 1;
    return STATUS_OK;
}

const struct rhs rhs_ones = {{COMPONENT_RHS, "ones", "b_i = 1", NULL, 0, NULL}, fill};
