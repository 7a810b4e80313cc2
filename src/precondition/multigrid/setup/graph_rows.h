/* Set-up of a level by matching, for host and device: what is done to a node, a row, an entry.
 *
 * A device sorts and counts where the host walks rows; the order of every sum is the host's. So it
 * has the bits of csr_expand, matching.c, coarse.c and rescale.c. */
#ifndef PRECONDITION_MULTIGRID_SETUP_GRAPH_ROWS_H
#define PRECONDITION_MULTIGRID_SETUP_GRAPH_ROWS_H

#include "base/host_device.h"
#include "base/random.h"
#include "matrix/csr.h"
#include "precondition/multigrid/setup/aggregates.h"
#include "precondition/multigrid/setup/rescale_rows.h"

#include <math.h>

/* --- both triangles --------------------------------------------------------------------------- */

/* csr_expand of a symmetric matrix. A stable sort of its entries by columns has in each column the
 * rows above the diagonal, ascending, and then the diagonal: what stands left in the full row. */
struct expansion {
    struct csr upper;
    int32_t *rows;     /* [nnz]: of entry k */
    uint32_t *columns; /* [nnz], sorted */
    uint32_t *order;   /* [nnz]: the entries in that order */
    int32_t *ends;     /* [n]: of the columns, in that order */
    struct csr full;
};

/* The entries of row i, before the sort. */
CGSOLVE_HOST_AND_DEVICE static inline void expansion_list(const struct expansion *by, int64_t i)
{
    for (int64_t k = by->upper.offsets[i]; k < by->upper.offsets[i + 1]; k++) {
        by->rows[k] = (int32_t)i;
        by->columns[k] = (uint32_t)by->upper.columns[k];
        by->order[k] = (uint32_t)k;
    }
}

/* The entry that is number p after the sort, into the row of its column. */
CGSOLVE_HOST_AND_DEVICE static inline void expansion_mirror(const struct expansion *by, int64_t p)
{
    int64_t j = by->columns[p], k = by->order[p], diagonal = by->upper.offsets[j];
    int64_t to = p + diagonal - j; /* the rows before have so many entries right of diagonals */
    by->full.columns[to] = by->rows[k];
    by->full.values[to] = by->upper.values[k];
    if (k == diagonal)
        by->ends[j] = (int32_t)(p + 1);
}

/* Then the entries right of the diagonal of row i, and where the row begins. */
CGSOLVE_HOST_AND_DEVICE static inline void expansion_finish(const struct expansion *by, int64_t i)
{
    const struct csr *upper = &by->upper;
    int64_t begin = upper->offsets[i], end = upper->offsets[i + 1];
    for (int64_t k = begin + 1; k < end; k++) {
        int64_t to = by->ends[i] - i + k - 1;
        by->full.columns[to] = upper->columns[k];
        by->full.values[to] = upper->values[k];
    }
    by->full.offsets[i] = (i > 0 ? by->ends[i - 1] : 0) + begin - i;
    if (i == upper->n - 1)
        by->full.offsets[i + 1] = 2 * upper->nnz - upper->n;
}

/* --- matching --------------------------------------------------------------------------------- */

enum { FREE = -1, LEFT_OUT = -2 };

/* Nodes, and what couples them: of both triangles at least the entries with a weight above 0
 * between nodes that take part. The diagonal has weight 0. */
struct graph {
    struct csr both;
    float *weights; /* [both.nnz] */
    int32_t *mate;  /* [n]: a node, FREE, or LEFT_OUT */
    int32_t *best;  /* [n]: whom a node proposes to */
};

/* Of entry a_ij beside the diagonal. */
CGSOLVE_HOST_AND_DEVICE static inline float graph_weight(const double *diagonal, int64_t block,
                                                         int64_t i, int64_t j, double value)
{
    double scale = sqrt(diagonal[i] * diagonal[j]);
    return (float)(block > 1 ? sqrt(value / scale) : -value / scale);
}

/* Whether node i takes part; off: the sum of |a_ij|, j not i, by ascending j. */
CGSOLVE_HOST_AND_DEVICE static inline int32_t graph_start(int64_t block, double diagonal,
                                                          double off)
{
    const double dominates = 0.2;
    return block == 1 && off < dominates * diagonal ? LEFT_OUT : FREE;
}

