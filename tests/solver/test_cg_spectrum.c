/* What the coefficients of conjugate gradients tell: extreme eigenvalues of T_k against LAPACK, and
 * the estimates that stand in the rows. The error norm is the matter of test_cg_error. */
#include "support.h"

#include "matrices.h"
#include "solver/cg/spectrum.h"
#include "solver/solve.h"

#include <float.h>
#include <math.h>

/* LAPACK: the eigenvalues of a symmetric tridiagonal matrix, ascending; the singular values of an
 * upper bidiagonal one, descending, each to a relative accuracy of its own (dqds; work[4 n]). */
void dsterf_(const int *n, double *diagonal, double *off, int *info);
void dlasq1_(const int *n, double *diagonal, double *off, double *work, int *info);

enum { K_MAX = 400 };

static struct outcome outcome;

/* --- the extremes ----------------------------------------------------------------------------- */

/* Coefficients of `decades` powers of ten. */
static void draw(int64_t k, double decades, uint64_t *state, double *alphas, double *betas)
{
    for (int64_t j = 0; j < k; j++) {
        alphas[j] = pow(10, decades * (test_random(state) - 0.5));
        betas[j] = pow(10, 4 * (test_random(state) - 0.5));
    }
}

static void by_sterf(int k, const double *alphas, const double *betas, double *low, double *high)
{
    double diagonal[K_MAX], off[K_MAX];
    int info;
    for (int j = 0; j < k; j++) {
        diagonal[j] = 1 / alphas[j] + (j > 0 ? betas[j] / alphas[j - 1] : 0);
        off[j] = j + 1 < k ? sqrt(betas[j + 1]) / alphas[j] : 0;
    }
    dsterf_(&k, diagonal, off, &info);
    ck_assert_int_eq(info, 0);
    *low = diagonal[0];
    *high = diagonal[k - 1];
}

static void by_lasq1(int k, const double *alphas, const double *betas, double *low, double *high)
{
    double diagonal[K_MAX], off[K_MAX], work[4 * K_MAX];
    int info;
    for (int j = 0; j < k; j++) {
        diagonal[j] = 1 / sqrt(alphas[j]);
        off[j] = j + 1 < k ? sqrt(betas[j + 1] / alphas[j]) : 0;
    }
    dlasq1_(&k, diagonal, off, work, &info);
    ck_assert_int_eq(info, 0);
    *low = diagonal[k - 1] * diagonal[k - 1];
    *high = diagonal[0] * diagonal[0];
}

/* Relative to itself: a relative change of eta in each of the 2 k - 1 entries of a bidiagonal
 * matrix changes a singular value by at most (2 k - 1) eta (Demmel and Kahan 1990, theorem 2), its
 * square by twice that. A pass of the qd transformation is exact for entries changed by 3 roundings
 * each (e, s and their products), those of by_lasq1 are made with 3 and dqds adds 4 (Fernando and
 * Parlett 1994), and the bisection ends within 9 eps: 2 (2 k - 1) (3 + 3 + 4) eps / 2 + 9 eps.
 * Relative to the largest, dsterf is good for a few eps a step of QL, of which it makes up to 3
 * k. */
START_TEST(extremes_are_those_of_lapack)
{
    uint64_t state = test_seed();
    double alphas[K_MAX], betas[K_MAX], low, high, wanted_low, wanted_high;
    for (int trial = 0; trial < 300; trial++) {
        int k = 1 + (int)test_random_below(&state, trial < 100 ? 8 : K_MAX);
        double decades = 12 * test_random(&state),
               scale = pow(10, 60 * (test_random(&state) - 0.5));
        draw(k, decades, &state, alphas, betas);
        for (int j = 0; j < k; j++)
            alphas[j] *= scale;
        cg_ritz_extremes(alphas, betas, k, &low, &high);
        by_lasq1(k, alphas, betas, &wanted_low, &wanted_high);
        double bound = (10.0 * (2 * k - 1) + 9) * DBL_EPSILON;
        ck_assert_msg(fabs(low - wanted_low) <= bound * wanted_low,
                      "k = %d: %.17g, by dlasq1 %.17g", k, low, wanted_low);
        ck_assert_msg(fabs(high - wanted_high) <= bound * wanted_high,
                      "k = %d: %.17g, by dlasq1 %.17g", k, high, wanted_high);
        by_sterf(k, alphas, betas, &wanted_low, &wanted_high);
        bound = (10.0 * (2 * k - 1) + 9 + 6 * k) * DBL_EPSILON * wanted_high;
        ck_assert(fabs(low - wanted_low) <= bound && fabs(high - wanted_high) <= bound);
    }
}
END_TEST

