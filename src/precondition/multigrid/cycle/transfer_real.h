/* The arithmetic of the transfers in one precision: what transfer.h includes once for each. REAL is
 * the type, REAL_NAME(pass, part) the name of a part. */

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
