/* What reorthogonalization does to the basis of Lanczos' method, and what the method shows where it
 * is left out. */
#include "support.h"

#include "matrices.h"
#include "problem/rhs.h"
#include "solver/eigen.h"
#include "solver/solve.h"
#include "solver/tridiagonal.h"

#include <float.h>
#include <math.h>

static struct eigen_outcome made;

/* A dense cluster and one eigenvalue far from it, which converges at once, so that orthogonality is
 * lost to it soon (Paige 1971). */
static void lonely_top(int64_t n, struct csr *A, double *values)
{
    for (int64_t i = 0; i < n; i++)
        values[i] = 1 + (double)i / (double)n;
    values[n - 1] = 100;
    diagonal(n, values, A);
}

/* The largest value of a series in rows 1, 2, ... */
static double largest(enum lanczos_series series)
{
    double most = 0;
    for (int64_t k = 1; k < made.count; k++)
        most = fmax(most, made.rows[k].values[series]);
    return most;
}

static struct eigen_choice with(enum reorthogonalization how, int64_t count, int64_t restart)
{
    struct eigen_choice choice = eigen_standard;
    choice.threads = 1; /* vectors of one tile have no work for more */
    choice.eigen.reorthogonalization = how;
    choice.eigen.count = count;
    choice.eigen.restart = restart;
    return choice;
}

/* A Ritz vector V s with V^T V = I + E is off by ||E||. The column shows what was there before a
 * pass over the basis took it away: roundings of the product and the three terms, over beta. */
START_TEST(full_keeps_it)
{
    static double values[300];
    struct csr A;
    lonely_top(300, &A, values);
    for (int64_t restart = 30; restart <= 300; restart += 90) {
        struct eigen_choice choice = with(REORTHOGONALIZATION_FULL, 5, restart);
        eigen_find(choice, &A, NULL, 1, &made);
        eigen_expect_reason(REASON_CONVERGED, &made);
        eigen_expect_spectrum(&choice, &made, values, 100 * 4 * DBL_EPSILON);
        ck_assert_msg(eigen_orthogonality(&made) <= 1e-13, "%g", eigen_orthogonality(&made));
        ck_assert_msg(largest(LANCZOS_ORTHOGONALITY) <= 1e-9, "%g", largest(LANCZOS_ORTHOGONALITY));
        ck_assert(largest(LANCZOS_GHOSTS) == 0);
    }
    csr_free(&A);
}
END_TEST

/* Vectors keep up to 2^-37 of each other, and Ritz vectors of m of them m times that; the next step
 * has ||A|| / beta, 400 here, of it before it is taken off. */
START_TEST(selective_keeps_most_of_it)
{
    static double values[300];
    struct csr A;
    lonely_top(300, &A, values);
    for (int64_t restart = 30; restart <= 300; restart += 90) {
        struct eigen_choice choice = with(REORTHOGONALIZATION_SELECTIVE, 5, restart);
        eigen_find(choice, &A, NULL, 1, &made);
        eigen_expect_reason(REASON_CONVERGED, &made);
        eigen_expect_spectrum(&choice, &made, values, 100 * 4 * DBL_EPSILON);
        ck_assert_msg(eigen_orthogonality(&made) <= (double)restart * 0x1p-37, "%g",
                      eigen_orthogonality(&made));
        ck_assert_msg(largest(LANCZOS_ORTHOGONALITY) <= 400 * 0x1p-37, "restart %d: %g",
                      (int)restart, largest(LANCZOS_ORTHOGONALITY));
        ck_assert(largest(LANCZOS_GHOSTS) == 0);
    }
    csr_free(&A);
}
END_TEST

