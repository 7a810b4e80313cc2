/* The small side of a Lanczos iteration: the projected matrix T, its eigenvalues (Ritz values) and
 * what is to be thought of them. With the basis V = (v_0 ... v_{size-1}) and the next vector v,
 *
 *     A V = V T + beta v e^T,     T = S diag(theta) S^T,
 *         ||A V s_i - theta_i V s_i|| = beta |s_{last,i}| = bound_i.
 *
 * T is tridiagonal; after a restart its first `kept` rows and columns are an arrow, which `turn`
 * makes tridiagonal too. Plain C: see tridiagonal.h. */
#ifndef SOLVER_LANCZOS_RITZ_H
#define SOLVER_LANCZOS_RITZ_H

#include "solver/solver.h"
#include "space/archive.h"

struct ritz {
    int64_t most;      /* the largest size */
    int64_t low, high; /* how many are wanted from each end */
    double tolerance;
    int64_t size, kept;
    int64_t locked; /* vectors before the random one with which the round began, whose T this is up
                       to the first restart; else, and in the first round, 0 */
    double left;    /* the largest bound_i / scale_i of those that are locked, 0 in T */
    double left_norm; /* the root of the sum of their bound_i^2 */
    double strict;    /* the least that a wanted residual may be, as far as a round that was given
                         up has shown; INFINITY: none was */
    double norm;      /* the largest |theta| so far: of ||A|| */
    double *d, *e; /* [most]: T's diagonal, and what couples it to the next; e[size - 1] = beta */
    double *turn;  /* [kept * kept], by columns */
    double *theta, *bound; /* [most]: of T as it is, ascending */
    double *work, *last;   /* [most] */
    double *S;             /* [most * most], by columns: of ritz_vectors */
};

/* For `wanted` from the ends, of a basis of at most `most` vectors. On failure the caller calls
 * ritz_free all the same. Errors: STATUS_MEMORY. */
enum status ritz_begin(struct ritz *ritz, const struct eigen_options *options, int64_t n,
                       struct error *error);

/* Its state between two steps (space/archive.h), of the same `most`. */
enum status ritz_keep(struct ritz *ritz, struct archive *archive, struct error *error);

void ritz_free(struct ritz *ritz); /* accepts a zeroed one */

/* The options' restart, or its default max(2 wanted + 20, 60); at most n. */
int64_t ritz_restart(const struct eigen_options *options, int64_t n);

/* How many eigenvalues are wanted of a matrix of order n. */
int64_t ritz_wanted(const struct eigen_options *options, int64_t n);

/* T grows by a row, and beta is what couples it to the next vector; theta and bound are those of
 * the new T. Errors: STATUS_INPUT when T is not finite. */
enum status ritz_append(struct ritz *ritz, double alpha, double beta, struct error *error);

/* S of T, for the basis as it is. Errors: as ritz_append. */
enum status ritz_vectors(struct ritz *ritz, struct error *error);

/* Whether Ritz value i is one of those wanted, and whether it has converged: bound_i <= tolerance
 * scale_i, or u ||A||, u = 2^-53, below which the rounding of A v alone is larger than what the
 * bound tells. */
bool ritz_is_wanted(const struct ritz *ritz, int64_t i);
bool ritz_has_converged(const struct ritz *ritz, int64_t i);

/* What a residual of theta is measured by: |theta|, but no less than eps^(2/3) ||A||, below which
 * an eigenvalue is zero to the working precision (ARPACK's rule, made independent of the scale of
 * A). */
double ritz_scale(const struct ritz *ritz, double theta);

/* How many of the wanted ones have converged. */
int64_t ritz_converged(const struct ritz *ritz);

/* The largest bound_i / scale_i of those wanted. */
double ritz_residual(const struct ritz *ritz);

/* Ritz values that are copies of the one before: closer than `tolerance` ||A||. An unreduced T has
 * no multiple eigenvalue, so where A has none as close, they are what lost orthogonality made
 * (Cullum and Willoughby 1985, section 4.5). */
int64_t ritz_ghosts(const struct ritz *ritz);

/* Restart (Wu and Simon 2000, section 3): T becomes the arrow of `kept` Ritz values, whose vectors
 * are the first columns of S when it returns, and b[kept] couples them to the next vector. Kept are
 * the wanted ones and half as many of the rest as have converged, ARPACK's rule (Lehoucq, Sorensen,
 * Yang 1998, section 5.1), or half of the rest: what a later round looks for is among the rest.
 * ritz_vectors has been called. */
void ritz_restart_basis(struct ritz *ritz, bool half_of_them, double *b);

/* Whether the wanted ones, which have converged, are good enough to be taken as eigenvectors. With
 * A v = theta v + r of each, ||r|| = bound, of a locked one as it was, a vector y that is
 * orthogonal to them, with A y = mu y + (what is orthogonal to them), has r . y of each v in its
 * residual too: the root of the sum of bound^2 at most. It has to be small beside the least that a
 * wanted residual may be. */
bool ritz_can_be_locked(const struct ritz *ritz);

/* The same with the wanted ones alone, taken as eigenvectors: coupled by b = 0. */
void ritz_lock(struct ritz *ritz, double *b);

/* Whether a wanted one has come up beside the locked ones that may not have what those leave in its
 * residual: 0 beside eigenvalues that are known to 1e-4 of themselves. */
bool ritz_was_locked_too_soon(const struct ritz *ritz);

/* T becomes empty, and S[size] the sum of the wanted vectors, of norm 1, with which the first round
 * begins again: it locks by what has come up. ritz_vectors has been called. */
void ritz_start_over(struct ritz *ritz);

#endif
