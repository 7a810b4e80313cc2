/* Jacobi, or diagonal scaling: M = diag(a_11, ..., a_nn), z_i = r_i (1 / a_ii). The cheapest M that
 * makes up for rows of different scale: no diagonal M makes the condition number more times smaller
 * than a row has entries (van der Sluis 1969; Higham, Accuracy and Stability of Numerical
 * Algorithms, 2nd ed. 2002, section 7.3). */
#include "precondition/blocks.h"

#include <stdio.h>

static enum status setup(const void *options, const struct csr *A, const int32_t *number,
                         struct linear_operator *spmv, struct linear_operator *made,
                         struct error *error)
{
    (void)options, (void)number, (void)spmv;
    snprintf(made->description, sizeof made->description, "the diagonal");
    return blocks_setup("jacobi", 1, A, made, error);
}

static int64_t setup_bytes(const void *options, int64_t n)
{
    (void)options;
    return blocks_setup_bytes(1, n);
}

const struct preconditioner preconditioner_jacobi = {
    .component = {COMPONENT_PRECONDITIONER, "jacobi", "the diagonal of A"},
    .setup_bytes = setup_bytes,
    .setup = setup,
};