/* T_1 = 1 / alpha; beta = 0 parts T_2 into two; the ends of the range. */
START_TEST(extremes_of_small_matrices)
{
    static const double alphas[] = {0.25, 4}, betas[] = {NAN, 0};
    double low, high;
    cg_ritz_extremes(alphas, betas, 1, &low, &high);
    ck_assert(fabs(low - 4) <= 4 * 9 * DBL_EPSILON && fabs(high - 4) <= 4 * 9 * DBL_EPSILON);
    cg_ritz_extremes(alphas, betas, 2, &low, &high);
    ck_assert(fabs(low - 0.25) <= 9 * DBL_EPSILON && fabs(high - 4) <= 4 * 9 * DBL_EPSILON);
    for (int sign = -1; sign <= 1; sign += 2) {
        double far = pow(10, 300 * sign);
        cg_ritz_extremes(&far, betas, 1, &low, &high);
        ck_assert(fabs(low * far - 1) <= 12 * DBL_EPSILON &&
                  fabs(high * far - 1) <= 12 * DBL_EPSILON);
    }
}
END_TEST

/* --- the rows --------------------------------------------------------------------------------- */

static void expect_nothing(const double values[CG_SERIES])
{
    for (int s = CG_RITZ_LOW; s < CG_SERIES; s++)
        ck_assert(isnan(values[s]));
}

/* Rayleigh quotients: inside the exact ones, and moving outwards, but for the roundings of k
 * steps. */
START_TEST(estimates_lie_within_the_ritz_values)
{
    uint64_t state = test_seed();
    double alphas[K_MAX], betas[K_MAX], low, high;
    for (int trial = 0; trial < 30; trial++) {
        struct cg_spectrum spectrum = {0};
        struct solver_row row = {0, 1, NAN, NAN, 1};
        struct error error;
        double before[2] = {INFINITY, 0};
        draw(K_MAX, 6 * test_random(&state), &state, alphas, betas);
        for (int k = 0; k <= K_MAX; k++) {
            double seen[CG_SERIES];
            if (k > 0)
                row = (struct solver_row){k, 1, alphas[k - 1], k > 1 ? betas[k - 1] : 0, 1};
            expect_ok(cg_spectrum_take(&spectrum, &row, seen, &error), &error);
            if (k == 0) {
                expect_nothing(seen);
                continue;
            }
            double its_low = seen[CG_RITZ_LOW], its_high = seen[CG_RITZ_HIGH];
            /* three products, a square root and a norm a step, each squared: 20 roundings */
            double slack = 20.0 * k * DBL_EPSILON;
            cg_spectrum_extremes(&spectrum, &low, &high);
            ck_assert(its_low >= low * (1 - slack) && its_high <= high * (1 + slack));
            ck_assert(its_low <= before[0] * (1 + 20 * DBL_EPSILON));
            ck_assert(its_high >= before[1] * (1 - 20 * DBL_EPSILON));
            ck_assert(seen[CG_CONDITION] == its_high / its_low);
            /* not only inside: never worse than the best diagonal entry */
            ck_assert(its_high >= 1 / alphas[k - 1] * (1 - slack));
            ck_assert(k > 1 ||
                      (fabs(its_low / low - 1) <= slack && fabs(its_high / high - 1) <= slack));
            before[0] = its_low;
            before[1] = its_high;
        }
        cg_spectrum_free(&spectrum);
    }
}
END_TEST

