/* b_i = 1, in every column. */
#include "problem/rhs.h"

static enum status fill(const void *options, const struct csr *A, double shift,
                        const struct rhs_part *part, double *B, struct error *error)
{
    (void)options, (void)shift, (void)error;
    for (int64_t j = 0; j < part->columns; j++) {
        double *b = B + j * A->n;
#pragma omp parallel for schedule(static)
        for (int64_t i = part->first; i < part->last; i++)
            b[i] = 1;
    }
    return STATUS_OK;
}

const struct rhs rhs_ones = {{COMPONENT_RHS, "ones", "b_i = 1", NULL, 0, NULL}, fill, NULL};
