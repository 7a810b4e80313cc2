/* Solves that begin anew from their own x, and what is said of A at the end. */
#include "support.h"

#include "base/random.h"
#include "matrices.h"
#include "solver/richardson/richardson.h"
#include "solver/solve.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST = 64 };

static struct outcome outcome, other;

static struct choice by(const struct method *method, double tolerance)
{
    struct choice choice = standard;
    choice.method = method;
    choice.tolerance = tolerance;
    return choice;
}

/* tridiag(-1, 2, -1) of n rows, and behind it rows of their own. */
static void chain(int64_t n, int64_t soft, const double *softness, struct csr *A)
{
    static double upper[MOST * (MOST + 1) / 2];
    int64_t rows = n + soft;
    for (int64_t i = 0, place = 0; i < rows; i++)
        for (int64_t j = i; j < rows; j++, place++)
            upper[place] = i == j ? (i < n ? 2 : softness[i - n]) : j == i + 1 && j < n ? -1 : 0;
    test_matrix_from_dense(rows, upper, CSR_SYMMETRIC, A);
}

/* x of the chain, b = 1, is (i + 1) (n - i) / 2, and 1 / softness of a soft row: its element of x
 * is so long that whole vectors show nothing of the others. Without a restart both methods ended at
 * iteration 11, up to ||b - A x|| = 0.16 ||b||. */
START_TEST(a_soft_row_does_not_hide_the_others)
{
    static const double softness[] = {1e-9, 1e-10, 1e-12, 1e-16};
    static const struct method *const methods[] = {&method_cg, &method_minres};
    static const char *const kernels[] = {"cpu_sym", "cpu_csr", "cpu_sym_bitwise"};
    enum { CHAIN = 12, KERNELS = sizeof kernels / sizeof *kernels };
    double b[CHAIN + 1];
    for (int i = 0; i <= CHAIN; i++)
        b[i] = 1;
    for (int s = 0; s < 4; s++)
        for (int m = 0; m < 2 * KERNELS; m++) {
            struct csr A;
            struct choice choice = by(methods[m % 2], 1e-8);
            choice.kernel = kernels[m / 2];
            chain(CHAIN, 1, &softness[s], &A);
            solve(choice, &A, b, &outcome);
            expect_reason(REASON_CONVERGED, &outcome);
            for (int i = 0; i < CHAIN; i++) /* the least eigenvalue is 0.058, and ||b|| is 3.6 */
                ck_assert_double_eq_tol(outcome.x[i], (i + 1) * (CHAIN - i) / 2.0, 1e-6);
            csr_free(&A);
        }
}
END_TEST

/* Up to four soft rows of any size, in any place, and any b. */
START_TEST(soft_rows_of_any_size)
{
    uint64_t state = test_seed();
    double softness[4], b[MOST];
    for (int k = 0; k < 8; k++) {
        struct csr A;
        int64_t n = 5 + test_random_below(&state, 40), soft = 1 + test_random_below(&state, 4);
        for (int64_t s = 0; s < soft; s++)
            softness[s] = pow(10, -16 * test_random(&state));
        for (int64_t i = 0; i < n + soft; i++)
            b[i] = 2 * test_random(&state) - 1;
        chain(n, soft, softness, &A);
        solve(by(&method_cg, 1e-8), &A, b, &outcome);
        expect_reason(REASON_CONVERGED, &outcome);
        csr_free(&A);
    }
}
END_TEST

/* A = diag(tridiag(-1, 2, -1) of n rows, softness times that of m). */
static void two_chains(int64_t n, int64_t m, double softness, struct csr *A)
{
    static double upper[MOST * (MOST + 1) / 2];
    int64_t rows = n + m;
    for (int64_t i = 0, place = 0; i < rows; i++)
        for (int64_t j = i; j < rows; j++, place++)
            upper[place] = (i < n ? 1 : softness) * (i == j ? 2 : j == i + 1 && j != n ? -1 : 0);
    test_matrix_from_dense(rows, upper, CSR_SYMMETRIC, A);
}

/* b = 1 as above. The steps that solve the first block again are short beside an x of 1e18: before,
 * CG ended with them, at iteration 36 and 0.62 ||b||. */