/* The weights of node i, and whether it takes part. */
CGSOLVE_HOST_AND_DEVICE static inline void
graph_weigh(const struct graph *graph, const double *diagonal, int64_t block, int64_t i)
{
    const struct csr *both = &graph->both;
    double off = 0;
    for (int64_t k = both->offsets[i]; k < both->offsets[i + 1]; k++) {
        int32_t j = both->columns[k];
        double value = both->values[k];
        graph->weights[k] = j == i ? 0 : graph_weight(diagonal, block, i, j, value);
        off += j == i ? 0 : fabs(value);
    }
    graph->mate[i] = graph_start(block, diagonal[i], off);
}

CGSOLVE_HOST_AND_DEVICE static inline uint64_t graph_edge(int64_t i, int64_t j)
{
    return i < j ? splitmix64((uint64_t)i << 32, (uint64_t)j)
                 : splitmix64((uint64_t)j << 32, (uint64_t)i);
}

struct proposal {
    int32_t to; /* FREE: to none */
    float weight;
};

/* The better one of two proposals of node i: there is one, whatever the order they are met in. */
CGSOLVE_HOST_AND_DEVICE static inline struct proposal graph_better(int64_t i, struct proposal one,
                                                                   struct proposal other)
{
    if (one.weight != other.weight || one.to == other.to)
        return other.weight > one.weight ? other : one;
    uint64_t first = graph_edge(i, one.to), second = graph_edge(i, other.to);
    return second > first || (second == first && other.to < one.to) ? other : one;
}

/* The best one to a free neighbour, of every `lanes`th entry from number `lane` on. */
CGSOLVE_HOST_AND_DEVICE static inline struct proposal graph_propose(const struct graph *graph,
                                                                    int64_t i, int lane, int lanes)
{
    struct proposal best = {FREE, 0};
    for (int64_t k = graph->both.offsets[i] + lane; k < graph->both.offsets[i + 1]; k += lanes) {
        struct proposal next = {graph->both.columns[k], graph->weights[k]};
        if (next.weight > 0 && !(next.weight < best.weight) && graph->mate[next.to] == FREE)
            best = graph_better(i, best, next);
    }
    return best;
}

/* Two nodes that propose to each other are a pair. */
CGSOLVE_HOST_AND_DEVICE static inline void graph_accept(const struct graph *graph, int64_t i)
{
    int32_t j = graph->best[i];
    if (j != FREE && graph->best[j] == i)
        graph->mate[i] = j;
}

/* Whether the node is the first one of an aggregate: these are numbered ascending. */
CGSOLVE_HOST_AND_DEVICE static inline bool graph_leads(const int32_t *mate, int64_t i)
{
    return mate[i] == FREE || mate[i] > i;
}

/* The aggregate of row i, of node i / block. numbers: how many nodes before a node lead. */
CGSOLVE_HOST_AND_DEVICE static inline int32_t
graph_aggregate(const int32_t *mate, const int32_t *numbers, int64_t block, int64_t i)
{
    int64_t node = (int64_t)((uint32_t)i / (uint32_t)block);
    if (mate[node] == LEFT_OUT)
        return IN_NO_AGGREGATE;
    int32_t number = numbers[graph_leads(mate, node) ? node : mate[node]];
    return (int32_t)(number * block + (i - node * block));
}

/* --- the sums of A_c -------------------------------------------------------------------------- */

/* What a_ij, i in I and j in J, adds to the entry of I and J. */
CGSOLVE_HOST_AND_DEVICE static inline double coarse_term(int32_t I, int32_t J, int64_t i, int32_t j,
                                                         double value)
{
    return J == I && j > i ? 2 * value : value;
}

/* Terms in the order of A's entries, which a stable sort brings to their places: the terms of an
 * entry then stand together in the order in which they are added (aggregates.h). */
struct coarse_terms {
    bool squares;           /* of A's values */
    int shift;              /* I << shift | J is the place of an entry, and 0 < J <= count fits */
    uint64_t *places;       /* [nnz] of A */
    double *values;         /* [nnz] of A */
    const int32_t *entries; /* [nnz]: how many entries begin before a term, after the sort */
    struct csr coarse;
};

