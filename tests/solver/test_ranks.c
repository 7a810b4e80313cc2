/* Solves over ranks that are threads: with any number of them the bits of one. */
#include "support.h"

#include "base/random.h"
#include "cgsolve/cg.h"
#include "cgsolve/kernel.h"
#include "cgsolve/lanczos.h"
#include "cgsolve/minres.h"
#include "cgsolve/preconditioner.h"
#include "cgsolve/richardson.h"
#include "options.h"
#include "ranks.h"
#include "rows.h"
#include "solver/solve.h"

#include <math.h>
#include <string.h>

enum { SIDE = 16, N = SIDE * SIDE * SIDE, ROWS = 400, RANKS = 10, COLUMNS = 5, PAIRS = 3 };

struct way {
    const char *name, *kernel; /* kernel = NULL: `directing` */
    const struct method *method;
    const char *preconditioner, *block;
    enum reductions reductions;
    bool started;
    double shift, relaxation;
    int columns;
};

static const struct way ways[] = {
    {"cg", "cpu_sym_bitwise", .method = &method_cg},
    {"cg, csr, started", "cpu_csr", .method = &method_cg, .started = true},
    {"cg, sym", "cpu_sym", .method = &method_cg},
    {"cg, exact", "cpu_sym_exact", .method = &method_cg, .reductions = REDUCTIONS_EXACT},
    {"cg, compensated", "cpu_csr", .method = &method_cg, .reductions = REDUCTIONS_COMPENSATED},
    {"cg, jacobi", "cpu_sym_bitwise", .method = &method_cg, .preconditioner = "jacobi",
     .started = true},
    {"cg, block_jacobi", "cpu_csr", .method = &method_cg, .preconditioner = "block_jacobi"},
    {"cg, block_jacobi, columns", "cpu_sym_bitwise", .method = &method_cg,
     .preconditioner = "block_jacobi", .columns = COLUMNS},
    {"cg, block_jacobi of 7", "cpu_csr", .method = &method_cg, .preconditioner = "block_jacobi",
     .block = "block=7"},
    {"cg, chebyshev", "cpu_sym_bitwise", .method = &method_cg, .preconditioner = "chebyshev"},
    {"cg, makes p", NULL, .method = &method_cg, .started = true},
    {"cg, makes p, chebyshev", NULL, .method = &method_cg, .preconditioner = "chebyshev"},
    {"cg, makes p, exact", NULL, .method = &method_cg, .reductions = REDUCTIONS_EXACT},
    {"cg, makes p, columns", NULL, .method = &method_cg, .preconditioner = "jacobi",
     .columns = COLUMNS},
    {"minres, makes p", NULL, .method = &method_minres},
    {"cg, multigrid", "cpu_sym_bitwise", .method = &method_cg, .preconditioner = "multigrid"},
    {"cg, multigrid, exact", "cpu_sym_exact", .method = &method_cg, .preconditioner = "multigrid",
     .reductions = REDUCTIONS_EXACT},
    {"cg, columns", "cpu_sym_bitwise", .method = &method_cg, .columns = COLUMNS},
    {"cg, columns, sym", "cpu_sym", .method = &method_cg, .columns = COLUMNS, .started = true},
    {"cg, columns, jacobi", "cpu_csr", .method = &method_cg, .preconditioner = "jacobi",
     .columns = COLUMNS},
    {"minres", "cpu_sym_bitwise", .method = &method_minres},
    {"minres, chebyshev", "cpu_csr", .method = &method_minres, .preconditioner = "chebyshev"},
    {"minres, columns, multigrid", "cpu_sym_bitwise", .method = &method_minres,
     .preconditioner = "multigrid", .columns = COLUMNS},
    {"skew", "cpu_sym_bitwise", .method = &method_skew, .shift = 0.1},
    {"richardson", "cpu_csr", .method = &method_richardson, .preconditioner = "multigrid",
     .relaxation = 0.3},
    {"lanczos", "cpu_sym_bitwise", .method = &method_lanczos},
    {"lanczos, exact", "cpu_sym_exact", .method = &method_lanczos, .reductions = REDUCTIONS_EXACT},
};
enum { WAYS = sizeof ways / sizeof *ways };

/* What is solved; b and x0 of several columns. */
struct problem {
    const struct way *way;
    struct csr A;
    double *b, *x0;
};

/* What a rank finds of it. */
struct found {
    struct exchange *exchange; /* first; NULL: alone */
    const struct problem *problem;
    int threads;
    struct error error;
    enum status status;
    int64_t rows[COLUMNS];
    struct kept_row row[COLUMNS][ROWS];
    struct solver_result results[COLUMNS];
    bool fuses, directs; /* its products */
    double x[COLUMNS * N];
};

static enum status see(void *context, const struct event *event, struct error *error)
{
    struct found *found = context;
    int64_t *rows = &found->rows[event->column];
    (void)error;
    if (*rows < ROWS)
        found->row[event->column][(*rows)++] = row_kept(found->problem->way->method, event);
    return STATUS_OK;
}

