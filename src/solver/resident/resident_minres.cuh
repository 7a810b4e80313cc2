/* Minimal residuals (solver/minres/minres.h) without an M, in the blocks of
 * solver/resident/resident.cuh; p is v_k. The step along d needs scalars that take some time. So a
 * tile makes it an iteration later, while it waits for others, and x . x with it. Shared memory has
 * x and the last two d of the tile. */
#ifndef SOLVER_RESIDENT_RESIDENT_MINRES_CUH
#define SOLVER_RESIDENT_RESIDENT_MINRES_CUH

#include "solver/resident/resident_sums.cuh"

#ifdef __CUDACC__

struct resident_minres {
    static constexpr bool HAS_ASIDE = true; /* x . x */
    static constexpr int ASIDE_LATE = 2;
    double v_before[RESIDENT_STEPS], alpha, upper, inverse;

    __device__ static struct minres_scalars &of(union resident_scalars &own)
    {
        return own.minres;
    }
    __device__ static struct minres_scalars *of(const struct resident_system &system)
    {
        return system.minres.scalars;
    }

    __device__ void load(const struct resident_launch &of, int u, int64_t i)
    {
        v_before[u] = i >= 0 ? of.system.minres.v_before[i] : 0;
    }
    __device__ void begin(const union resident_scalars &scalars)
    {
        upper = scalars.minres.upper;
    }
    __device__ static bool goes_on(double)
    {
        return true; /* the scalars say when it ends */
    }
    __device__ void take_product(double product)
    {
        alpha = product;
    }
    /* q becomes w = q - alpha v - upper v_before */
    template <class Own>
    __device__ void step(const struct resident_launch &of, const struct resident_places &,
                         const struct resident_part &part, const Own &v,
                         double (&q)[RESIDENT_STEPS])
    {
        double square = 0;
#pragma unroll
        for (int u = 0; u < RESIDENT_STEPS; u++) {
            q[u] = fma(-upper, v_before[u], fma(-alpha, v[u], q[u]));
            if (u < part.rows)
                square = fma(q[u], q[u], square);
        }
        resident_put_sum(of, RESIDENT_STEP, part.buffer, part.tile,
                         words_of(resident_tree(square)));
    }
    __device__ double row(int u, const double (&w)[RESIDENT_STEPS]) const
    {
        return w[u];
    }
    /* d and x of the iteration before, of which v_before is v, and x . x */
    __device__ void follow(const struct resident_launch &of, const struct resident_places &at,
                           const struct resident_part &part)
    {
        const struct minres_scalars &s = at.shared->scalars.minres;
        bool odd = part.k % 2 == 1;
        double *x = at.own[0] + part.own, *d = (odd ? at.own[2] : at.own[1]) + part.own;
        const double *d_before = (odd ? at.own[1] : at.own[2]) + part.own;
        bool moves = part.k > 1 && s.moves != 0;
        double square = 0, delta = s.delta, epsilon = s.epsilon, inverse_gamma = s.inverse_gamma;
#pragma unroll 5
        for (int u = 0; u < RESIDENT_STEPS; u++) {
            int at_u = u * SUM_LANES;
            if (moves) {
                double v = fma(-delta, d_before[at_u], v_before[u]);
                d[at_u] = fma(-epsilon, d[at_u], v) * inverse_gamma;
                x[at_u] = fma(s.tau, d[at_u], x[at_u]);
            }
            if (u < part.rows)
                square = fma(x[at_u], x[at_u], square);
        }
        resident_put_sum(of, RESIDENT_ASIDE, part.buffer, part.tile,
                         words_of(resident_tree(square)));
    }
    template <class Own>
    __device__ void meanwhile(const struct resident_launch &of, const struct resident_places &at,
                              const struct resident_part &part, const Own &)
    {
        follow(of, at, part);
    }
    __device__ void take_step(double norm_squared)
    {
        double beta = sqrt(norm_squared);
        inverse = beta > 0 ? 1 / beta : 0;
        upper = beta;
    }
    __device__ double next(double, double w) const
    {
        return w * inverse;
    }
    __device__ double next_own(int u, double before, const double (&w)[RESIDENT_STEPS])
    {
        v_before[u] = before;
        return next(before, w[u]);
    }
    __device__ void end(const struct resident_launch &of, const struct resident_places &at,
                        const struct resident_part &part)
    {
        follow(of, at, part);
    }
    /* After an even number of iterations. After an odd one the solve has ended, and nobody reads
     * these vectors. */
    __device__ void store(const struct resident_launch &of, const struct resident_places &at, int u,
                          int64_t i, int own, const double (&)[RESIDENT_STEPS]) const
    {
        of.system.minres.v_before[i] = v_before[u];
        of.system.minres.d[0][i] = at.own[1][own];
        of.system.minres.d[1][i] = at.own[2][own];
    }

    __device__ static void put_sums(union resident_scalars &scalars, double product, double square)
    {
        scalars.minres.alpha = product;
        scalars.minres.norm_squared = square;
    }
    /* Single iterations take x . x in every second one. */
    __device__ static void put_aside(union resident_scalars &scalars, double sum, int64_t k)
    {
        if (k > 0 && k % 2 == 0)
            scalars.minres.xx = sum;
    }
    __device__ static void advance(union resident_scalars &scalars)
    {
        minres_scalars_advance(&scalars.minres);
    }
    __device__ static void end(union resident_scalars &, double, bool)
    {
    }
};

#endif
#endif
