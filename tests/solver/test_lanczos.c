/* Lanczos' method against closed forms and LAPACK, on every kernel of the CPU. How a solve can end
 * is the matter of test_lanczos_ends, what reorthogonalization does that of test_lanczos_basis.
 * Vectors of one tile (space/sum/sum_order.h) have no work for a second thread: the tests that have
 * no others use one. */
#include "made.h"
#include "support.h"

#include "matrices.h"
#include "problem/rhs.h"
#include "solver/eigen.h"
#include "solver/poisson_eigenvalues.h"
#include "solver/solve.h"

#include <float.h>
#include <math.h>
#include <string.h>

static struct eigen_outcome made, other;

static const enum eigen_which every_which[] = {EIGEN_SMALLEST, EIGEN_LARGEST, EIGEN_BOTH};

/* Row sums of small integers and few weights: rounding A itself moves no eigenvalue by more than 8
 * u ||A||. */
static double off_by(const double *spectrum, int64_t n)
{
    return 4 * DBL_EPSILON * fmax(fabs(spectrum[0]), fabs(spectrum[n - 1]));
}

START_TEST(closed_forms_are_found)
{
    static const struct poisson3d boxes[] = {{{200, 1, 1}, {1, 0, 0}, 1, 0, POISSON3D_DIRICHLET},
                                             {{61, 1, 1}, {1, 0, 0}, 1, 0, POISSON3D_DIRICHLET},
                                             {{10, 1, 1}, {1, 0, 0}, 1, 0, POISSON3D_DIRICHLET},
                                             {{23, 17, 1}, {1, 1, 0}, 1, 0, POISSON3D_DIRICHLET},
                                             {{13, 11, 9}, {1, 1, 1}, 1, 0, POISSON3D_DIRICHLET},
                                             {{12, 12, 12}, {1, 1, 1}, 1, 0, POISSON3D_DIRICHLET},
                                             {{9, 7, 5}, {1, 0.7, 3}, 1, 0, POISSON3D_DIRICHLET},
                                             {{20, 20, 1}, {1, 0.5, 0}, 1, 0, POISSON3D_DIRICHLET}};
    for (int p = 0; p < (int)(sizeof boxes / sizeof *boxes); p++) {
        if (!test_case_runs(p, 3))
            continue;
        struct error error;
        struct csr A;
        expect_ok(poisson3d_create(&boxes[p], &A, &error), &error);
        double *spectrum = poisson_eigenvalues(&boxes[p]);
        for (int w = 0; w < 3; w++) {
            struct eigen_choice choice = eigen_standard;
            choice.eigen.which = every_which[w];
            choice.eigen.count = 5;
            eigen_find(choice, &A, NULL, p, &made);
            eigen_expect_reason(REASON_CONVERGED, &made);
            eigen_expect_spectrum(&choice, &made, spectrum, off_by(spectrum, A.n));
            for (int64_t k = 0; k < made.result.eigen_count; k++) {
                double nearest = INFINITY;
                for (int64_t i = 0; i < A.n; i++)
                    nearest = fmin(nearest, fabs(made.values[k] - spectrum[i]));
                ck_assert_msg(nearest <= 1e-10 * made.values[k], "%.17g is off by %g",
                              made.values[k], nearest);
            }
            ck_assert(eigen_orthogonality(&made) <= 1e-13);
        }
        memory_free(spectrum);
        csr_free(&A);
    }
}
END_TEST

/* Of a line all eigenvalues are simple: the ten smallest are the first ten, whatever the
 * restart. */
START_TEST(restarts_change_no_eigenvalue)
{
    static const int64_t restarts[] = {12, 13, 15, 20, 40, 199, 200, 201, 100000};
    static const struct poisson3d line = {{200, 1, 1}, {1, 0, 0}, 1, 0, POISSON3D_DIRICHLET};
    struct error error;
    struct csr A;
    expect_ok(poisson3d_create(&line, &A, &error), &error);
    double *spectrum = poisson_eigenvalues(&line);
    for (int r = 0; r < (int)(sizeof restarts / sizeof *restarts); r++) {
        if (!test_case_runs(r, 3))
            continue;
        struct eigen_choice choice = eigen_standard;
        choice.threads = 1;
        choice.eigen.count = 10;
        choice.eigen.which = EIGEN_LARGEST;
        choice.eigen.restart = restarts[r];
        choice.eigen.tolerance = 1e-9;
        eigen_find(choice, &A, NULL, 3, &made);
        eigen_expect_reason(REASON_CONVERGED, &made);
        ck_assert_msg(restarts[r] < 200 || made.result.iterations <= 200, "%d iterations",
                      (int)made.result.iterations);
        for (int64_t k = 0; k < 10; k++)
            ck_assert_double_eq_tol(made.values[k], spectrum[190 + k], 1e-10 * spectrum[190 + k]);
    }
    memory_free(spectrum);
    csr_free(&A);
}
END_TEST