static enum status solve_with(struct found *found, struct linear_operator *spmv,
                              const struct linear_operator *M)
{
    const struct problem *problem = found->problem;
    const struct way *way = problem->way;
    struct observer observer = {.wants = 1u << EVENT_ROW, .see = see, .context = found};
    struct solver_options options = {.method = way->method,
                                     .tolerance = 1e-8,
                                     .max_iterations = ROWS / 2,
                                     .shift = way->shift,
                                     .relaxation = way->relaxation,
                                     .preconditioner = M,
                                     .eigen = {.count = PAIRS, .tolerance = 1e-8, .restart = 20},
                                     .time_split = true,
                                     .columns = SOLVER_COLUMNS_TOGETHER};
    const double *x0 = way->started ? problem->x0 : NULL;
    return way->columns > 1
               ? solver_solve_columns(spmv, &problem->A, way->columns, problem->b, x0, &options,
                                      &observer, found->x, found->results, &found->error)
               : solver_solve(spmv, &problem->A, problem->b, x0, &options, &observer, found->x,
                              found->results, &found->error);
}

static enum status precondition(struct found *found, struct linear_operator *spmv,
                                struct linear_operator *M)
{
    const struct problem *problem = found->problem;
    struct options options = test_options(COMPONENT_PRECONDITIONER, problem->way->preconditioner,
                                          problem->way->block, NULL);
    enum status status = preconditioner_create(&options, &problem->A, NULL, spmv, M, &found->error);
    options_free(&options);
    return status;
}

static void *solve_rank(void *context)
{
    struct found *found = context;
    const struct problem *problem = found->problem;
    struct space_options options = {.reductions = problem->way->reductions,
                                    .threads = found->threads,
                                    .exchange = found->exchange,
                                    .rows = problem->A.n};
    const char *name = problem->way->kernel;
    const struct kernel *kernel = name ? kernel_find(name) : &directing;
    struct space *space = NULL;
    struct linear_operator spmv = {0}, M = {0};
    found->status = space_create(SPACE_CPU, &options, &space, &found->error);
    if (!found->status)
        found->status = operator_create(kernel, &problem->A, NULL, space, &spmv, &found->error);
    found->fuses = spmv.fuses_dot;
    found->directs = spmv.table && operator_makes_direction(&spmv);
    if (!found->status && problem->way->preconditioner)
        found->status = precondition(found, &spmv, &M);
    if (!found->status)
        found->status = solve_with(found, &spmv, M.table ? &M : NULL);
    if (found->status && found->exchange)
        found->exchange->operations->abandon(found->exchange, 1, found->error.text);
    operator_destroy(&M);
    operator_destroy(&spmv);
    if (space)
        space->operations->destroy(space);
    return NULL;
}

/* found[ranks] */
static void try_over(const struct problem *problem, int ranks, struct found *found)
{
    for (int r = 0; r < ranks; r++) {
        memset(&found[r], 0, sizeof found[r]);
        for (int64_t i = 0; i < COLUMNS * N; i++)
            found[r].x[i] = NAN;
        found[r].problem = problem;
        found[r].threads = 1 + r % 2;
    }
    test_ranks(ranks, solve_rank, found, sizeof *found);
}

static void solve_over(const struct problem *problem, int ranks, struct found *found)
{
    try_over(problem, ranks, found);
    for (int r = 0; r < ranks; r++)
        expect_ok(found[r].status, &found[r].error);
}

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static void expect_same(const struct found *alone, const struct found *found, int rank, int ranks)
{
    const struct way *way = alone->problem->way;
    int columns = way->columns > 1 ? way->columns : 1;
    struct solver_options options = {.method = way->method, .eigen = {.count = PAIRS}};
    int64_t length = solver_solution_length(&options, alone->problem->A.n);
    ck_assert(alone->fuses == found->fuses && alone->directs == found->directs);
    for (int j = 0; j < columns; j++) {
        ck_assert_msg(alone->rows[j] == found->rows[j], "%s, rank %d of %d: %d rows, alone %d",
                      way->name, rank, ranks, (int)found->rows[j], (int)alone->rows[j]);
        for (int64_t k = 0; k < alone->rows[j]; k++)
            for (int s = 0; s < SERIES_MOST; s++)
                ck_assert_msg(same_bits(alone->row[j][k].values[s], found->row[j][k].values[s]),
                              "%s, rank %d of %d, column %d, row %d, series %d: %a, alone %a",
                              way->name, rank, ranks, j, (int)k, s, found->row[j][k].values[s],
                              alone->row[j][k].values[s]);
        ck_assert_int_eq(alone->results[j].reason, found->results[j].reason);
        ck_assert_int_eq(alone->results[j].products, found->results[j].products);
        ck_assert(same_bits(alone->results[j].true_residual, found->results[j].true_residual));
    }
    for (int64_t i = 0; i < columns * length; i++)
        ck_assert_msg(same_bits(alone->x[i], found->x[i]), "%s, rank %d of %d, x[%d]: %a, %a",
                      way->name, rank, ranks, (int)i, found->x[i], alone->x[i]);
}

