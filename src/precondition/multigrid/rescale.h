/* P' A P made the matrix of a level, so that corrections of smooth errors have the right length.
 *
 * A piecewise constant correction meets too much resistance from the couplings between aggregates:
 * the difference of two cells is that over their distance, and the centres of the aggregates lie
 * further apart. So the couplings are divided by
 *
 *     f_IJ = 1 + (correction - 1) (s_IJ - 1)
 *
 * where s_IJ is the distance between the aggregates' centres over that of the two cells beside
 * their common face: 2 along an axis whose cells were joined in pairs, less where a cell is left at
 * its end, 1 along the other axes; of two axes the greater one. Where there is no grid f =
 * correction. What ties a row to itself alone, its sum S_I = sum_J a_IJ, asks for less: a boundary
 * with a fixed value for 3/2 to 2, a mass for 1.
 *
 *     a_IJ = a_IJ / f_IJ,   a_II = of_sum S_I - sum_{J != I} a_IJ / f_IJ   where S_I > 0
 *
 * and S_I / correction in the place of of_sum S_I elsewhere. The sums are those of csr_multiply for
 * x = 1. Blocks of unknowns are divided by `correction` as they are. (A factor for plain
 * aggregation: Braess, Computing 55, 1995. Distances and sums: our own.) */
#ifndef PRECONDITION_MULTIGRID_RESCALE_H
#define PRECONDITION_MULTIGRID_RESCALE_H

#include "precondition/multigrid/grid.h"

struct rescaling {
    double correction, of_sum; /* of_sum = 0: blocks */
    const struct cells *cells; /* of the aggregates; n[0] = 0: no grid */
};

/* Errors: STATUS_MEMORY. */
enum status rescale(const struct rescaling *by, struct csr *coarse, struct error *error);

#endif
