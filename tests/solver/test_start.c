/* Solves that begin at an x_0: each is the solve of A e = b - A x_0 from 0, bit for bit, but for
 * where it ends, which is by ||b||, and for x = x_0 + e. */
#include "made.h"
#include "support.h"

#include "base/random.h"
#include "matrices.h"
#include "matrix/multiply.h"
#include "rows.h"
#include "solver/cg/cg.h"
#include "solver/lanczos/lanczos.h"
#include "solver/minres/minres.h"
#include "solver/richardson/richardson.h"
#include "space/archive.h"
#include "spaces.h"
#include "spmv/preconditioner.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { N = 9 * 8 * 7, ROWS = 1000 };

/* What is solved, and how. */
struct question {
    const struct method *method;
    const char *preconditioner; /* NULL: none */
    const struct csr *A;
    double shift;
    const char *kernel;
    int threads;
    const double *b, *x0;
    double tolerance;
    int64_t max_iterations;
};

struct answer {
    int64_t count;
    struct kept_row rows[ROWS];
    const struct method *method;
    double x[N];
    struct solver_result result;
};

static struct answer answer, other;

static enum status keep(void *context, const struct event *event, struct error *error)
{
    (void)error;
    struct answer *kept = context;
    ck_assert_int_lt(kept->count, ROWS);
    kept->rows[kept->count++] = row_kept(kept->method, event);
    return STATUS_OK;
}

static enum status try_over(struct linear_operator *spmv, const struct question *question,
                            struct answer *made, struct error *error)
{
    struct observer observer = {.wants = 1u << EVENT_ROW, .see = keep, .context = made};
    struct linear_operator M = {0};
    struct solver_options options = {
        .method = question->method,
        .tolerance = question->tolerance,
        .max_iterations = question->max_iterations,
        .shift = question->shift,
        .relaxation = 0.5,
        .eigen = {2, EIGEN_BOTH, question->tolerance, REORTHOGONALIZATION_FULL, 0},
        .preconditioner = question->preconditioner ? &M : NULL};
    struct options of_M = {0};
    enum status status = STATUS_OK;
    if (question->preconditioner)
        status = options_create(component_find(COMPONENT_PRECONDITIONER, question->preconditioner),
                                &of_M, error);
    if (!status && question->preconditioner)
        status = preconditioner_create(&of_M, question->A, NULL, spmv, &M, error);
    *made = (struct answer){.method = question->method};
    if (!status)
        status = solver_solve(spmv, question->A, question->b, question->x0, &options, &observer,
                              made->x, &made->result, error);
    options_free(&of_M);
    operator_destroy(&M);
    return status;
}

static enum status try_to(const struct question *question, struct answer *made, struct error *error)
{
    struct space *space;
    struct linear_operator spmv;
    struct space_options wanted = {.reductions = REDUCTIONS_REPRODUCIBLE,
                                   .threads = question->threads};
    enum status status = space_create(SPACE_CPU, &wanted, &space, error);
    if (status)
        return status;
    status = operator_create(kernel_find(question->kernel), question->A, NULL, space, &spmv, error);
    if (!status)
        status = try_over(&spmv, question, made, error);
    operator_destroy(&spmv);
    space->operations->destroy(space);
    return status;
}

static void ask(const struct question *question, struct answer *made)
{
    struct error error;
    expect_ok(try_to(question, made, &error), &error);
    ck_assert_int_eq(made->count, made->result.iterations + 1);
}

/* Every method; `indefinite` makes no difference to whether one takes A. */
enum { QUESTIONS = 9 };
static struct csr definite, indefinite, skew;

