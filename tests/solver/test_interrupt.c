/* An observer asks for the end of a solve: it then hands out the bits that it would at
 * max_iterations = k. */
#include "support.h"

#include "base/random.h"
#include "options.h"
#include "solver/cg/cg.h"
#include "solver/lanczos/lanczos.h"
#include "solver/minres/minres.h"
#include "solver/solve.h"
#include "spaces.h"
#include "spmv/preconditioner.h"

#include <math.h>
#include <string.h>

enum { CUBE = 5, ORDER = CUBE * CUBE * CUBE, MOST = 64, LOOKS = 4 * MOST };

static struct csr A;
static double b[ORDER];

/* A way to solve. */
struct way {
    const struct method *method;
    enum reductions reductions;
    const char *preconditioner; /* NULL: none */
    bool makes_direction;
    bool traces; /* r and x, in every second iteration */
    enum reorthogonalization reorthogonalization;
    int ahead; /* turns that a space sends at once */
};

static const struct way ways[] = {
    {.method = &method_cg, .ahead = 1},
    {.method = &method_cg, .ahead = 1, .reductions = REDUCTIONS_EXACT},
    {.method = &method_cg, .ahead = 1, .preconditioner = "chebyshev"},
    {.method = &method_cg, .ahead = 1, .makes_direction = true},
    {.method = &method_cg, .ahead = 1, .traces = true},
    {.method = &method_cg, .ahead = 1, .makes_direction = true, .traces = true},
    {.method = &method_cg, .ahead = 1, .makes_direction = true, .preconditioner = "jacobi"},
    {.method = &method_minres, .ahead = 1},
    {.method = &method_minres, .ahead = 1, .preconditioner = "chebyshev"},
    {.method = &method_skew, .ahead = 1},
    {.method = &method_lanczos, .ahead = 1, .reorthogonalization = REORTHOGONALIZATION_NONE},
    {.method = &method_lanczos, .ahead = 1, .reorthogonalization = REORTHOGONALIZATION_SELECTIVE},
    {.method = &method_lanczos, .ahead = 1, .reorthogonalization = REORTHOGONALIZATION_FULL},
    /* as a GPU has them */
    {.method = &method_cg, .ahead = 4},
    {.method = &method_cg, .ahead = 6, .makes_direction = true},
    {.method = &method_minres, .ahead = 6},
    {.method = &method_minres, .ahead = 6, .preconditioner = "jacobi"},
    {.method = &method_skew, .ahead = 6},
};
enum { WAYS = sizeof ways / sizeof *ways };

/* What a solve leaves. */
struct made {
    const struct method *method;
    struct solver_result result;
    int64_t asks_at; /* in which row the observer asks; -1: never */
    bool asks_once;  /* else in those behind it, too */
    int64_t rows, looks;
    struct kept_row row[SOLVE_ROWS];
    int64_t look[LOOKS]; /* the iterations */
    double looked[LOOKS][ORDER];
    double x[ORDER];
};

static struct made whole, interrupted, limited;

static enum status take_row(struct made *made, const struct event *row)
{
    ck_assert_int_lt(made->rows, SOLVE_ROWS);
    ck_assert_int_eq(row->iteration, made->rows);
    made->row[made->rows++] = row_kept(made->method, row);
    bool asks = made->asks_at >= 0 && row->iteration >= made->asks_at &&
                !(made->asks_once && row->iteration > made->asks_at);
    return asks ? STATUS_INTERRUPTED : STATUS_OK;
}

static void look(struct made *made, const struct event *vector)
{
    ck_assert_int_lt(made->looks, LOOKS);
    made->look[made->looks] = vector->iteration;
    memcpy(made->looked[made->looks++], vector->values, sizeof made->looked[0]);
}

static enum status see(void *context, const struct event *event, struct error *error)
{
    (void)error;
    if (event->kind == EVENT_ROW)
        return take_row(context, event);
    look(context, event);
    return STATUS_OK;
}

/* The CPU's space, but what is sent is done when the host waits. */
static const struct space_operations *usual;
static int ahead, pending;

