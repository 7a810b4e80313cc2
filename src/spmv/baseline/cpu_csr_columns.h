/* The rows of cpu_csr.c for several vectors, with the names of spmv/lanes.h. */

INLINE void NAME(chain)(const struct full_rows *kept, int64_t i, int64_t stride, const VECTOR *x,
                        VECTOR *y)
{
    NAME(lanes) sum = {0};
    for (int64_t k = kept->full.offsets[i]; k < kept->full.offsets[i + 1]; k++) {
        NAME(lanes) other;
        NAME(lanes_load)(x + kept->full.columns[k] * stride, &other);
        SUM value = kept->singles ? (SUM)kept->singles[k] : (SUM)kept->full.values[k];
        NAME(lanes_add)(value, &other, &sum);
    }
    NAME(lanes_store)(&sum, y + i * stride);
}

CLONES static void NAME(columns)(const struct full_rows *kept, int64_t begin, int64_t end,
                                 int64_t stride, const void *vectors, void *products)
{
    const VECTOR *x = vectors;
    VECTOR *y = products;
    for (int64_t i = begin; i < end; i++)
        for (int64_t group = 0; group < stride; group += LANES)
            NAME(chain)(kept, i, stride, x + group, y + group);
}