START_TEST(soft_rows_that_are_coupled)
{
    static const char *const kernels[] = {"cpu_sym", "cpu_csr", "cpu_sym_bitwise"};
    enum { CHAIN = 12, SOFT = 5 };
    double b[CHAIN + SOFT];
    for (int i = 0; i < CHAIN + SOFT; i++)
        b[i] = 1;
    for (int k = 0; k < 3; k++) {
        struct csr A;
        struct choice choice = by(&method_cg, 1e-8);
        choice.kernel = kernels[k];
        two_chains(CHAIN, SOFT, 1e-18, &A);
        solve(choice, &A, b, &outcome);
        expect_reason(REASON_CONVERGED, &outcome);
        for (int i = 0; i < CHAIN; i++)
            ck_assert_double_eq_tol(outcome.x[i], (i + 1) * (CHAIN - i) / 2.0, 1e-6);
        for (int i = 0; i < SOFT; i++)
            ck_assert_double_eq_tol(outcome.x[CHAIN + i] * 1e-18, (i + 1) * (SOFT - i) / 2.0, 1e-6);
        csr_free(&A);
    }
}
END_TEST

/* No end that is looked at leaves an x that is worse than x_0 = 0: before, up to 70 ||b||. */
START_TEST(conjugate_gradients_are_not_worse_than_the_start)
{
    uint64_t state = test_seed();
    double b[MOST];
    for (int k = 0; k < 40; k++) {
        struct csr A;
        int64_t n = 3 + test_random_below(&state, 27), m = 2 + test_random_below(&state, 18);
        for (int64_t i = 0; i < n + m; i++)
            b[i] = k % 2 ? 1 : 2 * test_random(&state) - 1;
        two_chains(n, m, pow(10, -15 - 6 * test_random(&state)), &A);
        struct choice choice = by(&method_cg, 1e-8);
        choice.max_iterations = 20 * (n + m);
        solve(choice, &A, b, &outcome);
        const struct solver_result *result = &outcome.result;
        ck_assert_msg(
            (result->reason != REASON_STAGNATION && result->reason != REASON_RESIDUAL_GAP) ||
                result->true_residual <= 1.0001 * result->rhs_norm,
            "%s, %g ||b||", reason_name(result->reason), result->true_residual / result->rhs_norm);
        csr_free(&A);
    }
}
END_TEST

/* D tridiag(-1, diagonal, -1) D. d_i grows from 10^-span/2 to 10^span/2 in steps of equal length.
 * Without these restarts: a residual gap of 1.2 to 1.6 times the tolerance, as that is below twice
 * what rounding the largest elements of x leaves. */
START_TEST(a_gap_near_what_rounding_leaves)
{
    enum { N = 10 };
    static const struct {
        const struct method *method;
        const char *preconditioner;
        double span, diagonal;
        int step;
    } trials[] = {{&method_cg, NULL, 7, 2.1, 2},
                  {&method_cg, "jacobi", 6, 2.01, 3},
                  {&method_minres, "jacobi", 6, 2.01, 2},
                  {&method_minres, "jacobi", 6, 2.01, 3}};
    double upper[N * (N + 1) / 2], d[N], b[N];
    for (int t = 0; t < 4; t++) {
        struct csr A;
        struct choice choice = by(trials[t].method, 1e-10);
        choice.kernel = "cpu_sym_bitwise";
        choice.preconditioner = trials[t].preconditioner;
        for (int i = 0; i < N; i++) {
            d[i] = pow(10, trials[t].span * ((trials[t].step * i % N) / 9.0 - 0.5));
            b[i] = 1;
        }
        for (int i = 0, place = 0; i < N; i++)
            for (int j = i; j < N; j++, place++)
                upper[place] = d[i] * d[j] * (i == j ? trials[t].diagonal : j == i + 1 ? -1 : 0);
        test_matrix_from_dense(N, upper, CSR_SYMMETRIC, &A);
        solve(choice, &A, b, &outcome);
        expect_reason(REASON_CONVERGED, &outcome);
        ck_assert(outcome.result.true_residual <= 1.1e-10 * outcome.result.rhs_norm);
        csr_free(&A);
    }
}
END_TEST

/* Dirichlet conditions as penalties: positive definite, with a least eigenvalue of 6.5e-3. Before,
 * MINRES ended after 1 to 7 iterations with "A is singular". */
