/* The rows of cpu_sym_diagonals.c, with the types that spmv/symmetric/cpu_sym_forms.h speaks of. */

/* y_i = fma(sign a_i, x_i, y_i), 0 <= i < count; sign is 1 or -1. */
static inline __attribute__((always_inline)) void NAME(add_products)(int64_t count, SUM sign,
                                                                     const void *values,
                                                                     const SUM *table, int width,
                                                                     const VECTOR *x, VECTOR *y)
{
    for (int64_t i = 0; i < count; i++)
        y[i] = CSR_FMA(sign * cpu_sym_value(values, table, width, i), (SUM)x[i], (SUM)y[i]);
}

/* The values of a stretch, taken out of the words one after the other: a vector of codes would have
 * to be taken apart again for the look-up. */
static inline void NAME(look_up)(const uint64_t *words, const SUM *table, int width, SUM *values)
{
    for (int w = 0; w < STRETCH * width / 8; w++) {
        uint64_t word = words[w];
        for (int m = 0; m < 8 / width; m++, word >>= 8 * width)
            *values++ = table[word & (width == 1 ? 0xFF : 0xFFFF)];
    }
}

/* The same from codes. Neighbours on a diagonal are often equal: a stretch of one value is not
 * looked up value by value. */
static inline __attribute__((always_inline)) void NAME(add_coded)(int64_t count, SUM sign,
                                                                  const void *codes,
                                                                  const SUM *table, int width,
                                                                  const VECTOR *x, VECTOR *y)
{
    int64_t i = 0;
    for (; i + STRETCH <= count; i += STRETCH) {
        uint64_t words[STRETCH * 2 / 8];
        memcpy(words, (const char *)codes + i * width, (size_t)(STRETCH * width));
        if (is_uniform(words, width)) {
            SUM value = sign * cpu_sym_value(codes, table, width, i);
            for (int m = 0; m < STRETCH; m++)
                y[i + m] = CSR_FMA(value, (SUM)x[i + m], (SUM)y[i + m]);
            continue;
        }
        SUM values[STRETCH];
        NAME(look_up)(words, table, width, values);
        for (int m = 0; m < STRETCH; m++)
            y[i + m] = CSR_FMA(sign * values[m], (SUM)x[i + m], (SUM)y[i + m]);
    }
    for (; i < count; i++)
        y[i] = CSR_FMA(sign * cpu_sym_value(codes, table, width, i), (SUM)x[i], (SUM)y[i]);
}

/* One function for each way to keep the values. */
#define ADD(width)                                                                                 \
    MULTIVERSION static void NAME(add_##width)(int64_t count, SUM sign, const void *values,        \
                                               const SUM *table, const VECTOR *x, VECTOR *y)       \
    {                                                                                              \
        if (width == 1 || width == 2)                                                              \
            NAME(add_coded)(count, sign, values, table, width, x, y);                              \
        else                                                                                       \
            NAME(add_products)(count, sign, values, table, width, x, y);                           \
    }
SUM_WIDTHS(SUM, ADD)
#undef ADD

/* y_i = fma(sign a_(begin + i), x_i, y_i), 0 <= i < count, a = diagonal k. */
static void NAME(add_diagonal)(const struct by_diagonals *kept, int64_t k, int64_t begin,
                               int64_t count, SUM sign, const VECTOR *x, VECTOR *y)
{
    const char *values = kept->values + (k * kept->stride + begin) * kept->value_bytes;
    switch (kept->codes.width) {
#define CASE(width)                                                                                \
    case width:                                                                                    \
        NAME(add_##width)(count, sign, values, kept->codes.table, x, y);                           \
        break;
        SUM_WIDTHS(SUM, CASE)
#undef CASE
    }
}

/* The rows begin <= i < end, y[i - begin]: the lower diagonals from the farthest on, then the upper
 * ones. */
static void NAME(multiply_rows)(const struct by_diagonals *kept, int64_t begin, int64_t end,
                                const VECTOR *x, VECTOR *y)
{
    const struct sym_diagonals *A = &kept->A;
    const SUM sign = (SUM)A->sign;
    memset(y, 0, (size_t)(end - begin) * sizeof *y);
    for (int64_t k = A->count - 1; k >= 1; k--) {
        int64_t d = A->distances[k], first = begin > d ? begin : d, from = first - d;
        if (first < end)
            NAME(add_diagonal)(kept, k, from, end - first, sign, x + from, y + (first - begin));
    }
    for (int64_t k = 0; k < A->count; k++) {
        int64_t d = A->distances[k], last = end < A->n - d ? end : A->n - d;
        if (begin < last)
            NAME(add_diagonal)(kept, k, begin, last - begin, 1, x + begin + d, y);
    }
}
