/* Every way in which a search by Lanczos' method can end, and what the call does besides. */
#include "made.h"
#include "support.h"

#include "base/random.h"
#include "matrices.h"
#include "solver/eigen.h"
#include "solver/lanczos/lanczos.h"
#include "solver/solve.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static struct eigen_outcome made;

static struct eigen_choice wanting(int64_t count, enum eigen_which which)
{
    struct eigen_choice choice = eigen_standard;
    choice.eigen.count = count;
    choice.eigen.which = which;
    return choice;
}

static void expect_values(const double *wanted, int64_t count, double off)
{
    eigen_expect_reason(REASON_CONVERGED, &made);
    ck_assert_int_eq(made.result.eigen_count, count);
    for (int64_t k = 0; k < count; k++)
        ck_assert_msg(fabs(made.values[k] - wanted[k]) <= off, "eigenvalue %d is %.17g, not %.17g",
                      (int)k, made.values[k], wanted[k]);
    ck_assert(eigen_orthogonality(&made) <= 1e-13);
}

/* Every vector is an eigenvector: the basis goes on with random ones, and they are orthogonal. */
START_TEST(multiples_of_the_identity)
{
    static const double factors[] = {1, 0, -3, 1e-30, 1e30};
    static double values[100], wanted[100];
    for (int f = 0; f < 5; f++)
        for (int64_t n = 1; n <= 100; n = n < 4 ? n + 1 : 5 * n) {
            struct csr A;
            for (int64_t i = 0; i < n; i++)
                values[i] = wanted[i] = factors[f];
            diagonal(n, values, &A);
            for (int64_t count = 1; count <= n && count < 80; count += 1 + n / 3) {
                eigen_find(wanting(count, EIGEN_SMALLEST), &A, NULL, 1, &made);
                expect_values(wanted, count, 4 * DBL_EPSILON * fabs(factors[f]));
                ck_assert_int_le(made.result.iterations, (count > 2 ? count : 2) + 1);
                ck_assert_int_ne(made.result.eigen_list, EIGEN_LIST_OPEN);
            }
            csr_free(&A);
        }
}
END_TEST

/* b has a part of few eigenvectors, or is one: what it has nothing of is found all the same. */
START_TEST(invariant_subspaces_are_left)
{
    enum { N = 90 };
    double values[N], b[N];
    struct csr A;
    for (int i = 0; i < N; i++)
        values[i] = i + 1;
    diagonal(N, values, &A);
    for (int parts = 1; parts < 5; parts++)
        for (int w = 0; w < 3; w++) {
            for (int i = 0; i < N; i++)
                b[i] = 0;
            for (int k = 0; k < parts; k++)
                b[40 + 3 * k] = 1 + k;
            double low[] = {1, 2}, high[] = {N - 1, N}, both[] = {1, 2, N - 1, N};
            eigen_find(wanting(2, (enum eigen_which)w), &A, b, 0, &made);
            expect_values(w == 0 ? low : w == 1 ? high : both, w == 2 ? 4 : 2, 1e-7);
            ck_assert(made.rows[parts].residual == 0 || parts < 2);
        }
    csr_free(&A);
}
END_TEST

START_TEST(limits_are_kept)
{
    struct csr A;
    grid(8, 1, &A);
    for (int64_t limit = 0; limit < 80; limit += limit < 3 ? 1 : 37) {
        struct eigen_choice choice = wanting(3, EIGEN_BOTH);
        choice.max_iterations = limit;
        choice.eigen.tolerance = 1e-15;
        eigen_find(choice, &A, NULL, 1, &made);
        eigen_expect_reason(REASON_ITERATION_LIMIT, &made);
        ck_assert_int_eq(made.result.iterations, limit);
        ck_assert_int_eq(made.result.eigen_count, limit < 6 ? limit : 6);
        ck_assert(isnan(made.result.ritz_low) == (limit == 0));
    }
    ck_assert(made.norm > 11 && made.norm < 12);
    csr_free(&A);
}
END_TEST

