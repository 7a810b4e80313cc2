/* Whole blocks at a time, of sizes that the compiler knows. */
#include "precondition/blocks.h"

#include "base/multiversion.h"

/* The rows begin ... end - 1 of the block of rows first ... last - 1. */
static inline void rows_apply(const struct blocks_work *work, int64_t first, int64_t last,
                              int64_t begin, int64_t end)
{
    const double *values = work->values, *r = work->r;
    double *z = work->z;
    int64_t n = work->n;
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
    rows_apply(work, begin, begin + (SIZE), begin, begin + (SIZE))

MULTIVERSION static void blocks_elements(const void *context, int64_t begin, int64_t end)
{
    const struct blocks_work *work = context;
    int64_t block = work->block, past = begin % block;
    if (past > 0) { /* a block that begins in the tile before */
        int64_t first = begin - past,
                last = first + block < work->rows ? first + block : work->rows;
        int64_t stop = last < end ? last : end;
        rows_apply(work, first, last, begin, stop);
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
        rows_apply(work, begin, begin + block < work->rows ? begin + block : work->rows, begin,
                   end);
}

/* A row at a time, as far as its elements are among them. */
MULTIVERSION static void blocks_columns_elements(const void *context, int64_t begin, int64_t end)
{
    const struct blocks_columns_work work = *(const struct blocks_columns_work *)context;
    int64_t stride = work.stride;
    while (begin < end) {
        int64_t i = begin / stride, row = i * stride;
        int64_t last = row + stride < end ? stride : end - row;
        for (int64_t c = begin - row; c < last; c++)
            work.z[row + c] = blocks_column(&work, i, c);
        begin = row + last;
    }
}

const struct pass pass_blocks_columns = {.name = "the blocks of a preconditioner, for columns",
                                         .make = blocks_columns_elements,
                                         .cuda = "blocks_columns_cuda",
                                         .reads = 1,
                                         .writes = 1};
const struct pass pass_blocks = {.name = "the blocks of a preconditioner",
                                 .make = blocks_elements,
                                 .sum = blocks_sum,
                                 .cuda = "blocks_cuda",
                                 .apart_on_cuda = true,
                                 .reads = 1,
                                 .writes = 1,
                                 .summed = 2};