static struct question question_of(int k)
{
    const struct question questions[QUESTIONS] = {
        {.method = &method_cg, .A = &definite},
        {.method = &method_cg, .A = &definite, .preconditioner = "jacobi"},
        {.method = &method_cg, .A = &definite, .preconditioner = "chebyshev"},
        {.method = &method_minres, .A = &indefinite},
        {.method = &method_minres, .A = &indefinite, .preconditioner = "jacobi"},
        {.method = &method_minres, .A = &indefinite, .preconditioner = "chebyshev"},
        {.method = &method_skew, .A = &skew, .shift = 0.3},
        {.method = &method_richardson, .A = &definite, .preconditioner = "multigrid"},
        {.method = &method_lanczos, .A = &definite},
    };
    struct question question = questions[k];
    question.kernel = "cpu_csr";
    question.threads = 1;
    question.tolerance = 1e-8;
    question.max_iterations = ROWS - 1;
    return question;
}

static bool finds_vector(const struct question *question)
{
    return question->method->traits & METHOD_FINDS_VECTOR;
}

static void make_matrices(void)
{
    struct error error;
    struct poisson3d box = {{9, 8, 7}, {1, 1, 1}, 100, 0, POISSON3D_DIRICHLET},
                     shifted = {{9, 8, 7}, {1, 1, 1}, 1, -2.5, POISSON3D_DIRICHLET};
    struct convection3d wind = {{9, 8, 7}, {1, 0.7, -0.4}};
    expect_ok(poisson3d_create(&box, &definite, &error), &error);
    expect_ok(poisson3d_create(&shifted, &indefinite, &error), &error);
    expect_ok(problem_create(&problem_convection3d, &wind, &skew, &error), &error);
}

static void free_matrices(void)
{
    csr_free(&definite);
    csr_free(&indefinite);
    csr_free(&skew);
}

/* r = b - (shift I + A) x by the operations of a solve with a kernel that adds as csr_multiply
 * does. */
static void subtract_product(const struct question *question, const double *b, const double *x,
                             double *r)
{
    static double q[N];
    csr_multiply(question->A, x, q);
    for (int64_t i = 0; i < question->A->n; i++) {
        r[i] = fma(-1, q[i], b[i]);
        if (question->shift != 0)
            r[i] = fma(-question->shift, x[i], r[i]);
    }
}

static double norm_of(int64_t n, const double *v)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum = fma(v[i], v[i], sum);
    return sqrt(sum);
}

static void expect_same_rows(const struct answer *one, const struct answer *two)
{
    ck_assert_int_eq(one->count, two->count);
    for (int64_t k = 0; k < one->count; k++)
        for (int s = 0; s < SERIES_MOST; s++) {
            double a = one->rows[k].values[s], b = two->rows[k].values[s];
            ck_assert_msg(memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b)),
                          "%s, row %d, number %d: %a and %a", one->method->component.name, (int)k,
                          s, a, b);
        }
}

/* The rows have the same bits, as neither x nor b is in the recurrence. x_j and e_j are made by one
 * fused operation each of the same step d_j, so that step j adds a rounding of x_j and one of e_j
 * to the distance of x_j from x_0 + e_j: in norm u (||x_j|| + ||e_j||). Adding x_0 and e_K up is
 * one more; 1.01 is for terms of u^2, and for the norms here. */
START_TEST(it_is_the_solve_for_the_error)
{
    static double b[N], x0[N], r[N], sum[N];
    enum { STEPS = 20 };
    make_matrices();
    for (int k = 0; k < QUESTIONS; k++) {
        struct question question = question_of(k), of_error;
        if (!finds_vector(&question))
            continue;
        uint64_t state = test_seed();
        random_vector(test_random_below(&state, 1 << 20), N, b);
        random_vector(test_random_below(&state, 1 << 20), N, x0);
        subtract_product(&question, b, x0, r);
        question.b = b;
        question.x0 = x0;
        question.tolerance = 1e-14;
        of_error = question;
        of_error.b = r;
        of_error.x0 = NULL;
        double bound = 0;
        for (int64_t steps = 0; steps <= STEPS; steps++) {
            question.max_iterations = of_error.max_iterations = steps;
            ask(&question, &answer);
            ask(&of_error, &other);
            expect_same_rows(&answer, &other);
            ck_assert_int_eq(answer.result.iterations, steps);
            bound += steps == 0 ? 0 : norm_of(N, answer.x) + norm_of(N, other.x);
        }
        for (int64_t i = 0; i < N; i++)
            sum[i] = answer.x[i] - (x0[i] + other.x[i]);
        bound += norm_of(N, answer.x);
        ck_assert(norm_of(N, sum) <= 1.01 * DBL_EPSILON / 2 * bound);
        ck_assert_int_eq(answer.result.products, other.result.products + 1);
    }
    free_matrices();
}
END_TEST

