/* Jacobi, or diagonal scaling: M = diag(a_11, ..., a_nn), z_i = r_i (1 / a_ii). The cheapest M that
 * makes up for rows of different scale: no diagonal M makes the condition number more times smaller
 * than a row has entries (van der Sluis 1969; Higham, Accuracy and Stability of Numerical
 * Algorithms, 2nd ed. 2002, section 7.3). */
#include "precondition/blocks.h"

#include <stdio.h>

static enum status jacobi_setup(const struct csr *A, struct linear_operator *spmv,
                                const struct preconditioner_options *options, void **state,
                                struct error *error)
{
    (void)options;
    return blocks_setup("jacobi", 1, A, spmv, state, error);
}

static int64_t jacobi_products(const struct preconditioner_options *options)
{
    (void)options;
    return 0;
}

static int64_t jacobi_bytes(const struct preconditioner_options *options, const struct linear_operator *spmv)
{
    (void)options;
    return blocks_bytes_per_apply(1, spmv);
}

static int64_t jacobi_memory(const struct preconditioner_options *options, int64_t n)
{
    (void)options;
    return blocks_memory_bytes(1, n);
}

static void jacobi_describe(const void *state, char *text, size_t size)
{
    (void)state;
    snprintf(text, size, "the diagonal");
}

const struct preconditioner_method preconditioner_jacobi = {
    .name = "jacobi",
    .summary = "the diagonal of A",
    .setup = jacobi_setup,
    .apply = blocks_apply,
    .products_per_apply = jacobi_products,
    .bytes_per_apply = jacobi_bytes,
    .memory_bytes = jacobi_memory,
    .describe = jacobi_describe,
    .destroy = blocks_destroy,
};
