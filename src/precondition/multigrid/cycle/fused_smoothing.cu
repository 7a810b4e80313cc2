/* The kernels of fused_smoothing.h, for the precision Real of the cycle: vectors for the frame of
 * spmv/symmetric/cuda_sym_tiles.cuh, in which a thread makes a row. */
#include "precondition/multigrid/cycle/fused_smoothing.h"
#include "spmv/symmetric/diagonals/cuda_sym_diagonals.cuh"

/* The arithmetic of smooth_real.h by the type of its numbers. */
template <typename Real> struct arithmetic;

#define ARITHMETIC(REAL, NAME)                                                                     \
    template <> struct arithmetic<REAL> {                                                          \
        typedef struct NAME##_element element;                                                     \
        __device__ static void load(const struct smooth &step, int64_t i, element &e)              \
        {                                                                                          \
            NAME##_load(&step, i, &e);                                                             \
        }                                                                                          \
        __device__ static REAL advance(const struct smooth &step, element &e)                      \
        {                                                                                          \
            return NAME##_advance(&step, &e);                                                      \
        }                                                                                          \
        __device__ static void make(const struct smooth &step, int64_t i, element &e)              \
        {                                                                                          \
            const struct NAME##_scalars none = {};                                                 \
            NAME##_make(&step, &none, i, &e);                                                      \
        }                                                                                          \
    };

ARITHMETIC(double, smooth)
ARITHMETIC(float, smooth_float)

#undef ARITHMETIC

/* The step without what its kind has not, which the compiler then knows. */
__device__ static inline struct smooth fused_smoothing_step(const struct smooth &given, bool d,
                                                            bool x, bool goes_on)
{
    struct smooth step = given;
    step.d = d ? given.d : NULL;
    step.x = x ? given.x : NULL;
    step.made_r = goes_on ? given.made_r : NULL;
    step.made_d = goes_on ? given.made_d : NULL;
    return step;
}

/* The numbers of row i that a step begins with, but for d and q: b_i in the place of b_i - q_i. */
template <typename Real>
__device__ static inline void fused_smoothing_load(const struct smooth &given, bool x, int64_t i,
                                                   typename arithmetic<Real>::element &e)
{
    struct smooth step = fused_smoothing_step(given, false, x, false);
    step.q = NULL;
    arithmetic<Real>::load(step, i, e);
}

/* The scalars of who enters or leaves. */
template <bool ENDS> struct fused_smoothing_scalars {
};
template <> struct fused_smoothing_scalars<true> {
    struct float_scaling_scalars float_scaling;
};
template <bool ENDS>
__device__ static inline fused_smoothing_scalars<ENDS>
fused_smoothing_begin(const struct float_scaling &work)
{
    fused_smoothing_scalars<ENDS> scalars;
    if constexpr (ENDS) {
        float_scaling_read(&work, &scalars.float_scaling);
        float_scaling_prepare(&scalars.float_scaling);
    }
    return scalars;
}

/* --- before: d_j is made of b_j, and where the cycle enters that of the system's r_j -------- */

template <typename Real, bool ENTERS> struct sweep_before {
    enum { WORDS = 2, DOTS = 0 };
    typedef Real sum, result;
    typedef std::conditional_t<ENTERS, double, Real> given;
    typedef fused_smoothing_scalars<ENTERS> scalars;
    struct element {
        given b;
        Real inverse;
    };
    struct own {
    };
    struct smooth first, second;

    __device__ scalars begin() const
    {
        return fused_smoothing_begin<ENTERS>(first.float_scaling);
    }
    __device__ const given *entries() const
    {
        return ENTERS ? (const given *)first.float_scaling.r : (const given *)first.b;
    }
    __device__ element load(int64_t j) const
    {
        return {entries()[j], ((const Real *)first.inverse)[j]};
    }
    __device__ element load_away(int64_t i, int64_t bytes) const
    {
        constexpr int64_t WIDER = sizeof(given) / sizeof(Real);
        return {tiles_at(entries() + i, WIDER * bytes),
                tiles_at((const Real *)first.inverse + i, bytes)};
    }
    __device__ Real b_of(const scalars &s, const element &e) const
    {
        if constexpr (ENTERS)
            return float_scaling_enter(&s.float_scaling, e.b);
        else
            return e.b;
    }
    __device__ Real value(const scalars &s, const element &e) const
    {
        typename arithmetic<Real>::element at = {};
        at.r = b_of(s, e);
        at.inverse = e.inverse;
        return arithmetic<Real>::advance(fused_smoothing_step(first, false, false, true), at);
    }
    __device__ own load_own(int64_t, double *, double *) const
    {
        return {};
    }
    __device__ tiles_terms finish(const scalars &s, int64_t i, const element &e, own, Real q,
                                  Real *) const
    {
        typename arithmetic<Real>::element at = {};
        Real b = b_of(s, e);
        at.r = b - q;
        at.inverse = e.inverse;
        at.d = value(s, e);
        arithmetic<Real>::make(fused_smoothing_step(second, true, false, false), i, at);
        if (ENTERS)
            first.float_scaling.b[i] = (float)b;
        return {};
    }
};

