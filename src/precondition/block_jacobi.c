/* Block Jacobi: M = the blocks on A's diagonal, of `block` consecutive rows (Saad 2003, section
 * 10.1 with the blocks of section 4.1.1), inverted once and applied as dense blocks: z_i = sum over
 * the columns j of i's block of b_ij r_j, one chain, ascending, whose first term is a product and
 * each other one a fused multiply-add. For the unknowns of a node, which belong together, and lie
 * together in most finite-element matrices. */
#include "base/text.h"
#include "precondition/blocks.h"

#include <inttypes.h>
#include <stdio.h>

static enum status block_jacobi_setup(const struct csr *A, struct linear_operator *spmv,
                                      const struct preconditioner_options *options, void **state,
                                      struct error *error)
{
    return blocks_setup("block_jacobi", options->block, A, spmv, state, error);
}

static int64_t block_jacobi_products(const struct preconditioner_options *options)
{
    (void)options;
    return 0;
}

static int64_t block_jacobi_bytes(const struct preconditioner_options *options,
                                  const struct linear_operator *spmv)
{
    return blocks_bytes_per_apply(options->block, spmv);
}

static int64_t block_jacobi_memory(const struct preconditioner_options *options, int64_t n)
{
    return blocks_memory_bytes(options->block, n);
}

static void block_jacobi_describe(const void *state, char *text, size_t size)
{
    snprintf(text, size, "blocks of %" PRId64 " row%s", blocks_rows(state),
             text_plural(blocks_rows(state)));
}

const struct preconditioner_method preconditioner_block_jacobi = {
    .name = "block_jacobi",
    .summary = "the blocks of consecutive rows on A's diagonal",
    .setup = block_jacobi_setup,
    .apply = blocks_apply,
    .products_per_apply = block_jacobi_products,
    .bytes_per_apply = block_jacobi_bytes,
    .memory_bytes = block_jacobi_memory,
    .describe = block_jacobi_describe,
    .destroy = blocks_destroy,
};
