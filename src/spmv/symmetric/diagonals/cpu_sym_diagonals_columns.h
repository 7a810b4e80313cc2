/* The rows of cpu_sym_diagonals.c for several vectors, with the names of spmv/lanes.h. A row of
 * numbers fills registers by itself, so that a row's chains stay in them, and the diagonals are
 * walked for each row. */

/* Row i: the lower diagonals `lower` - 1, ..., 1, then the upper ones 0, ..., `upper` - 1. */
INLINE void NAME(chain)(const struct by_diagonals *kept, int64_t i, int64_t lower, int64_t upper,
                        int64_t stride, const VECTOR *x, VECTOR *y)
{
    const struct sym_diagonals *A = &kept->A;
    const SUM *table = kept->codes.table, sign = (SUM)A->sign;
    const int width = kept->codes.width;
    NAME(lanes) sum = {0}, other;
    for (int64_t k = lower - 1; k >= 1; k--) {
        int64_t j = i - A->distances[k];
        NAME(lanes_load)(x + j * stride, &other);
        SUM value = cpu_sym_value(kept->values, table, width, k * kept->stride + j);
        NAME(lanes_add)(sign * value, &other, &sum);
    }
    for (int64_t k = 0; k < upper; k++) {
        NAME(lanes_load)(x + (i + A->distances[k]) * stride, &other);
        SUM value = cpu_sym_value(kept->values, table, width, k * kept->stride + i);
        NAME(lanes_add)(value, &other, &sum);
    }
    NAME(lanes_store)(&sum, y + i * stride);
}

CLONES static void NAME(columns)(const struct by_diagonals *kept, int64_t begin, int64_t end,
                                 int64_t stride, const void *vectors, void *products)
{
    const struct sym_diagonals *A = &kept->A;
    const VECTOR *x = vectors;
    VECTOR *y = products;
    int64_t lower = 0, upper = A->count;
    for (int64_t i = begin; i < end; i++) {
        while (lower < A->count && A->distances[lower] <= i)
            lower++;
        while (A->distances[upper - 1] >= A->n - i)
            upper--;
        for (int64_t group = 0; group < stride; group += LANES)
            NAME(chain)(kept, i, lower, upper, stride, x + group, y + group);
    }
}
