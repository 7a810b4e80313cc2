/* b_i = 1, in every column. */
#include "base/threads.h"
#include "problem/rhs.h"

static void set_ones(void *context, int64_t begin, int64_t end)
{
    double *b = context;
    for (int64_t i = begin; i < end; i++)
        b[i] = 1;
}

static enum status fill(const void *options, const struct csr *A, double shift,
                        const struct rhs_part *part, double *B, struct error *error)
{
    (void)options, (void)shift, (void)error;
    for (int64_t j = 0; j < part->columns; j++)
        threads_each(threads_lent(), part->last - part->first, set_ones,
                     B + j * A->n + part->first);
    return STATUS_OK;
}

const struct rhs rhs_ones = {{COMPONENT_RHS, "ones", "b_i = 1", NULL, 0, NULL}, fill, NULL};
