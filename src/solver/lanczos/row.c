#include "solver/lanczos/row.h"

#include <math.h>

const struct series lanczos_series[] = {
    [LANCZOS_RESIDUAL] = {"residual", "the largest bound of a wanted ||A v - theta v|| / |theta|",
                          SERIES_IN_ALL_ROWS},
    [LANCZOS_ALPHA] = {"alpha", "the last entry on the diagonal of T", SERIES_FROM_ROW_1,
                       UNIT_MATRIX},
    [LANCZOS_BETA] = {"beta", "the norm of what is new in A v", SERIES_FROM_ROW_1, UNIT_MATRIX},
    [LANCZOS_RITZ_LOW] = {"ritz_low", "the smallest Ritz value", SERIES_WHERE_KNOWN, UNIT_MATRIX},
    [LANCZOS_RITZ_HIGH] = {"ritz_high", "the largest Ritz value", SERIES_WHERE_KNOWN, UNIT_MATRIX},
    [LANCZOS_BOUND_LOW] = {"bound_low", "the residual bound of ritz_low", SERIES_WHERE_KNOWN,
                           UNIT_MATRIX},
    [LANCZOS_BOUND_HIGH] = {"bound_high", "the residual bound of ritz_high", SERIES_WHERE_KNOWN,
                            UNIT_MATRIX},
    [LANCZOS_ORTHOGONALITY] = {"orthogonality",
                               "the largest |v_i . w| before w is made orthogonal again, over ||w||"
                               " behind that",
                               SERIES_WHERE_KNOWN},
    [LANCZOS_CONVERGED] = {"converged", "how many of the wanted eigenvalues have converged",
                           SERIES_WHERE_KNOWN},
    [LANCZOS_GHOSTS] = {"ghosts", "how many Ritz values are copies of another", SERIES_WHERE_KNOWN},
    [LANCZOS_SERIES] = {NULL},
};

void lanczos_row(const struct ritz *ritz, const struct lanczos_step *step,
                 double values[LANCZOS_SERIES])
{
    int64_t last = ritz->size - 1;
    values[LANCZOS_RESIDUAL] = ritz_residual(ritz);
    values[LANCZOS_ALPHA] = step->alpha;
    values[LANCZOS_BETA] = step->beta;
    values[LANCZOS_RITZ_LOW] = ritz->theta[0];
    values[LANCZOS_RITZ_HIGH] = ritz->theta[last];
    values[LANCZOS_BOUND_LOW] = ritz->bound[0];
    values[LANCZOS_BOUND_HIGH] = ritz->bound[last];
    values[LANCZOS_ORTHOGONALITY] = step->orthogonality;
    values[LANCZOS_CONVERGED] = (double)ritz_converged(ritz);
    values[LANCZOS_GHOSTS] = (double)ritz_ghosts(ritz);
}

void lanczos_bare_row(double residual, double alpha, double beta, double values[LANCZOS_SERIES])
{
    for (int s = 0; s < LANCZOS_SERIES; s++)
        values[s] = NAN;
    values[LANCZOS_RESIDUAL] = residual;
    values[LANCZOS_ALPHA] = alpha;
    values[LANCZOS_BETA] = beta;
}
