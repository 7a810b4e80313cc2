/* Whether an aggregate of a grid is torn, for host and device: it would tie bodies to each other
 * that its couplings leave free of each other.
 *
 * Of the cells of an aggregate, those are in one part that strong couplings join: with
 *
 *     w_ij = a_ij^2 / (a_ii a_jj), a_ij < 0,   w_ij >= TORN_WEAK max w
 *
 * over all pairs of neighbours along axes of which one at least is within: where stiff cells meet
 * at a corner, or a pair is a whole aggregate, all couplings within are alike, and weak beside
 * those to the cells around. A part is a body where no coupling that leaves it within the aggregate
 * is above its greatest a_ii (TORN_WEAK max w)^{1/2}: what lies between stiff bodies is softer than
 * its couplings to them, and follows them. An aggregate of two bodies is torn.
 *
 * Of several unknowns a cell, a_ii is the Frobenius norm of a block, and a_ij minus that norm: so a
 * matching weighs them too. */
#ifndef PRECONDITION_MULTIGRID_SETUP_TORN_ROWS_H
#define PRECONDITION_MULTIGRID_SETUP_TORN_ROWS_H

#include "base/host_device.h"
#include "matrix/csr.h"
#include "precondition/multigrid/setup/cells.h"

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

struct torn_cell {
    bool is; /* one of the grid, and in a box one of the aggregate */
    double diagonal;
    double coupling[3]; /* -a_ij to the next cell along an axis, at least 0; or norms */
};

/* of[s]: the entry of row i in column i + ahead[s]; of single unknowns. ahead ascends from 0. */
CGSOLVE_HOST_AND_DEVICE static inline void torn_entries(const struct csr *A, int64_t i,
                                                        const int64_t ahead[4], double of[4])
{
    const struct csr_row row = csr_row_at(A, i);
    int64_t k = 0, own = i - row.from;
    for (int s = 0; s < 4; s++) {
        while (k < row.count && row.columns[k] < own + ahead[s])
            k++;
        of[s] = k < row.count && row.columns[k] == own + ahead[s] ? row.values[k] : 0;
    }
}

/* of[s]: the square of the norm of the block of columns from first + ahead[s] on. */
CGSOLVE_HOST_AND_DEVICE static inline void torn_squares(const struct csr *A, int64_t block,
                                                        int64_t first, const int64_t ahead[4],
                                                        double of[4])
{
    for (int s = 0; s < 4; s++)
        of[s] = 0;
    for (int64_t i = first; i < first + block; i++)
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++)
            for (int s = 0; s < 4; s++) {
                int64_t unknown = A->columns[k] - first - ahead[s];
                double value = A->values[k], twice = s == 0 && unknown > i - first ? 2 : 1;
                if (unknown >= 0 && unknown < block)
                    of[s] = of[s] + twice * (value * value);
            }
}

CGSOLVE_HOST_AND_DEVICE static inline struct torn_cell
torn_cell_at(const struct csr *A, const struct pairing *pairing, const int64_t at[3])
{
    const int64_t *n = pairing->n, block = pairing->block;
    const int64_t ahead[4] = {0, block, block * n[0], block * n[0] * n[1]};
    const int64_t first = block * (at[0] + n[0] * (at[1] + n[1] * at[2]));
    struct torn_cell cell = {true, 0, {0, 0, 0}};
    double of[4];
    for (int axis = 0; axis < 3; axis++)
        cell.is = cell.is && at[axis] >= 0 && at[axis] < n[axis];
    if (!cell.is)
        return cell;
    if (block == 1)
        torn_entries(A, first, ahead, of);
    else
        torn_squares(A, block, first, ahead, of);
    for (int axis = 0; axis < 3; axis++)
        cell.coupling[axis] = block == 1 ? fmax(0.0, -of[axis + 1]) : sqrt(of[axis + 1]);
    cell.diagonal = block == 1 ? of[0] : sqrt(of[0]);
    return cell;
}

/* The place of cell m of aggregate I; whether it is one of the aggregate. */
CGSOLVE_HOST_AND_DEVICE static inline bool torn_place(const struct pairing *pairing, int64_t I,
                                                      int m, int64_t at[3])
{
    struct cell first = cell_of(pairing->pairs, I);
    bool within = true;
    for (int axis = 0; axis < 3; axis++) {
        int step = m >> axis & 1;
        at[axis] = (pairing->halved[axis] ? 2 : 1) * first.at[axis] + step;
        within = within && (pairing->halved[axis] || !step);
    }
    return within;
}

/* w of cell i and the next one along the axis. */
CGSOLVE_HOST_AND_DEVICE static inline double torn_weight(const struct torn_cell *i,
                                                         const struct torn_cell *next, int axis)
{
    double a = i->coupling[axis];
    return a > 0 && next->is ? a / i->diagonal * (a / next->diagonal) : 0;
}

