#include "precondition/multigrid/setup/interpolation_rows.h"

#include "space/define_pass.h"

ELEMENTS_AT(rounding, rounding)
PASS(pass_rounding, rounding, rounding, .name = "the interpolation", .always = true)
