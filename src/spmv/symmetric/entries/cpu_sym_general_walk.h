/* The walk of cpu_sym_general.c along rows, with the types that spmv/symmetric/cpu_sym_forms.h
 * speaks of. */

/* The rows of a stretch, with everything constant that the loop would ask for at each entry: `all`
 * says that no column is part_end or above. */
static inline __attribute__((always_inline)) void
NAME(walk)(const struct general *general, int64_t begin, int64_t end, int64_t part_end,
           const VECTOR *restrict x, VECTOR *restrict y, int width, bool wide, bool all)
{
    const void *values = general->values;
    const SUM *table = general->codes.table, sign = (SUM)general->sign;
    const uint16_t *narrow_index = general->indices + general->first_index[begin / SUM_TILE];
    const uint32_t *wide_index = (const uint32_t *)(const void *)narrow_index;
    int64_t p = general->A.offsets[begin];
    for (int64_t i = begin; i < end; i++) {
        int64_t j = i, row_end = p + 1 + (wide ? *wide_index++ : *narrow_index++);
        SUM mirrored = sign * (SUM)x[i];
        size_t size =
            width ? VALUE_DICTIONARY_SINGLES : sizeof(double); /* codes are small: not asked for */
        for (int64_t m = p; (width == 0 || width == VALUE_DICTIONARY_SINGLES) && m < row_end;
             m += LINE)
            __builtin_prefetch((const void *)((uintptr_t)values + size * (uintptr_t)(m + AHEAD)));
        SUM sum = CSR_FMA(cpu_sym_value(values, table, width, p), (SUM)x[i], (SUM)y[i]);
        for (p++; p < row_end; p++) {
            SUM value = cpu_sym_value(values, table, width, p);
            j += wide ? *wide_index++ : *narrow_index++;
            sum = CSR_FMA(value, (SUM)x[j], sum);
            if (all || j < part_end)
                y[j] = CSR_FMA(value, mirrored, (SUM)y[j]);
        }
        y[i] = sum;
    }
}

/* One function for each way to keep the values, and each size of the indices. */
#define WALK(width, size, wide)                                                                    \
    MULTIVERSION static void NAME(walk_##width##_##size)(                                          \
        const struct general *general, int64_t begin, int64_t end, const VECTOR *x, VECTOR *y)     \
    {                                                                                              \
        NAME(walk)(general, begin, end, 0, x, y, width, wide, true);                               \
    }
#define WALKS(width) WALK(width, narrow, false) WALK(width, wide, true)
SUM_WIDTHS(SUM, WALKS)
#undef WALK
#undef WALKS

/* The rows whose entries reach over the end of their part: few of many matrices, so written
 * once. */
MULTIVERSION static void NAME(walk_over)(const struct general *general, int64_t begin, int64_t end,
                                         int64_t part_end, const VECTOR *x, VECTOR *y, bool wide)
{
    enum { PLAIN = SUM_WIDTH(SUM) };
    if (general->codes.width == PLAIN) {
        if (wide)
            NAME(walk)(general, begin, end, part_end, x, y, PLAIN, true, false);
        else
            NAME(walk)(general, begin, end, part_end, x, y, PLAIN, false, false);
    } else {
        NAME(walk)(general, begin, end, part_end, x, y, general->codes.width, wide, false);
    }
}

static void NAME(walk_rows)(const void *state, int64_t begin, int64_t end, int64_t part_end,
                            const void *x, void *y)
{
#define PAIR(width) [width] = {NAME(walk_##width##_narrow), NAME(walk_##width##_wide)},
    static void (*const walks[VALUE_DICTIONARY_SINGLES + 1][2])(const struct general *, int64_t,
                                                                int64_t, const VECTOR *,
                                                                VECTOR *) = {SUM_WIDTHS(SUM, PAIR)};
#undef PAIR
    const struct general *general = state;
    int64_t tile = begin / SUM_TILE;
    bool wide = general->wide[tile];
    if (general->parts.reach[tile] <= part_end)
        walks[general->codes.width][wide](general, begin, end, x, y);
    else
        NAME(walk_over)(general, begin, end, part_end, x, y, wide);
}

static inline __attribute__((always_inline)) void NAME(cross)(const struct general *general,
                                                              int64_t begin, int64_t end,
                                                              const VECTOR *restrict x,
                                                              VECTOR *restrict y, int width)
{
    const struct sym_crossing *crossing = &general->parts.crossing;
    const SUM *table = general->codes.table, sign = (SUM)general->sign;
    for (int64_t c = begin; c < end; c++) {
        SUM sum = 0;
        for (int64_t q = crossing->offsets[c]; q < crossing->offsets[c + 1]; q++)
            sum = CSR_FMA(cpu_sym_value(crossing->values, table, width, q),
                          sign * (SUM)x[crossing->columns[q]], sum);
        y[crossing->row[c]] = sum;
    }
}

MULTIVERSION static void NAME(add_crossing)(const void *state, int64_t begin, int64_t end,
                                            const void *x, void *y)
{
    const struct general *general = state;
    switch (general->codes.width) {
#define CASE(width)                                                                                \
    case width:                                                                                    \
        NAME(cross)(general, begin, end, x, y, width);                                             \
        break;
        SUM_WIDTHS(SUM, CASE)
#undef CASE
    }
}

/* y = A x, and *dot = x . y unless that is NULL. */
static enum status NAME(multiply)(const struct general *general, const VECTOR *x, VECTOR *y,
                                  double *dot, struct error *error)
{
    const struct sym_walk walk = {general, NAME(add_crossing), NAME(walk_rows)};
    return row_partition_multiply(&general->parts, &walk, sizeof *x, x, y, dot, error);
}