static int times_ahead(const struct space *space, int64_t n)
{
    (void)space, (void)n;
    return ahead;
}

static enum status send_work(struct space *space, struct error *error)
{
    (void)space, (void)error;
    pending++;
    return STATUS_OK;
}

static enum status do_work(struct space *space, struct error *error)
{
    if (pending == 0)
        return STATUS_OK;
    pending--;
    return usual->replay(space, error);
}

static void do_and_forget(struct space *space)
{
    struct error error;
    while (pending > 0)
        expect_ok(do_work(space, &error), &error);
    usual->forget(space);
}

static void solve_in(const struct way *way, struct space *space, int64_t max_iterations,
                     struct made *made)
{
    struct error error;
    const struct kernel *kernel = way->makes_direction ? &directing : kernel_find("cpu_csr");
    struct linear_operator spmv, M = {0};
    struct solver_options options = {
        .method = way->method,
        .tolerance = 1e-10,
        .max_iterations = max_iterations,
        .shift = way->method == &method_skew ? 0.1 : 0,
        .eigen = {2, EIGEN_SMALLEST, 1e-10, way->reorthogonalization, 9},
        .time_split = true};
    struct observer observer = {.wants = 1u << EVENT_ROW | (way->traces ? 1u << EVENT_VECTOR : 0),
                                .trace = {2, 1u << VECTOR_R | 1u << VECTOR_X},
                                .see = see,
                                .context = made};
    made->method = way->method;
    made->rows = made->looks = 0;
    for (int64_t i = 0; i < ORDER; i++)
        made->x[i] = NAN;
    expect_ok(operator_create(kernel, &A, NULL, space, &spmv, &error), &error);
    if (way->preconditioner) {
        struct options wanted = test_options(COMPONENT_PRECONDITIONER, way->preconditioner, NULL);
        expect_ok(preconditioner_create(&wanted, &A, NULL, &spmv, &M, &error), &error);
        options.preconditioner = &M;
        options_free(&wanted);
    }
    expect_ok(solver_solve(&spmv, &A, b, NULL, &options, &observer, made->x, &made->result, &error),
              &error);
    operator_destroy(&M);
    operator_destroy(&spmv);
    ck_assert_int_eq(made->rows, made->result.iterations + 1);
}

static void solve_by(const struct way *way, int64_t max_iterations, struct made *made)
{
    struct space *space = test_space(SPACE_CPU, way->reductions, 0);
    usual = space->operations;
    struct space_operations sends = *usual;
    ahead = way->ahead;
    if (ahead > 1) {
        sends.replay_times = times_ahead;
        sends.replay = send_work;
        sends.poll = do_work;
        sends.forget = do_and_forget;
    }
    space->operations = &sends;
    solve_in(way, space, max_iterations, made);
    ck_assert_int_eq(pending, 0);
    space->operations = usual;
    usual->destroy(space);
}

static void given_system(const struct method *method)
{
    grid(CUBE, 10, &A);
    random_vector(7, ORDER, b);
    if (method != &method_skew)
        return;
    A.kind = CSR_SKEW;
    for (int64_t i = 0; i < A.n; i++)
        A.values[A.offsets[i]] = 0;
}

static bool same_bits(double a, double c)
{
    return memcmp(&a, &c, sizeof a) == 0 || (isnan(a) && isnan(c));
}

