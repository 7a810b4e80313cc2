/* Small eigenvalue problems against LAPACK, closed forms, and what their own results say of them.
 *
 * The bound of every comparison. A rotation changes a pair of numbers by at most 6 u of its length
 * (r, c and s are good to 4 u together, then two products and a sum), and a sequence of rotations
 * that can be done in r rounds of disjoint ones changes every row by at most 6 r u of its length,
 * to first order (Higham 2002, lemma 19.9). A step of QL may begin two rotations behind the one
 * before it, and m eigenvalues need at most 4 m steps (seen: 2.6 m), so r <= m + 2 (4 m) = 9 m, or
 * 3 m for the arrow's m steps. Rows of z are rows of an orthogonal matrix up to 54 m u each; T is
 * turned from both sides, so it and its eigenvalues move by at most 108 m u ||T||_F, and m dropped
 * entries of 2 u ||T|| each are within the rest of */
#define ALLOWED(m) (120 * (double)(m)*0x1p-53)

#include "made.h"
#include "support.h"

#include "base/hash.h"
#include "matrices.h"
#include "solver/lapack.h"
#include "solver/poisson_eigenvalues.h"
#include "solver/tridiagonal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 400 };

/* A matrix, what becomes of it, and all its vectors. */
struct tridiagonal_problem {
    int64_t m;
    double d[MOST], e[MOST];
    double values[MOST], destroyed[MOST];
    double Z[MOST * MOST];
};

/* ||T||_F, by numbers that do not overflow. */
static double norm_of(const struct tridiagonal_problem *T)
{
    double norm = 0;
    for (int64_t i = 0; i < T->m; i++)
        norm = hypot(norm, hypot(T->d[i], i + 1 < T->m ? sqrt(2) * T->e[i] : 0));
    return norm;
}

static void set_identity(int64_t m, double *Z)
{
    for (int64_t k = 0; k < m * m; k++)
        Z[k] = k % (m + 1) == 0;
}

/* Z Z^T = I, which for a square Z says as much as Z^T Z = I: entries are products of two rows. */
static void expect_orthogonal(int64_t m, const double *Z, const char *name)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j <= i; j++) {
            double product = 0;
            for (int64_t k = 0; k < m; k++)
                product += Z[i + m * k] * Z[j + m * k];
            ck_assert_msg(fabs(product - (i == j)) <= 2 * ALLOWED(m), "%s: rows %d and %d: %g",
                          name, (int)i, (int)j, product);
        }
}

static void solve(struct tridiagonal_problem *T)
{
    struct error error;
    memcpy(T->values, T->d, sizeof T->d);
    memcpy(T->destroyed, T->e, sizeof T->e);
    set_identity(T->m, T->Z);
    expect_ok(tridiagonal_eigen(T->m, T->values, T->destroyed, T->Z, T->m, &error), &error);
}

/* T Z = Z D, Z orthogonal, the values ascending and LAPACK's, and the last components alone the
 * same bits. */
static void expect_solved(struct tridiagonal_problem *T, const char *name)
{
    int64_t m = T->m;
    double norm = norm_of(T), wanted[MOST], last[MOST] = {0}, values[MOST];
    struct error error;
    solve(T);
    expect_orthogonal(m, T->Z, name);
    for (int64_t k = 0; k < m; k++) {
        const double *z = T->Z + m * k;
        for (int64_t i = 0; i < m; i++) {
            double r = (T->d[i] - T->values[k]) * z[i];
            r += i > 0 ? T->e[i - 1] * z[i - 1] : 0;
            r += i + 1 < m ? T->e[i] * z[i + 1] : 0;
            ck_assert_msg(fabs(r) <= 2 * ALLOWED(m) * norm, "%s: row %d of residual %d is %g of %g",
                          name, (int)i, (int)k, r, norm);
        }
        ck_assert_msg(k == 0 || T->values[k - 1] <= T->values[k], "%s: value %d is out of order",
                      name, (int)k);
    }
    lapack_tridiagonal(m, T->d, T->e, wanted);
    for (int64_t k = 0; k < m; k++)
        ck_assert_msg(fabs(T->values[k] - wanted[k]) <= 2 * ALLOWED(m) * norm,
                      "%s: value %d is %.17g, not %.17g", name, (int)k, T->values[k], wanted[k]);
    last[m - 1] = 1;
    memcpy(values, T->d, sizeof values);
    memcpy(T->destroyed, T->e, sizeof T->e);
    expect_ok(tridiagonal_eigen(m, values, T->destroyed, last, 1, &error), &error);
    ck_assert_mem_eq(values, T->values, (size_t)m * sizeof *values);
    for (int64_t k = 0; k < m; k++)
        ck_assert_mem_eq(&last[k], &T->Z[m - 1 + m * k], sizeof *last);
}

