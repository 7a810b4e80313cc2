/* The near-null vectors of a level (near_null_vectors.h), as passes over rows and aggregates in any
 * space. */
#ifndef PRECONDITION_MULTIGRID_SETUP_NEAR_NULL_ROWS_H
#define PRECONDITION_MULTIGRID_SETUP_NEAR_NULL_ROWS_H

#include "matrix/near_null.h"
#include "space/elements.h"

#include <math.h>

/* Constants, each of one unknown of the nodes. */
struct constants {
    double *B;
    int64_t width;
};

PASS_AT(constants, constants)
{
    for (int64_t v = 0; v < work->width; v++)
        work->B[i * work->width + v] = i % work->width == v;
}

/* The tentative transfer. */
struct tentative {
    int64_t block, width;
    const double *B;                 /* [n width] */
    double *T, *R;                   /* T of the shape of B; R [aggregates width width] */
    const int32_t *begins, *members; /* the nodes of aggregates */
    int lanes;
};

/* dots[w] = t_w . t_v, w <= v, over the rows of aggregate I; of these the lane's. */
PASS_FUNCTION void members_dots(const struct tentative *by, int64_t I, int64_t v, int lane,
                                int lanes, double *dots)
{
    double own[NEAR_NULL_MAX];
    for (int64_t w = lane, at = 0; w <= v; w += lanes, at++)
        own[at] = 0;
    for (int64_t k = by->begins[I]; k < by->begins[I + 1]; k++) {
        const double *t = by->T + by->members[k] * by->block * by->width;
        for (int64_t c = 0; c < by->block; c++, t += by->width)
            for (int64_t w = lane, at = 0; w <= v; w += lanes, at++)
                own[at] = fma(t[w], t[v], own[at]);
    }
    for (int64_t w = lane, at = 0; w <= v; w += lanes, at++)
        dots[w] = own[at];
    pass_lanes_meet(lanes);
}

/* t_v = f (t_v - dots[0] t_0 - ... - dots[count - 1] t_{count - 1}), one after the other, in the
 * lane's nodes. */
PASS_FUNCTION void members_take(const struct tentative *by, int64_t I, int64_t v, double f,
                                int64_t count, int lane, int lanes, const double *dots)
{
    for (int64_t k = by->begins[I] + lane; k < by->begins[I + 1]; k += lanes) {
        double *t = by->T + by->members[k] * by->block * by->width;
        for (int64_t c = 0; c < by->block; c++, t += by->width) {
            double left = t[v];
            for (int64_t w = 0; w < count; w++)
                left = fma(-dots[w], t[w], left);
            t[v] = f * left;
        }
    }
    pass_lanes_meet(lanes);
}

PASS_FUNCTION void members_copy(const struct tentative *by, int64_t I, int lane, int lanes)
{
    int64_t size = by->block * by->width;
    for (int64_t k = by->begins[I] + lane; k < by->begins[I + 1]; k += lanes)
        for (int64_t e = 0; e < size; e++)
            by->T[by->members[k] * size + e] = by->B[by->members[k] * size + e];
    pass_lanes_meet(lanes);
}

/* Gram and Schmidt's method for the vectors of aggregate i, each twice (Giraud, Langou and
 * Rozloznik, Comput. Math. Appl. 50, 2005). Where the vectors before one make it up to 2^-20 of its
 * norm, it is dropped: that column of T is 0. The lanes share the dot products of a vector, and the
 * nodes that it is subtracted in. */
PASS_LANES_AT(orthogonalizing, tentative)
{
    const double DEPENDENT = 0x1p-40; /* of squares */
    int64_t width = work->width;
    double *R = work->R + i * width * width;
    members_copy(work, i, lane, lanes);
    for (int64_t v = 0; v < width; v++) {
        double *dots = R + v * width; /* row v, which becomes that of R at the end */
        double before = 0;
        for (int turn = 0; turn < 2; turn++) {
            members_dots(work, i, v, lane, lanes, dots);
            before = turn == 0 ? dots[v] : before;
            for (int64_t w = lane; w < v; w += lanes)
                R[w * width + v] = turn == 0 ? dots[w] : R[w * width + v] + dots[w];
            members_take(work, i, v, 1, v, lane, lanes, dots);
        }
        members_dots(work, i, v, lane, lanes, dots);
        double norm = sqrt(dots[v]);
        bool keeps = dots[v] > DEPENDENT * before;
        members_take(work, i, v, keeps ? 1 / norm : 0, 0, lane, lanes, dots);
        for (int64_t w = lane; w <= v; w += lanes)
            dots[w] = w == v && keeps ? norm : 0;
    }
}

PASS_DECLARE(pass_constants);
PASS_DECLARE(pass_orthogonalizing);

#endif
