/* Conjugate gradients: against the textbook's loop, on every kernel of the CPU, and what the call
 * does besides. How a solve can end is the matter of test_cg_ends. */
#include "support.h"

#include "base/random.h"
#include "matrices.h"
#include "options.h"
#include "solver/cg/cg.h"
#include "solver/solve.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static struct outcome outcome, other;

START_TEST(the_history_is_the_textbook_s)
{
    uint64_t state = test_seed();
    for (int m = 0; m < test_matrices_count; m++) {
        struct csr A;
        test_matrix_build_positive(&test_matrices[m], &state, &A);
        static double b[2000];
        random_vector(m, A.n, b);
        for (int k = 0; k < 2; k++) {
            struct choice choice = standard;
            choice.kernel = k == 0 ? "cpu_sym" : "cpu_csr";
            choice.threads = 3;
            solve(choice, &A, b, &outcome);
            textbook(&A, b, outcome.result.iterations, ordered_dot, &other);
            ck_assert(isnan(outcome.rows[0].alpha) && isnan(outcome.rows[0].beta));
            ck_assert(outcome.count == 1 || outcome.rows[1].beta == 0);
            for (int64_t row = 0; row < outcome.count; row++) {
                ck_assert_int_eq(outcome.rows[row].iteration, row);
                ck_assert(outcome.rows[row].residual == other.rows[row].residual);
                ck_assert(row == 0 || outcome.rows[row].alpha == other.rows[row].alpha);
                ck_assert(row == 0 || outcome.rows[row].beta == other.rows[row].beta);
            }
            ck_assert_mem_eq(outcome.x, other.x, (size_t)A.n * sizeof *b);
            ck_assert(outcome.result.rhs_norm == other.rows[0].residual);
        }
        csr_free(&A);
    }
}
END_TEST

/* With sums of another order the rounding errors differ, and little else for some iterations. */
START_TEST(plain_sums_converge_alike)
{
    struct csr A;
    grid(10, 1, &A);
    static double b[1000];
    random_vector(1, A.n, b);
    solve(standard, &A, b, &outcome);
    expect_reason(REASON_CONVERGED, &outcome);
    textbook(&A, b, outcome.result.iterations, plain_dot, &other);
    for (int64_t k = 0; k < outcome.count; k++)
        ck_assert_double_eq_tol(outcome.rows[k].residual / other.rows[k].residual, 1, 1e-6);
    csr_free(&A);
}
END_TEST

/* The tolerance is relative to ||b||: a power of two goes through every operation unchanged. */
START_TEST(the_size_of_the_rhs_does_not_matter)
{
    static const double scales[] = {0x1p40, 0x1p-40};
    struct csr A;
    grid(8, 10, &A);
    static double b[512], scaled[512];
    random_vector(6, A.n, b);
    solve(standard, &A, b, &outcome);
    double target = standard.tolerance * outcome.rows[0].residual;
    ck_assert(outcome.rows[outcome.count - 1].residual <= target);
    ck_assert(outcome.rows[outcome.count - 2].residual > target);
    for (int k = 0; k < 2; k++) {
        for (int64_t i = 0; i < A.n; i++)
            scaled[i] = scales[k] * b[i];
        solve(standard, &A, scaled, &other);
        expect_reason(REASON_CONVERGED, &other);
        ck_assert_int_eq(other.count, outcome.count);
        for (int64_t row = 0; row < outcome.count; row++)
            ck_assert(other.rows[row].residual == scales[k] * outcome.rows[row].residual);
    }
    csr_free(&A);
}
END_TEST

START_TEST(the_identity_takes_one_iteration)
{
    static const double ones[] = {1, 1, 1, 1, 1, 1, 1}, b[] = {1, 2, 3, 4, 5, 6, 7};
    struct csr A;
    diagonal(7, ones, &A);
    solve(standard, &A, b, &outcome);
    expect_reason(REASON_CONVERGED, &outcome);
    ck_assert_int_eq(outcome.result.iterations, 1);
    ck_assert_mem_eq(outcome.x, b, sizeof b);
    ck_assert(outcome.result.residual == 0 && outcome.result.true_residual == 0);
    ck_assert(outcome.result.curvature == 140 && outcome.result.rhs_norm == sqrt(140));
    ck_assert(outcome.rows[1].alpha == 1 && outcome.rows[1].beta == 0);
    csr_free(&A);
}
END_TEST

/* Every row's diagonal is above the sum of the others by 1, so ||A^-1||_inf <= 1 (Varah 1975) and
 * ||x - x*||_inf <= ||b - A x||_2 + the rounding of b = A x*, gamma_L |A||x*| in each component. */
static void known_solution(struct choice choice, const struct csr *A, int64_t seed)
{
    char text[32];
    static double b[2000], x[2000];
    snprintf(text, sizeof text, "seed=%lld", (long long)seed);
    test_rhs_fill(test_options(COMPONENT_RHS, "solution", "x=random", text, NULL), A, 0, b);
    random_vector(seed, A->n, x);
    solve(choice, A, b, &outcome);
    expect_reason(REASON_CONVERGED, &outcome);
    ck_assert(outcome.result.residual <= choice.tolerance * outcome.result.rhs_norm);
    ck_assert(outcome.result.true_residual <= 1.1 * choice.tolerance * outcome.result.rhs_norm);
    double largest = 0; /* max (|A||x*|)_i <= 2 max a_ii */
    for (int64_t i = 0; i < A->n; i++)
        largest = fmax(largest, 2 * A->values[A->offsets[i]]);
    double bound = 1.01 * outcome.result.true_residual + (double)A->n * DBL_EPSILON * largest;
    for (int64_t i = 0; i < A->n; i++)
        if (!(fabs(outcome.x[i] - x[i]) <= bound))
            ck_abort_msg("%s: x[%d] = %.17g instead of %.17g", choice.kernel, (int)i, outcome.x[i],
                         x[i]);
}

