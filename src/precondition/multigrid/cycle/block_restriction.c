#include "precondition/multigrid/cycle/transfer.h"
#include "space/host_loops.h"

HOST_LOOP_AT(block_restriction, block_transfer)
HOST_LOOP_AT(block_restriction_float, block_transfer)

/* The caller counts what is read of P and by it. */
const struct pass pass_block_restriction = {.name = "a restriction by blocks",
                                            .make = block_restriction_elements,
                                            .cuda = "block_restriction_cuda",
                                            .writes = 1};
const struct pass pass_block_restriction_float = {.name = "a restriction by blocks",
                                                  .make = block_restriction_float_elements,
                                                  .cuda = "block_restriction_float_cuda",
                                                  .writes = 0.5};