static struct tridiagonal_problem T;

static double random_entry(uint64_t *state)
{
    return 2 * test_random(state) - 1;
}

START_TEST(random_matrices)
{
    static const int64_t sizes[] = {1, 2, 3, 4, 5, 10, 31, 60, 100, MOST};
    uint64_t state = test_seed();
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int trial = 0; trial < (sizes[s] < 50 ? 50 : 1); trial++) {
            T.m = sizes[s];
            for (int64_t i = 0; i < T.m; i++) {
                T.d[i] = random_entry(&state);
                T.e[i] = random_entry(&state);
            }
            expect_solved(&T, "random");
            for (int64_t i = 0; i < T.m; i++)
                T.e[i] *= test_random_below(&state, 3); /* a third are 0 */
            expect_solved(&T, "with zeros");
            memset(T.d, 0, sizeof T.d);
            expect_solved(&T, "without a diagonal");
        }
}
END_TEST

/* From 1e-150 to 1e150 downwards, upwards and in any order, and all of it tiny or huge. */
START_TEST(graded_matrices)
{
    uint64_t state = test_seed();
    for (int trial = 0; trial < 60; trial++) {
        T.m = 2 + test_random_below(&state, 60);
        for (int64_t i = 0; i < T.m; i++) {
            double position = (double)i / (double)(T.m - 1);
            double power = trial % 3 == 0   ? 300 * position - 150
                           : trial % 3 == 1 ? 150 - 300 * position
                                            : 300 * test_random(&state) - 150;
            T.d[i] = random_entry(&state) * pow(10, power);
            T.e[i] = random_entry(&state) * pow(10, power);
        }
        expect_solved(&T, "graded");
    }
    static const int exponents[] = {-1074, -1060, -1000, -500, 500, 1020};
    for (size_t s = 0; s < sizeof exponents / sizeof *exponents; s++) {
        T.m = 40;
        for (int64_t i = 0; i < T.m; i++) {
            T.d[i] = ldexp((double)test_random_below(&state, 3), exponents[s]);
            T.e[i] = ldexp(1, exponents[s]);
        }
        solve(&T);
        expect_orthogonal(T.m, T.Z, "scaled");
        double tiny = 0x1p-1074; /* values are rounded to a multiple of it */
        for (int64_t k = 0; k < T.m; k++)
            for (int64_t i = 0; i < T.m; i++) {
                const double *z = T.Z + T.m * k;
                double r = (T.d[i] - T.values[k]) * z[i] + (i > 0 ? T.e[i - 1] * z[i - 1] : 0) +
                           (i + 1 < T.m ? T.e[i] * z[i + 1] : 0);
                ck_assert(fabs(r) <= 2 * ALLOWED(T.m) * norm_of(&T) + 4 * tiny);
            }
    }
}
END_TEST

/* W21+ (Wilkinson 1965, section 5.45): pairs of values that agree to up to 15 digits; and copies of
 * it, glued by small entries, so that values come in clusters. */
START_TEST(clusters)
{
    static const double glue[] = {0, 1e-200, 1e-17, 1e-15, 1e-8};
    for (size_t g = 0; g < sizeof glue / sizeof *glue; g++)
        for (int64_t copies = 1; copies <= 13; copies += 6) {
            T.m = 21 * copies;
            for (int64_t i = 0; i < T.m; i++) {
                T.d[i] = (double)llabs(i % 21 - 10);
                T.e[i] = i % 21 == 20 ? glue[g] : 1;
            }
            expect_solved(&T, "W21+");
            ck_assert(fabs(T.values[T.m - 1] - 10.746194182903393) <=
                      1e-8 + ALLOWED(T.m) * norm_of(&T));
        }
}
END_TEST

/* The closed form is the reference; it is itself held against LAPACK in three dimensions. */
START_TEST(poisson_has_its_closed_form)
{
    struct error error;
    struct poisson3d line = {{MOST, 1, 1}, {3, 0, 0}, 1, 0, POISSON3D_DIRICHLET},
                     box = {{3, 4, 5}, {1, 0.5, 2}, 1, 0, POISSON3D_DIRICHLET};
    struct csr A, full;
    double *values = poisson_eigenvalues(&line);
    T.m = MOST;
    for (int64_t i = 0; i < T.m; i++) {
        T.d[i] = 6;
        T.e[i] = -3;
    }
    solve(&T);
    for (int64_t k = 0; k < T.m; k++)
        ck_assert_double_eq_tol(T.values[k], values[k], ALLOWED(T.m) * norm_of(&T));
    memory_free(values);

    enum { N = 60 };
    static double dense[N * N];
    double wanted[N];
    expect_ok(poisson3d_create(&box, &A, &error), &error);
    expect_ok(csr_expand(&A, &full, &error), &error);
    for (int64_t i = 0; i < N; i++)
        for (int64_t k = full.offsets[i]; k < full.offsets[i + 1]; k++)
            dense[i + N * full.columns[k]] = full.values[k];
    lapack_symmetric(N, dense, wanted);
    values = poisson_eigenvalues(&box);
    for (int64_t k = 0; k < N; k++)
        ck_assert_double_eq_tol(values[k], wanted[k], 1e-13);
    memory_free(values);
    csr_free(&A);
    csr_free(&full);
}
END_TEST

