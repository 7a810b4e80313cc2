/* The arithmetic of the transfers in one precision: what transfer.h includes once for each. REAL is
 * the type, REAL_FMA its fma, REAL_NAME(pass, part) the name of a part. */

CGSOLVE_HOST_AND_DEVICE static inline REAL
REAL_NAME(restriction, residual)(const struct restriction *work, int64_t i)
{
    const REAL *b = (const REAL *)work->b, *q = (const REAL *)work->q;
    return q ? b[i] - q[i] : b[i];
}

CGSOLVE_HOST_AND_DEVICE static inline void REAL_NAME(restriction,
                                                     at)(const struct restriction *work, int64_t e)
{
    enum { AT_ONCE = 8 }; /* so many are on their way before the first is added */
    const int32_t *members = work->members;
    int shift = work->shift;
    int32_t k = work->offsets[e >> shift], end = work->offsets[(e >> shift) + 1];
    REAL s = -(REAL)0, r[AT_ONCE]; /* -0 + r is r, also where that is a zero */
    for (; end - k >= AT_ONCE; k += AT_ONCE) {
        for (int u = 0; u < AT_ONCE; u++)
            r[u] =
                REAL_NAME(restriction, residual)(work, transfer_element(members[k + u], shift, e));
        for (int u = 0; u < AT_ONCE; u++)
            s += r[u];
    }
    for (; k < end; k++)
        s += REAL_NAME(restriction, residual)(work, transfer_element(members[k], shift, e));
    ((REAL *)work->coarse)[e] = s;
}

CGSOLVE_HOST_AND_DEVICE static inline void REAL_NAME(prolongation,
                                                     at)(const struct prolongation *work, int64_t e)
{
    int32_t I = work->map[e >> work->shift];
    if (I >= 0)
        ((REAL *)work->x)[e] += ((const REAL *)work->coarse)[transfer_element(I, work->shift, e)];
}

CGSOLVE_HOST_AND_DEVICE static inline void REAL_NAME(remainder, at)(const struct remainder *work,
                                                                    int64_t e)
{
    ((REAL *)work->q)[e] = ((const REAL *)work->b)[e] - ((const REAL *)work->q)[e];
}

/* The chain of a lane for column m of coarse node J, of a column of multivectors. */
CGSOLVE_HOST_AND_DEVICE static inline REAL
REAL_NAME(block_restriction, chain)(const struct block_transfer *work, uint32_t J, uint32_t m,
                                    uint32_t lane, int64_t e)
{
    const struct interpolation *P = &work->P;
    const REAL *b = (const REAL *)work->b, *q = (const REAL *)work->q;
    uint32_t width = (uint32_t)P->width, block = (uint32_t)P->block, end = P->begins[J + 1];
    REAL s = 0;
    for (uint32_t k = P->begins[J] + lane; k < end; k += TRANSFER_LANES) {
        uint32_t first = (uint32_t)P->nodes[k] * block;
        const REAL *values = (const REAL *)P->values + (int64_t)P->order[k] * block * width + m;
        for (uint32_t c = 0; c < block; c++) {
            int64_t i = transfer_element(first + c, work->shift, e);
            s = REAL_FMA(values[c * width], q ? b[i] - q[i] : b[i], s);
        }
    }
    return s;
}

/* On the host, of all columns of coarse node J: made[m], of column e of multivectors. wide:
 * near_null_wide of the width. */
static inline void REAL_NAME(block_restriction, node)(const struct block_transfer *work, int64_t J,
                                                      int64_t e, int wide, REAL *made)
{
    const struct interpolation *P = &work->P;
    const REAL *b = (const REAL *)work->b, *q = (const REAL *)work->q;
    uint32_t block = (uint32_t)P->block, begin = P->begins[J];
    REAL lanes[TRANSFER_LANES][NEAR_NULL_WIDE], last[NEAR_NULL_WIDE] = {0};
    for (int lane = 0; lane < TRANSFER_LANES; lane++)
        for (int m = 0; m < wide; m++)
            lanes[lane][m] = 0;
    for (uint32_t k = begin; k < P->begins[J + 1]; k++) {
        const REAL *values = (const REAL *)P->values + P->order[k] * block * P->width;
        REAL *sums = lanes[(k - begin) % TRANSFER_LANES];
        bool is_last = P->order[k] + 1 == P->blocks; /* no memory is read after it */
        for (uint32_t c = 0; c < block; c++, values += P->width) {
            int64_t i = transfer_element(P->nodes[k] * (int64_t)block + c, work->shift, e);
            REAL r = q ? b[i] - q[i] : b[i];
            const REAL *from = is_last ? last : values;
            REAL row[NEAR_NULL_WIDE];
            for (int m = 0; m < P->width && is_last; m++)
                last[m] = values[m];
            for (int m = 0; m < wide; m++)
                row[m] = from[m];
            for (int m = 0; m < wide; m++)
                sums[m] = REAL_FMA(row[m], r, sums[m]);
        }
    }
    for (int apart = TRANSFER_LANES / 2; apart > 0; apart /= 2)
        for (int lane = 0; lane < apart; lane++)
            for (int m = 0; m < wide; m++)
                lanes[lane][m] += lanes[lane + apart][m];
    for (int m = 0; m < P->width; m++)
        made[m] = lanes[0][m];
}

/* Those of the elements begin <= e < end of the coarse vector. */
static inline void REAL_NAME(block_restriction, nodes)(const struct block_transfer *work,
                                                       int64_t begin, int64_t end, int wide)
{
    int64_t node = work->P.width << work->shift, columns = INT64_C(1) << work->shift;
    REAL made[NEAR_NULL_WIDE];
    for (int64_t J = begin / node; J * node < end; J++)
        for (int64_t v = 0; v < columns; v++) {
            REAL_NAME(block_restriction, node)(work, J, v, wide, made);
            for (int64_t m = 0, e = J * node + v; m < work->P.width; m++, e += columns)
                if (e >= begin && e < end)
                    ((REAL *)work->coarse)[e] = made[m];
        }
}

CGSOLVE_HOST_AND_DEVICE static inline void
REAL_NAME(block_prolongation, at)(const struct block_transfer *work, int64_t e)
{
    const struct interpolation *P = &work->P;
    const REAL *coarse = (const REAL *)work->coarse;
    uint32_t row = (uint32_t)(e >> work->shift), block = (uint32_t)P->block;
    uint32_t node = row / block, c = row % block, width = (uint32_t)P->width;
    REAL s = ((const REAL *)work->x)[e];
    for (int64_t p = P->offsets[node]; p < P->offsets[node + 1]; p++) {
        const REAL *values = (const REAL *)P->values + (p * block + c) * width;
        int64_t first = (int64_t)P->columns[p] * width;
        for (uint32_t m = 0; m < width; m++)
            s = REAL_FMA(values[m], coarse[transfer_element(first + m, work->shift, e)], s);
    }
    ((REAL *)work->x)[e] = s;
}