/* The target is relative to ||b||, whatever ||r_0||. */
START_TEST(it_ends_by_the_norm_of_b)
{
    static double b[N], x0[N];
    make_matrices();
    random_vector(1, N, b);
    random_vector(2, N, x0);
    for (int64_t i = 0; i < N; i++)
        x0[i] *= 1000;
    for (int k = 0; k < QUESTIONS; k++) {
        struct question question = question_of(k);
        if (!finds_vector(&question))
            continue;
        question.b = b;
        question.x0 = x0;
        ask(&question, &answer);
        ck_assert_int_eq(answer.result.reason, REASON_CONVERGED);
        double norm = norm_of(N, b), target = question.tolerance * norm;
        ck_assert_double_eq_tol(answer.result.rhs_norm, norm, 1e-13 * norm);
        ck_assert(answer.rows[0].residual > 100 * norm);
        ck_assert(answer.rows[answer.count - 1].residual <= target * (1 + 1e-13));
        ck_assert(answer.rows[answer.count - 2].residual > target * (1 - 1e-13));
        ck_assert(answer.result.true_residual <= 1.1 * target);
    }
    free_matrices();
}
END_TEST

START_TEST(threads_and_kernels_change_no_bit)
{
    static const char *const kernels[] = {"cpu_csr", "cpu_sym", "cpu_sym_bitwise"};
    static double b[N], x0[N];
    make_matrices();
    random_vector(3, N, b);
    random_vector(4, N, x0);
    for (int k = 0; k < QUESTIONS; k++) {
        struct question question = question_of(k);
        question.b = b;
        question.x0 = x0;
        question.max_iterations = 40;
        ask(&question, &answer);
        for (int threads = 1; threads <= 5; threads += 2)
            for (int c = 0; c < 3; c++) {
                question.threads = threads;
                question.kernel = kernels[c];
                ask(&question, &other);
                expect_same_rows(&answer, &other);
                ck_assert_mem_eq(answer.x, other.x, sizeof answer.x);
                solver_result_free(&other.result);
            }
        solver_result_free(&answer.result);
    }
    free_matrices();
}
END_TEST

/* By whole numbers: x_0 = (1, -1, 1, ...) is the solution, and r_0 = 0. */
START_TEST(the_solution_is_there_at_once)
{
    static double b[N], x0[N];
    struct poisson3d box = {{9, 8, 7}, {1, 1, 1}, 1, 0, POISSON3D_DIRICHLET};
    struct convection3d wind = {{9, 8, 7}, {1, 2, -4}};
    struct error error;
    expect_ok(poisson3d_create(&box, &definite, &error), &error);
    expect_ok(problem_create(&problem_convection3d, &wind, &skew, &error), &error);
    indefinite = definite;
    for (int64_t i = 0; i < N; i++)
        x0[i] = i % 2 == 0 ? 1 : -1;
    for (int k = 0; k < QUESTIONS; k++) {
        struct question question = question_of(k);
        if (!finds_vector(&question))
            continue;
        if (question.shift != 0)
            question.shift = 3;
        csr_multiply(question.A, x0, b);
        for (int64_t i = 0; i < N; i++)
            b[i] += question.shift * x0[i];
        question.b = b;
        question.x0 = x0;
        ask(&question, &answer);
        ck_assert_int_eq(answer.result.reason, REASON_CONVERGED);
        ck_assert(answer.result.iterations == 0 && answer.rows[0].residual == 0);
        ck_assert(answer.result.true_residual == 0 && answer.result.rhs_norm > 0);
        ck_assert_mem_eq(answer.x, x0, sizeof x0);
    }
    csr_free(&definite);
    csr_free(&skew);
}
END_TEST

