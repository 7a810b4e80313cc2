/* Eigenvalues of a symmetric A by the Lanczos process (Lanczos 1950) with thick restarts (Wu and
 * Simon 2000; for symmetric A the same subspaces as implicit restarts with exact shifts, Sorensen
 * 1992).
 *
 *     v_0 = b / ||b||, or x_0 / ||x_0|| where a start is given; it stands for b in what follows
 *     for j = 0, 1, ...
 *         w = A v_j,  alpha_j = v_j . w
 *         w = w - alpha_j v_j - beta_{j-1} v_{j-1}
 *             (first after a restart: w - alpha_j v_j - sum of b_k v_k)
 *         c = V^T w             orthogonality: max |c_k| / beta_j, at most 1
 *         w = w - V c           as far as reorthogonalization asks for it
 *         beta_j = ||w||,  v_{j+1} = w / beta_j
 *         the eigenvalues of T, and from the last components of its eigenvectors what is left to do
 *             (solver/lanczos/ritz.h)
 *         when the basis is full: V = V S for the best, and on from there
 *
 * Row k of the history is k products with A: residual is the largest bound of a wanted
 * ||A v - theta v|| / |theta| (1 in row 0), alpha and beta those of step k - 1; what else a row
 * has, the table of its series says. A locked pair has the bound 0 in T; `residual` keeps
 * the bound from before. At the end the residuals themselves are computed, in higher
 * precision.
 *
 * Reorthogonalization. One pass over the basis, behind the three terms, leaves w orthogonal to it
 * to the working precision, as what it takes off is of the order of rounding errors. Where that is
 * more than half the digits there is a second one. "selective" (Parlett and Scott 1979) takes off
 * only what lies along Ritz vectors whose bound is below 2^-16 ||A||: where orthogonality is lost,
 * it is lost to them (Paige 1971). Where more than 2^-37 = 7e-12 of a vector of the basis is left
 * all the same, as a small beta leaves it, or a second eigenvector of an eigenvalue that is good, w
 * loses its part in the whole basis, twice (partial reorthogonalization, Simon 1984). T has nothing
 * of what is taken off: the eigenvalues are as good as ever (Simon 1984), but residuals of
 * eigenvectors may be of the order of 1e-11 ||A||, and a tolerance below that may end as a residual
 * gap. "none" keeps the three terms: copies of eigenvalues appear ("ghosts"), at an iteration that
 * hangs on rounding errors. The column `orthogonality` needs V^T w in all three.
 *
 * Rounds. A single vector finds one vector of each eigenspace, and none of those that b has nothing
 * of. So when all wanted Ritz values have converged, a next round looks for others (locking and
 * deflation: Parlett 1998, section 6.5; Lehoucq, Sorensen, Yang 1998, section 4.2):
 *
 *     the basis becomes the wanted Ritz vectors V_l, each taken as an eigenvector, b_k = 0
 *     v = a random vector, of another seed each time, minus V_l V_l^T v, twice; v / ||v||
 *     on as before, orthogonal to V_l and so with (I - V_l V_l^T) A (I - V_l V_l^T); Ritz values
 *         are those of both, and the wanted ones the first of all
 *
 * A round ends when all wanted ones have converged again. If they are others than before, the next
 * round begins; a multiplicity of m takes m of them. If they are the same, to tolerance |theta| or
 * 2^-48 ||A||, the solve ends as soon as the round is known to bring no other at each end. Until
 * its first restart the round has its own k x k tridiagonal T. Let theta be the last wanted
 * eigenvalue, and u an eigenvector that is not locked, with the eigenvalue theta or one farther
 * out. Then (T - theta) V^T u = -beta_k (v_{k+1} . u) e_k, which bounds v . u:
 *
 *     |v . u| <= c = beta_1 ... beta_k / |det(T - theta)|, if all eigenvalues of T lie farther in
 *
 * A random v of norm 1 has |v . u| <= c with a chance below c sqrt(n). The round ends when
 *
 *     sqrt(n) (c + k s ||A|| / gap + (left / gap)^2) <= 2^-20
 *
 * with the gap from theta to T's first eigenvalue, s = 2^-53, or 2^-37 with "selective", for
 * rounding, and `left` the root of the sum of the bound^2 of what is locked. It also ends when its
 * first Ritz value mu is known: mu lies beyond the wanted ones, or is another copy of the last of
 * them. With theta' the next wanted one that is another, and mu' the Ritz value behind mu,
 *
 *     bound(mu) <= 2^-20 |mu - theta|: the vector of mu has no more than 2^-20 of an eigenvector
 *         that would be wanted; or bound(mu) <= u ||A||
 *     or |mu - theta| <= tolerance |theta|, another copy of theta, with
 *         bound(mu) <= 2^-20 |theta - theta'| and bound(mu)^2 <= tolerance |theta|
 *         (|mu' - mu| - bound(mu')) (Parlett 1998, section 11.7)
 *
 * A restart in a later round keeps half of what is not wanted. Before a round begins, the root of
 * the sum of the wanted bound^2 falls to 0.3 of the least tolerance |theta|, or restart u ||A||,
 * because residuals of what is locked appear in those of what is found beside it. They leave too
 * much where that root is more than 0.45 of the least tolerance |theta| of a later round, as beside
 * an eigenvalue 0: then the first round begins again, from the sum of the wanted vectors, and locks
 * by the smaller one. "none" keeps nothing that is locked, and has one round.
 *
 * What is promised. A list that was searched (enum eigen_list) has each eigenvalue as often as A
 * does, unless a random vector has less of an eigenvector than it has with a chance of 2^-20, or
 * less than 2^-20 beside what it has of others. Eigenvalues that differ by less than the tolerance
 * count as one. A basis of n vectors is the whole space, but with "none", and its list is complete.
 * A solve that max_iterations ends in a later round has converged if all wanted ones have, and its
 * list is open.
 *
 * Where w vanishes (below 2^-48 ||A||, or, but with "none", after n steps) the basis spans an
 * invariant subspace. In the first round a random vector that is orthogonal to it goes on, and
 * nothing counts as converged before w has vanished again or the basis was full; a later round is
 * over.
 *
 * What is converged. A pair is when ||A v - theta v|| <= tolerance |theta|, or when it is no more
 * than rounding may leave: of an eigenvalue that is 0, or small beside ||A||, no residual can be
 * brought below that. While the process goes on T's bound stands for the residual, and is small
 * enough at u ||A||, u = 2^-53, the rounding of one entry of A v; at the end the residual itself is
 * held to
 *
 *     1.1 tolerance |theta|   or   (m + restart + 2) sqrt(R + 1) u ||A|| + d
 *
 * with R restarts, m entries in the longest row, and d the root of the sum of the beta^2 that were
 * taken as 0 where w vanished. A sum of k terms has an error of k u times the
 * sum of their absolute values (Higham 2002, section 3.1): an entry of A v has m terms, and one of
 * V^T w taken off, or of V S at a restart and at the end, at most `restart`. A vector that is kept
 * goes through this in every restart, and so does A V = V T + ... with it; what one leaves has
 * nothing to do with what the next one leaves, so that squares add. The computation of the
 * residual, in twice the precision, adds u times itself (solver/residual.h), and v = V s / ||V s||
 * rounded to double 2 u ||A||. ||A|| is the largest |Ritz value|. Lost orthogonality leaves far
 * more than that.
 *
 * Squares of norms are formed: the spmv's ||A|| within about 1e-150 and 1e150. A matrix out of it
 * is scaled before (matrix/scale.h), and b by every solve. A residual is divided by
 * |theta|, or by eps^(2/3) ||A|| where that is larger (ritz_scale in solver/lanczos/ritz.h).
 *
 * Products, vectors and sums are made in the space, by orders that are written down; T in plain C
 * on the host: with a bitwise kernel and reproducible sums a history is one, on every machine. */
