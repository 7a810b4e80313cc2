/* The scalars of conjugate gradients, and their recurrence: one function, compiled for the host and
 * for a device, and run where the scalars live. Because the device itself decides when the
 * iteration has ended, the host need not wait for any scalar: it reads the rows of the history
 * behind the device, from memory that both can see. */
#ifndef CGSOLVE_CG_SCALARS_H
#define CGSOLVE_CG_SCALARS_H

#include "cgsolve/host_device.h"

#include <math.h>
#include <stdint.h>

/* What the mathematics did. */
enum reason {
    REASON_CONVERGED,       /* the recursive residual passed, and the true one confirmed it */
    REASON_RESIDUAL_GAP,    /* the recursive one passed, the true one is above 1.1 tolerance ||b||:
                               r has drifted away from b - A x */
    REASON_ITERATION_LIMIT, /* max_iterations without either */
    REASON_NOT_POSITIVE,    /* p . A p <= 0: A is not positive definite */
    REASON_NOT_FINITE,      /* a scalar became infinite or NaN */
    REASON_STAGNATION,      /* |alpha| ||p|| <= eps ||x|| in three iterations running: x no longer
                               changes */
};

/* Row k of a residual history: the scalars that made r_k. */
struct history_row {
    int64_t iteration; /* k, from 0 */
    double residual;   /* ||r_k||_2 = sqrt(rho_k), of the recursive r */
    double alpha;      /* r_k = r_{k-1} - alpha A p; NaN in row 0 */
    double beta;       /* p = r_{k-1} + beta p; 0 in row 1, NaN in row 0 */
};

enum { CG_ROWS = 1024, CG_STAGNATION_RUN = 3 };

/* A row on its way, in words that come in no order: it is there when none of them is CG_UNSET, which is a
 * NaN that no row holds. So the device waits for no memory fence between two iterations. */
struct cg_row_words {
    uint64_t word[sizeof(struct history_row) / sizeof(uint64_t)];
};

#define CG_UNSET UINT64_MAX

/* What the host reads behind the device: row k comes to row[k % CG_ROWS], where the host, which sets it
 * to CG_UNSET again, must have taken row k - CG_ROWS. When `ended` is set, the rest no longer changes. */
struct cg_rows {
    int64_t ended;
    int64_t reason;   /* enum reason; converged means here that the recursive residual passed */
    double curvature; /* the last p . A p */
    struct cg_row_words row[CG_ROWS];
};

/* In the space's memory. The host fills in the first two, rows, with all of its row[] CG_UNSET, and
 * iteration = -1, zeroes the rest, and has rho = r . r computed; then every call of
 * cg_scalars_advance makes one row. */
struct cg_scalars {
    double tolerance;
    int64_t max_iterations;
    struct cg_rows *rows;
    int64_t iteration;               /* of the last row */
    int64_t ended;                   /* nothing moves any more */
    double rho, next_rho, curvature; /* r . r before and after the step, p . A p */
    double target;                   /* tolerance ||b|| */
    double beta;                     /* that makes the next p */
    double alpha, alpha_before;      /* of the last step, and of the one before */
    double xx, xp, pp; /* x . x, x . p, p . p: with x_0 = 0 they follow from the scalars (Steihaug
                          1983, section 2; Conn, Gould, Toint 2000, section 7.5.1) */
    int64_t stagnant;  /* iterations running that did not move x */
};

/* A step divides by this: it must be positive and finite, else the vectors stay as they are. */
CGSOLVE_HOST_AND_DEVICE static inline int cg_may_divide(double denominator)
{
    return denominator > 0 && denominator <= 1.7976931348623157e308;
}

CGSOLVE_HOST_AND_DEVICE static inline void cg_fence(void)
{
#ifdef __CUDA_ARCH__
    __threadfence_system();
#else
    __sync_synchronize();
#endif
}

CGSOLVE_HOST_AND_DEVICE static inline void cg_scalars_end(struct cg_scalars *s, enum reason reason)
{
    s->ended = 1;
    s->rows->reason = reason;
    s->rows->curvature = s->curvature;
    cg_fence();
    *(volatile int64_t *)&s->rows->ended = 1;
}

CGSOLVE_HOST_AND_DEVICE static inline uint64_t cg_word(double value)
{
    union {
        double value;
        uint64_t word;
    } bits = {isnan(value) ? NAN : value}; /* a NaN has many forms, CG_UNSET among them */
    return bits.word;
}

/* Write the row of s->iteration, and end the iteration if it must. What is not finite is asked
 * first: a right-hand side whose norm overflows makes the target infinite too, and inf <= inf. */
CGSOLVE_HOST_AND_DEVICE static inline void cg_scalars_row(struct cg_scalars *s, double alpha,
                                                          double beta)
{
    double residual = sqrt(s->rho);
    volatile uint64_t *word = s->rows->row[s->iteration % CG_ROWS].word;
    word[0] = (uint64_t)s->iteration; /* the members of struct history_row, in their order */
    word[1] = cg_word(residual);
    word[2] = cg_word(alpha);
    word[3] = cg_word(beta);
    if (s->iteration == 0)
        s->target = s->tolerance * residual;
    if (!isfinite(residual))
        cg_scalars_end(s, REASON_NOT_FINITE);
    else if (residual <= s->target)
        cg_scalars_end(s, REASON_CONVERGED);
    else if (s->stagnant >= CG_STAGNATION_RUN)
        cg_scalars_end(s, REASON_STAGNATION);
    else if (s->iteration >= s->max_iterations)
        cg_scalars_end(s, REASON_ITERATION_LIMIT);
}

/* After r -= alpha q: the next row, and the scalars for x += alpha p and p = r + beta p. The first call
 * makes row 0. */
CGSOLVE_HOST_AND_DEVICE static inline void cg_scalars_advance(struct cg_scalars *s)
{
    if (s->ended)
        return;
    if (s->iteration < 0) {
        s->iteration = 0;
        s->pp = s->rho;
        cg_scalars_row(s, NAN, NAN);
        return;
    }
    if (!cg_may_divide(s->curvature)) {
        cg_scalars_end(s, isfinite(s->curvature) ? REASON_NOT_POSITIVE : REASON_NOT_FINITE);
        return;
    }
    double alpha = s->rho / s->curvature, beta = s->next_rho / s->rho, previous_beta = s->beta;
    double step_squared = alpha * alpha * s->pp, eps = 0x1p-52;
    s->xx = s->xx + 2 * alpha * s->xp + step_squared;
    s->xp = beta * (s->xp + alpha * s->pp);
    s->pp = s->next_rho + beta * beta * s->pp;
    double least = eps * eps * s->xx; /* 0 or infinite: the scale of A or b lets nothing be said */
    s->stagnant = least > 0 && isfinite(least) && step_squared <= least ? s->stagnant + 1 : 0;
    s->alpha_before = s->alpha;
    s->alpha = alpha;
    s->beta = beta;
    s->rho = s->next_rho;
    s->iteration++;
    cg_scalars_row(s, alpha, previous_beta);
}

#endif