/* The whole solve: within the spectrum, and near its ends where b has all eigenvectors and the
 * residual came down to 1e-10. */
START_TEST(a_solve_finds_the_ends_of_the_spectrum)
{
    uint64_t state = test_seed();
    double values[60], b[60];
    for (int trial = 0; trial < 10; trial++) {
        for (int i = 0; i < 60; i++) {
            values[i] = pow(10, 3 * i / 59.0);
            b[i] = (0.5 + test_random(&state)) * values[i];
        }
        struct csr A;
        diagonal(60, values, &A);
        solve(standard, &A, b, &outcome);
        expect_reason(REASON_CONVERGED, &outcome);
        const struct solver_result *result = &outcome.result;
        ck_assert(result->ritz_low >= values[0] * (1 - 1e-12));
        ck_assert(result->ritz_low <= values[0] * (1 + 1e-3));
        ck_assert(result->ritz_high <= values[59] * (1 + 1e-12));
        ck_assert(result->ritz_high >= values[59] * (1 - 1e-3));
        ck_assert(solver_result_condition(result) == result->ritz_high / result->ritz_low);
        csr_free(&A);
    }
}
END_TEST

/* 80313433200 / (i + j - 1), i, j = 1 ... n: the matrix of Hilbert times the least common multiple
 * of 1 ... 27, so that every entry is a double. Condition numbers by mpmath, of 60 digits. */
static const struct {
    int n;
    double condition;
} hilbert[] = {{8, 1.5257575741646943e10},  {9, 4.9315492697154211e11},
               {10, 1.6026286870216883e13}, {11, 5.2306773924294086e14},
               {12, 1.7132289046970050e16}, {13, 5.6279423737600765e17},
               {14, 1.8533817023471499e19}};

static void make_hilbert(int n, struct csr *A)
{
    double upper[14 * 15 / 2], *at = upper;
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++)
            *at++ = 80313433200 / (double)(i + j + 1);
    test_matrix_from_dense(n, upper, CSR_SYMMETRIC, A);
}

/* 1 / condition is off by what rounding makes of an eigenvalue, which may make the matrix look
 * indefinite. */
START_TEST(a_condition_is_none_of_rounding)
{
    uint64_t state = test_seed();
    struct choice choice = standard;
    choice.max_iterations = 300;
    for (size_t k = 0; k < sizeof hilbert / sizeof *hilbert; k++) {
        double b[14], wanted = hilbert[k].condition;
        struct csr A;
        make_hilbert(hilbert[k].n, &A);
        for (int i = 0; i < hilbert[k].n; i++)
            b[i] = test_random(&state) - 0.5;
        solve(choice, &A, b, &outcome);
        double found = solver_result_condition(&outcome.result);
        bool below =
            found <= SOLVER_CONDITION_MOST && 1 / found >= 1 / wanted - 1 / SOLVER_CONDITION_MOST;
        bool none = isnan(found) && outcome.result.reason == REASON_NOT_POSITIVE;
        ck_assert_msg(below || none, "%g instead of %g", found, wanted);
        csr_free(&A);
    }
}
END_TEST

/* --- where nothing is known ------------------------------------------------------------------- */

START_TEST(a_right_hand_side_of_zero_tells_nothing)
{
    static const double twos[] = {2, 2}, zero[2] = {0};
    struct csr A;
    diagonal(2, twos, &A);
    solve(standard, &A, zero, &outcome);
    expect_nothing(outcome.rows[0].values);
    ck_assert(isnan(outcome.result.ritz_low) && isnan(outcome.result.ritz_high));
    ck_assert(isnan(solver_result_condition(&outcome.result)));
    csr_free(&A);
}
END_TEST

