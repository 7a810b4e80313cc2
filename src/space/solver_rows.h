/* The rows of a method with its scalars in a space: the space (host or device) writes them to
 * shared memory, and the host reads them later. */
#ifndef SPACE_SOLVER_ROWS_H
#define SPACE_SOLVER_ROWS_H

#include "base/host_device.h"

#include <math.h>
#include <stdint.h>

/* The end of an iteration. */
enum reason {
    REASON_CONVERGED,       /* the recursive residual passed, and the true one confirmed it */
    REASON_RESIDUAL_GAP,    /* the true residual is above 1.1 times the recursive one, or what was
                            asked for: r has drifted away from b - A x */
    REASON_ITERATION_LIMIT, /* max_iterations without either */
    REASON_NOT_POSITIVE,    /* p . A p <= 0: A is not positive definite; or r . M^-1 r <= 0: M is
                               not; MINRES: y . M^-1 y <= 0, M is not */
    REASON_NOT_FINITE,      /* a scalar, or b - A x, became infinite or NaN */
    REASON_STAGNATION,      /* |alpha| ||p|| <= eps ||x - x_0|| in three iterations running: x no
                               longer changes; in the norm of M where there is a preconditioner M.
                               MINRES: ||r|| <= eps ||A|| ||x||. After restarts: further ones gain
                               nothing */
    REASON_SINGULAR,        /* MINRES: A is, to working precision, and x has grown too large to be
                               of use */
    REASON_LEAST_SQUARES,   /* MINRES: r is orthogonal to the range of A, which b is not in, and x
                               is as good as it gets */
    REASON_INTERRUPTED,     /* the observer asked for it (base/observer.h) */
};

/* Row k: the scalars that made r_k. */
struct solver_row {
    int64_t iteration;  /* k, from 0 */
    double residual;    /* ||r_k||_2, of the recursive r */
    double alpha, beta; /* the coefficients of the method's recurrence; its header says which */
    double rho;         /* CG: r_k . M^-1 r_k; MINRES with an M: ||r_k||_{M^-1}; else NaN */
};

enum { SOLVER_ROWS = 1024 };

/* A row in shared memory, in words that may arrive in any order: it is complete when no word is
 * SOLVER_ROW_UNSET, a NaN that no row holds. So the device needs no memory fence between two
 * iterations. */
struct solver_row_words {
    uint64_t word[sizeof(struct solver_row) / sizeof(uint64_t)];
};

#define SOLVER_ROW_UNSET UINT64_MAX

/* The first scalars of every such method, in the space's memory. */
struct solver_scalars {
    double tolerance;
    int64_t max_iterations;
    double rhs_norm;          /* ||b||; 0: x_0 = 0, and ||b|| is ||r_0|| */
    struct solver_rows *rows; /* with all of its row[] SOLVER_ROW_UNSET */
    double target;            /* tolerance ||b||, from row 0 on */
    int64_t iteration;        /* of the last row; -1 before the first */
    int64_t ended;            /* 0 while the iteration goes on */
};

/* What launches of several iterations each (solver/row_loop.h) tell the host. */
struct solver_bursts {
    int64_t lost;       /* one was given up: it has done nothing, and later ones do nothing */
    int64_t iterations; /* that were done in them */
    int64_t ended;      /* the iteration has ended in one of them */
};

/* A ring buffer of rows from the device to the host: row k goes to row[k % SOLVER_ROWS]. Before
 * that the host must have read row k - SOLVER_ROWS, and reset its words to SOLVER_ROW_UNSET. After
 * `ended` is set, nothing changes any more. */
struct solver_rows {
    int64_t ended;
    int64_t reason; /* enum reason; converged means here that the recursive residual passed */
    double
        curvature; /* CG: the last p . A p; else NaN, and where the reason is REASON_INTERRUPTED */
    struct solver_bursts bursts;
    struct solver_row_words row[SOLVER_ROWS];
};

/* Here and below, rows may be NULL: then nothing is put. */
CGSOLVE_HOST_AND_DEVICE static inline void solver_rows_end(struct solver_rows *rows,
                                                           enum reason reason, double curvature)
{
    if (!rows)
        return;
    rows->reason = reason;
    rows->curvature = curvature;
#ifdef __CUDA_ARCH__
    __threadfence_system();
#else
    __sync_synchronize();
#endif
    *(volatile int64_t *)&rows->ended = 1;
}

CGSOLVE_HOST_AND_DEVICE static inline void solver_scalars_end(struct solver_scalars *s,
                                                              enum reason reason, double curvature)
{
    s->ended = 1;
    solver_rows_end(s->rows, reason, curvature);
}

CGSOLVE_HOST_AND_DEVICE static inline uint64_t solver_row_word(double value)
{
    union {
        double value;
        uint64_t word;
    } bits = {isnan(value) ? NAN : value}; /* a NaN has many forms, SOLVER_ROW_UNSET among them */
    return bits.word;
}

CGSOLVE_HOST_AND_DEVICE static inline void solver_rows_put(struct solver_rows *rows,
                                                           struct solver_row row)
{
    if (!rows)
        return;
    volatile uint64_t *word = rows->row[row.iteration % SOLVER_ROWS].word;
    word[0] = (uint64_t)row.iteration; /* the members, in their order */
    word[1] = solver_row_word(row.residual);
    word[2] = solver_row_word(row.alpha);
    word[3] = solver_row_word(row.beta);
    word[4] = solver_row_word(row.rho);
}

/* Puts the row of s->iteration, and sets the target by row 0. */
CGSOLVE_HOST_AND_DEVICE static inline void solver_scalars_put(struct solver_scalars *s,
                                                              struct solver_row row)
{
    solver_rows_put(s->rows, row);
    if (s->iteration == 0)
        s->target = s->tolerance * (s->rhs_norm > 0 ? s->rhs_norm : row.residual);
}

/* Puts the row of the next iteration, and ends the loop if it has converged, is the last allowed
 * iteration, or is not finite (tested first, because inf <= inf). For methods without other
 * ends. */
CGSOLVE_HOST_AND_DEVICE static inline void
solver_scalars_next(struct solver_scalars *s, double residual, double alpha, double beta)
{
    struct solver_row row = {++s->iteration, residual, alpha, beta, NAN};
    solver_scalars_put(s, row);
    if (!isfinite(residual))
        solver_scalars_end(s, REASON_NOT_FINITE, NAN);
    else if (residual <= s->target)
        solver_scalars_end(s, REASON_CONVERGED, NAN);
    else if (s->iteration >= s->max_iterations)
        solver_scalars_end(s, REASON_ITERATION_LIMIT, NAN);
}

#endif
