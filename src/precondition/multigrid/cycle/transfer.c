#include "precondition/multigrid/cycle/transfer.h"

#include "space/define_pass.h"

ELEMENTS_AT(restriction, restriction)
ELEMENTS_AT(prolongation, prolongation)
ELEMENTS_AT(block_prolongation, block_transfer)
ELEMENTS_AT(remainder, remainder)
ELEMENTS_AT(remainder_float, remainder)
ELEMENTS_AT(restriction_float, restriction)
ELEMENTS_AT(prolongation_float, prolongation)
ELEMENTS_AT(block_prolongation_float, block_transfer)

/* The caller counts what is read by lists. A map is half a vector of doubles. */
PASS(pass_restriction, restriction, restriction, .name = "a restriction", .writes = 1)
PASS(pass_prolongation, prolongation, prolongation, .name = "a prolongation", .reads = 1.5,
     .writes = 1)
PASS(pass_restriction_float, restriction_float, restriction, .name = "a restriction", .writes = 0.5)
PASS(pass_prolongation_float, prolongation_float, prolongation, .name = "a prolongation",
     .reads = 1, .writes = 0.5)
PASS(pass_remainder, remainder, remainder, .name = "a residual", .reads = 2, .writes = 1)
PASS(pass_remainder_float, remainder_float, remainder, .name = "a residual", .reads = 1,
     .writes = 0.5)

/* The caller counts what is read of P and by it. */
PASS(pass_block_prolongation, block_prolongation, block_transfer,
     .name = "a prolongation by blocks", .reads = 1, .writes = 1)
PASS(pass_block_prolongation_float, block_prolongation_float, block_transfer,
     .name = "a prolongation by blocks", .reads = 0.5, .writes = 0.5)