/* The three terms alone: the lonely eigenvalue comes again and again. */
START_TEST(none_loses_it)
{
    static double values[300];
    struct csr A;
    lonely_top(300, &A, values);
    struct eigen_choice choice = with(REORTHOGONALIZATION_NONE, 5, 200);
    choice.max_iterations = 190;
    choice.eigen.tolerance = 1e-13;
    eigen_find(choice, &A, NULL, 1, &made);
    ck_assert(largest(LANCZOS_ORTHOGONALITY) > 0.1);
    ck_assert(largest(LANCZOS_GHOSTS) >= 2);
    int64_t first = 0; /* Paige: it is lost when a Ritz value has converged, and not before */
    while (made.rows[first + 1].values[LANCZOS_ORTHOGONALITY] < 1e-6)
        first++;
    ck_assert(made.rows[first].values[LANCZOS_BOUND_HIGH] < 1e-5 * 100);
    for (int64_t k = 2; k < made.count; k++)
        ck_assert(made.rows[k].values[LANCZOS_GHOSTS] == 0 || k > first);
    csr_free(&A);
}
END_TEST

/* They are the same method: while orthogonality lasts, their rows agree. */
START_TEST(all_three_begin_alike)
{
    static struct eigen_outcome others[2];
    struct csr A;
    grid(9, 1, &A);
    for (int how = 0; how < 3; how++) {
        struct eigen_choice choice = with((enum reorthogonalization)how, 3, 0);
        choice.max_iterations = 20;
        eigen_find(choice, &A, NULL, 4, how < 2 ? &others[how] : &made);
    }
    for (int64_t k = 1; k <= 20; k++)
        for (int how = 0; how < 2; how++) {
            ck_assert_double_eq_tol(others[how].rows[k].alpha, made.rows[k].alpha, 1e-11);
            ck_assert_double_eq_tol(others[how].rows[k].beta, made.rows[k].beta, 1e-11);
        }
    csr_free(&A);
}
END_TEST

/* --- what must converge ----------------------------------------------------------------------- */

enum { GAP_N = 250, WANTED = 3 };

/* In ascending order: WANTED eigenvalues at either end, and all others within [-1, 1], 0.1 away
 * from them. */
static void draw_spectrum(uint64_t *state, double *lambda)
{
    for (int i = 0; i < GAP_N; i++) {
        int from_top = GAP_N - 1 - i;
        double bulk = -1 + 2 * (i - WANTED + test_random(state)) / (GAP_N - 2 * WANTED);
        lambda[i] = i < WANTED          ? -1.1 - (WANTED - 1 - i) - 0.1 * test_random(state)
                    : from_top < WANTED ? 1.1 + (WANTED - 1 - from_top) + 0.1 * test_random(state)
                                        : bulk;
    }
}

/* T_d(x), x >= 1 */
static double chebyshev(double d, double x)
{
    return cosh(d * acosh(x));
}

/* After how many products the WANTED largest of lambda[GAP_N] must have converged, of a first
 * vector with the parts xi along the eigenvectors. gap = from the last wanted one to the next,
 * spread = from the first to the last of all, and T_d the Chebyshev polynomial for the interval of
 * those not wanted, divided by its value at the last wanted one.
 *
 * The first basis contains l_i(A) T(A) b of degree restart - 1, where l_i is 1 at wanted eigenvalue
 * i and 0 at the others: vectors that span a space with sum_i (max |l_i| ||xi of those not
 * wanted|| / |xi_i| T)^2 for the squares of the tangents of its angles with the wanted
 * eigenvectors. The sum of the Ritz values is at least that of any such space (Ky Fan 1949), and so
 * misses that of the eigenvalues by spread tan^2 at the most; Ritz vectors whose values miss it by
 * D have sin^2 <= D / gap. After a restart that keeps k vectors, the wanted among them, the basis
 * contains p(A) y of each for any p of degree d = restart - k (Morgan 1996), so that
 *
 *     sin^2 <= spread / gap tan^2 / T_d^2,     tan^2 of the cycle before <= sin^2 / (1 - sin^2),
 *
 * and a residual is at most spread sin. Rounding turns vectors by 1e-12 / gap, which nobody
 * sees. */
