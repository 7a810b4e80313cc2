/* Whether an aggregate of a grid is torn, for host and device: it would tie bodies to each other
 * that its couplings leave free of each other.
 *
 * Of the cells of an aggregate, those are in one part that strong couplings join: with
 *
 *     w_ij = a_ij^2 / (a_ii a_jj), a_ij < 0,   w_ij >= TORN_WEAK max w
 *
 * over all pairs of neighbours along axes within. A part is a body where no coupling that leaves it
 * within the aggregate is above its greatest a_ii (TORN_WEAK max w)^{1/2}: what lies between stiff
 * bodies is softer than its couplings to them, and follows them. An aggregate of two bodies is
 * torn.
 *
 * Of several unknowns a cell, a_ii is the Frobenius norm of a block, and a_ij minus that norm: so a
 * matching weighs them too. */
#ifndef PRECONDITION_MULTIGRID_TORN_ROWS_H
#define PRECONDITION_MULTIGRID_TORN_ROWS_H

#include "cgsolve/csr.h"
#include "cgsolve/host_device.h"
#include "precondition/multigrid/cells.h"

#include <math.h>

static const double TORN_WEAK = 1.0 / 256;

/* The aggregates that a grid would have next; the last one of an odd axis without the cell that may
 * join it. */
struct pairing {
    int64_t n[3], pairs[3]; /* cells, and aggregates along an axis */
    int64_t block;          /* unknowns in a cell */
    bool halved[3];
};

CGSOLVE_HOST_AND_DEVICE static inline int64_t pairing_count(const struct pairing *pairing)
{
    return pairing->pairs[0] * pairing->pairs[1] * pairing->pairs[2];
}

enum { TORN_CELLS = 8 }; /* cell m is one step further along axis a where bit a of m is set */

struct torn_box {
    bool has[TORN_CELLS];
    double diagonal[TORN_CELLS];
    double coupling[TORN_CELLS][3]; /* -a_ij to the next cell along an axis, at least 0; or norms */
};

/* Of cell m of the box, which begins with row `first`. */
CGSOLVE_HOST_AND_DEVICE static inline void torn_couple(const struct csr *A,
                                                       const struct pairing *pairing, int64_t first,
                                                       struct torn_box *box, int m)
{
    const int64_t *n = pairing->n, block = pairing->block;
    const int64_t ahead[4] = {block, block * n[0], block * n[0] * n[1], 0};
    double of[4] = {0, 0, 0, 0};
    for (int64_t i = first; i < first + block; i++)
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++)
            for (int s = 0; s < 4; s++) {
                int64_t unknown = A->columns[k] - first - ahead[s];
                double value = A->values[k], twice = s == 3 && unknown > i - first ? 2 : 1;
                if (unknown >= 0 && unknown < block)
                    of[s] = block == 1 ? value : of[s] + twice * (value * value);
            }
    for (int axis = 0; axis < 3; axis++)
        box->coupling[m][axis] = block == 1 ? fmax(0.0, -of[axis]) : sqrt(of[axis]);
    box->diagonal[m] = block == 1 ? of[3] : sqrt(of[3]);
}

CGSOLVE_HOST_AND_DEVICE static inline void
torn_take(const struct csr *A, const struct pairing *pairing, int64_t I, struct torn_box *box)
{
    const int64_t *n = pairing->n;
    struct cell first = cell_of(pairing->pairs, I);
    for (int m = 0; m < TORN_CELLS; m++) {
        int64_t at[3];
        box->has[m] = true;
        for (int axis = 0; axis < 3; axis++) {
            int step = m >> axis & 1;
            at[axis] = (pairing->halved[axis] ? 2 : 1) * first.at[axis] + step;
            box->has[m] = box->has[m] && (pairing->halved[axis] || !step) && at[axis] < n[axis];
        }
        if (!box->has[m])
            continue;
        int64_t cell = at[0] + n[0] * (at[1] + n[1] * at[2]);
        torn_couple(A, pairing, cell * pairing->block, box, m);
    }
}

/* Whether cell m and the next one along the axis are in the box. */
CGSOLVE_HOST_AND_DEVICE static inline bool torn_pair(const struct torn_box *box, int m, int axis)
{
    return !(m >> axis & 1) && box->has[m] && box->has[m | 1 << axis];
}

/* w */
CGSOLVE_HOST_AND_DEVICE static inline double torn_weight(const struct torn_box *box, int m,
                                                         int axis)
{
    double a = box->coupling[m][axis];
    return a / box->diagonal[m] * (a / box->diagonal[m | 1 << axis]);
}

/* The cells of the part of cell m, as bits, for each m. */
CGSOLVE_HOST_AND_DEVICE static inline void torn_join(const struct torn_box *box, double least,
                                                     unsigned int parts[TORN_CELLS])
{
    for (int m = 0; m < TORN_CELLS; m++)
        parts[m] = 1u << m;
    for (int m = 0; m < TORN_CELLS; m++)
        for (int axis = 0; axis < 3; axis++) {
            if (!torn_pair(box, m, axis) || torn_weight(box, m, axis) < least)
                continue;
            unsigned int both = parts[m] | parts[m | 1 << axis];
            for (int c = 0; c < TORN_CELLS; c++)
                parts[c] = both >> c & 1 ? both : parts[c];
        }
}

CGSOLVE_HOST_AND_DEVICE static inline bool torn_is_body(const struct torn_box *box, double share,
                                                        unsigned int part)
{
    double most = 0, leaves = 0;
    for (int m = 0; m < TORN_CELLS; m++) {
        bool within = part >> m & 1;
        if (within && box->diagonal[m] > most)
            most = box->diagonal[m];
        for (int axis = 0; axis < 3; axis++)
            if (torn_pair(box, m, axis) && within != (part >> (m | 1 << axis) & 1) &&
                box->coupling[m][axis] > leaves)
                leaves = box->coupling[m][axis];
    }
    return leaves < share * most;
}

/* Aggregate I */
CGSOLVE_HOST_AND_DEVICE static inline bool torn_aggregate(const struct csr *A,
                                                          const struct pairing *pairing, int64_t I)
{
    struct torn_box box;
    unsigned int parts[TORN_CELLS];
    int bodies = 0;
    double most = 0, least = INFINITY;
    torn_take(A, pairing, I, &box);
    for (int m = 0; m < TORN_CELLS; m++)
        for (int axis = 0; axis < 3; axis++)
            if (torn_pair(&box, m, axis)) {
                most = fmax(most, torn_weight(&box, m, axis));
                least = fmin(least, torn_weight(&box, m, axis));
            }
    if (least >= TORN_WEAK * most)
        return false;
    torn_join(&box, TORN_WEAK * most, parts);
    for (int m = 0; m < TORN_CELLS; m++) {
        bool leads = box.has[m] && (parts[m] & ((1u << m) - 1)) == 0;
        bodies += leads && torn_is_body(&box, sqrt(TORN_WEAK * most), parts[m]);
    }
    return bodies > 1;
}

#endif
