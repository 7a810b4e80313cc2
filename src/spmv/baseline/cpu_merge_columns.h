/* A share of cpu_merge_share.h for several vectors, with the names of spmv/lanes.h. */

/* sum = fma(entry k, x, sum). */
INLINE void NAME(add_entry)(const struct merge *merge, int64_t k, int64_t stride, const VECTOR *x,
                            NAME(lanes) * sum)
{
    NAME(lanes) other;
    SUM value = merge->singles ? (SUM)merge->singles[k] : (SUM)merge->full.values[k];
    NAME(lanes_load)(x + merge->full.columns[k] * stride, &other);
    NAME(lanes_add)(value, &other, sum);
}

/* Entries of one row, from k to after the last. */
INLINE void NAME(chains)(const struct merge *merge, int64_t k, int64_t end, int64_t stride,
                         const VECTOR *x, NAME(lanes) * to)
{
    NAME(lanes) even = {0}, odd = {0};
    if (end - k < MERGE_LONG) {
        for (; k < end; k++)
            NAME(add_entry)(merge, k, stride, x, &even);
        *to = even;
        return;
    }
    for (; k + 1 < end; k += 2) {
        NAME(add_entry)(merge, k, stride, x, &even);
        NAME(add_entry)(merge, k + 1, stride, x, &odd);
    }
    if (k < end)
        NAME(add_entry)(merge, k, stride, x, &even);
    *to = even + odd;
}

INLINE void NAME(whole_row)(const struct merge *merge, int64_t k, int64_t end, int64_t stride,
                            const VECTOR *x, VECTOR *to)
{
    for (int64_t group = 0; group < stride; group += LANES) {
        NAME(lanes) sum;
        NAME(chains)(merge, k, end, stride, x + group, &sum);
        NAME(lanes_store)(&sum, to + group);
    }
}

/* What a share has of a row that goes on. */
INLINE void NAME(part_of_row)(const struct merge *merge, int64_t k, int64_t end, int64_t stride,
                              const VECTOR *x, double *to)
{
    for (int64_t group = 0; group < stride; group += LANES) {
        NAME(lanes) sum;
        NAME(chains)(merge, k, end, stride, x + group, &sum);
        for (int lane = 0; lane < LANES; lane++)
            to[group + lane] = sum[lane];
    }
}

CLONES static void NAME(columns)(void *context, int64_t share, int64_t behind)
{
    const struct product *product = context;
    const struct merge *merge = product->merge;
    const int64_t *offsets = merge->full.offsets;
    const int64_t n = merge->full.n, stride = product->stride;
    const VECTOR *x = product->x;
    VECTOR *y = product->y;
    int64_t row = rows_before(merge, share * MERGE_SHARE);
    for (; share < behind; share++) {
        struct part *part = &merge->parts[share];
        int64_t k = share * MERGE_SHARE - row, last = end_of_share(merge, share);
        for (; row < n && merge_ends_before(row, offsets[row + 1], last); row++) {
            NAME(whole_row)(merge, k, offsets[row + 1], stride, x, y + row * stride);
            k = offsets[row + 1];
        }
        NAME(part_of_row)(merge, k, last - row, stride, x, part->sums);
        part->row = row;
    }
}