/* max w, where cell m of aggregate I is one of the two. */
CGSOLVE_HOST_AND_DEVICE static inline double torn_most(const struct csr *A,
                                                       const struct pairing *pairing, int64_t I,
                                                       const struct torn_cell box[TORN_CELLS],
                                                       int m)
{
    double most = 0;
    for (int axis = 0; axis < 3; axis++)
        for (int step = -1; step <= 1; step += 2) {
            int64_t at[3];
            torn_place(pairing, I, m, at);
            at[axis] += step;
            bool within = pairing->halved[axis] && (m >> axis & 1) == (step < 0);
            struct torn_cell other = within ? box[m ^ 1 << axis] : torn_cell_at(A, pairing, at);
            most = fmax(most, step > 0 ? torn_weight(&box[m], &other, axis)
                                       : torn_weight(&other, &box[m], axis));
        }
    return most;
}

/* Whether cell m and the next one along the axis are in the box. */
CGSOLVE_HOST_AND_DEVICE static inline bool torn_pair(const struct torn_cell box[TORN_CELLS], int m,
                                                     int axis)
{
    return !(m >> axis & 1) && box[m].is && box[m | 1 << axis].is;
}

/* The cells of the part of cell m, as bits, for each m. */
CGSOLVE_HOST_AND_DEVICE static inline void torn_join(const struct torn_cell box[TORN_CELLS],
                                                     double least, unsigned int parts[TORN_CELLS])
{
    for (int m = 0; m < TORN_CELLS; m++)
        parts[m] = 1u << m;
    for (int m = 0; m < TORN_CELLS; m++)
        for (int axis = 0; axis < 3; axis++) {
            int next = m | 1 << axis;
            if (!torn_pair(box, m, axis) || torn_weight(&box[m], &box[next], axis) < least)
                continue;
            unsigned int both = parts[m] | parts[next];
            for (int c = 0; c < TORN_CELLS; c++)
                parts[c] = both >> c & 1 ? both : parts[c];
        }
}

CGSOLVE_HOST_AND_DEVICE static inline bool torn_is_body(const struct torn_cell box[TORN_CELLS],
                                                        double share, unsigned int part)
{
    double most = 0, leaves = 0;
    for (int m = 0; m < TORN_CELLS; m++) {
        bool within = part >> m & 1;
        if (within && box[m].diagonal > most)
            most = box[m].diagonal;
        for (int axis = 0; axis < 3; axis++)
            if (torn_pair(box, m, axis) && within != (part >> (m | 1 << axis) & 1) &&
                box[m].coupling[axis] > leaves)
                leaves = box[m].coupling[axis];
    }
    return leaves < share * most;
}

/* Whether there are two bodies, by max w. */
CGSOLVE_HOST_AND_DEVICE static inline bool torn_apart(const struct torn_cell box[TORN_CELLS],
                                                      double most)
{
    unsigned int parts[TORN_CELLS];
    int bodies = 0;
    torn_join(box, TORN_WEAK * most, parts);
    for (int m = 0; m < TORN_CELLS; m++) {
        bool leads = box[m].is && (parts[m] & ((1u << m) - 1)) == 0;
        bodies += leads && torn_is_body(box, sqrt(TORN_WEAK * most), parts[m]);
    }
    return bodies > 1;
}

/* true: all cells of the box are one part where max w is 1. A quick test, without divisions: false
 * tells nothing, as where products may overflow. */
CGSOLVE_HOST_AND_DEVICE static inline bool torn_holds(const struct torn_cell box[TORN_CELLS])
{
    for (int m = 0; m < TORN_CELLS; m++)
        for (int axis = 0; axis < 3; axis++) {
            if (!torn_pair(box, m, axis))
                continue;
            double a = box[m].coupling[axis], square = a * a;
            double product = box[m].diagonal * box[m | 1 << axis].diagonal;
            if (!(square > 1.01 * TORN_WEAK * product && product > 1e-280 && square < 1e280))
                return false;
        }
    return true;
}

/* w is at most 1 where A is positive definite, also by norms of blocks (Horn and Mathias, 1990).
 * A smaller max w makes no more bodies, so few aggregates need a look around. A call: those that
 * hold do not need its registers. */
CGSOLVE_HOST_AND_DEVICE static __attribute__((noinline)) bool
torn_by_weights(const struct csr *A, const struct pairing *pairing, int64_t I,
                const struct torn_cell box[TORN_CELLS])
{
    double most = 0;
    if (!torn_apart(box, 1))
        return false;
    for (int m = 0; m < TORN_CELLS; m++)
        if (box[m].is)
            most = fmax(most, torn_most(A, pairing, I, box, m));
    return torn_apart(box, most);
}

CGSOLVE_HOST_AND_DEVICE static inline bool torn_aggregate(const struct csr *A,
                                                          const struct pairing *pairing, int64_t I)
{
    struct torn_cell box[TORN_CELLS];
    for (int m = 0; m < TORN_CELLS; m++) {
        int64_t at[3];
        box[m].is = torn_place(pairing, I, m, at);
        if (box[m].is)
            box[m] = torn_cell_at(A, pairing, at);
    }
    return !torn_holds(box) && torn_by_weights(A, pairing, I, box);
}

#endif
