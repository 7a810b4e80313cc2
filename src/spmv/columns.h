/* The passes between a multivector of spmv/operator.h and a vector, over the rows:
 *
 *     column_take: v_i = columns[i stride],    column_put: columns[i stride] = v_i. */
#ifndef SPMV_COLUMNS_H
#define SPMV_COLUMNS_H

#include "space/elements.h"

struct column_work {
    double *columns, *v; /* of a multivector from element 0 of the column on */
    int64_t stride;
};

PASS_AT(column_take, column_work)
{
    work->v[i] = work->columns[i * work->stride];
}

PASS_AT(column_put, column_work)
{
    work->columns[i * work->stride] = work->v[i];
}

PASS_DECLARE(pass_column_take);
PASS_DECLARE(pass_column_put);

#endif
