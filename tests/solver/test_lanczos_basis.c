/* What reorthogonalization does to the basis of Lanczos' method, and what the method shows where it is left out. */
#include "support.h"

#include "matrices.h"
#include "problem/rhs.h"
#include "solver/eigen.h"
#include "solver/solve.h"

#include <float.h>
#include <math.h>
#include <string.h>

static struct eigen_outcome made;

/* A dense cluster and one eigenvalue far from it, which converges at once, so that orthogonality is lost to it soon
 * (Paige 1971). */
static void lonely_top(int64_t n, struct csr *A, double *values)
{
    for (int64_t i = 0; i < n; i++)
        values[i] = 1 + (double)i / (double)n;
    values[n - 1] = 100;
    diagonal(n, values, A);
}

/* The largest entry of a column in rows 1, 2, ... */
static double largest(enum history_column column)
{
    double most = 0;
    for (int64_t k = 1; k < made.count; k++)
        most = fmax(most, made.rows[k].more[column]);
    return most;
}

static struct eigen_choice with(enum reorthogonalization how, int64_t count, int64_t restart)
{
    struct eigen_choice choice = eigen_standard;
    choice.eigen.reorthogonalization = how;
    choice.eigen.count = count;
    choice.eigen.restart = restart;
    return choice;
}

/* A Ritz vector V s with V^T V = I + E is off by ||E||. The column shows what was there before a pass over the basis
 * took it away: roundings of the product and the three terms, over beta. */
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
        ck_assert_msg(largest(HISTORY_ORTHOGONALITY) <= 1e-9, "%g", largest(HISTORY_ORTHOGONALITY));
        ck_assert(largest(HISTORY_GHOSTS) == 0);
    }
    csr_free(&A);
}
END_TEST

/* Half the precision, 1.5e-8, is what a method needs for eigenvalues that are as good as without rounding errors (Simon
 * 1984). A vector may have lost u ||A|| / bound, 2^-37, when a Ritz vector becomes good, and ||A|| / beta, 400 here,
 * of that in the step after it. */
START_TEST(selective_keeps_half_of_it)
{
    static double values[300];
    struct csr A;
    lonely_top(300, &A, values);
    for (int64_t restart = 30; restart <= 300; restart += 90) {
        struct eigen_choice choice = with(REORTHOGONALIZATION_SELECTIVE, 5, restart);
        eigen_find(choice, &A, NULL, 1, &made);
        eigen_expect_reason(REASON_CONVERGED, &made);
        eigen_expect_spectrum(&choice, &made, values, 100 * 4 * DBL_EPSILON);
        ck_assert_msg(eigen_orthogonality(&made) <= 1e-8, "%g", eigen_orthogonality(&made));
        ck_assert_msg(largest(HISTORY_ORTHOGONALITY) <= 1e-8, "restart %d: %g", (int)restart,
                      largest(HISTORY_ORTHOGONALITY));
        ck_assert(largest(HISTORY_GHOSTS) == 0);
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
    ck_assert(largest(HISTORY_ORTHOGONALITY) > 0.1);
    ck_assert(largest(HISTORY_GHOSTS) >= 2);
    int64_t first = 0; /* Paige: it is lost when a Ritz value has converged, and not before */
    while (made.rows[first + 1].more[HISTORY_ORTHOGONALITY] < 1e-6)
        first++;
    ck_assert(made.rows[first].more[HISTORY_BOUND_HIGH] < 1e-5 * 100);
    for (int64_t k = 2; k < made.count; k++)
        ck_assert(made.rows[k].more[HISTORY_GHOSTS] == 0 || k > first);
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

/* All three find what there is on random matrices. A tridiagonal one may have its smallest eigenvalues so close together
 * that 3000 products are too few in any way; most converge. */
START_TEST(every_way_finds_eigenvalues)
{
    uint64_t state = test_seed();
    int converged = 0;
    for (int m = 0; m < test_matrices_count; m++) {
        struct test_matrix matrix = test_matrices[m];
        matrix.n = matrix.n < 200 ? matrix.n : 250;
        struct csr A;
        test_matrix_build_positive(&matrix, &state, &A);
        double *spectrum = eigen_spectrum(&A);
        for (int how = 0; how < 3; how++) {
            struct eigen_choice choice = with((enum reorthogonalization)how, 3, 40);
            choice.eigen.which = m % 2 == 0 ? EIGEN_LARGEST : EIGEN_BOTH;
            choice.max_iterations = 3000;
            choice.eigen.tolerance = 1e-8;
            eigen_find(choice, &A, NULL, 7, &made);
            double off = (double)A.n * DBL_EPSILON * spectrum[A.n - 1];
            bool slow =
                !strcmp(matrix.name, "tridiagonal") && made.result.reason == REASON_ITERATION_LIMIT;
            if (how > 0 && !slow) {
                converged++;
                ck_assert_msg(made.result.reason == REASON_CONVERGED, "%s, %d: \"%s\", %g",
                              matrix.name, how, reason_name(made.result.reason),
                              made.result.true_residual);
                eigen_expect_spectrum(&choice, &made, spectrum, off);
                continue;
            }
            for (int64_t k = 0; k < made.result.eigen_count; k++) { /* copies of them perhaps */
                double nearest = INFINITY;
                for (int64_t i = 0; i < A.n; i++)
                    nearest = fmin(nearest, fabs(made.values[k] - spectrum[i]));
                ck_assert(nearest <= made.residuals[k] + off);
            }
        }
        memory_free(spectrum);
        csr_free(&A);
    }
    ck_assert_int_gt(converged, 3 * test_matrices_count / 2);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {full_keeps_it,         selective_keeps_half_of_it,  none_loses_it,
                            all_three_begin_alike, every_way_finds_eigenvalues, NULL};
    return suite_of("solver/lanczos_basis", tests);
}
