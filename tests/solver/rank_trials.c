#include "solver/rank_trials.h"

#include "csr_check.h"
#include "support.h"

#include "base/random.h"
#include "cuda_device.h"
#include "matrix/implicit_rows.h"
#include "options.h"
#include "problem/generators.h"
#include "ranks.h"
#include "rows.h"
#include "solver/cg/cg.h"
#include "solver/minres/minres.h"
#include "solver/solve.h"
#include "space/ranks/ranks.h"
#include "spmv/kernel.h"
#include "spmv/preconditioner.h"

#include <math.h>
#include <string.h>

enum { SIDE = 16, N = SIDE * SIDE * SIDE, ROWS = 400, RANKS = 10, PAIRS = 3 };

/* What is solved; b and x0 of several columns. */
struct trial {
    const struct rank_way *way;
    struct csr A;
    double *b, *x0;
};

/* What a rank finds of it. */
struct found {
    struct exchange *exchange; /* first; NULL: alone */
    const struct trial *problem;
    int threads, device;
    struct error error;
    enum status status;
    int64_t rows[RANK_COLUMNS];
    struct kept_row row[RANK_COLUMNS][ROWS];
    struct solver_result results[RANK_COLUMNS];
    bool fuses, directs; /* its products */
    bool apart;          /* ranks were shown different rows */
    /* Its own rows, which alone are in b and x0, and of a solution alone in x. */
    int64_t first, last;
    double b[RANK_COLUMNS * N], x0[RANK_COLUMNS * N], x[RANK_COLUMNS * N];
};

/* All ranks are shown the same row at a time, as the program, which asks them for signals then,
 * needs it. */
static enum status meet(struct found *found, const struct event *event, struct error *error)
{
    struct exchange *exchange = found->exchange;
    int64_t own[] = {event->column, event->iteration}, all[RANKS][2];
    enum status status =
        exchange ? exchange_gather_each(exchange, own, sizeof own, all, error) : STATUS_OK;
    for (int r = 0; exchange && !status && r < exchange->count; r++)
        found->apart = found->apart || memcmp(all[r], own, sizeof own) != 0;
    return status;
}

static enum status see(void *context, const struct event *event, struct error *error)
{
    struct found *found = context;
    int64_t *rows = &found->rows[event->column], stop = found->problem->way->interrupted_at;
    if (*rows < ROWS)
        found->row[event->column][(*rows)++] = row_kept(found->problem->way->method, event);
    enum status status = meet(found, event, error);
    return !status && stop > 0 && event->iteration == stop ? STATUS_INTERRUPTED : status;
}

static enum status solve_with(struct found *found, struct linear_operator *spmv,
                              const struct linear_operator *M)
{
    const struct trial *problem = found->problem;
    const struct rank_way *way = problem->way;
    struct observer observer = {.wants = 1u << EVENT_ROW, .see = see, .context = found};
    struct solver_options options = {.method = way->method,
                                     .tolerance = 1e-8,
                                     .max_iterations = ROWS / 2,
                                     .shift = way->shift,
                                     .relaxation = way->relaxation,
                                     .preconditioner = M,
                                     .eigen = {.count = PAIRS, .tolerance = 1e-8, .restart = 20},
                                     .time_split = true,
                                     .columns = way->apart ? SOLVER_COLUMNS_APART
                                                           : SOLVER_COLUMNS_TOGETHER};
    if (way->columns > 1)
        return solver_solve_columns(spmv, &problem->A, way->columns, found->b,
                                    way->started ? found->x0 : NULL, &options, &observer, found->x,
                                    found->results, &found->error);
    return solver_solve(spmv, &problem->A, found->b, way->started ? found->x0 : NULL, &options,
                        &observer, found->x, found->results, &found->error);
}

static void take_rows(struct found *found, const struct space *space)
{
    const struct trial *problem = found->problem;
    const struct ranks *ranks = ranks_of(space);
    found->first = ranks ? partition_first(&ranks->partition) : 0;
    found->last = ranks ? found->first + partition_rows(&ranks->partition) : problem->A.n;
    int64_t n = problem->A.n;
    for (int64_t k = 0; k < RANK_COLUMNS * n; k++) {
        bool own = k % n >= found->first && k % n < found->last;
        found->b[k] = own ? problem->b[k] : NAN;
        found->x0[k] = own ? problem->x0[k] : NAN;
    }
}

static enum status precondition(struct found *found, struct linear_operator *spmv,
                                struct linear_operator *M)
{
    const struct trial *problem = found->problem;
    struct options options = test_options(COMPONENT_PRECONDITIONER, problem->way->preconditioner,
                                          problem->way->block, NULL);
    enum status status = preconditioner_create(&options, &problem->A, NULL, spmv, M, &found->error);
    options_free(&options);
    return status;
}

