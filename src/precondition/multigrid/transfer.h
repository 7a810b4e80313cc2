/* The passes between two levels (space/elements.h), over the rows of the coarse one
 *
 *     coarse_I = the chain from its first row on of  s = s + (b_i - q_i),  i in I ascending
 *
 * and over those of the fine one, where they lie in an aggregate,
 *
 *     x_i = x_i + coarse_{map[i]} */
#ifndef PRECONDITION_MULTIGRID_TRANSFER_H
#define PRECONDITION_MULTIGRID_TRANSFER_H

#include "cgsolve/host_device.h"
#include "cgsolve/pass.h"

struct restriction {
    const int32_t *offsets, *members; /* of struct aggregates */
    const double *b, *q;
    double *coarse;
};

CGSOLVE_HOST_AND_DEVICE static inline void restriction_at(const struct restriction *work, int64_t I)
{
    int32_t k = work->offsets[I], end = work->offsets[I + 1], i = work->members[k];
    double s = work->b[i] - work->q[i];
    for (k++; k < end; k++) {
        i = work->members[k];
        s += work->b[i] - work->q[i];
    }
    work->coarse[I] = s;
}

struct prolongation {
    const int32_t *map; /* of struct aggregates */
    const double *coarse;
    double *x;
};

CGSOLVE_HOST_AND_DEVICE static inline void prolongation_at(const struct prolongation *work,
                                                           int64_t i)
{
    int32_t I = work->map[i];
    if (I >= 0)
        work->x[i] += work->coarse[I];
}

#ifdef __cplusplus
extern "C" {
#endif

extern const struct pass pass_restriction, pass_prolongation;
pass_launcher restriction_cuda, prolongation_cuda;

#ifdef __cplusplus
}
#endif
#endif