/* LAPACK is good to a modest multiple of u ||A||: n of them. So is a residual, and where an
 * eigenvalue lies as near to 0 as one of those wanted may, beside others of 1e9, that is more than
 * the tolerance: a residual gap. */
START_TEST(random_matrices_agree_with_lapack)
{
    uint64_t state = test_seed();
    for (int m = 0; m < test_matrices_count; m++) {
        struct test_matrix matrix = test_matrices[m];
        matrix.n = matrix.n < 300 ? matrix.n : matrix.n < 1000 ? 300 : 400;
        struct csr A;
        test_matrix_build(&matrix, CSR_SYMMETRIC, &state, &A);
        double *spectrum = eigen_spectrum(&A);
        double norm = fmax(fabs(spectrum[0]), fabs(spectrum[A.n - 1]));
        for (int w = 0; w < 3; w++) {
            struct eigen_choice choice = eigen_standard;
            choice.threads = 1;
            choice.eigen.count = 1 + test_random_below(&state, 8);
            choice.eigen.which = every_which[w];
            eigen_find(choice, &A, NULL, test_random_below(&state, 1000), &made);
            double off = (double)A.n * DBL_EPSILON * norm;
            bool gap = made.result.reason == REASON_RESIDUAL_GAP;
            ck_assert_msg(gap || made.result.reason == REASON_CONVERGED, "%s: \"%s\", %g",
                          matrix.name, reason_name(made.result.reason), made.result.true_residual);
            for (int64_t k = 0; gap && k < made.result.eigen_count; k++)
                ck_assert(made.residuals[k] <=
                          1.1 * choice.eigen.tolerance * fabs(made.values[k]) + off);
            eigen_expect_spectrum(&choice, &made, spectrum, off);
            ck_assert(eigen_orthogonality(&made) <= 1e-13);
        }
        memory_free(spectrum);
        csr_free(&A);
    }
}
END_TEST

/* All of the spectrum, more than there is of it, and both ends that meet. */
START_TEST(whole_spectra)
{
    uint64_t state = test_seed();
    for (int64_t n = 1; n <= 40; n += n < 6 ? 1 : 17) {
        double upper[40 * 41 / 2];
        struct csr A;
        for (int64_t k = 0; k < n * (n + 1) / 2; k++)
            upper[k] = 2 * test_random(&state) - 1;
        test_matrix_from_dense(n, upper, CSR_SYMMETRIC, &A);
        double *spectrum = eigen_spectrum(&A);
        double norm = fmax(fabs(spectrum[0]), fabs(spectrum[n - 1]));
        for (int64_t count = n / 2 + 1; count <= n + 3; count++)
            for (int w = 0; w < 3; w++) {
                struct eigen_choice choice = eigen_standard;
                choice.threads = 1;
                choice.eigen.count = count;
                choice.eigen.which = every_which[w];
                choice.eigen.restart = count % 3 == 0 ? n : count % 3 == 1 ? n + 1 : 0;
                choice.eigen.tolerance = 1e-9; /* of eigenvalues that may be near 0 */
                eigen_find(choice, &A, NULL, 100 * n + count, &made);
                int64_t low = w == 1   ? 0
                              : w == 0 ? made.result.eigen_count
                                       : (made.result.eigen_count + 1) / 2;
                ck_assert_int_eq(made.result.eigen_count, w == 2 || count > n ? n : count);
                ck_assert_int_le(made.result.iterations, n);
                for (int64_t k = 0; k < made.result.eigen_count; k++) {
                    double wanted = spectrum[k < low ? k : n - made.result.eigen_count + k];
                    ck_assert_double_eq_tol(made.values[k], wanted,
                                            30 * (double)n * DBL_EPSILON * norm);
                }
            }
        memory_free(spectrum);
        csr_free(&A);
    }
}
END_TEST

