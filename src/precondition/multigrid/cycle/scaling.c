#include "precondition/multigrid/cycle/scaling.h"

#include "space/define_pass.h"

ELEMENTS_AT(scaling, scaling)
ELEMENTS_AT(roots, scaling)

PASS(pass_scaling, scaling, scaling, .name = "a scaling by the diagonal", .reads = 2, .writes = 1)
PASS(pass_roots, roots, scaling, .name = "the roots of a diagonal", .reads = 1, .writes = 1)