START_TEST(penalties_do_not_make_a_matrix_singular)
{
    static const double penalties[] = {1e8, 1e10, 1e12, 1e13, 1e16};
    enum { CHAIN = 40 };
    double b[CHAIN];
    for (int i = 0; i < CHAIN; i++)
        b[i] = 1;
    for (int p = 0; p < 5; p++) {
        struct csr A;
        chain(CHAIN, 0, NULL, &A);
        A.values[A.offsets[0]] = A.values[A.offsets[CHAIN - 1]] = penalties[p];
        solve(by(&method_cg, 1e-8), &A, b, &outcome);
        expect_reason(REASON_CONVERGED, &outcome);
        solve(by(&method_minres, 1e-8), &A, b, &outcome);
        ck_assert_int_ne(outcome.result.reason, REASON_SINGULAR);
        ck_assert_int_ne(outcome.result.reason, REASON_LEAST_SQUARES);
        if (penalties[p] <= 1e12) /* a condition of 1.5e14 */
            expect_reason(REASON_CONVERGED, &outcome);
        csr_free(&A);
    }
}
END_TEST

/* A = H diag(eigenvalues) H with a random reflection H. */
static void reflected(int64_t n, const double *eigenvalues, const double *h, struct csr *A)
{
    static double upper[MOST * (MOST + 1) / 2];
    double square = 0;
    for (int64_t i = 0; i < n; i++)
        square += h[i] * h[i];
    for (int64_t i = 0, place = 0; i < n; i++)
        for (int64_t j = i; j < n; j++, place++) {
            double sum = 0;
            for (int64_t k = 0; k < n; k++)
                sum += ((i == k) - 2 * h[i] * h[k] / square) * eigenvalues[k] *
                       ((j == k) - 2 * h[j] * h[k] / square);
            upper[place] = sum;
        }
    test_matrix_from_dense(n, upper, CSR_SYMMETRIC, A);
}

static void random_reflection(uint64_t *state, int64_t n, double *h)
{
    for (int64_t i = 0; i < n; i++)
        h[i] = 2 * test_random(state) - 1;
}

/* MINRES loses the square of the condition (Sleijpen, van der Vorst and Modersitzki 2000). A
 * restart leaves what rounding does of a product with x: n eps ||A|| ||x||, ||A|| = 1; twice for
 * b - A x and for what is added to x. */
START_TEST(a_restart_repairs_minres)
{
    enum { N = 40 };
    static const double conditions[] = {1e6, 1e8, 1e10, 1e11, 1e12};
    double eigenvalues[N], h[N], b[N];
    uint64_t state = test_seed();
    for (int c = 0; c < 5; c++) {
        struct csr A;
        int n = c < 3 ? N : N / 2; /* N may take more iterations than solve() keeps */
        for (int i = 0; i < n; i++)
            eigenvalues[i] = pow(conditions[c], -i / (n - 1.0));
        random_reflection(&state, n, h);
        random_reflection(&state, n, b);
        reflected(n, eigenvalues, h, &A);
        solve(by(&method_minres, 1e-12), &A, b, &outcome);
        double length = sqrt(plain_dot(n, outcome.x, outcome.x));
        double most = 2 * n * DBL_EPSILON * length + 1.1e-12 * outcome.result.rhs_norm;
        ck_assert_msg(outcome.result.true_residual <= most, "condition %g: %g, not %g",
                      conditions[c], outcome.result.true_residual, most);
        csr_free(&A);
    }
}
END_TEST

/* D tridiag(-1, 2.1, -1) D, where the middle element of D is soft and all others are 1. */
static void soft_middle(int64_t n, double soft, struct csr *A)
{
    static double upper[MOST * (MOST + 1) / 2];
    for (int64_t i = 0, place = 0; i < n; i++)
        for (int64_t j = i; j < n; j++, place++)
            upper[place] = (i == n / 2 ? soft : 1) * (j == n / 2 ? soft : 1) *
                           (i == j       ? 2.1
                            : j == i + 1 ? -1
                                         : 0);
    test_matrix_from_dense(n, upper, CSR_SYMMETRIC, A);
}

/* Positive definite. After one iteration r lies in the soft row, and A r is 1e-7 ||A (z r)|| at a
 * soft element of 1e-7: no null vector. MINRES ended there as a least squares solution. */
START_TEST(a_soft_row_is_no_null_vector)
{
    double b[MOST];
    for (int i = 0; i < MOST; i++)
        b[i] = 1;
    for (int64_t n = 3; n <= 9; n += 2)
        for (int k = 1; k <= 8; k++) {
            struct csr A;
            soft_middle(n, pow(10, -k), &A);
            solve(by(&method_minres, 1e-8), &A, b, &outcome);
            enum reason reason = outcome.result.reason;
            ck_assert_msg(k < 8 ? reason == REASON_CONVERGED
                                : reason != REASON_SINGULAR && reason != REASON_LEAST_SQUARES,
                          "%d rows, 1e-%d: %s", (int)n, k, reason_name(reason));
            csr_free(&A);
        }
}
END_TEST