#ifndef SOLVER_LANCZOS_LANCZOS_H
#define SOLVER_LANCZOS_LANCZOS_H

#include "solver/method.h"

/* The places in method_lanczos.series. */
enum lanczos_series {
    LANCZOS_RESIDUAL,
    LANCZOS_ALPHA,
    LANCZOS_BETA,
    LANCZOS_RITZ_LOW,
    LANCZOS_RITZ_HIGH,
    LANCZOS_BOUND_LOW,
    LANCZOS_BOUND_HIGH,
    LANCZOS_ORTHOGONALITY,
    LANCZOS_CONVERGED,
    LANCZOS_GHOSTS,
    LANCZOS_SERIES,
};

/* "lanczos": options->eigen, max_iterations (products with A); b[n], or x_0, is the first vector.
 * Reasons: converged; residual gap (by T they have converged, but a true ||A v - theta v|| is above
 * both bounds); iteration limit; not finite. Errors: also STATUS_CONFIG: a first vector that is 0,
 * more wanted eigenvalues than a restart leaves room for.
 *
 * The byte model is of a step with (wanted + restart) / 2 vectors: the product, 16 n for its dot
 * product where the kernel does not bring it, 32 n for the three terms, 8 n a vector for V^T w, as
 * much again for V c with full reorthogonalization, 16 n or 32 n for w, and 16 n for its norm.
 * Restarts are not counted. */
extern const struct method method_lanczos;

#endif
