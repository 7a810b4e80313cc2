/* What a row of Lanczos' history has. */
#ifndef SOLVER_LANCZOS_ROW_H
#define SOLVER_LANCZOS_ROW_H

#include "solver/lanczos/basis.h"
#include "solver/lanczos/lanczos.h"
#include "solver/lanczos/ritz.h"

extern const struct series lanczos_series[]; /* method_lanczos.series */

/* Behind a step, whose alpha and beta are in T. */
void lanczos_row(const struct ritz *ritz, const struct lanczos_step *step,
                 double values[LANCZOS_SERIES]);

/* Without Ritz values. */
void lanczos_bare_row(double residual, double alpha, double beta, double values[LANCZOS_SERIES]);

#endif