START_TEST(every_kernel_finds_the_solution)
{
    uint64_t state = test_seed();
    int count;
    const struct kernel *const *kernels = kernel_list(&count);
    for (int m = 0; m < test_matrices_count; m++) {
        struct csr A;
        test_matrix_build_positive(&test_matrices[m], &state, &A);
        for (int k = 0; k < count; k++) {
            if (kernels[k]->space != SPACE_CPU)
                continue;
            struct choice choice = {.kernel = kernels[k]->component.name,
                                    .reductions = (enum reductions)((k + m) % 5),
                                    .tolerance = 1e-11,
                                    .max_iterations = 2000,
                                    .method = &method_cg,
                                    .threads = 1 + k % 3};
            known_solution(choice, &A, m);
        }
        csr_free(&A);
    }
}
END_TEST

struct solving {
    struct choice choice;
    const struct csr *A;
    const double *b;
    struct outcome alone, made;
};

static void *solve_again(void *context)
{
    struct solving *solving = context;
    for (int k = 0; k < 5; k++) {
        solve(solving->choice, solving->A, solving->b, &solving->made);
        ck_assert_int_eq(solving->made.count, solving->alone.count);
        ck_assert_mem_eq(solving->made.rows + 1, solving->alone.rows + 1,
                         (size_t)(solving->alone.count - 1) * sizeof *solving->alone.rows);
        ck_assert_mem_eq(solving->made.x, solving->alone.x,
                         (size_t)solving->A->n * sizeof *solving->b);
    }
    return NULL;
}

/* Each from set-up to confirmation in its own space, with its own number of threads. */
START_TEST(two_threads_of_a_program_may_solve_at_once)
{
    static struct solving solving[2];
    static double b[SOLVE_N];
    struct csr A;
    pthread_t other_thread;
    grid(20, 100, &A);
    random_vector(3, A.n, b);
    for (int k = 0; k < 2; k++) {
        solving[k].choice = standard;
        solving[k].choice.kernel = k ? "cpu_csr" : "cpu_sym_bitwise";
        solving[k].choice.threads = 2 + k;
        solving[k].A = &A;
        solving[k].b = b;
        solve(solving[k].choice, &A, b, &solving[k].alone);
    }
    ck_assert_int_eq(pthread_create(&other_thread, NULL, solve_again, &solving[0]), 0);
    solve_again(&solving[1]);
    pthread_join(other_thread, NULL);
    csr_free(&A);
}
END_TEST

START_TEST(only_symmetric_matrices_are_taken)
{
    static const double upper[] = {0, 1, 0}, b[] = {1, 1};
    struct error error;
    struct solver_result result;
    struct csr A, full;
    double x[2];
    test_matrix_from_dense(2, upper, CSR_SKEW, &A);
    expect_error(try_solve(standard, &A, b, NULL, x, &result, &error), STATUS_CONFIG, &error,
                 "symmetric", "skew-symmetric", "p . A p = 0", NULL);
    expect_ok(csr_expand(&A, &full, &error), &error);
    struct choice choice = standard;
    choice.kernel = "cpu_csr";
    expect_error(try_solve(choice, &full, b, NULL, x, &result, &error), STATUS_CONFIG, &error,
                 "symmetric", "general", NULL);
    csr_free(&A);
    csr_free(&full);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

static enum status stop_at(void *context, const struct event *row, struct error *error)
{
    int64_t *left = context;
    return (*left)-- > 0 ? STATUS_OK
                         : error_set(error, STATUS_OUTPUT, "no more after %d", (int)row->iteration);
}

START_TEST(an_observer_ends_the_solve)
{
    struct csr A;
    grid(6, 1, &A);
    double b[216], x[216];
    random_vector(9, A.n, b);
    for (int64_t last = 0; last < 3; last++) {
        struct error error;
        struct solver_result result;
        int64_t left = last;
        char text[32];
        snprintf(text, sizeof text, "no more after %d", (int)last);
        struct observer observer = {.wants = 1u << EVENT_ROW, .see = stop_at, .context = &left};
        expect_error(try_solve(standard, &A, b, &observer, x, &result, &error), STATUS_OUTPUT,
                     &error, text, NULL);
        ck_assert_int_eq(left, -1); /* and no row came after it */
    }
    struct error error;
    struct observer silent = {.see = NULL};
    struct solver_result seen, unseen;
    expect_ok(try_solve(standard, &A, b, &silent, x, &seen, &error), &error);
    expect_ok(try_solve(standard, &A, b, NULL, x, &unseen, &error), &error);
    ck_assert(seen.reason == REASON_CONVERGED && unseen.reason == REASON_CONVERGED);
    ck_assert_int_eq(seen.iterations, unseen.iterations);
    csr_free(&A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {the_history_is_the_textbook_s,
                            plain_sums_converge_alike,
                            the_size_of_the_rhs_does_not_matter,
                            the_identity_takes_one_iteration,
                            every_kernel_finds_the_solution,
                            two_threads_of_a_program_may_solve_at_once,
                            only_symmetric_matrices_are_taken,
                            an_observer_ends_the_solve,
                            NULL};
    return suite_of("solver/cg", tests);
}
