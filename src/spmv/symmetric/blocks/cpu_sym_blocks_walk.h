/* The walk of cpu_sym_blocks.c along rows of blocks, with the types that
 * spmv/symmetric/cpu_sym_forms.h speaks of. */

/* The values of block p: where they are, or decoded. */
INLINE const SUM *NAME(block_at)(const void *values, const SUM *table, int64_t p, int k, int width,
                                 SUM *decoded)
{
    if (width == SUM_WIDTH(SUM))
        return (const SUM *)values + p * k * k;
    for (int m = 0; m < k * k; m++)
        decoded[m] = cpu_sym_value(values, table, width, p * k * k + m);
    return decoded;
}

/* The rows of the block on the diagonal, which y has met from the left so far: sum = their chains
 * up to its last column. */
INLINE void NAME(begin_sums)(const SUM *triangle, SUM sign, int k, const VECTOR *x, const VECTOR *y,
                             SUM *sum)
{
#pragma GCC unroll 6
    for (int r = 0; r < k; r++)
        sum[r] = (SUM)y[r];
#pragma GCC unroll 6
    for (int c = 0; c < k; c++) {
#pragma GCC unroll 6
        for (int r = 0; r < k; r++) {
            SUM value = triangle[sym_blocks_place(k, r, c)];
            sum[r] = CSR_FMA(r <= c ? value : sign * value, (SUM)x[c], sum[r]);
        }
    }
}

/* sum += block x, the columns one after the other. */
INLINE void NAME(add_block)(const SUM *block, int k, const VECTOR *x, SUM *sum)
{
#pragma GCC unroll 6
    for (int c = 0; c < k; c++) {
#pragma GCC unroll 6
        for (int r = 0; r < k; r++)
            sum[r] = CSR_FMA(block[r * k + c], (SUM)x[c], sum[r]);
    }
}

/* y += block' x, the rows one after the other. */
INLINE void NAME(add_mirrored)(const SUM *block, int k, const SUM *x, VECTOR *y)
{
    SUM sum[SYM_BLOCK_MAX];
#pragma GCC unroll 6
    for (int c = 0; c < k; c++)
        sum[c] = (SUM)y[c];
#pragma GCC unroll 6
    for (int r = 0; r < k; r++) {
#pragma GCC unroll 6
        for (int c = 0; c < k; c++)
            sum[c] = CSR_FMA(block[r * k + c], x[r], sum[c]);
    }
#pragma GCC unroll 6
    for (int c = 0; c < k; c++)
        y[c] = sum[c];
}

INLINE void NAME(walk)(const struct by_blocks *kept, int64_t begin, int64_t end, int64_t part_end,
                       const VECTOR *restrict x, VECTOR *restrict y, int k, int width)
{
    const struct sym_blocks *A = &kept->A;
    const void *values = kept->values;
    const SUM *table = kept->codes.table, *diagonals = kept->diagonals;
    const SUM sign = (SUM)A->sign;
    for (int64_t i = begin; i < end; i++) {
        SUM decoded[SYM_BLOCK_MAX * SYM_BLOCK_MAX], sum[SYM_BLOCK_MAX], mirrored[SYM_BLOCK_MAX];
        for (int r = 0; r < k; r++)
            mirrored[r] = sign * (SUM)x[i * k + r];
        const SUM *triangle = diagonals + i * sym_blocks_triangle(k);
        NAME(begin_sums)(triangle, sign, k, x + i * k, y + i * k, sum);
        int64_t p = A->offsets[i], row_end = A->offsets[i + 1];
        int32_t j;
        for (; p < row_end && (j = A->columns[p]) < part_end; p++) {
            fetch_ahead(values, p, k, width);
            const SUM *block = NAME(block_at)(values, table, p, k, width, decoded);
            NAME(add_block)(block, k, x + (int64_t)j * k, sum);
            NAME(add_mirrored)(block, k, mirrored, y + (int64_t)j * k);
        }
        for (; p < row_end; p++) {
            const SUM *block = NAME(block_at)(values, table, p, k, width, decoded);
            NAME(add_block)(block, k, x + (int64_t)A->columns[p] * k, sum);
        }
        for (int r = 0; r < k; r++)
            y[i * k + r] = sum[r];
    }
}

INLINE void NAME(cross)(const struct by_blocks *kept, int64_t begin, int64_t end,
                        const VECTOR *restrict x, VECTOR *restrict y, int k, int width)
{
    const struct sym_crossing *crossing = &kept->parts.crossing;
    const SUM *table = kept->codes.table, sign = (SUM)kept->A.sign;
    for (int64_t c = begin; c < end; c++)
        for (int64_t q = crossing->offsets[c]; q < crossing->offsets[c + 1]; q++) {
            SUM decoded[SYM_BLOCK_MAX * SYM_BLOCK_MAX], mirrored[SYM_BLOCK_MAX];
            for (int r = 0; r < k; r++)
                mirrored[r] = sign * (SUM)x[(int64_t)crossing->columns[q] * k + r];
            const SUM *block = NAME(block_at)(crossing->values, table, q, k, width, decoded);
            NAME(add_mirrored)(block, k, mirrored, y + (int64_t)crossing->row[c] * k);
        }
}

/* One function for each way to keep the values, and each k. */
#define WALK(k, width)                                                                             \
    MULTIVERSION static void NAME(walk_##k##_##width)(                                             \
        const void *state, int64_t begin, int64_t end, int64_t part_end, const void *x, void *y)   \
    {                                                                                              \
        NAME(walk)(state, begin, end, part_end, x, y, k, width);                                   \
    }                                                                                              \
    MULTIVERSION static void NAME(cross_##k##_##width)(const void *state, int64_t begin,           \
                                                       int64_t end, const void *x, void *y)        \
    {                                                                                              \
        NAME(cross)(state, begin, end, x, y, k, width);                                            \
    }
#define WALKS(width) WALK(2, width) WALK(3, width) WALK(4, width) WALK(5, width) WALK(6, width)
SUM_WIDTHS(SUM, WALKS)
#undef WALK
#undef WALKS

/* The functions of each. */
#define ENTRY(k, width)                                                                            \
    [k] = {.add_crossing = NAME(cross_##k##_##width), .walk_rows = NAME(walk_##k##_##width)},
#define ENTRIES(width)                                                                             \
    [width] = {ENTRY(2, width) ENTRY(3, width) ENTRY(4, width) ENTRY(5, width) ENTRY(6, width)},
static const struct sym_walk NAME(walks)[VALUE_DICTIONARY_SINGLES + 1][SYM_BLOCK_MAX + 1] = {
    SUM_WIDTHS(SUM, ENTRIES)};
#undef ENTRY
#undef ENTRIES

/* y = A x, and *dot = x . y unless that is NULL. */
static enum status NAME(multiply)(const struct by_blocks *kept, const VECTOR *x, VECTOR *y,
                                  double *dot, struct error *error)
{
    struct sym_walk walk = NAME(walks)[kept->codes.width][kept->A.k];
    walk.state = kept;
    return row_partition_multiply(&kept->parts, &walk, sizeof *x, x, y, dot, error);
}
