/* A product of cpu_merge.c in one precision. Included once for each, with
 *
 *     NAME(f)   the name of function f in this precision
 *     VALUE     of the matrix's values;  SUM of the sums;  VECTOR of x and y */

/* Entries of one row, from k to after the last: one chain, or two of MERGE_LONG and more. */
static inline __attribute__((always_inline)) SUM
NAME(chains)(const int32_t *columns, const VALUE *values, int64_t k, int64_t end, const VECTOR *x)
{
    SUM even = 0, odd = 0;
    if (end - k < MERGE_LONG) {
        for (; k < end; k++)
            even = CSR_FMA((SUM)values[k], (SUM)x[columns[k]], even);
        return even;
    }
    for (; k + 1 < end; k += 2) {
        even = CSR_FMA((SUM)values[k], (SUM)x[columns[k]], even);
        odd = CSR_FMA((SUM)values[k + 1], (SUM)x[columns[k + 1]], odd);
    }
    if (k < end)
        even = CSR_FMA((SUM)values[k], (SUM)x[columns[k]], even);
    return even + odd;
}

/* The items of a share, from the given row on to the diagonal `last`. Rows that end here are
 * written, also one that came in from the share before: of that only this part. *part is the row
 * that goes on, and what is here of it. */
MULTIVERSION static void NAME(share)(const struct merge *merge, int64_t row, int64_t first,
                                     int64_t last, const VECTOR *x, VECTOR *y, struct part *part)
{
    const int64_t *offsets = merge->full.offsets;
    const int32_t *columns = merge->full.columns;
    const VALUE *values = merge->values;
    int64_t n = merge->full.n, k = first - row;
    for (; row < n; row++) {
        int64_t end = offsets[row + 1];
        if (!merge_ends_before(row, end, last))
            break;
        y[row] = NAME(chains)(columns, values, k, end, x);
        k = end;
    }
    part->row = row;
    part->sums[0] = NAME(chains)(columns, values, k, last - row, x);
}

/* y of the rows that are cut: their parts are added one after the other. */
static void NAME(join)(const struct merge *merge, int64_t stride, VECTOR *y)
{
    for (int64_t s = 0; s + 1 < merge->shares; s++) {
        const struct part *first = &merge->parts[s];
        if (merge->full.offsets[first->row] + first->row >= (s + 1) * MERGE_SHARE)
            continue; /* the row's first item is the next share's first */
        while (merge->parts[s + 1].row == first->row)
            s++;
        for (int64_t v = 0; v < stride; v++) {
            double sum = first->sums[v];
            for (const struct part *part = first + 1; part <= &merge->parts[s]; part++)
                sum = sum + part->sums[v];
            y[first->row * stride + v] = (SUM)(sum + y[first->row * stride + v]);
        }
    }
}

static void NAME(multiply_shares)(void *context, int64_t share, int64_t behind)
{
    const struct product *product = context;
    const struct merge *merge = product->merge;
    int64_t row = rows_before(merge, share * MERGE_SHARE);
    for (; share < behind; share++) {
        int64_t first = share * MERGE_SHARE, last = end_of_share(merge, share);
        NAME(share)(merge, row, first, last, product->x, product->y, &merge->parts[share]);
        row = merge->parts[share].row;
    }
}

static void NAME(multiply)(const struct merge *merge, const VECTOR *x, VECTOR *y)
{
    threads_each(merge->threads, merge->shares, NAME(multiply_shares),
                 &(struct product){merge, x, y, 1});
    NAME(join)(merge, 1, y);
}

#undef NAME
#undef VALUE
#undef SUM
#undef VECTOR