/* Where there is no target above 0; but eigenvalues have none of ||b||. */
START_TEST(a_norm_of_b_that_is_no_measure_is_refused)
{
    static const double bad[] = {0, INFINITY, NAN};
    static double b[N], x0[N];
    struct error error;
    make_matrices();
    random_vector(5, N, x0);
    for (int k = 0; k < QUESTIONS; k++)
        for (size_t v = 0; v < sizeof bad / sizeof *bad; v++) {
            struct question question = question_of(k);
            for (int64_t i = 0; i < N; i++)
                b[i] = bad[v];
            question.b = b;
            question.x0 = x0;
            if (!finds_vector(&question))
                ask(&question, &answer);
            else
                expect_error(try_to(&question, &answer, &error), STATUS_CONFIG, &error,
                             "the norm of b is", "a start other than 0", NULL);
            solver_result_free(&answer.result);
        }
    free_matrices();
}
END_TEST

/* Lanczos' first vector is x_0 in the place of b. */
START_TEST(the_basis_begins_with_the_start)
{
    static double b[N], x0[N], zeros[N];
    struct error error;
    make_matrices();
    random_vector(6, N, b);
    random_vector(7, N, x0);
    struct question question = question_of(QUESTIONS - 1);
    question.b = b;
    question.x0 = x0;
    ask(&question, &answer);
    ck_assert_int_eq(answer.result.reason, REASON_CONVERGED);
    ck_assert_double_eq_tol(answer.result.rhs_norm, norm_of(N, b), 1e-13 * norm_of(N, b));
    question.b = x0;
    question.x0 = NULL;
    ask(&question, &other);
    expect_same_rows(&answer, &other);
    ck_assert_mem_eq(answer.x, other.x, sizeof answer.x);
    ck_assert_int_eq(answer.result.products, other.result.products);
    solver_result_free(&answer.result);
    solver_result_free(&other.result);
    question.x0 = zeros;
    expect_error(try_to(&question, &answer, &error), STATUS_CONFIG, &error, "first Lanczos vector",
                 "the start", NULL);
    free_matrices();
}
END_TEST

/* What x_0 has of the null space is in x all the way, and says nothing of the condition; but x_0
 * hides no x that grows, as tests/solver/test_minres_ends.c has it from 0. */
START_TEST(a_long_start_is_not_a_singular_matrix)
{
    static const double regular[] = {1, 0, 0, 3, 0, 0}, b[] = {1, 1, 0}, far[] = {0, 0, 3e13};
    static const double near[] = {1, 1 - 0x1p-45, 1}, wanted[] = {1, -0.5};
    static const double aside[] = {0.5, 0.25};
    struct csr A;
    struct question question = question_of(3);
    test_matrix_from_dense(3, regular, CSR_SYMMETRIC, &A);
    question.A = &A;
    question.b = b;
    question.x0 = far;
    ask(&question, &answer);
    ck_assert_int_eq(answer.result.reason, REASON_CONVERGED);
    ck_assert(answer.x[2] == 3e13);
    csr_free(&A);
    test_matrix_from_dense(2, near, CSR_SYMMETRIC, &A);
    question.b = wanted;
    question.x0 = aside;
    ask(&question, &answer);
    ck_assert(answer.result.reason == REASON_SINGULAR || /* each says that A is singular */
              answer.result.reason == REASON_LEAST_SQUARES);
    csr_free(&A);
}
END_TEST

/* A saved state. */
struct state {
    char bytes[1 << 20];
    int64_t at;
};

static enum status save(void *context, const char *name, void *data, int64_t bytes,
                        struct error *error)
{
    (void)name, (void)error;
    struct state *state = context;
    ck_assert_int_le(state->at + bytes, sizeof state->bytes);
    memcpy(state->bytes + state->at, data, (size_t)bytes);
    state->at += bytes;
    return STATUS_OK;
}