static int64_t products_needed(const double *lambda, const double *xi,
                               const struct eigen_choice *choice, int64_t wanted)
{
    const double *top = lambda + GAP_N - WANTED; /* and xi + GAP_N - WANTED */
    double spread = lambda[GAP_N - 1] - lambda[0], gap = top[0] - top[-1];
    double x = 1 + 2 * gap / (top[-1] - lambda[0]), others = 0, tangent = 0;
    int64_t restart = choice->eigen.restart, kept = wanted + wanted;
    kept = kept < (restart + wanted) / 2 ? kept : (restart + wanted) / 2;
    for (int64_t i = 0; i < GAP_N - WANTED; i++)
        others += xi[i] * xi[i];
    for (int i = 0; i < WANTED; i++) {
        double l = 1; /* largest at the other end */
        for (int j = 0; j < WANTED; j++)
            l *= j == i ? 1 : (top[j] - lambda[0]) / fabs(top[j] - top[i]);
        l /= xi[GAP_N - WANTED + i] * chebyshev((double)(restart - WANTED), x);
        tangent += l * l * others;
    }
    int64_t products = restart;
    double sine = spread / gap * tangent;
    for (double rate = chebyshev((double)(restart - kept), x);
         spread * sqrt(sine) > choice->eigen.tolerance * top[0]; products += restart - wanted) {
        ck_assert(sine < 0.5);
        sine = spread / gap * (sine / (1 - sine)) / (rate * rate);
    }
    return products;
}

/* A with these eigenvalues, and b with the parts xi along its eigenvectors: tridiagonal, or a
 * reflection of diag(lambda) in a random direction. */
static void build(bool tridiagonal, const double *lambda, const double *xi, uint64_t *state,
                  struct csr *A, double *b)
{
    static double upper[GAP_N * (GAP_N + 1) / 2];
    double w[GAP_N], d[GAP_N], off[GAP_N], norm = 0, middle = 0, along = 0;
    for (int i = 0; i < GAP_N; i++) {
        w[i] = off[i] = 2 * test_random(state) - 1;
        d[i] = lambda[i];
        b[i] = xi[i];
        norm += w[i] * w[i];
    }
    for (int i = 0; i < GAP_N; i++) {
        w[i] /= sqrt(norm);
        middle += lambda[i] * w[i] * w[i];
        along += w[i] * xi[i];
    }
    if (tridiagonal)
        tridiagonal_from_arrow(GAP_N, d, off, b, 1);
    for (int i = 0, k = 0; i < GAP_N; i++) {
        if (!tridiagonal)
            b[i] = xi[i] - 2 * along * w[i];
        for (int j = i; j < GAP_N; j++, k++) {
            double reflected =
                (i == j ? lambda[i] : 0) + (4 * middle - 2 * (lambda[i] + lambda[j])) * w[i] * w[j];
            double near = i == j ? d[i] : j == i + 1 ? off[i] : 0;
            upper[k] = tridiagonal ? near : reflected;
        }
    }
    test_matrix_from_dense(GAP_N, upper, CSR_SYMMETRIC, A);
}

/* The largest alone, and both ends: each of them as if it were alone, in a basis that is shared. */
START_TEST(a_gap_is_enough)
{
    uint64_t state = test_seed();
    for (int trial = 0; trial < 8; trial++) {
        double lambda[GAP_N], xi[GAP_N], turned[GAP_N], turned_xi[GAP_N], b[GAP_N];
        struct csr A;
        draw_spectrum(&state, lambda);
        for (int i = 0; i < GAP_N; i++)
            xi[i] = 0.5 + test_random(&state);
        for (int i = 0; i < GAP_N; i++) {
            turned[i] = -lambda[GAP_N - 1 - i];
            turned_xi[i] = xi[GAP_N - 1 - i];
        }
        build(trial % 2 == 0, lambda, xi, &state, &A, b);
        for (int how = 0; how < 4; how++) {
            struct eigen_choice choice = with(
                how % 2 == 0 ? REORTHOGONALIZATION_FULL : REORTHOGONALIZATION_SELECTIVE, 3, 40);
            choice.eigen.which = how < 2 ? EIGEN_LARGEST : EIGEN_BOTH;
            int64_t wanted = how < 2 ? WANTED : 2 * WANTED;
            int64_t low = how < 2 ? 0 : products_needed(turned, turned_xi, &choice, wanted);
            int64_t high = products_needed(lambda, xi, &choice, wanted);
            choice.max_iterations = high > low ? high : low;
            eigen_find(choice, &A, b, 0, &made);
            eigen_expect_reason(REASON_CONVERGED, &made);
            eigen_expect_spectrum(&choice, &made, lambda, GAP_N * DBL_EPSILON * 4);
        }
        csr_free(&A);
    }
}
END_TEST