static enum status make_operator(const struct kernel *kernel, const struct trial *problem,
                                 struct space *space, struct linear_operator *made,
                                 struct error *error)
{
    const char *form = problem->way->form;
    if (!form)
        return operator_create(kernel, &problem->A, NULL, space, made, error);
    struct options options = test_options(COMPONENT_KERNEL, problem->way->kernel, form, NULL);
    enum status status = operator_create(kernel, &problem->A, options.values, space, made, error);
    options_free(&options);
    return status;
}

static void *solve_rank(void *context)
{
    struct found *found = context;
    const struct trial *problem = found->problem;
    struct space_options options = {.reductions = problem->way->reductions,
                                    .threads = found->threads,
                                    .exchange = found->exchange,
                                    .device = found->device,
                                    .rows = problem->A.n};
    const char *name = problem->way->kernel;
    const struct kernel *kernel = name ? kernel_find(name) : &directing;
    struct space *space = NULL;
    struct linear_operator spmv = {0}, M = {0};
    found->status = space_create(kernel->space, &options, &space, &found->error);
    if (!found->status) {
        take_rows(found, space);
        found->status = make_operator(kernel, problem, space, &spmv, &found->error);
    }
    found->fuses = spmv.can & OPERATOR_DOT;
    found->directs = spmv.can & OPERATOR_DIRECTION;
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
static void try_over(const struct trial *problem, int ranks, struct found *found)
{
    const char *kernel = problem->way->kernel;
    bool on_cuda = kernel && kernel_find(kernel)->space == SPACE_CUDA;
    int devices = on_cuda ? cuda_devices(ranks) : 1;
    for (int r = 0; r < ranks; r++) {
        memset(&found[r], 0, sizeof found[r]);
        for (int64_t i = 0; i < RANK_COLUMNS * N; i++)
            found[r].x[i] = NAN;
        found[r].problem = problem;
        found[r].threads = 1 + r % 2;
        found[r].device = r % devices;
    }
    test_ranks(ranks, solve_rank, found, sizeof *found);
}

static void solve_over(const struct trial *problem, int ranks, struct found *found)
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
    const struct rank_way *way = alone->problem->way;
    int columns = way->columns > 1 ? way->columns : 1;
    struct solver_options options = {.method = way->method, .eigen = {.count = PAIRS}};
    int64_t length = solver_solution_length(&options, alone->problem->A.n);
    ck_assert_msg(!found->apart, "%s, rank %d of %d: rows in another order", way->name, rank,
                  ranks);
    ck_assert(alone->fuses == found->fuses);
    ck_assert(way->interrupted_at || alone->results[0].exchange_seconds == 0);
    if (!way->kernel || way->form) /* else each rank chooses a form for its rows */
        ck_assert(alone->directs && found->directs);
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
        ck_assert_int_eq(alone->results[j].restarts, found->results[j].restarts);
        ck_assert(same_bits(alone->results[j].true_residual, found->results[j].true_residual));
        const struct solver_result *its = &found->results[j];
        bool of_gpus = way->kernel && kernel_find(way->kernel)->space == SPACE_CUDA;
        ck_assert((its->exchange_seconds > 0) == !of_gpus && its->exchange_seconds <= its->seconds);
    }
    if (way->interrupted_at)
        return; /* of one iteration; `alone` is another rank, with other rows of x */
    bool owned = solver_finds_vector(&options);
    for (int j = 0; j < columns; j++)
        for (int64_t i = owned ? found->first : 0; i < (owned ? found->last : length); i++) {
            double x = found->x[j * length + i], wanted = alone->x[j * length + i];
            ck_assert_msg(same_bits(wanted, x), "%s, rank %d of %d, column %d, x[%d]: %a, %a",
                          way->name, rank, ranks, j, (int)i, x, wanted);
        }
}

static void fill(struct trial *problem, uint64_t seed)
{
    int64_t n = problem->A.n;
    problem->b = memory_array(RANK_COLUMNS * n, sizeof(double), "b", NULL);
    problem->x0 = memory_array(RANK_COLUMNS * n, sizeof(double), "x0", NULL);
    random_vector(seed, RANK_COLUMNS * n, problem->b);
    random_vector(seed + 1, RANK_COLUMNS * n, problem->x0);
    for (int64_t k = 0; k < RANK_COLUMNS * n; k++) {
        problem->b[k] = ldexp(problem->b[k], problem->way->exponent);
        problem->x0[k] = ldexp(problem->x0[k], problem->way->exponent);
    }
}

static void release(struct trial *problem)
{
    memory_free(problem->b);
    memory_free(problem->x0);
    csr_free(&problem->A);
    ck_assert_int_eq(memory_live(), 0);
}

