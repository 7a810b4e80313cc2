/* The arithmetic of the smoother's step in one precision, which smooth.h includes once for each.
 * REAL is the type, REAL_FMA its fused operation, REAL_NAME(smooth, part) the name of a part. */
#define SCALARS REAL_NAME(smooth, scalars)
#define ELEMENT REAL_NAME(smooth, element)

struct SCALARS {
    int none;
};

struct ELEMENT {
    REAL r, d, x, inverse;
    double along;
};

CGSOLVE_HOST_AND_DEVICE static inline void REAL_NAME(smooth, read)(const struct smooth *work,
                                                                   struct SCALARS *s)
{
    (void)work;
    s->none = 0;
}

CGSOLVE_HOST_AND_DEVICE static inline bool REAL_NAME(smooth, prepare)(struct SCALARS *s)
{
    (void)s;
    return true;
}

/* Loads all but q_i: r_i is b_i. */
CGSOLVE_HOST_AND_DEVICE static inline void REAL_NAME(smooth, begin)(const struct smooth *work,
                                                                    int64_t i, struct ELEMENT *e)
{
    const REAL *b = (const REAL *)work->b, *inverse = (const REAL *)work->inverse;
    const REAL *d = (const REAL *)work->d, *x = (const REAL *)work->x;
    e->r = b[i];
    e->inverse = inverse[i >> work->shift];
    e->d = d ? d[i] : 0;
    e->x = x ? x[i] : 0;
    e->along = work->dot ? work->along[i] : 0;
}

/* q: q_i, where there is one. */
CGSOLVE_HOST_AND_DEVICE static inline void
REAL_NAME(smooth, load_with)(const struct smooth *work, int64_t i, REAL q, struct ELEMENT *e)
{
    REAL_NAME(smooth, begin)(work, i, e);
    if (work->q)
        e->r -= q;
}

CGSOLVE_HOST_AND_DEVICE static inline void REAL_NAME(smooth, load)(const struct smooth *work,
                                                                   int64_t i, struct ELEMENT *e)
{
    REAL_NAME(smooth, load_with)(work, i, work->q ? ((const REAL *)work->q)[i] : 0, e);
}

/* x in its place; the result is d. */
CGSOLVE_HOST_AND_DEVICE static inline REAL REAL_NAME(smooth, advance)(const struct smooth *work,
                                                                      struct ELEMENT *e)
{
    REAL of_d = (REAL)work->of_d, of_before = (REAL)work->of_before;
    REAL step = (REAL)work->of_r * (e->inverse * e->r);
    REAL d = work->d ? REAL_FMA(of_d, e->d, step) : step;
    e->x = work->x ? REAL_FMA(of_before, e->d, e->x) : of_before * e->d;
    if (!work->made_d)
        e->x = REAL_FMA((REAL)work->beta, d, e->x);
    return d;
}

CGSOLVE_HOST_AND_DEVICE static inline void REAL_NAME(smooth, make)(const struct smooth *work,
                                                                   const struct SCALARS *s,
                                                                   int64_t i, struct ELEMENT *e)
{
    (void)s;
    REAL d = REAL_NAME(smooth, advance)(work, e);
    if (work->made_x)
        ((REAL *)work->made_x)[i] = e->x;
    if (work->made_r)
        ((REAL *)work->made_r)[i] = e->r;
    if (work->made_d)
        ((REAL *)work->made_d)[i] = d;
}

#undef SCALARS
#undef ELEMENT
