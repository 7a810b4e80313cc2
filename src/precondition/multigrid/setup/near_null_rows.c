#include "precondition/multigrid/setup/near_null_rows.h"

#include "space/define_pass.h"

ELEMENTS_AT(constants, constants)
LANES_AT(orthogonalizing, tentative)
PASS(pass_constants, constants, constants, .name = "near-null vectors", .always = true)
PASS(pass_orthogonalizing, orthogonalizing, tentative, .name = "near-null vectors", .always = true)
