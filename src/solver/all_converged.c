#include "solver/all_converged.h"

#include "space/define_pass.h"

PASS_OF_SCALARS(all_converged, all_converged, .name = "the end of all columns", .always = true)
