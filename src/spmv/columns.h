/* The passes between a multivector of spmv/operator.h and a vector, over the rows:
 *
 *     column_take: v_i = columns[i stride],    column_put: columns[i stride] = v_i. */
#ifndef SPMV_COLUMNS_H
#define SPMV_COLUMNS_H

#include "base/host_device.h"
#include "space/pass.h"

#ifdef __cplusplus
extern "C" {
#endif

struct column_work {
    double *columns, *v; /* of a multivector from element 0 of the column on */
    int64_t stride;
};

CGSOLVE_HOST_AND_DEVICE static inline void column_take_at(const struct column_work *work, int64_t i)
{
    work->v[i] = work->columns[i * work->stride];
}

CGSOLVE_HOST_AND_DEVICE static inline void column_put_at(const struct column_work *work, int64_t i)
{
    work->columns[i * work->stride] = work->v[i];
}

extern const struct pass pass_column_take, pass_column_put;
pass_launcher column_take_cuda, column_put_cuda;

#ifdef __cplusplus
}
#endif
#endif