/* --- residual ------------------------------------------------------------------------------- */

template <typename Real> struct sweep_residual : tiles_vector<Real, Real> {
    enum { DOTS = 0 };
    typedef Real own;
    const Real *b;

    __device__ own load_own(int64_t i, double *, double *) const
    {
        return b[i];
    }
    template <typename Scalars, typename Element>
    __device__ tiles_terms finish(Scalars, int64_t i, Element, own at, Real q, Real *y) const
    {
        y[i] = at - q;
        return {};
    }
};

/* --- up: x_j + coarse_{map_j} is made of x_j ------------------------------------------------ */

template <typename Real> struct sweep_up {
    enum { WORDS = 2, DOTS = 0 };
    typedef Real sum, result, element;
    struct scalars {
    };
    typedef typename arithmetic<Real>::element own;
    struct prolongation work;
    Real *made_x;
    struct smooth step;

    __device__ scalars begin() const
    {
        return {};
    }
    /* As transfer_real.h does. Where j has no coarse row, row 0 is read and not used. */
    __device__ Real corrected(Real x, int32_t I) const
    {
        Real coarse = ((const Real *)work.coarse)[max(I, 0)];
        return I >= 0 ? x + coarse : x;
    }
    __device__ element load(int64_t j) const
    {
        return corrected(((const Real *)work.x)[j], work.map[j]);
    }
    __device__ element load_away(int64_t i, int64_t bytes) const
    {
        constexpr int64_t NARROWER = sizeof(Real) / sizeof *work.map;
        return corrected(tiles_at((const Real *)work.x + i, bytes),
                         tiles_at(work.map + i, bytes / NARROWER));
    }
    __device__ static Real value(scalars, element e)
    {
        return e;
    }
    __device__ own load_own(int64_t i, double *, double *) const
    {
        own o;
        fused_smoothing_load<Real>(step, false, i, o);
        return o;
    }
    __device__ tiles_terms finish(scalars, int64_t i, element e, own o, Real q, Real *) const
    {
        o.r = o.r - q;
        arithmetic<Real>::make(fused_smoothing_step(step, false, false, true), i, o);
        made_x[i] = e;
        return {};
    }
};

/* --- last ----------------------------------------------------------------------------------- */

template <typename Real, bool LEAVES> struct sweep_last {
    enum { WORDS = 2, DOTS = LEAVES || std::is_same_v<Real, double> };
    typedef Real sum, result, element;
    typedef fused_smoothing_scalars<LEAVES> scalars;
    struct own {
        typename arithmetic<Real>::element at;
        double r; /* the system's */
    };
    struct smooth step;

    __device__ scalars begin() const
    {
        return fused_smoothing_begin<LEAVES>(step.float_scaling);
    }
    __device__ element load(int64_t j) const
    {
        return ((const Real *)step.d)[j];
    }
    __device__ element load_away(int64_t i, int64_t bytes) const
    {
        return tiles_at((const Real *)step.d + i, bytes);
    }
    __device__ static Real value(const scalars &, element e)
    {
        return e;
    }
    __device__ own load_own(int64_t i, double *, double *) const
    {
        own o;
        fused_smoothing_load<Real>(step, true, i, o.at);
        o.r = LEAVES ? step.float_scaling.r[i] : 0;
        return o;
    }
    __device__ tiles_terms finish(const scalars &s, int64_t i, element e, own o, Real q,
                                  Real *) const
    {
        o.at.r = o.at.r - q;
        o.at.d = e;
        struct smooth known = fused_smoothing_step(step, true, true, false);
        if constexpr (LEAVES) {
            arithmetic<Real>::advance(known, o.at);
            double z = step.float_scaling.z[i] = float_scaling_leave(&s.float_scaling, o.at.x);
            return {o.r, z};
        } else {
            arithmetic<Real>::make(known, i, o.at);
            return {o.at.along, o.at.x};
        }
    }
};