static void expect_same(const struct eigen_outcome *a, const struct eigen_outcome *b,
                        const char *name)
{
    ck_assert_msg(a->count == b->count, "%s: %d rows and %d", name, (int)a->count, (int)b->count);
    for (int64_t k = 1; k < a->count; k++) {
        const struct kept_row *x = &a->rows[k], *y = &b->rows[k];
        bool same = x->residual == y->residual && x->alpha == y->alpha && x->beta == y->beta;
        for (int s = LANCZOS_RITZ_LOW; s < LANCZOS_SERIES; s++)
            same &= x->values[s] == y->values[s] || (isnan(x->values[s]) && isnan(y->values[s]));
        ck_assert_msg(same, "%s: row %d is another", name, (int)k);
    }
    ck_assert_mem_eq(a->values, b->values, (size_t)a->result.eigen_count * sizeof *a->values);
    ck_assert_mem_eq(a->vectors, b->vectors,
                     (size_t)(a->vectors_count * a->n) * sizeof *a->vectors);
    ck_assert(a->result.true_residual == b->result.true_residual);
}

START_TEST(every_kernel_finds_them)
{
    struct error error;
    static const struct poisson3d box = {{11, 8, 7}, {1, 1, 1}, 1, 0, POISSON3D_DIRICHLET};
    struct csr A;
    expect_ok(poisson3d_create(&box, &A, &error), &error);
    double *spectrum = poisson_eigenvalues(&box);
    int count;
    const struct kernel *const *kernels = kernel_list(&count);
    for (int k = 0; k < 5 * count; k++) {
        if (kernels[k / 5]->space != SPACE_CPU || !test_case_runs(k / 5 + k, 5))
            continue;
        struct eigen_choice choice = eigen_standard;
        choice.kernel = kernels[k / 5]->component.name;
        choice.reductions = (enum reductions)(k % 5);
        choice.eigen.count = 4;
        choice.eigen.which = EIGEN_BOTH;
        choice.eigen.restart = 30;
        choice.threads = 2;
        eigen_find(choice, &A, NULL, k, &made);
        eigen_expect_reason(REASON_CONVERGED, &made);
        eigen_expect_spectrum(&choice, &made, spectrum, off_by(spectrum, A.n));
    }
    memory_free(spectrum);
    csr_free(&A);
}
END_TEST

/* Restarts, breakdowns, any way to make a basis orthogonal: one history a kernel and kind of sum,
 * and one for all kernels that keep to the order of src/spmv/symmetric/sym_order.h. */
START_TEST(bitwise_kernels_repeat_every_bit)
{
    static const int threads[] = {1, 2, 3, 7};
    static const enum reductions sums[] = {REDUCTIONS_REPRODUCIBLE, REDUCTIONS_COMPENSATED,
                                           REDUCTIONS_EXACT};
    static const char *const of_one_order[] = {"cpu_sym", "cpu_sym_bitwise"};
    struct csr A;
    grid(8, 100, &A);
    int count;
    const struct kernel *const *kernels = kernel_list(&count);
    ck_assert_str_eq(kernels[0]->component.name, "cpu_csr"); /* the first of those of one order */
    for (int k = 0; k < 9 * count; k++) {
        const struct kernel *kernel = kernels[k / 9];
        if (kernel->space != SPACE_CPU || kernel->guarantee != GUARANTEE_BITWISE)
            continue;
        struct eigen_choice choice = eigen_standard;
        choice.kernel = kernel->component.name;
        choice.reductions = sums[k % 3];
        choice.max_iterations = 30;
        choice.eigen =
            (struct eigen_options){2, EIGEN_BOTH, 1e-8, (enum reorthogonalization)(k / 3 % 3), 12};
        for (int t = 0; t < 4; t++) {
            choice.threads = threads[t];
            eigen_find(choice, &A, NULL, 5, t == 0 ? &made : &other);
            if (t > 0)
                expect_same(&made, &other, kernel->component.name);
        }
        ck_assert_int_gt(made.count, 28); /* at least 4 stay: restarts in 12, 20 and 28 */
        choice.threads = 1;
        for (int o = 0; k / 9 == 0 && o < 2; o++) {
            choice.kernel = of_one_order[o];
            eigen_find(choice, &A, NULL, 5, &other);
            expect_same(&made, &other, of_one_order[o]);
        }
    }
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {closed_forms_are_found,
                            restarts_change_no_eigenvalue,
                            random_matrices_agree_with_lapack,
                            whole_spectra,
                            every_kernel_finds_them,
                            bitwise_kernels_repeat_every_bit,
                            NULL};
    return suite_of("solver/lanczos", tests);
}