/* x grows along a null vector: before, to 13 ||b||. */
START_TEST(a_singular_matrix_leaves_no_worse_x)
{
    const double upper[] = {0.00025, -1e-16, 0, 2.5e-28, -1e-14, 2.5}, b[] = {1, 1, 1};
    struct csr A;
    test_matrix_from_dense(3, upper, CSR_SYMMETRIC, &A);
    struct choice choice = by(&method_minres, 1e-8);
    choice.preconditioner = "jacobi";
    solve(choice, &A, b, &outcome);
    ck_assert_double_le(outcome.result.true_residual, 1.0001 * outcome.result.rhs_norm);
    csr_free(&A);
}
END_TEST

/* Singular and nearly singular systems. A "least squares solution" has a residual of at most 1.1
 * times the least, which is the part of b in the null space, and no end leaves an x that is worse
 * than 0. */
START_TEST(an_end_is_what_it_says)
{
    double eigenvalues[MOST], h[MOST], b[MOST], in[MOST];
    uint64_t state = test_seed();
    for (int k = 0; k < 40; k++) {
        struct csr A;
        int64_t n = 3 + test_random_below(&state, 30), zeros = test_random_below(&state, 1 + n / 3);
        double span = pow(10, 16 * test_random(&state)), dot = 0, square = 0, least = 0;
        bool definite = k % 2 == 0;
        for (int64_t i = 0; i < n; i++) {
            eigenvalues[i] = i < zeros ? 0 : pow(span, -test_random(&state));
            if (!definite && test_random(&state) < 0.5)
                eigenvalues[i] *= -1;
        }
        random_reflection(&state, n, h);
        random_reflection(&state, n, b);
        reflected(n, eigenvalues, h, &A);
        for (int64_t i = 0; i < n; i++) {
            dot += h[i] * b[i];
            square += h[i] * h[i];
        }
        for (int64_t i = 0; i < n; i++)
            in[i] = b[i] - 2 * h[i] * dot / square;
        /* An x of 1e12 leaves n eps 1e12 in b - A x, nearly a hundredth of b. Eigenvalues of both
         * signs may cancel in r.Ar, and then ||A r|| <= 2^-23 ||A|| ||r|| is all that is known
         * (solver/minres/minres.h). */
        for (int64_t i = 0; i < n; i++)
            least += fabs(eigenvalues[i]) <= (definite ? 1e-12 : 0x1p-23) ? in[i] * in[i] : 0;
        struct choice choice = by(&method_minres, 1e-8);
        if (test_random(&state) < 0.3)
            choice.max_iterations = 1 + test_random_below(&state, 20 * n);
        solve(choice, &A, b, &outcome);
        const struct solver_result *result = &outcome.result;
        ck_assert_double_le(result->true_residual, 1.0001 * result->rhs_norm);
        if (result->reason == REASON_LEAST_SQUARES)
            ck_assert_msg(result->true_residual <= 1.1 * sqrt(least) + 1e-6,
                          "n = %d, span %g: %g, the least is %g", (int)n, span,
                          result->true_residual, sqrt(least));
        csr_free(&A);
    }
}
END_TEST

/* --- a start that is far away ----------------------------------------------------------------- */

struct kept {
    int64_t rows, vectors[MOST], vector_count;
    bool in_order;
};

static enum status see(void *context, const struct event *event, struct error *error)
{
    struct kept *kept = context;
    (void)error;
    if (event->kind == EVENT_VECTOR)
        kept->vectors[kept->vector_count++ % MOST] = event->iteration;
    else
        kept->in_order = kept->in_order && event->iteration == kept->rows++;
    return STATUS_OK;
}