/* What a maker can make again, unless each rank sets up a preconditioner for all rows. */
static void forget_rows(const struct rank_way *way, struct csr *A)
{
    struct csr made = *A;
    bool whole = way->preconditioner && (strcmp(way->preconditioner, "multigrid") == 0 ||
                                         (way->block && strcmp(way->block, "block=7") == 0));
    if (!A->maker || whole)
        return;
    csr_free(A);
    *A = csr_made(made.kind, made.n, made.maker, made.maker_options);
}

static void try_all(struct trial *problem, const int *counts)
{
    static struct found alone, found[RANKS];
    const struct rank_way *way = problem->way;
    memset(&alone, 0, sizeof alone);
    alone.problem = problem;
    alone.threads = 2;
    solve_rank(&alone);
    expect_ok(alone.status, &alone.error);
    ck_assert(!way->restarts || alone.results[0].restarts > 0);
    for (; *counts; counts++) {
        forget_rows(way, &problem->A);
        solve_over(problem, *counts, found);
        for (int r = 0; r < *counts; r++) {
            /* how many rows come behind an interruption is a matter of what was sent by then */
            expect_same(way->interrupted_at ? &found[0] : &alone, &found[r], r, *counts);
        }
        for (int r = 0; r < *counts; r++)
            for (int j = 0; j < RANK_COLUMNS; j++)
                solver_result_free(&found[r].results[j]);
    }
    for (int j = 0; j < RANK_COLUMNS; j++)
        solver_result_free(&alone.results[j]);
    release(problem);
}

void rank_trial_grid(const struct rank_way *way, const int *counts)
{
    struct trial problem = {.way = way};
    grid(SIDE, way->restarts ? 1 : 100, &problem.A);
    if (way->restarts)
        cut_off(&problem.A, N / 3);
    if (problem.way->method == &method_skew) {
        problem.A.kind = CSR_SKEW;
        for (int64_t i = 0; i < N; i++)
            problem.A.values[problem.A.offsets[i]] = 0;
    }
    fill(&problem, test_seed());
    try_all(&problem, counts);
}
void rank_trial_anywhere(const struct rank_way *way, const int *counts)
{
    struct trial problem = {.way = way};
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
    try_all(&problem, counts);
}

void rank_trial_made(const struct rank_way *way, int which, const int *counts)
{
    struct poisson3d poisson = {{SIDE, SIDE, SIDE}, {1, 1, 1}, 10, 0, POISSON3D_DIRICHLET};
    struct fe_mesh mesh = {{11, 11, 11}, 3, 1e-3, .seed = 1};
    struct options options[RANK_GENERATORS] = {{&problem_poisson3d.component, &poisson},
                                               {&problem_fe_cube.component, &mesh}};
    struct trial problem = {.way = way};
    struct error error;
    expect_ok(problem_shape(&options[which], &problem.A, &error), &error);
    expect_ok(csr_store(&problem.A, &error), &error);
    fill(&problem, test_seed());
    try_all(&problem, counts);
}

void rank_trial_refused(const char *kernel, const char *preconditioner, int ranks)
{
    static struct found found[RANKS];
    struct rank_way way = {preconditioner, kernel, .method = &method_cg,
                           .preconditioner = preconditioner};
    struct poisson3d poisson = {{SIDE, SIDE, SIDE}, {1, 1, 1}, 1, -7, POISSON3D_DIRICHLET};
    struct options options = {&problem_poisson3d.component, &poisson};
    struct trial problem = {.way = &way};
    struct error error;
    expect_ok(problem_shape(&options, &problem.A, &error), &error);
    fill(&problem, test_seed());
    try_over(&problem, ranks, found);
    int named = 0;
    for (int r = 0; r < ranks; r++) {
        named += found[r].status == STATUS_CONFIG;
        if (found[r].status != STATUS_RANK) /* it has heard of another's end before */
            expect_error(found[r].status, STATUS_CONFIG, &found[r].error, "row 1 ",
                         "has -1 on the diagonal", NULL);
    }
    ck_assert_int_gt(named, 0);
    release(&problem);
}

void rank_trial_kernels(enum space_kind kind, const int *counts)
{
    int count;
    const struct kernel *const *kernels = kernel_list(&count);
    for (int k = 0; k < count; k++) {
        if (kernels[k]->space != kind || kernels[k]->guarantee != GUARANTEE_BITWISE)
            continue;
        struct rank_way way = {.name = kernels[k]->component.name,
                               .kernel = kernels[k]->component.name,
                               .method = &method_minres};
        struct trial problem = {.way = &way};
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
        if (kernels[k]->sums_by_matrix) {
            static struct found found[2];
            try_over(&problem, 2, found);
            for (int r = 0; r < 2; r++)
                expect_error(found[r].status, STATUS_CONFIG, &found[r].error,
                             "from the whole matrix", NULL);
            release(&problem);
        } else {
            try_all(&problem, counts);
        }
    }
}