/* A Ritz value at an end that is wanted moves outwards: bases grow, and a restart keeps its
 * vector. */
static void expect_growth(enum eigen_which which, double off)
{
    for (int64_t k = 2; k < made.count; k++) {
        const double *before = made.rows[k - 1].values, *now = made.rows[k].values;
        ck_assert(now[LANCZOS_RITZ_HIGH] >= before[LANCZOS_RITZ_HIGH] - off);
        ck_assert(which == EIGEN_LARGEST ||
                  now[LANCZOS_RITZ_LOW] <= before[LANCZOS_RITZ_LOW] + off);
    }
}

/* What was found is there: all of it, or perhaps copies. */
static void expect_found(const struct eigen_choice *choice, const double *spectrum, double off)
{
    if (choice->eigen.reorthogonalization != REORTHOGONALIZATION_NONE) {
        expect_growth(choice->eigen.which, off);
        if (made.result.reason == REASON_CONVERGED)
            eigen_expect_spectrum(choice, &made, spectrum, off);
    }
    for (int64_t k = 0; k < made.result.eigen_count; k++) {
        double nearest = INFINITY;
        for (int64_t i = 0; i < made.n; i++)
            nearest = fmin(nearest, fabs(made.values[k] - spectrum[i]));
        ck_assert(nearest <= made.residuals[k] + off);
    }
}

/* Random matrices may have their smallest eigenvalues so close together that bases of 40 find them
 * late or never, and nothing says when. A basis of all n vectors must. Those of selective
 * reorthogonalization have 2^-37 of each other, which leaves residuals of n 2^-37 ||A||. */
START_TEST(every_way_finds_eigenvalues)
{
    uint64_t state = test_seed();
    for (int m = 0; m < test_matrices_count; m++) {
        struct test_matrix matrix = test_matrices[m];
        matrix.n = matrix.n < 160 ? matrix.n : 160;
        struct csr A;
        test_matrix_build_positive(&matrix, &state, &A);
        double *spectrum = eigen_spectrum(&A), norm = spectrum[A.n - 1];
        double off = (double)A.n * DBL_EPSILON * norm;
        for (int way = 0; way < 3; way++) {
            struct eigen_choice choice = with((enum reorthogonalization)way, 3, 40);
            choice.eigen.which = m % 2 == 0 ? EIGEN_LARGEST : EIGEN_BOTH;
            choice.eigen.tolerance = 1e-8;
            choice.max_iterations = 300;
            eigen_find(choice, &A, NULL, 7, &made);
            expect_found(&choice, spectrum, off);
            if (choice.eigen.reorthogonalization == REORTHOGONALIZATION_NONE)
                continue;
            choice.eigen.restart = choice.max_iterations = A.n;
            eigen_find(choice, &A, NULL, 7, &made);
            expect_found(&choice, spectrum, off);
            double least = choice.eigen.which == EIGEN_LARGEST ? norm : spectrum[0];
            bool nearly = choice.eigen.reorthogonalization == REORTHOGONALIZATION_SELECTIVE &&
                          made.result.reason == REASON_RESIDUAL_GAP &&
                          made.result.true_residual <= (double)A.n * 0x1p-37 * norm / least;
            ck_assert_msg(nearly || made.result.reason == REASON_CONVERGED, "%s, %d: \"%s\", %g",
                          matrix.name, way, reason_name(made.result.reason),
                          made.result.true_residual);
        }
        memory_free(spectrum);
        csr_free(&A);
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {
        full_keeps_it,   selective_keeps_most_of_it,  none_loses_it, all_three_begin_alike,
        a_gap_is_enough, every_way_finds_eigenvalues, NULL};
    return suite_of("solver/lanczos_basis", tests);
}
