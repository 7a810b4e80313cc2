/* The walk of cpu_sym_general_walk.h for several vectors, with the names of spmv/lanes.h: an
 * element of x and y is a row of `stride` numbers. */

/* A row from its value p on, of `length` entries right of the diagonal, whose indices begin at
 * number `at` of the tile's stream. */
INLINE void NAME(walk_group)(const struct several *several, int64_t i, int64_t p, int64_t length,
                             const struct stream *stream, int64_t at, int64_t part_end,
                             const VECTOR *restrict x, VECTOR *restrict y)
{
    const struct general *general = several->general;
    const SUM *table = general->codes.table, sign = (SUM)general->sign;
    const int width = general->codes.width;
    const int64_t stride = several->stride;
    NAME(lanes) own, mirrored, sum;
    NAME(lanes_load)(x + i * stride, &own);
    NAME(lanes_load)(y + i * stride, &sum);
    mirrored = sign * own;
    NAME(lanes_add)(cpu_sym_value(general->values, table, width, p), &own, &sum);
    for (int64_t m = 0, j = i; m < length; m++) {
        SUM value = cpu_sym_value(general->values, table, width, p + 1 + m);
        NAME(lanes) other, mine;
        j += stream_number(stream, at + m);
        NAME(lanes_load)(x + j * stride, &other);
        NAME(lanes_add)(value, &other, &sum);
        if (j >= part_end)
            continue;
        NAME(lanes_load)(y + j * stride, &mine);
        NAME(lanes_add)(value, &mirrored, &mine);
        NAME(lanes_store)(&mine, y + j * stride);
    }
    NAME(lanes_store)(&sum, y + i * stride);
}

CLONES static void NAME(walk_columns)(const void *state, int64_t begin, int64_t end,
                                      int64_t part_end, const void *vectors, void *products)
{
    const struct several *several = state;
    const struct general *general = several->general;
    const VECTOR *x = vectors;
    VECTOR *y = products;
    const struct stream stream = stream_of(general, begin / SUM_TILE);
    int64_t p = general->A.offsets[begin], at = 0;
    for (int64_t i = begin; i < end; i++) {
        int64_t length = stream_number(&stream, at++);
        for (int64_t group = 0; group < several->stride; group += LANES)
            NAME(walk_group)(several, i, p, length, &stream, at, part_end, x + group, y + group);
        p += 1 + length;
        at += length;
    }
}

CLONES static void NAME(cross_columns)(const void *state, int64_t begin, int64_t end, const void *x,
                                       void *y)
{
    const struct several *several = state;
    const struct general *general = several->general;
    const struct sym_crossing *crossing = &general->parts.crossing;
    const SUM *table = general->codes.table, sign = (SUM)general->sign;
    const int width = general->codes.width;
    const int64_t stride = several->stride;
    for (int64_t c = begin; c < end; c++)
        for (int64_t group = 0; group < stride; group += LANES) {
            NAME(lanes) sum = {0};
            for (int64_t q = crossing->offsets[c]; q < crossing->offsets[c + 1]; q++) {
                NAME(lanes) other;
                NAME(lanes_load)((const VECTOR *)x + crossing->columns[q] * stride + group, &other);
                other = sign * other;
                NAME(lanes_add)(cpu_sym_value(crossing->values, table, width, q), &other, &sum);
            }
            NAME(lanes_store)(&sum, (VECTOR *)y + crossing->row[c] * stride + group);
        }
}

static const struct sym_walk NAME(columns) = {.add_crossing = NAME(cross_columns),
                                              .walk_rows = NAME(walk_columns)};