/* What stands below rounding errors of ||A|| cannot be had to 1e-14 of itself: as good as it can be
 * is good enough, and which it was is said of each. */
START_TEST(residuals_down_to_rounding_are_enough)
{
    enum { N = 40 };
    double upper[N * (N + 1) / 2];
    struct csr A;
    for (int64_t i = 0, place = 0; i < N; i++)
        for (int64_t j = i; j < N; j++) /* x x^T + 1e-9 I */
            upper[place++] = (double)((i % 7 + 1) * (j % 7 + 1)) + (i == j ? 1e-9 : 0);
    test_matrix_from_dense(N, upper, CSR_SYMMETRIC, &A);
    struct eigen_choice choice = wanting(1, EIGEN_BOTH);
    choice.eigen.tolerance = 1e-13;
    eigen_find(choice, &A, NULL, 2, &made);
    eigen_expect_reason(REASON_CONVERGED, &made);
    ck_assert_int_eq(made.met[0], EIGEN_MET_ROUNDING);
    ck_assert_int_eq(made.met[1], EIGEN_MET_TOLERANCE);
    csr_free(&A);
}
END_TEST

/* A path's graph Laplacian has the eigenvalues 2 - 2 cos(pi l / n), l = 0, 1, ...: the first is 0,
 * and no residual of it is small beside it. theta is as near as its residual (Weyl), and the
 * formula good to a few u. */
START_TEST(an_eigenvalue_that_is_zero_is_found)
{
    enum { N = 200 };
    static double upper[N * (N + 1) / 2];
    struct csr A;
    int64_t place = 0;
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = i; j < N; j++)
            upper[place++] = j == i ? (i == 0 || i == N - 1 ? 1 : 2) : -(j == i + 1);
    test_matrix_from_dense(N, upper, CSR_SYMMETRIC, &A);
    for (int restart = 20; restart <= 60; restart += 40) {
        struct eigen_choice choice = wanting(3, EIGEN_SMALLEST);
        choice.eigen.restart = restart;
        eigen_find(choice, &A, NULL, (int64_t)(test_seed() >> 1), &made);
        eigen_expect_reason(REASON_CONVERGED, &made);
        ck_assert_int_eq(made.met[0], EIGEN_MET_ROUNDING);
        ck_assert_int_eq(made.met[1], EIGEN_MET_TOLERANCE);
        for (int k = 0; k < 3; k++) {
            double off = fabs(made.values[k] - 2 + 2 * cos(M_PI * k / N));
            ck_assert_msg(off <= made.residuals[k] + 8 * DBL_EPSILON, "eigenvalue %d is %.17g", k,
                          made.values[k]);
        }
    }
    csr_free(&A);
}
END_TEST

/* Without orthogonality T knows nothing of what its vectors lack, and that is no rounding error: a
 * gap. */
START_TEST(a_gap_is_seen)
{
    struct csr A;
    grid(8, 1000, &A);
    struct eigen_choice choice = wanting(6, EIGEN_LARGEST);
    choice.eigen.reorthogonalization = REORTHOGONALIZATION_NONE;
    eigen_find(choice, &A, NULL, 2, &made);
    eigen_expect_reason(REASON_RESIDUAL_GAP, &made);
    ck_assert_int_eq(made.result.eigen_list, EIGEN_LIST_OPEN);
    csr_free(&A);
}
END_TEST

START_TEST(what_is_not_finite_is_not_found)
{
    static const double cases[][4] = {{NAN, 1, 2, 3},
                                      {1, 2, 3, INFINITY},
                                      {1, 2, -INFINITY, 3},
                                      {1e200, 2e200, 3e200, 4e200},
                                      {1e308, -1e308, 1, 1}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int r = 0; r < 15; r++) {
            struct eigen_choice choice = wanting(2, EIGEN_SMALLEST);
            struct csr A;
            choice.reductions = (enum reductions)(r % 5);
            choice.eigen.reorthogonalization = (enum reorthogonalization)(r / 5);
            diagonal(4, cases[k], &A);
            eigen_find(choice, &A, NULL, 1, &made);
            eigen_expect_reason(REASON_NOT_FINITE, &made);
            ck_assert_int_eq(made.result.eigen_count, 0);
            ck_assert(isnan(made.result.residual));
            csr_free(&A);
        }
}
END_TEST

