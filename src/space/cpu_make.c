#include "space/cpu_make.h"

#include "base/multiversion.h"
#include "base/threads.h"
#include "cgsolve/sum_order.h"

#include <math.h>

struct blocks {
    int64_t n, block;
    const double *values, *r;
    double *z;
};

/* The rows begin ... end - 1 of the block of rows first ... last - 1. */
static inline void rows_apply(const struct blocks *blocks, int64_t first, int64_t last,
                              int64_t begin, int64_t end)
{
    const double *values = blocks->values, *r = blocks->r;
    double *z = blocks->z;
    int64_t n = blocks->n;
    for (int64_t i = begin; i < end; i++) {
        double s = values[i] * r[first];
        for (int64_t j = 1; j < last - first; j++)
            s = fma(values[j * n + i], r[first + j], s);
        z[i] = s;
    }
}

/* Whole blocks of a size that the compiler knows, as many as lie in begin ... end - 1; where they
 * end. */
#define WHOLE_BLOCKS(SIZE)                                                                         \
    for (; begin + (SIZE) <= end; begin += (SIZE))                                                 \
    rows_apply(blocks, begin, begin + (SIZE), begin, begin + (SIZE))

MULTIVERSION static void blocks_make(const void *context, int64_t begin, int64_t end)
{
    const struct blocks *blocks = context;
    int64_t block = blocks->block, past = begin % block;
    if (past > 0) { /* a block that begins in the tile before */
        int64_t first = begin - past, last = first + block < blocks->n ? first + block : blocks->n;
        int64_t stop = last < end ? last : end;
        rows_apply(blocks, first, last, begin, stop);
        begin = stop;
    }
    switch (block) {
    case 1:
        WHOLE_BLOCKS(1);
        break;
    case 2:
        WHOLE_BLOCKS(2);
        break;
    case 3:
        WHOLE_BLOCKS(3);
        break;
    case 4:
        WHOLE_BLOCKS(4);
        break;
    case 6:
        WHOLE_BLOCKS(6);
        break;
    default:
        WHOLE_BLOCKS(block);
        break;
    }
    if (begin < end)
        rows_apply(blocks, begin, begin + block < blocks->n ? begin + block : blocks->n, begin,
                   end);
}

enum status cpu_apply_blocks(struct space *space, int64_t n, int64_t block, const double *values,
                             const double *r, double *z, double *dot, struct error *error)
{
    struct blocks blocks = {n, block, values, r, z};
    return cpu_make_and_dot(space, n, blocks_make, &blocks, r, z, dot, error);
}

MULTIVERSION static void combination_make(const void *context, int64_t begin, int64_t end)
{
    const struct combination *combination = context;
    const double *const *v = combination->v, *c = combination->c;
    double *z = combination->z;
#pragma omp simd
    for (int64_t i = begin; i < end; i++)
        z[i] = fma(c[0], v[0][i], fma(c[1], v[1][i], fma(c[2], v[2][i], c[3] * v[3][i])));
}

static void combine(void *context, int64_t begin, int64_t end)
{
    combination_make(context, begin, end);
}

enum status cpu_combine(struct space *space, int64_t n, const struct combination *combination,
                        struct error *error)
{
    if (combination->dot)
        return cpu_make_and_dot(space, n, combination_make, combination, combination->v[2],
                                combination->z, combination->dot, error);
    struct combination made = *combination;
    threads_each(n, combine, &made);
    return STATUS_OK;
}