static void fill(struct problem *problem, uint64_t seed)
{
    int64_t n = problem->A.n;
    problem->b = memory_array(COLUMNS * n, sizeof(double), "b", NULL);
    problem->x0 = memory_array(COLUMNS * n, sizeof(double), "x0", NULL);
    random_vector(seed, COLUMNS * n, problem->b);
    random_vector(seed + 1, COLUMNS * n, problem->x0);
}

static void release(struct problem *problem)
{
    memory_free(problem->b);
    memory_free(problem->x0);
    csr_free(&problem->A);
    ck_assert_int_eq(memory_live(), 0);
}

static void trial(struct problem *problem, const int *counts)
{
    static struct found alone, found[RANKS];
    memset(&alone, 0, sizeof alone);
    alone.problem = problem;
    alone.threads = 2;
    solve_rank(&alone);
    expect_ok(alone.status, &alone.error);
    for (; *counts; counts++) {
        solve_over(problem, *counts, found);
        for (int r = 0; r < *counts; r++) {
            expect_same(&alone, &found[r], r, *counts);
            for (int j = 0; j < COLUMNS; j++)
                solver_result_free(&found[r].results[j]);
        }
    }
    for (int j = 0; j < COLUMNS; j++)
        solver_result_free(&alone.results[j]);
    release(problem);
}

START_TEST(ranks_have_the_bits_of_one)
{
    static const int counts[] = {2, 3, 7, 10, 0}; /* 9 tiles: with 10 one has no rows */
    struct problem problem = {.way = &ways[_i]};
    grid(SIDE, 100, &problem.A);
    if (problem.way->method == &method_skew) {
        problem.A.kind = CSR_SKEW;
        for (int64_t i = 0; i < N; i++)
            problem.A.values[problem.A.offsets[i]] = 0;
    }
    fill(&problem, test_seed());
    trial(&problem, counts);
}
END_TEST

/* Entries between all ranks. */
START_TEST(rows_may_reach_anywhere)
{
    static const int counts[] = {2, 3, 5, 0};
    struct problem problem = {.way = &ways[_i]};
    uint64_t seed = test_seed(), state = seed;
    int64_t n = 1500 + test_random_below(&state, 1000), far = 4;
    struct error error;
    expect_ok(csr_create(&problem.A, CSR_SYMMETRIC, n, n * (far + 1), &error), &error);
    int64_t at = 0;
    for (int64_t i = 0; i < n; i++) {
        problem.A.offsets[i] = at;
        problem.A.columns[at] = (int32_t)i;
        problem.A.values[at++] = 40;
        for (int64_t k = 0, j = i; k < far && j + 1 < n; k++) {
            j += 1 + test_random_below(&state, k == far - 1 ? n - j - 1 : (n - j) / 4 + 1);
            if (j >= n)
                break;
            problem.A.columns[at] = (int32_t)j;
            problem.A.values[at++] = test_random(&state) - 0.5;
        }
    }
    problem.A.offsets[n] = problem.A.nnz = at;
    expect_ok(csr_check(&problem.A, &error), &error);
    fill(&problem, seed);
    trial(&problem, counts);
}
END_TEST

/* Every kernel of a CPU that promises bits has those of one rank, or is refused. The rows have many
 * entries, so that a kernel may cut them. */
START_TEST(kernels_have_the_bits_of_one_rank)
{
    static const int counts[] = {3, 0};
    int count;
    const struct kernel *const *kernels = kernel_list(&count);
    for (int k = 0; k < count; k++) {
        if (kernels[k]->space != SPACE_CPU || kernels[k]->guarantee != GUARANTEE_BITWISE)
            continue;
        struct way way = {.name = kernels[k]->component.name,
                          .kernel = kernels[k]->component.name,
                          .method = &method_minres};
        struct problem problem = {.way = &way};
        struct error error;
        uint64_t seed = test_seed();
        int64_t n = 2400, at = 0, far = 300;
        expect_ok(csr_create(&problem.A, CSR_SYMMETRIC, n, 2 * n * 40, &error), &error);
        for (int64_t i = 0; i < n; i++) {
            problem.A.offsets[i] = at;
            for (int64_t j = i; j < n && j <= i + far; j += 1 + (j - i) / 8) {
                problem.A.columns[at] = (int32_t)j;
                problem.A.values[at++] = i == j ? 9 : 1.0 / (double)(3 + j - i + i % 7);
            }
        }
        problem.A.offsets[n] = problem.A.nnz = at;
        expect_ok(csr_check(&problem.A, &error), &error);
        fill(&problem, seed);
        if (kernels[k]->cuts_rows) {
            static struct found found[2];
            try_over(&problem, 2, found);
            for (int r = 0; r < 2; r++)
                expect_error(found[r].status, STATUS_CONFIG, &found[r].error, "cuts rows", NULL);
            release(&problem);
        } else {
            trial(&problem, counts);
        }
    }
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("solver/ranks");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 300);
    tcase_add_loop_test(tests, ranks_have_the_bits_of_one, 0, WAYS);
    tcase_add_loop_test(tests, rows_may_reach_anywhere, 0, 4);
    tcase_add_test(tests, kernels_have_the_bits_of_one_rank);
    suite_add_tcase(made, tests);
    return made;
}