/* Equal values stay where they were found: those of a diagonal matrix, in the order of its rows. */
START_TEST(values_are_sorted_and_ties_keep_their_order)
{
    static const double mixed[] = {2, 1, 2, 0, 1, 2, 0};
    static const int64_t wanted[] = {3, 6, 1, 4, 0, 2, 5};
    T.m = 7;
    memcpy(T.d, mixed, sizeof mixed);
    memset(T.e, 0, sizeof T.e);
    solve(&T);
    for (int64_t k = 0; k < T.m; k++) {
        ck_assert(T.values[k] == mixed[wanted[k]]);
        for (int64_t i = 0; i < T.m; i++)
            ck_assert(T.Z[i + T.m * k] == (i == wanted[k]));
    }
    memset(T.d, 0, sizeof T.d);
    expect_solved(&T, "zero");
}
END_TEST

/* A power of two is in no bit of the vectors, and in the exponents of the values alone. */
START_TEST(scaling_changes_no_bit)
{
    static double first[MOST], first_Z[MOST * MOST];
    uint64_t state = test_seed();
    T.m = 50;
    for (int64_t i = 0; i < T.m; i++) {
        T.d[i] = 1 + test_random(&state);
        T.e[i] = 1 + test_random(&state);
    }
    solve(&T);
    memcpy(first, T.values, sizeof first);
    memcpy(first_Z, T.Z, sizeof first_Z);
    static const int exponents[] = {-900, -7, 1, 1020};
    for (size_t s = 0; s < sizeof exponents / sizeof *exponents; s++) {
        for (int64_t i = 0; i < T.m; i++) {
            T.d[i] = ldexp(T.d[i], exponents[s]);
            T.e[i] = ldexp(T.e[i], exponents[s]);
        }
        solve(&T);
        for (int64_t i = 0; i < T.m; i++) {
            ck_assert(T.values[i] == ldexp(first[i], exponents[s]));
            T.d[i] = ldexp(T.d[i], -exponents[s]);
            T.e[i] = ldexp(T.e[i], -exponents[s]);
        }
        ck_assert_mem_eq(T.Z, first_Z, (size_t)(T.m * T.m) * sizeof *T.Z);
    }
}
END_TEST

/* By every compiler, on every machine. */
START_TEST(bits_are_the_same_everywhere)
{
    uint64_t state = 1;
    T.m = 100;
    for (int64_t i = 0; i < T.m; i++) {
        T.d[i] = random_entry(&state);
        T.e[i] = random_entry(&state) * (i % 10 == 9 ? 0x1p-500 : 1);
    }
    double border[MOST];
    for (int64_t i = 0; i < T.m; i++)
        border[i] = random_entry(&state);
    solve(&T);
    uint64_t hash = hash_doubles(hash_doubles(HASH_START, T.values, T.m), T.Z, T.m * T.m);
    tridiagonal_from_arrow(T.m, T.values, border, T.Z, T.m);
    hash =
        hash_doubles(hash_doubles(hash_doubles(hash, T.values, T.m), border, T.m), T.Z, T.m * T.m);
    ck_assert_msg(hash == UINT64_C(0x2b23a5aa7b6f81ec), "the hash is 0x%016llx",
                  (unsigned long long)hash);
}
END_TEST

START_TEST(what_is_not_finite_is_said)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    struct error error;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 9; i++) {
            double d[5] = {1, 2, 3, 4, 5}, e[4] = {1, 1, 1, 1}, z[5] = {0, 0, 0, 0, 1},
                   *at = i < 5 ? &d[i] : &e[i - 5];
            *at = bad[k];
            expect_error(tridiagonal_eigen(5, d, e, z, 1, &error), STATUS_INPUT, &error, "5 rows",
                         "not finite", NULL);
            ck_assert(z[4] == 1 && (i == 0 || d[0] == 1));
            double b[5] = {1, 1, 1, 1, 1};
            *(i < 5 ? &d[i] : &b[i - 5]) = bad[k];
            tridiagonal_from_arrow(5, d, b, z, 1);
            double sum = 0;
            for (int j = 0; j < 5; j++)
                sum += d[j] + b[j];
            ck_assert(!isfinite(sum));
        }
}
END_TEST