START_TEST(one_row_is_its_own_spectrum)
{
    static const double value[] = {3}, b[] = {2};
    struct csr A;
    diagonal(1, value, &A);
    solve(standard, &A, b, &outcome);
    ck_assert_int_eq(outcome.count, 2);
    const double *values = outcome.rows[1].values;
    ck_assert(fabs(values[CG_RITZ_LOW] - 3) <= 6 * DBL_EPSILON);
    ck_assert(fabs(values[CG_RITZ_HIGH] - 3) <= 6 * DBL_EPSILON);
    ck_assert(fabs(values[CG_CONDITION] - 1) <= 4 * DBL_EPSILON);
    ck_assert(values[CG_ERROR_NORM] >= 0 && values[CG_ERROR_NORM] <= 1e-15);
    ck_assert(fabs(outcome.result.ritz_low - 3) <= 30 * DBL_EPSILON);
    csr_free(&A);
}
END_TEST

/* The rows before p . A p turned negative tell what they know; the solve has no smallest Ritz
 * value, as T_k is not that of the matrix any more. */
START_TEST(an_indefinite_matrix_has_no_condition)
{
    static const double values[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, -1};
    static const double b[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    struct csr A;
    diagonal(10, values, &A);
    solve(standard, &A, b, &outcome);
    expect_reason(REASON_NOT_POSITIVE, &outcome);
    ck_assert_int_gt(outcome.count, 1);
    ck_assert(outcome.rows[outcome.count - 1].values[CG_RITZ_HIGH] <= 9 * (1 + 1e-14));
    ck_assert(isnan(outcome.result.ritz_low) && outcome.result.ritz_high <= 9 * (1 + 1e-14));
    ck_assert(isnan(solver_result_condition(&outcome.result)));
    csr_free(&A);
}
END_TEST

/* Coefficients at the ends of the range, and such as no solve should give: no row holds an infinite
 * number. */
START_TEST(no_row_is_infinite)
{
    static const double odd[] = {0,      -1,    INFINITY, NAN, 1e-320, 5e-324, 1e308,
                                 1e-308, 1e200, 1e-200,   1,   1e154,  1e-154};
    enum { ODD = sizeof odd / sizeof *odd };
    uint64_t state = test_seed();
    for (int trial = 0; trial < 3000; trial++) {
        struct cg_spectrum spectrum = {0};
        double low, high;
        for (int k = 0; k < 6; k++) {
            struct error error;
            struct solver_row row = {k, odd[test_random_below(&state, ODD)], NAN, NAN,
                                     odd[test_random_below(&state, ODD)]};
            double seen[CG_SERIES];
            if (k > 0) {
                row.alpha = odd[test_random_below(&state, ODD)];
                row.beta = k > 1 ? odd[test_random_below(&state, ODD)] : 0;
            }
            expect_ok(cg_spectrum_take(&spectrum, &row, seen, &error), &error);
            for (int s = CG_RITZ_LOW; s < CG_SERIES; s++)
                ck_assert(isnan(seen[s]) || (isfinite(seen[s]) && seen[s] >= 0));
        }
        cg_spectrum_extremes(&spectrum, &low, &high);
        ck_assert(isnan(low) || (isfinite(low) && low > 0));
        ck_assert(isnan(high) || (isfinite(high) && high > 0));
        cg_spectrum_free(&spectrum);
    }
}
END_TEST

static enum status take_rows(void *context, struct error *error)
{
    struct cg_spectrum spectrum = {0};
    double seen[CG_SERIES];
    enum status status = STATUS_OK;
    (void)context;
    for (int k = 0; k < 100 && !status; k++) {
        struct solver_row row = {k, 1, 1, k > 1 ? 1 : 0, 1};
        status = cg_spectrum_take(&spectrum, &row, seen, error);
    }
    cg_spectrum_free(&spectrum);
    return status;
}

START_TEST(memory_may_end_anywhere)
{
    walk_allocation_failures(take_rows, NULL);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {extremes_are_those_of_lapack,
                            extremes_of_small_matrices,
                            estimates_lie_within_the_ritz_values,
                            a_solve_finds_the_ends_of_the_spectrum,
                            a_condition_is_none_of_rounding,
                            a_right_hand_side_of_zero_tells_nothing,
                            one_row_is_its_own_spectrum,
                            an_indefinite_matrix_has_no_condition,
                            no_row_is_infinite,
                            memory_may_end_anywhere,
                            NULL};
    return suite_of("solver/cg_spectrum", tests);
}