/* The place behind all, of what lies in no aggregate. */
CGSOLVE_HOST_AND_DEVICE static inline uint64_t coarse_nowhere(int64_t count, int shift)
{
    return (uint64_t)count << shift;
}

/* Those of row i of A. */
CGSOLVE_HOST_AND_DEVICE static inline void coarse_list(const struct coarse_terms *by,
                                                       const struct csr *A, const int32_t *map,
                                                       int64_t count, int64_t i)
{
    int32_t I = map[i];
    for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++) {
        int32_t j = A->columns[k], J = map[j];
        int32_t least = I < J ? I : J, most = I < J ? J : I;
        by->places[k] = least == IN_NO_AGGREGATE ? coarse_nowhere(count, by->shift)
                                                 : (uint64_t)least << by->shift | (uint64_t)most;
        double value = A->values[k];
        by->values[k] = coarse_term(I, J, i, j, by->squares ? value * value : value);
    }
}

/* Whether term p is the first of an entry. */
CGSOLVE_HOST_AND_DEVICE static inline bool coarse_begins(const uint64_t *places, uint64_t nowhere,
                                                         int64_t p)
{
    return places[p] != nowhere && (p == 0 || places[p - 1] != places[p]);
}

/* The entry that begins with term p of nnz, if one does. Rows begin with their diagonals. */
CGSOLVE_HOST_AND_DEVICE static inline void coarse_sum(const struct coarse_terms *by, int64_t nnz,
                                                      int64_t p)
{
    const struct csr *coarse = &by->coarse;
    uint64_t place = by->places[p];
    if (p == 0)
        coarse->offsets[coarse->n] = coarse->nnz;
    if (!coarse_begins(by->places, coarse_nowhere(coarse->n, by->shift), p))
        return;
    int64_t I = (int64_t)(place >> by->shift), entry = by->entries[p];
    int32_t J = (int32_t)(place & ((UINT64_C(1) << by->shift) - 1));
    double sum = 0;
    for (; p < nnz && by->places[p] == place; p++)
        sum += by->values[p];
    coarse->columns[entry] = J;
    coarse->values[entry] = sum;
    if (I == J)
        coarse->offsets[I] = entry;
}

/* --- the matrix of the level ------------------------------------------------------------------ */

/* The sum of row i of both triangles over the columns of an unknown. */
CGSOLVE_HOST_AND_DEVICE static inline double rescale_sum_over(const struct csr *full, int64_t block,
                                                              int64_t i, int64_t unknown)
{
    double sum = 0;
    for (int64_t k = full->offsets[i]; k < full->offsets[i + 1]; k++)
        if (block == 1 || (uint32_t)full->columns[k] % (uint32_t)block == unknown)
            sum += full->values[k];
    return sum;
}

/* S of rescale.h */
CGSOLVE_HOST_AND_DEVICE static inline double rescale_sum(const struct csr *full, int64_t block,
                                                         int64_t i)
{
    int64_t own = i % block;
    double sum = rescale_sum_over(full, block, i, own);
    for (int64_t c = 0; c < block; c++)
        sum -= c == own ? 0 : fabs(rescale_sum_over(full, block, i, c));
    return sum;
}

/* Row i of single rows, where f = correction; `full`: both triangles before. */
CGSOLVE_HOST_AND_DEVICE static inline void rescale_row(const struct csr *full, double correction,
                                                       double kept, const struct csr *coarse,
                                                       int64_t i)
{
    int64_t begin = coarse->offsets[i];
    double couplings = 0, most = rescale_most_of(correction);
    for (int64_t k = full->offsets[i]; k < full->offsets[i + 1]; k++)
        if (full->columns[k] != i)
            couplings = fma(rescale_coupling(full->values[k], correction, most), 1.0, couplings);
    for (int64_t k = begin + 1; k < coarse->offsets[i + 1]; k++)
        coarse->values[k] = rescale_coupling(coarse->values[k], correction, most);
    coarse->values[begin] = kept - couplings;
}

#endif