/* --- launches ------------------------------------------------------------------------------- */

template <typename Vector>
static enum status fused_smoothing_launch(const struct linear_operator *A, const Vector &vector,
                                          void *y, double *dot, struct error *error)
{
    typedef typename Vector::sum Real;
    const struct by_diagonals *kept = cuda_sym_diagonals_of(A);
    return diagonals_by_count(kept->count, [&]<int COUNT>() {
        return kept->stencils > 0
                   ? diagonals_launch<COUNT, true, Real>(kept, vector, (Real *)y, dot, error)
                   : diagonals_launch<COUNT, false, Real>(kept, vector, (Real *)y, dot, error);
    });
}

template <typename Real>
static enum status fused_smoothing_residual(const struct linear_operator *A, const void *b,
                                            const void *x, void *q, struct error *error)
{
    return fused_smoothing_launch(A, sweep_residual<Real>{{(const Real *)x}, (const Real *)b}, q,
                                  NULL, error);
}

template <typename Real>
static enum status fused_smoothing_up(const struct linear_operator *A,
                                      const struct prolongation *prolongation, void *made_x,
                                      const struct smooth *step, struct error *error)
{
    return fused_smoothing_launch(A, sweep_up<Real>{*prolongation, (Real *)made_x, *step}, NULL,
                                  NULL, error);
}

/* A's values, or the numbers of its table, are of the type of the sums. */
template <typename Real> static bool fused_smoothing_suit(const struct linear_operator *A)
{
    constexpr bool SINGLE = std::is_same_v<Real, float>;
    const struct by_diagonals *kept = cuda_sym_diagonals_of(A);
    return kept && kept->single_sums == SINGLE && (kept->stencils > 0 || kept->singles == SINGLE);
}

/* A cycle in single precision scales what it begins and ends with (float_scaling.h). */
template <typename Real> constexpr bool scales = std::is_same_v<Real, float>;

template <typename Real>
static enum status fused_smoothing_before(const struct linear_operator *A,
                                          [[maybe_unused]] bool enters, const struct smooth *first,
                                          const struct smooth *second, struct error *error)
{
    if constexpr (scales<Real>)
        if (enters)
            return fused_smoothing_launch(A, sweep_before<Real, true>{*first, *second}, NULL, NULL,
                                          error);
    return fused_smoothing_launch(A, sweep_before<Real, false>{*first, *second}, NULL, NULL, error);
}

template <typename Real>
static enum status fused_smoothing_last(const struct linear_operator *A,
                                        [[maybe_unused]] bool leaves, const struct smooth *step,
                                        struct error *error)
{
    if constexpr (scales<Real>)
        if (leaves)
            return fused_smoothing_launch(A, sweep_last<Real, true>{*step}, NULL,
                                          step->float_scaling.dot, error);
    return fused_smoothing_launch(A, sweep_last<Real, false>{*step}, NULL,
                                  scales<Real> ? NULL : step->dot, error);
}

template <typename Real>
static const struct fused_smoothing *of_precision(const struct linear_operator *A)
{
    static const struct fused_smoothing made = {
        fused_smoothing_before<Real>, fused_smoothing_residual<Real>, fused_smoothing_up<Real>,
        fused_smoothing_last<Real>};
    return fused_smoothing_suit<Real>(A) ? &made : NULL;
}

const struct fused_smoothing *fused_smoothing_cuda(const struct linear_operator *A, bool in_single)
{
    return in_single ? of_precision<float>(A) : of_precision<double>(A);
}
CUDA_PUT(fused_smoothing_cuda)
