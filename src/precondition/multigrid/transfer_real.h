/* The arithmetic of the transfers in one precision: what transfer.h includes once for each. REAL is
 * the type, REAL_NAME(pass, part) the name of a part. */

CGSOLVE_HOST_AND_DEVICE static inline void REAL_NAME(restriction,
                                                     at)(const struct restriction *work, int64_t I)
{
    const REAL *b = (const REAL *)work->b, *q = (const REAL *)work->q;
    int32_t k = work->offsets[I], end = work->offsets[I + 1], i = work->members[k];
    REAL s = b[i] - q[i];
    for (k++; k < end; k++) {
        i = work->members[k];
        s += b[i] - q[i];
    }
    ((REAL *)work->coarse)[I] = s;
}

CGSOLVE_HOST_AND_DEVICE static inline void REAL_NAME(prolongation,
                                                     at)(const struct prolongation *work, int64_t i)
{
    int32_t I = work->map[i];
    if (I >= 0)
        ((REAL *)work->x)[i] += ((const REAL *)work->coarse)[I];
}
