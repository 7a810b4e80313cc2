#include "solver/all_converged.h"

#include "space/define_pass.h"

SCALARS(all_converged, all_converged)

PASS_OF_SCALARS(all_converged, all_converged, all_converged, .name = "the end of all columns",
                .always = true)