START_TEST(first_vectors_need_a_norm)
{
    static const double ones[] = {1, 1, 1},
                        starts[][3] = {{0, 0, 0}, {1, NAN, 0}, {1, INFINITY, 0}};
    struct csr A;
    diagonal(3, ones, &A);
    for (int k = 0; k < 3; k++) {
        struct error error;
        struct solver_result result;
        double values[1];
        expect_error(eigen_try(eigen_standard, &A, starts[k], NULL, values, &result, &error),
                     STATUS_CONFIG, &error, "first Lanczos vector", "must be finite and above 0",
                     NULL);
        ck_assert_ptr_null(result.eigenvalues);
    }
    csr_free(&A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(what_cannot_be_asked_is_said)
{
    static const double upper[] = {0, 1, 0}, b[] = {1, 1}, ones[20] = {1};
    struct error error;
    struct solver_result result;
    struct csr A, full;
    double values[20];
    test_matrix_from_dense(2, upper, CSR_SKEW, &A);
    expect_error(eigen_try(eigen_standard, &A, b, NULL, values, &result, &error), STATUS_CONFIG,
                 &error, "symmetric matrix", "skew-symmetric: its eigenvalues are not real", NULL);
    expect_ok(csr_expand(&A, &full, &error), &error);
    struct eigen_choice choice = eigen_standard;
    choice.kernel = "cpu_csr";
    expect_error(eigen_try(choice, &full, b, NULL, values, &result, &error), STATUS_CONFIG, &error,
                 "symmetric matrix", "general", NULL);
    csr_free(&full);
    csr_free(&A);
    diagonal(20, ones, &A);
    for (int64_t count = 1; count <= 9; count++) {
        choice = wanting(count, EIGEN_BOTH);
        choice.eigen.restart = 2 * count + 1;
        choice.max_iterations = 0;
        expect_error(eigen_try(choice, &A, ones, NULL, values, &result, &error), STATUS_CONFIG,
                     &error, "eigen.restart = ", " is too small: ", NULL);
        choice.eigen.restart++;
        expect_ok(eigen_try(choice, &A, ones, NULL, values, &result, &error), &error);
        solver_result_free(&result);
    }
    csr_free(&A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

struct left {
    int64_t rows, vectors;
};

static enum status stop_at_row(struct left *left, const struct event *row, struct error *error)
{
    return left->rows-- != 0
               ? STATUS_OK
               : error_set(error, STATUS_OUTPUT, "no more after row %d", (int)row->iteration);
}

static enum status stop_at_vector(struct left *left, const struct event *vector,
                                  struct error *error)
{
    ck_assert(isfinite(vector->eigenvalue) && isfinite(vector->values[0]));
    return left->vectors-- != 0
               ? STATUS_OK
               : error_set(error, STATUS_OUTPUT, "no more after vector %d", (int)vector->place);
}

static enum status stop(void *context, const struct event *event, struct error *error)
{
    return event->kind == EVENT_ROW ? stop_at_row(context, event, error)
                                    : stop_at_vector(context, event, error);
}

START_TEST(an_observer_ends_the_search)
{
    struct csr A;
    grid(6, 1, &A);
    double b[216], values[4];
    random_vector(9, A.n, b);
    for (int64_t last = 0; last < 4; last++)
        for (int of_rows = 0; of_rows < 2; of_rows++) {
            struct error error;
            struct solver_result result;
            struct left left = {of_rows ? last : -1, of_rows ? -1 : last};
            char text[40];
            snprintf(text, sizeof text, "no more after %s %d", of_rows ? "row" : "vector",
                     (int)last);
            struct observer observer = {
                .wants = 1u << EVENT_ROW | 1u << EVENT_EIGENVECTOR, .see = stop, .context = &left};
            expect_error(
                eigen_try(wanting(4, EIGEN_LARGEST), &A, b, &observer, values, &result, &error),
                STATUS_OUTPUT, &error, text, NULL);
            ck_assert_int_eq(of_rows ? left.rows : left.vectors, -1); /* and none came after it */
            ck_assert_ptr_null(result.eigenvalues);
        }
    csr_free(&A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

struct attempt {
    struct eigen_choice choice;
    const struct csr *A;
    const double *b;
};

static enum status attempt(void *context, struct error *error)
{
    const struct attempt *attempt = context;
    double values[8];
    struct solver_result result = {0}; /* where it comes to no solve */
    enum status status =
        eigen_try(attempt->choice, attempt->A, attempt->b, NULL, values, &result, error);
    ck_assert(status == STATUS_OK || !result.eigenvalues);
    if (!status)
        solver_result_free(&result);
    return status;
}

/* Restarts, good Ritz vectors and a renewed vector are on the way. */
START_TEST(every_failed_allocation_is_survived)
{
    struct csr A;
    grid(4, 1, &A);
    double random[64], unit[64] = {1};
    random_vector(1, 64, random);
    for (int r = 0; r < 6; r++) {
        struct attempt context = {wanting(2, EIGEN_BOTH), &A, r < 3 ? random : unit};
        context.choice.eigen.restart = 10;
        context.choice.eigen.reorthogonalization = (enum reorthogonalization)(r % 3);
        context.choice.reductions = (enum reductions)(r % 5);
        context.choice.max_iterations = 60;
        walk_allocation_failures(attempt, &context);
    }
    csr_free(&A);
}
END_TEST

/* n vectors that are not orthogonal do not span everything: what is left over counts, and the
 * iteration goes on. */
START_TEST(a_basis_of_n_vectors_is_not_the_whole)
{
    struct error error;
    struct csr A;
    struct poisson3d box = {{5, 4, 3}, {1, 1, 1}, 100, 0, POISSON3D_DIRICHLET};
    expect_ok(poisson3d_create(&box, &A, &error), &error);
    struct eigen_choice choice = wanting(8, EIGEN_SMALLEST);
    choice.eigen.reorthogonalization = REORTHOGONALIZATION_NONE;
    choice.max_iterations = 5000;
    eigen_find(choice, &A, NULL, 1, &made);
    eigen_expect_reason(REASON_CONVERGED, &made);
    ck_assert_int_gt(made.result.iterations, A.n);
    csr_free(&A);
}
END_TEST

/* What is said of memory and traffic. */
START_TEST(models_count_vectors)
{
    struct solver_options options = {.method = &method_lanczos, .eigen = eigen_standard.eigen};
    ck_assert_int_eq(method_memory_bytes(&options, 1000), 61 * 8000 + 8 * 60 * 60);
    ck_assert_int_eq(method_memory_bytes(&options, 10), 11 * 80 + 8 * 10 * 10);
    options.eigen.reorthogonalization = REORTHOGONALIZATION_SELECTIVE;
    options.eigen.restart = 100;
    ck_assert_int_eq(method_memory_bytes(&options, 1000), 201 * 8000 + 8 * 100 * 100);
    options.eigen.restart = 0;
    options.eigen.count = 30;
    options.eigen.which = EIGEN_BOTH;
    options.eigen.reorthogonalization = REORTHOGONALIZATION_NONE;
    ck_assert_int_eq(method_memory_bytes(&options, 1000), 141 * 8000 + 8 * 140 * 140);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {multiples_of_the_identity,
                            invariant_subspaces_are_left,
                            limits_are_kept,
                            residuals_down_to_rounding_are_enough,
                            an_eigenvalue_that_is_zero_is_found,
                            a_gap_is_seen,
                            what_is_not_finite_is_not_found,
                            first_vectors_need_a_norm,
                            what_cannot_be_asked_is_said,
                            an_observer_ends_the_search,
                            every_failed_allocation_is_survived,
                            a_basis_of_n_vectors_is_not_the_whole,
                            models_count_vectors,
                            NULL};
    return suite_of("solver/lanczos_ends", tests);
}
