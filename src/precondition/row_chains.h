/* The passes of a product with any rows R, kept as they are (space/elements.h):
 *
 *     y_i = the chain  s = 0,  s = fma(R_ij, x_j, s)  over row i, j ascending
 *
 * and v . y, if it is wanted; and the same of multivectors, and of vectors of singles, where y_i is
 * rounded at the end. R is rectangular or not, its values are doubles or singles, and sums are of
 * doubles in either case. */
#ifndef PRECONDITION_ROW_CHAINS_H
#define PRECONDITION_ROW_CHAINS_H

#include "matrix/csr.h"
#include "space/elements.h"

#include <math.h>

/* In the memory of the space. */
struct row_chains {
    int64_t n, nnz;
    int64_t *offsets; /* [n + 1] */
    int32_t *columns;
    double *doubles; /* the values, or NULL: they are */
    float *singles;
};

/* The general matrix *R, whose arrays are in the memory of the space or of the host, as rows of the
 * space; in singles, rounded, if that is wanted. *R is freed, or its arrays are those of the rows.
 * *wrong: the first row with a value that leaves the range of singles, or a diagonal entry that is
 * no normal one; n: none. On failure the rows can only be freed. The caller calls row_chains_free.
 * Errors: STATUS_MEMORY, STATUS_DEVICE. */
enum status row_chains_take(struct space *space, struct csr *R, bool singles,
                            struct row_chains *rows, int64_t *wrong, struct error *error);

/* Rows of doubles become rows of singles. *wrong: likewise. Errors: likewise. */
enum status row_chains_round(struct space *space, struct row_chains *rows, int64_t *wrong,
                             struct error *error);
void row_chains_free(struct space *space, struct row_chains *rows); /* accepts zeroed ones */

/* Of all arrays. */
int64_t row_chains_bytes(const struct row_chains *rows);

struct row_chains_work {
    struct row_chains rows;
    const double *x;
    double *y;
    int shift;       /* of multivectors (spmv/operator.h) of 2^shift columns; 0: of vectors */
    const double *v; /* of `dot` */
    double *dot;     /* NULL: not wanted */
};

#define ROW_CHAIN(values)                                                                          \
    CGSOLVE_UNROLL(8)                                                                              \
    for (; k < end; k++)                                                                           \
    s = fma((double)rows->values[k], (double)x[(int64_t)rows->columns[k] << shift], s)

#define ROW_CHAIN_OF(x)                                                                            \
    int64_t i = e >> shift, k = rows->offsets[i], end = rows->offsets[i + 1];                      \
    x += e - (i << shift);                                                                         \
    double s = 0;                                                                                  \
    if (rows->singles)                                                                             \
        ROW_CHAIN(singles);                                                                        \
    else                                                                                           \
        ROW_CHAIN(doubles);                                                                        \
    return s

/* Element e of y. */
PASS_FUNCTION double row_chain(const struct row_chains *rows, const double *x, int64_t e, int shift)
{
    ROW_CHAIN_OF(x);
}

PASS_FUNCTION double row_chain_of_singles(const struct row_chains *rows, const float *x, int64_t e,
                                          int shift)
{
    ROW_CHAIN_OF(x);
}

struct row_chains_scalars {
    int none;
};

struct row_chains_element {
    double v, y;
};

PASS_READ(row_chains, row_chains_work)
{
    s->none = 0;
}

PASS_PREPARES_NOTHING(row_chains)

PASS_LOAD(row_chains, row_chains_work)
{
    e->v = work->dot ? work->v[i] : 0;
    e->y = row_chain(&work->rows, work->x, i, 0);
}

PASS_MAKE(row_chains, row_chains_work)
{
    work->y[i] = e->y;
}

PASS_TERM(row_chains)
{
    *x = e->v;
    *y = e->y;
}

PASS_SUM(row_chains, row_chains_work)
{
    sum->x = work->v;
    sum->y = work->y;
    sum->result = work->dot;
    return k == 0 && work->dot;
}

/* Over the elements of multivectors. */
PASS_AT(row_chains_columns, row_chains_work)
{
    work->y[i] = row_chain(&work->rows, work->x, i, work->shift);
}

/* The same of singles. */
struct row_chains_singles {
    struct row_chains rows;
    const float *x;
    float *y;
    int shift;
};

PASS_AT(row_chains_singles, row_chains_singles)
{
    work->y[i] = (float)row_chain_of_singles(&work->rows, work->x, i, work->shift);
}

/* Their `reads` are without the rows, and count x once. */
PASS_DECLARE(pass_row_chains);
PASS_DECLARE(pass_row_chains_columns);
PASS_DECLARE(pass_row_chains_singles);

#endif
