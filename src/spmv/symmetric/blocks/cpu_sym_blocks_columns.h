/* The walk of cpu_sym_blocks_walk.h for several vectors, with the names of spmv/lanes.h: an element
 * of x and y is a row of `stride` numbers. */

/* sum = the chains of a block row up to the last column of the block on the diagonal; y has met
 * what is left of it. */
INLINE void NAME(begin_columns)(const SUM *triangle, SUM sign, int k, int64_t stride,
                                const VECTOR *x, const VECTOR *y, NAME(lanes) * sum)
{
#pragma GCC unroll 6
    for (int r = 0; r < k; r++)
        NAME(lanes_load)(y + r * stride, &sum[r]);
#pragma GCC unroll 6
    for (int c = 0; c < k; c++) {
        NAME(lanes) other;
        NAME(lanes_load)(x + c * stride, &other);
#pragma GCC unroll 6
        for (int r = 0; r < k; r++) {
            SUM value = triangle[sym_blocks_place(k, r, c)];
            NAME(lanes_add)(r <= c ? value : sign * value, &other, &sum[r]);
        }
    }
}

/* mirrored = sign x. */
INLINE void NAME(load_mirrored)(const VECTOR *x, SUM sign, int k, int64_t stride,
                                NAME(lanes) * mirrored)
{
#pragma GCC unroll 6
    for (int r = 0; r < k; r++) {
        NAME(lanes_load)(x + r * stride, &mirrored[r]);
        mirrored[r] = sign * mirrored[r];
    }
}

/* sum += block x. */
INLINE void NAME(add_right)(const SUM *block, int k, int64_t stride, const VECTOR *x,
                            NAME(lanes) * sum)
{
#pragma GCC unroll 6
    for (int c = 0; c < k; c++) {
        NAME(lanes) other;
        NAME(lanes_load)(x + c * stride, &other);
#pragma GCC unroll 6
        for (int r = 0; r < k; r++)
            NAME(lanes_add)(block[r * k + c], &other, &sum[r]);
    }
}

/* y += block' mirrored. */
INLINE void NAME(add_below)(const SUM *block, int k, int64_t stride, const NAME(lanes) * mirrored,
                            VECTOR *y)
{
#pragma GCC unroll 6
    for (int c = 0; c < k; c++) {
        NAME(lanes) mine;
        NAME(lanes_load)(y + c * stride, &mine);
#pragma GCC unroll 6
        for (int r = 0; r < k; r++)
            NAME(lanes_add)(block[r * k + c], &mirrored[r], &mine);
        NAME(lanes_store)(&mine, y + c * stride);
    }
}

/* Ask for what the block rows to come meet of x and y, where a row takes a cache line or more: a
 * group's parts of the rows have gaps between them, and the processor sees no stream. */
INLINE void NAME(fetch_rows)(const VECTOR *x, const VECTOR *y, int k, int64_t stride)
{
    enum { BLOCKS = 2 };
    size_t row = (size_t)stride * sizeof *x;
    uintptr_t x_row = (uintptr_t)x + BLOCKS * k * row, y_row = (uintptr_t)y + BLOCKS * k * row;
#pragma GCC unroll 6
    for (int r = 0; r < k; r++) {
        __builtin_prefetch((const void *)(x_row + r * row));
        __builtin_prefetch((const void *)(y_row + r * row), 1);
    }
}