static enum status load(void *context, const char *name, void *data, int64_t bytes,
                        struct error *error)
{
    (void)name, (void)error;
    struct state *state = context;
    memcpy(data, state->bytes + state->at, (size_t)bytes);
    state->at += bytes;
    return STATUS_OK;
}

/* To its end, or to where the state is that is saved in *kept, and from where it is. */
static void go_on(const struct question *question, struct linear_operator *spmv, struct state *kept,
                  bool loads, struct answer *made)
{
    struct solver_options options = {.method = question->method,
                                     .tolerance = question->tolerance,
                                     .max_iterations = 30,
                                     .shift = question->shift};
    struct archive archive = {loads, loads ? load : save, kept};
    struct solver *solver;
    struct error error;
    bool ended;
    expect_ok(solver_begin(spmv, question->A, question->b, loads ? NULL : question->x0, &options,
                           NULL, &solver, &error),
              &error);
    kept->at = 0;
    if (loads)
        expect_ok(solver_load(solver, question->A, question->b, &archive, &error), &error);
    else {
        expect_ok(solver_advance(solver, 11, &ended, &error), &error);
        expect_ok(solver_save(solver, question->A, question->b, &archive, &error), &error);
    }
    expect_ok(solver_advance(solver, INT64_MAX, &ended, &error), &error);
    ck_assert(ended);
    expect_ok(solver_end(solver, question->A, question->b, made->x, &made->result, &error), &error);
    solver_free(solver);
}

/* A saved solve knows from where it came. */
START_TEST(a_state_keeps_what_the_start_was)
{
    static double b[N], x0[N];
    static struct state state;
    struct error error;
    make_matrices();
    random_vector(10, N, b);
    random_vector(11, N, x0);
    for (int k = 0; k < QUESTIONS; k++) {
        struct question question = question_of(k);
        struct linear_operator spmv;
        if (!finds_vector(&question) || question.preconditioner)
            continue;
        question.b = b;
        question.x0 = x0;
        struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 2);
        expect_ok(operator_create(kernel_find("cpu_sym"), question.A, NULL, space, &spmv, &error),
                  &error);
        go_on(&question, &spmv, &state, false, &answer);
        go_on(&question, &spmv, &state, true, &other);
        ck_assert_mem_eq(answer.x, other.x, sizeof answer.x);
        ck_assert_int_eq(answer.result.iterations, 30);
        ck_assert_int_eq(answer.result.products, other.result.products);
        ck_assert(answer.result.rhs_norm == other.result.rhs_norm);
        ck_assert(answer.result.residual == other.result.residual);
        operator_destroy(&spmv);
        space->operations->destroy(space);
    }
    free_matrices();
}
END_TEST

static enum status attempt(void *context, struct error *error)
{
    enum status status = try_to(context, &answer, error);
    solver_result_free(&answer.result);
    return status;
}

START_TEST(every_failed_allocation_is_survived)
{
    static double b[N], x0[N];
    make_matrices();
    random_vector(8, N, b);
    random_vector(9, N, x0);
    for (int k = 0; k < QUESTIONS; k++) {
        struct question question = question_of(k);
        question.b = b;
        question.x0 = x0;
        question.max_iterations = 3;
        walk_allocation_failures(attempt, &question);
    }
    free_matrices();
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {it_is_the_solve_for_the_error,
                            it_ends_by_the_norm_of_b,
                            threads_and_kernels_change_no_bit,
                            the_solution_is_there_at_once,
                            a_norm_of_b_that_is_no_measure_is_refused,
                            the_basis_begins_with_the_start,
                            a_long_start_is_not_a_singular_matrix,
                            a_state_keeps_what_the_start_was,
                            every_failed_allocation_is_survived,
                            NULL};
    return suite_of("solver/start", tests);
}
