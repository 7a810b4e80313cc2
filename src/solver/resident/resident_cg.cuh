/* Conjugate gradients (solver/cg/cg.h) in the blocks of solver/resident/resident.cuh. SCALED: with
 * an M, whose inverse is a diagonal; then z takes the place of q after the step.
 *
 * The functions of a method, for a warp with its tile: load and begin; in each iteration goes_on,
 * take_product, step, row (a row for the halos of other blocks), meanwhile, take_step, next (p of
 * the halo, by such a row) and next_own; after the last product end and store. For the warp that
 * has the scalars: put_sums, advance, put_aside and end. HAS_ASIDE: the method puts RESIDENT_ASIDE
 * between barriers 1 and 2. ASIDE_LATE - 1: of how many iterations before. */
#ifndef SOLVER_RESIDENT_RESIDENT_CG_CUH
#define SOLVER_RESIDENT_RESIDENT_CG_CUH

#include "solver/resident/resident_sums.cuh"

#ifdef __CUDACC__

template <bool SCALED> struct resident_cg {
    static constexpr bool HAS_ASIDE = SCALED; /* r . r */
    static constexpr int ASIDE_LATE = 1;
    double r[RESIDENT_STEPS], rho, alpha, beta;

    __device__ static struct cg_scalars &of(union resident_scalars &own)
    {
        return own.cg;
    }
    __device__ static struct cg_scalars *of(const struct resident_system &system)
    {
        return system.cg.scalars;
    }

    /* i < 0: there is no such row. */
    __device__ void load(const struct resident_launch &of, int u, int64_t i)
    {
        r[u] = i >= 0 ? of.system.cg.r[i] : -0.0;
    }
    __device__ void begin(const union resident_scalars &scalars)
    {
        rho = scalars.cg.rho;
    }
    __device__ static bool goes_on(double curvature)
    {
        return cg_may_divide(curvature);
    }
    __device__ void take_product(double curvature)
    {
        alpha = rho / curvature;
    }
    /* r -= alpha q, z */
    template <class Own>
    __device__ void step(const struct resident_launch &of, const struct resident_places &at,
                         const struct resident_part &part, const Own &, double (&q)[RESIDENT_STEPS])
    {
        const double *inverse = at.own[1] + part.own;
        double product = 0, square = 0;
#pragma unroll
        for (int u = 0; u < RESIDENT_STEPS; u++) {
            r[u] = fma(-alpha, q[u], r[u]);
            if (SCALED)
                q[u] = r[u] * inverse[u * SUM_LANES];
            if (u < part.rows)
                product = fma(r[u], row(u, q), product);
            if (SCALED && u < part.rows)
                square = fma(r[u], r[u], square);
        }
        resident_put_sum(of, RESIDENT_STEP, part.buffer, part.tile,
                         words_of(resident_tree(product)));
        if (SCALED)
            resident_put_sum(of, RESIDENT_ASIDE, part.buffer, part.tile,
                             words_of(resident_tree(square)));
    }
    __device__ double row(int u, const double (&q)[RESIDENT_STEPS]) const
    {
        return SCALED ? q[u] : r[u];
    }
    /* x += alpha p */
    template <class Own>
    __device__ void meanwhile(const struct resident_launch &, const struct resident_places &at,
                              const struct resident_part &part, const Own &p)
    {
        double *x = at.own[0] + part.own;
#pragma unroll(Own::IS_IN_REGISTERS ? (int)RESIDENT_STEPS : 5)
        for (int u = 0; u < RESIDENT_STEPS; u++)
            x[u * SUM_LANES] = fma(alpha, p[u], x[u * SUM_LANES]);
    }
    __device__ void take_step(double next_rho)
    {
        beta = next_rho / rho;
        rho = next_rho;
    }
    __device__ double next(double before, double row) const
    {
        return fma(beta, before, row);
    }
    __device__ double next_own(int u, double before, const double (&q)[RESIDENT_STEPS])
    {
        return next(before, row(u, q));
    }
    __device__ void end(const struct resident_launch &, const struct resident_places &,
                        const struct resident_part &)
    {
    }
    __device__ void store(const struct resident_launch &of, const struct resident_places &at, int u,
                          int64_t i, int own, const double (&q)[RESIDENT_STEPS]) const
    {
        of.system.cg.r[i] = r[u];
        of.system.q[i] = q[u];
        if (SCALED)
            of.system.cg.z[i] = r[u] * at.own[1][own];
    }

    __device__ static void put_sums(union resident_scalars &scalars, double curvature,
                                    double next_rho)
    {
        scalars.cg.curvature = curvature;
        scalars.cg.next_rho = next_rho;
    }
    __device__ static void put_aside(union resident_scalars &scalars, double sum, int64_t)
    {
        scalars.cg.residual_squared = sum;
    }
    __device__ static void advance(union resident_scalars &scalars)
    {
        cg_scalars_advance(&scalars.cg);
    }
    /* stops_here: goes_on does not hold, and nothing else ended the launch. */
    __device__ static void end(union resident_scalars &scalars, double curvature, bool stops_here)
    {
        scalars.cg.curvature = curvature;
        if (stops_here)
            cg_scalars_advance(&scalars.cg);
    }
};

#endif
#endif
