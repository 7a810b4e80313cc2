/* P^T A P made the matrix of a level, so that corrections of smooth errors have the right length.
 *
 * A piecewise constant correction meets too much resistance from the couplings between aggregates:
 * the difference of two cells is that over their distance, and the centres of the aggregates lie
 * further apart. So the couplings are divided by
 *
 *     f_IJ = 1 + (correction - 1) (s_IJ - 1)   where a_IJ <= 0
 *     f_IJ = g                                 where a_IJ > 0
 *
 * where s_IJ is the distance between the aggregates' centres over that of the two cells beside
 * their common face: 2 along an axis whose cells were joined in pairs, less where a cell is left at
 * its end, 1 along the other axes; of two axes the greater one. A correction below 1 is the least
 * f; g is the greatest one that there can be, at least 1. Where there is no grid, and of blocks of
 * unknowns, f = correction.
 *
 * What ties a row to itself alone asks for less: a boundary with a fixed value for 3/2 to 2, a mass
 * for 1. It is the sum of the row, S_I = sum_J a_IJ; of a row of blocks the sum over the columns of
 * its own unknown, less the sizes of those over each other unknown. The least S of all rows, if it
 * is above 0, is taken for a mass, but of blocks with a correction below 1, and the rest for
 * boundaries:
 *
 *     kept_I = least + max(of_sum, 1 / correction) (S_I - least)   where S_I > 0
 *     kept_I = S_I / g                                             elsewhere
 *
 *     a_IJ = a_IJ / f_IJ,   a_II = kept_I - sum_{J != I} a_IJ / f_IJ
 *     of blocks:            a_II = a_II / correction + (kept_I - S_I / correction)
 *
 * So the matrix is positive definite where A_c is. For any v
 *
 *     v' A_c v = sum_I S_I v_I^2 + sum_{I < J} -a_IJ (v_I - v_J)^2
 *
 * and likewise that of the level, with kept_I >= S_I / g in the place of S_I, and -a_IJ / f_IJ,
 * which is at least -a_IJ / g: f <= g where -a_IJ >= 0, and f = g where it is below 0. Term by term
 * it is at least v' A_c v / g. For blocks, the matrix is A_c / correction with a larger
 * diagonal. S is a chain of additions by ascending J, the other sum that of csr_multiply for x = 1.
 * (A factor for plain aggregation: Braess, Computing 55, 1995. Distances and sums: our own.) */
#ifndef PRECONDITION_MULTIGRID_SETUP_RESCALE_H
#define PRECONDITION_MULTIGRID_SETUP_RESCALE_H

#include "precondition/multigrid/setup/slab.h"
#include "space/find.h"

struct rescaling {
    double correction, of_sum;
    int64_t block;             /* unknowns of a node: row i is of unknown i % block */
    const struct cells *cells; /* of the aggregates; n[0] = 0: no grid */
    const struct slab *slab;   /* of whose grid the cells are; NULL: all rows are here */
};

/* Whose widths say the greatest f. */
static inline const struct cells *rescaling_cells(const struct rescaling *by)
{
    return by->slab ? &by->slab->all : by->cells;
}

/* The rows of A_c, of n, whose sums are looked at. */
static inline struct slab_rows rescaling_rows(const struct rescaling *by, int64_t n)
{
    struct slab_rows all = {0, 0, n};
    return by->slab ? by->slab->coarse : all;
}

/* Whether A couples cells that lie beside no axis of each other; the cells have A's `along`. */
static inline bool rescaling_crosses(const struct rescaling *by, const struct csr *A)
{
    const struct csr *all = by->slab ? by->slab->A : A;
    return all->nnz - all->n > rescaling_cells(by)->along;
}

#ifdef __cplusplus
extern "C" {
#endif

/* *mass: what is taken for one, of the greatest -S that these rows have. Errors: STATUS_MEMORY,
 * STATUS_RANK. */
enum status rescaling_mass(const struct rescaling *by, struct found *found, double *mass,
                           struct error *error);

/* In the memory of coarse->space. Errors: STATUS_MEMORY, STATUS_DEVICE, STATUS_RANK. */
enum status rescale(const struct rescaling *by, struct csr *coarse, struct error *error);

#ifdef __cplusplus
}
#endif
#endif
