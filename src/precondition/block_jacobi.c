/* Block Jacobi: M = the blocks on A's diagonal, of `block` consecutive rows (Saad 2003, section
 * 10.1 with the blocks of section 4.1.1), inverted once and applied as dense blocks: z_i = sum over
 * the columns j of i's block of b_ij r_j, one chain, ascending, whose first term is a product and
 * each other one a fused multiply-add. For the unknowns of a node, which belong together, and lie
 * together in most finite-element matrices. */
#include "base/text.h"
#include "precondition/blocks.h"

#include <inttypes.h>
#include <stdio.h>

static enum status setup(const struct csr *A, struct linear_operator *spmv,
                         const struct preconditioner_options *options, struct linear_operator *made,
                         struct error *error)
{
    (void)spmv;
    snprintf(made->description, sizeof made->description, "blocks of %" PRId64 " row%s",
             options->block, text_plural(options->block));
    return blocks_setup("block_jacobi", options->block, A, made, error);
}

static int64_t setup_bytes(const struct preconditioner_options *options, int64_t n)
{
    return blocks_setup_bytes(options->block, n);
}

const struct preconditioner preconditioner_block_jacobi = {
    .name = "block_jacobi",
    .summary = "the blocks of consecutive rows on A's diagonal",
    .setup_bytes = setup_bytes,
    .setup = setup,
};