/* Every row, the solution, and what is said of it. */
static void expect_same(const struct made *one, const struct made *two)
{
    const struct solver_result *a = &one->result, *c = &two->result;
    ck_assert_int_eq(one->rows, two->rows);
    for (int64_t k = 0; k < one->rows; k++) {
        ck_assert(same_bits(one->row[k].residual, two->row[k].residual));
        ck_assert(same_bits(one->row[k].alpha, two->row[k].alpha));
        ck_assert(same_bits(one->row[k].beta, two->row[k].beta));
    }
    for (int64_t i = 0; i < ORDER; i++)
        ck_assert(same_bits(one->x[i], two->x[i]));
    ck_assert(same_bits(a->residual, c->residual) && same_bits(a->true_residual, c->true_residual));
    ck_assert(same_bits(a->rhs_norm, c->rhs_norm));
    ck_assert(same_bits(a->ritz_low, c->ritz_low) && same_bits(a->ritz_high, c->ritz_high));
    ck_assert_int_eq(a->products, c->products);
    ck_assert_int_eq(a->eigen_count, c->eigen_count);
    ck_assert_int_eq(one->looks, two->looks);
    ck_assert_mem_eq(one->look, two->look, (size_t)one->looks * sizeof *one->look);
    ck_assert_mem_eq(one->looked, two->looked, (size_t)one->looks * sizeof one->looked[0]);
}

/* What is said of the time of the pieces of an iteration. */
static void expect_no_split(const struct solver_split *split)
{
    ck_assert(split->product == 0 && split->updates == 0 && split->preconditioner == 0 &&
              split->projected == 0);
}

START_TEST(the_bits_of_a_limit)
{
    const struct way *way = &ways[_i];
    given_system(way->method);
    whole.asks_at = limited.asks_at = -1;
    solve_by(way, SOLVE_ROWS - 1, &whole);
    ck_assert_int_eq(whole.result.reason, REASON_CONVERGED);
    int64_t last = whole.result.iterations;
    ck_assert_int_gt(last, 2 * way->ahead + 2);
    int64_t step = last / MOST + (test_is_slow() ? 3 : 1); /* 1: every one of a short solve */
    int64_t stopped = 0;
    for (int64_t k = 0; k < last; k += step) {
        interrupted.asks_at = k;
        interrupted.asks_once = k % 2 == 0;
        solve_by(way, SOLVE_ROWS - 1, &interrupted);
        int64_t came_to = interrupted.result.iterations;
        ck_assert(way->ahead == 1 ? came_to == k : came_to >= k && came_to <= k + 2 * way->ahead);
        if (interrupted.result.reason == REASON_CONVERGED) { /* with what was on its way */
            ck_assert(way->ahead > 1 && came_to == last);
            expect_same(&interrupted, &whole);
        } else {
            ck_assert_int_eq(interrupted.result.reason, REASON_INTERRUPTED);
            expect_no_split(&interrupted.result.time_split);
            solve_by(way, came_to, &limited);
            ck_assert(limited.result.reason == REASON_ITERATION_LIMIT ||
                      (way->method == &method_lanczos && /* in a later round all pairs are there */
                       limited.result.reason == REASON_CONVERGED));
            expect_same(&interrupted, &limited);
            solver_result_free(&limited.result);
            stopped++;
        }
        solver_result_free(&interrupted.result);
    }
    ck_assert_int_gt(stopped, 0);
    solver_result_free(&whole.result);
    csr_free(&A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* A solve that ends by itself in that row has its own reason. */
START_TEST(an_end_stays_what_it_is)
{
    const struct way *way = &ways[_i];
    given_system(way->method);
    whole.asks_at = -1;
    solve_by(way, SOLVE_ROWS - 1, &whole);
    interrupted.asks_at = whole.result.iterations;
    solve_by(way, SOLVE_ROWS - 1, &interrupted);
    ck_assert_int_eq(interrupted.result.reason, REASON_CONVERGED);
    expect_same(&interrupted, &whole);
    solver_result_free(&interrupted.result);
    interrupted.asks_at = 0;
    solve_by(way, 0, &interrupted);
    ck_assert_int_eq(interrupted.result.reason, REASON_ITERATION_LIMIT);
    solver_result_free(&interrupted.result);
    solver_result_free(&whole.result);
    csr_free(&A);
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("solver/interrupt");
    TCase *tests = tcase_of("all");
    tcase_add_loop_test(tests, the_bits_of_a_limit, 0, WAYS);
    tcase_add_loop_test(tests, an_end_stays_what_it_is, 0, WAYS);
    suite_add_tcase(made, tests);
    return made;
}