static enum status solve_from(const struct method *method, const struct csr *A, const double *b,
                              const double *x0, int64_t most, struct kept *kept, double *x,
                              struct solver_result *result, struct error *error)
{
    const struct kernel *kernel = kernel_find("cpu_sym_bitwise");
    struct space_options wanted = {.threads = 2};
    struct solver_options options = {
        .method = method, .tolerance = 1e-8, .max_iterations = most, .relaxation = 0.4};
    struct observer observer = {.wants = 1u << EVENT_ROW | 1u << EVENT_VECTOR,
                                .trace = {.every = 7, .vectors = 1u << VECTOR_X},
                                .see = see,
                                .context = kept};
    struct space *space = NULL;
    struct linear_operator spmv = {0};
    *kept = (struct kept){.in_order = true};
    enum status status = space_create(kernel->space, &wanted, &space, error);
    if (!status)
        status = operator_create(kernel, A, NULL, space, &spmv, error);
    if (!status)
        status = solver_solve(&spmv, A, b, x0, &options, &observer, x, result, error);
    operator_destroy(&spmv);
    if (space)
        space->operations->destroy(space);
    return status;
}

/* b - A x_0 is known to eps ||A|| ||x_0|| alone, which is far above b: a second solve, from the x
 * of the first one, converged. Rows and vectors are counted on. */
START_TEST(a_start_far_away)
{
    static const struct method *const methods[] = {&method_cg, &method_minres, &method_richardson};
    static const double sizes[] = {1e8, 1e12, 1e17};
    enum { CHAIN = 20 };
    uint64_t state = test_seed();
    double b[CHAIN], x0[CHAIN], x[CHAIN], unit[CHAIN];
    random_reflection(&state, CHAIN, b);
    random_reflection(&state, CHAIN, unit);
    for (int k = 0; k < 9; k++) {
        struct csr A;
        struct kept kept;
        struct solver_result result;
        struct error error;
        chain(CHAIN, 0, NULL, &A);
        for (int i = 0; i < CHAIN; i++)
            x0[i] = sizes[k / 3] * unit[i];
        expect_ok(solve_from(methods[k % 3], &A, b, x0, 100000, &kept, x, &result, &error), &error);
        ck_assert_msg(result.reason == REASON_CONVERGED, "%s from %g: %s",
                      methods[k % 3]->component.name, sizes[k / 3], reason_name(result.reason));
        ck_assert(sizes[k / 3] < 1e17 || result.restarts > 0);
        ck_assert(kept.in_order && kept.rows == result.iterations + 1);
        csr_free(&A);
    }
}
END_TEST

START_TEST(rows_and_vectors_are_counted_on)
{
    enum { CHAIN = 20 };
    uint64_t state = test_seed();
    double b[CHAIN], x0[CHAIN], x[CHAIN];
    struct csr A;
    struct kept kept;
    struct solver_result result, limited;
    struct error error;
    chain(CHAIN, 0, NULL, &A);
    random_reflection(&state, CHAIN, b);
    random_reflection(&state, CHAIN, x0);
    for (int i = 0; i < CHAIN; i++)
        x0[i] *= 1e17;
    expect_ok(solve_from(&method_cg, &A, b, x0, 1000, &kept, x, &result, &error), &error);
    ck_assert(result.restarts > 0);
    ck_assert_int_eq(kept.vector_count, 1 + result.iterations / 7);
    for (int64_t v = 0; v < kept.vector_count; v++)
        ck_assert_int_eq(kept.vectors[v], 7 * v);
    ck_assert(result.products >= result.iterations + 1 + result.restarts);
    expect_ok(solve_from(&method_cg, &A, b, x0, result.iterations - 1, &kept, x, &limited, &error),
              &error);
    ck_assert_int_eq(limited.reason, REASON_ITERATION_LIMIT);
    ck_assert_int_eq(limited.iterations, result.iterations - 1);
    csr_free(&A);
}
END_TEST

struct attempt {
    const struct method *method;
    struct csr A;
    double b[16], x0[16], x[16];
};

static enum status try_from(void *context, struct error *error)
{
    struct attempt *attempt = context;
    struct kept kept;
    struct solver_result result = {0};
    enum status status = solve_from(attempt->method, &attempt->A, attempt->b, attempt->x0, 1000,
                                    &kept, attempt->x, &result, error);
    ck_assert(status || result.restarts > 0);
    solver_result_free(&result);
    return status;
}

START_TEST(every_allocation_may_fail)
{
    struct attempt attempt = {.method = &method_minres};
    chain(16, 0, NULL, &attempt.A);
    for (int i = 0; i < 16; i++) {
        attempt.b[i] = 1 + i % 3;
        attempt.x0[i] = 1e17 * (i - 4);
    }
    walk_allocation_failures(try_from, &attempt);
    csr_free(&attempt.A);
    attempt = (struct attempt){.method = &method_cg};
    two_chains(12, 4, 1e-18, &attempt.A);
    for (int i = 0; i < 16; i++)
        attempt.b[i] = 1;
    walk_allocation_failures(try_from, &attempt);
    csr_free(&attempt.A);
}
END_TEST

