/* Block Jacobi: M = the blocks on A's diagonal, of `block` consecutive rows (Saad 2003, section
 * 10.1 with the blocks of section 4.1.1), inverted once and applied as dense blocks: z_i = sum over
 * the columns j of i's block of b_ij r_j, one chain, ascending, whose first term is a product and
 * each other one a fused multiply-add. For the unknowns of a node, which belong together, and lie
 * together in most finite-element matrices. */
#include "base/text.h"
#include "precondition/blocks.h"

#include <inttypes.h>
#include <stdio.h>

struct block_jacobi {
    int64_t block; /* rows of a block */
};

static enum status setup(const void *options, const struct csr *A, const int32_t *number,
                         struct linear_operator *spmv, struct linear_operator *made,
                         struct error *error)
{
    int64_t block = ((const struct block_jacobi *)options)->block;
    (void)number, (void)spmv;
    snprintf(made->description, sizeof made->description, "blocks of %" PRId64 " row%s", block,
             text_plural(block));
    return blocks_setup("block_jacobi", block, A, made, error);
}

static int64_t setup_bytes(const void *options, int64_t n)
{
    return blocks_setup_bytes(((const struct block_jacobi *)options)->block, n);
}

static const struct parameter parameters[] = {
    {"block", "rows of a block, in the numbering that is solved: the unknowns of a node", "4",
     TAKES_INTEGER(struct block_jacobi, block, 1, BLOCKS_MOST)},
    {0}};

const struct preconditioner preconditioner_block_jacobi = {
    .component = {COMPONENT_PRECONDITIONER, "block_jacobi",
                  "the blocks of consecutive rows on A's diagonal", parameters,
                  sizeof(struct block_jacobi)},
    .setup_bytes = setup_bytes,
    .setup = setup,
};