INLINE void NAME(walk_group)(const struct several *several, int64_t i, int64_t part_end, bool first,
                             const VECTOR *restrict x, VECTOR *restrict y, int k)
{
    const struct by_blocks *kept = several->kept;
    const struct sym_blocks *A = &kept->A;
    const int64_t stride = several->stride, width = k * stride;
    const SUM *table = kept->codes.table, sign = (SUM)A->sign;
    SUM decoded[SYM_BLOCK_MAX * SYM_BLOCK_MAX];
    NAME(lanes) sum[SYM_BLOCK_MAX], mirrored[SYM_BLOCK_MAX];
    NAME(load_mirrored)(x + i * width, sign, k, stride, mirrored);
    const SUM *triangle = (const SUM *)kept->diagonals + i * sym_blocks_triangle(k);
    NAME(begin_columns)(triangle, sign, k, stride, x + i * width, y + i * width, sum);
    for (int64_t p = A->offsets[i]; p < A->offsets[i + 1]; p++) {
        int64_t j = A->columns[p];
        if (first)
            fetch_ahead(kept->values, p, k, kept->codes.width);
        if (stride * (int64_t)sizeof *x >= LINE)
            NAME(fetch_rows)(x + j * width, y + j * width, k, stride);
        const SUM *block = OF_SUM(block_at)(kept->values, table, p, k, kept->codes.width, decoded);
        NAME(add_right)(block, k, stride, x + j * width, sum);
        if (j < part_end)
            NAME(add_below)(block, k, stride, mirrored, y + j * width);
    }
#pragma GCC unroll 6
    for (int r = 0; r < k; r++)
        NAME(lanes_store)(&sum[r], y + i * width + r * stride);
}

INLINE void NAME(walk_columns)(const struct several *several, int64_t begin, int64_t end,
                               int64_t part_end, const VECTOR *x, VECTOR *y, int k)
{
    for (int64_t i = begin; i < end; i++)
        for (int64_t group = 0; group < several->stride; group += LANES)
            NAME(walk_group)(several, i, part_end, group == 0, x + group, y + group, k);
}

INLINE void NAME(cross_columns)(const struct several *several, int64_t begin, int64_t end,
                                const VECTOR *restrict x, VECTOR *restrict y, int k)
{
    const struct by_blocks *kept = several->kept;
    const struct sym_crossing *crossing = &kept->parts.crossing;
    const int64_t stride = several->stride, width = k * stride;
    const SUM *table = kept->codes.table, sign = (SUM)kept->A.sign;
    for (int64_t c = begin; c < end; c++)
        for (int64_t q = crossing->offsets[c]; q < crossing->offsets[c + 1]; q++) {
            SUM decoded[SYM_BLOCK_MAX * SYM_BLOCK_MAX];
            const SUM *block =
                OF_SUM(block_at)(crossing->values, table, q, k, kept->codes.width, decoded);
            for (int64_t group = 0; group < stride; group += LANES) {
                NAME(lanes) mirrored[SYM_BLOCK_MAX];
                const VECTOR *above = x + crossing->columns[q] * width + group;
                VECTOR *mine = y + crossing->row[c] * width + group;
                NAME(load_mirrored)(above, sign, k, stride, mirrored);
                NAME(add_below)(block, k, stride, mirrored, mine);
            }
        }
}

/* One function for each k. */
#define WALK(k)                                                                                    \
    CLONES static void NAME(walk_columns_##k)(const void *state, int64_t begin, int64_t end,       \
                                              int64_t part_end, const void *x, void *y)            \
    {                                                                                              \
        NAME(walk_columns)(state, begin, end, part_end, x, y, k);                                  \
    }                                                                                              \
    CLONES static void NAME(cross_columns_##k)(const void *state, int64_t begin, int64_t end,      \
                                               const void *x, void *y)                             \
    {                                                                                              \
        NAME(cross_columns)(state, begin, end, x, y, k);                                           \
    }
#define EACH_K(function) function(2) function(3) function(4) function(5) function(6)
EACH_K(WALK)
#undef WALK

#define ENTRY(k)                                                                                   \
    [k] = {.add_crossing = NAME(cross_columns_##k), .walk_rows = NAME(walk_columns_##k)},
static const struct sym_walk NAME(columns)[SYM_BLOCK_MAX + 1] = {EACH_K(ENTRY)};
#undef ENTRY
#undef EACH_K