/* x overflows, and that is no residual gap. */
START_TEST(an_infinite_solution_is_not_finite)
{
    static const double tiny[] = {1e-310}, b[] = {1};
    struct csr A;
    diagonal(1, tiny, &A);
    solve(by(&method_minres, 1e-8), &A, b, &outcome);
    expect_reason(REASON_NOT_FINITE, &outcome);
    csr_free(&A);
}
END_TEST

/* With the same bits on every kernel that promises them. */
START_TEST(a_restart_has_bits)
{
    static const struct method *const methods[] = {&method_cg, &method_minres};
    static const double softness[] = {1e-16};
    enum { CHAIN = 12 };
    double b[CHAIN + 1];
    for (int i = 0; i <= CHAIN; i++)
        b[i] = 1;
    for (int m = 0; m < 2; m++) {
        struct csr A;
        struct choice choice = by(methods[m], 1e-10);
        chain(CHAIN, 1, softness, &A);
        choice.kernel = "cpu_csr";
        choice.threads = 1;
        solve(choice, &A, b, &outcome);
        ck_assert(outcome.result.restarts > 0);
        choice.kernel = "cpu_sym_bitwise";
        choice.threads = 3;
        solve(choice, &A, b, &other);
        ck_assert_int_eq(outcome.count, other.count);
        ck_assert_mem_eq(outcome.x, other.x, sizeof b);
        for (int64_t k = 0; k < other.count; k++)
            ck_assert(outcome.rows[k].residual == other.rows[k].residual);
        csr_free(&A);
    }
}
END_TEST

/* Vectors in the memory of the space: the bits of those on the host, whatever ends the solve. */
START_TEST(vectors_that_stay_in_the_space)
{
    static const struct method *const methods[] = {&method_cg, &method_minres};
    uint64_t state = test_seed();
    double softness[4], b[MOST];
    int64_t restarts = 0;
    for (int k = 0; k < 32; k++) {
        struct csr A;
        struct choice choice = by(methods[k % 2], k % 4 < 2 ? 1e-8 : 1e-15);
        int64_t n = 5 + test_random_below(&state, 40), soft = test_random_below(&state, 4);
        for (int64_t s = 0; s < soft; s++)
            softness[s] = test_random_below(&state, 4) ? pow(10, -16 * test_random(&state)) : 0;
        for (int64_t i = 0; i < n + soft; i++)
            b[i] = 2 * test_random(&state) - 1;
        if (test_random_below(&state, 4) == 0)
            choice.max_iterations = test_random_below(&state, 8);
        chain(n, soft, softness, &A);
        solve(choice, &A, b, &outcome);
        choice.there = true;
        solve(choice, &A, b, &other);
        restarts += outcome.result.restarts;
        ck_assert_int_eq(outcome.result.reason, other.result.reason);
        ck_assert_int_eq(outcome.result.restarts, other.result.restarts);
        ck_assert_int_eq(outcome.result.products, other.result.products);
        ck_assert_int_eq(outcome.count, other.count);
        ck_assert_mem_eq(&outcome.result.true_residual, &other.result.true_residual,
                         sizeof(double));
        ck_assert_mem_eq(outcome.x, other.x, (size_t)A.n * sizeof *other.x);
        for (int64_t i = 0; i < outcome.count; i++)
            ck_assert_mem_eq(&outcome.rows[i].residual, &other.rows[i].residual, sizeof(double));
        csr_free(&A);
    }
    ck_assert_int_gt(restarts, 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {a_soft_row_does_not_hide_the_others,
                            soft_rows_of_any_size,
                            soft_rows_that_are_coupled,
                            a_soft_row_is_no_null_vector,
                            a_singular_matrix_leaves_no_worse_x,
                            conjugate_gradients_are_not_worse_than_the_start,
                            a_gap_near_what_rounding_leaves,
                            penalties_do_not_make_a_matrix_singular,
                            a_restart_repairs_minres,
                            an_end_is_what_it_says,
                            a_start_far_away,
                            rows_and_vectors_are_counted_on,
                            every_allocation_may_fail,
                            an_infinite_solution_is_not_finite,
                            a_restart_has_bits,
                            vectors_that_stay_in_the_space,
                            NULL};
    return suite_of("solver/restart", tests);
}