/* diag(theta) with its border b, by LAPACK and by way of the tridiagonal matrix, and the turning
 * itself. */
static void expect_arrow(int64_t k, const double *theta, const double *b, const char *name)
{
    static double Q[MOST * MOST], dense[(MOST + 1) * (MOST + 1)];
    double d[MOST + 1] = {0}, beta[MOST], norm = 0, wanted[MOST + 1];
    struct error error;
    memcpy(d, theta, (size_t)k * sizeof *d);
    memcpy(beta, b, (size_t)k * sizeof *beta);
    set_identity(k, Q);
    tridiagonal_from_arrow(k, d, beta, Q, k);
    memset(dense, 0, sizeof dense);
    for (int64_t i = 0; i < k; i++) {
        norm = hypot(norm, hypot(theta[i], sqrt(2) * b[i]));
        dense[i + (k + 1) * i] = theta[i];
        dense[i + (k + 1) * k] = b[i];
    }
    double bound = 2 * ALLOWED(k) * norm;
    expect_orthogonal(k, Q, name);
    for (int64_t j = 0; j < k; j++) {
        const double *q = Q + k * j;
        double product = 0;
        for (int64_t i = 0; i < k; i++) {
            double r = (theta[i] - d[j]) * q[i];
            r -= j > 0 ? beta[j - 1] * q[i - k] : 0;
            r -= j + 1 < k ? beta[j] * q[i + k] : 0;
            ck_assert_msg(fabs(r) <= bound, "%s: row %d of column %d: %g of %g", name, (int)i,
                          (int)j, r, norm);
            product += q[i] * b[i];
        }
        ck_assert_msg(fabs(product - (j == k - 1 ? beta[j] : 0)) <= bound, "%s: b turned at %d",
                      name, (int)j);
    }
    lapack_symmetric(k + 1, dense, wanted);
    expect_ok(tridiagonal_eigen(k + 1, d, beta, NULL, 0, &error), &error);
    for (int64_t i = 0; i <= k; i++)
        ck_assert_msg(fabs(d[i] - wanted[i]) <= 2 * bound, "%s: value %d is %.17g, not %.17g", name,
                      (int)i, d[i], wanted[i]);
}

START_TEST(arrows)
{
    static const int64_t sizes[] = {1, 2, 3, 4, 7, 30, 100};
    uint64_t state = test_seed();
    double theta[MOST], b[MOST];
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int trial = 0; trial < (sizes[s] < 50 ? 30 : 2); trial++) {
            int64_t k = sizes[s];
            for (int64_t i = 0; i < k; i++) {
                theta[i] = random_entry(&state);
                b[i] = random_entry(&state);
            }
            expect_arrow(k, theta, b, "random");
            /* as after a restart: the couplings of values that have converged are small */
            for (int64_t i = 0; i < k; i++)
                b[i] *= pow(10, -300 * test_random(&state));
            expect_arrow(k, theta, b, "converged");
            for (int64_t i = 0; i < k; i++)
                b[i] *= test_random_below(&state, 2);
            expect_arrow(k, theta, b, "with zeros");
            for (int64_t i = 0; i < k; i++)
                theta[i] = (double)test_random_below(&state, 3);
            expect_arrow(k, theta, b, "equal values");
            int exponent = trial % 2 ? 1000 : -1000;
            for (int64_t i = 0; i < k; i++) {
                theta[i] = ldexp(random_entry(&state), exponent);
                b[i] = ldexp(random_entry(&state), exponent);
            }
            expect_arrow(k, theta, b, "scaled");
            memset(b, 0, sizeof b);
            expect_arrow(k, theta, b, "without a border");
        }
}
END_TEST

/* The length of a pair of subnormal numbers has few bits: a rotation made from it would not be
 * orthogonal. */
START_TEST(arrows_with_subnormal_borders)
{
    uint64_t state = test_seed();
    double theta[MOST], b[MOST];
    for (int trial = 0; trial < 100; trial++) {
        int64_t k = 2 + test_random_below(&state, 9);
        for (int64_t i = 0; i < k; i++) {
            theta[i] = trial % 2 || i == 0 ? 1 : (double)test_random_below(&state, 3);
            b[i] = (double)test_random_below(&state, 20) * 0x1p-1074;
        }
        expect_arrow(k, theta, b, "subnormal");
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {random_matrices,
                            graded_matrices,
                            clusters,
                            poisson_has_its_closed_form,
                            values_are_sorted_and_ties_keep_their_order,
                            scaling_changes_no_bit,
                            bits_are_the_same_everywhere,
                            what_is_not_finite_is_said,
                            arrows,
                            arrows_with_subnormal_borders,
                            NULL};
    return suite_of("solver/tridiagonal", tests);
}
