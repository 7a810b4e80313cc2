#include "solver/column_trials.h"

#include "support.h"

#include "base/random.h"
#include "options.h"
#include "rows.h"
#include "solver/cg/cg.h"
#include "solver/minres/minres.h"
#include "solver/solve.h"
#include "spmv/preconditioner.h"

#include <math.h>
#include <string.h>

enum { SIDE = 9, N = SIDE * SIDE * SIDE, COLUMNS = 33, ROWS = 900 };

/* The rows that were shown, of each column. */
struct shown {
    const struct method *method;
    int64_t asks_at; /* in which row of column 1 the observer asks for the end; -1: never */
    bool asked;
    int64_t rows[COLUMNS];
    struct kept_row row[COLUMNS][ROWS];
};

/* All that solves by a way are given. */
struct given {
    struct csr A, told; /* and what of it the solver is told */
    struct space *space;
    struct space_operations operations; /* of the space, with another number of turns at once */
    struct linear_operator spmv, M;
    struct solver_options options;
    double B[COLUMNS][N], X0[COLUMNS][N], X[COLUMNS][N], x[N];
    const double *start;
    bool on_device; /* several columns are solved in the memory of the space */
    struct solver_result results[COLUMNS], result;
    int64_t columns;
};

static struct given given;
static struct shown together, alone;

static enum status see(void *context, const struct event *event, struct error *error)
{
    struct shown *shown = context;
    int64_t j = event->column, *rows = &shown->rows[j];
    (void)error;
    ck_assert_int_eq(event->kind, EVENT_ROW);
    ck_assert_int_lt(*rows, ROWS);
    ck_assert_int_eq(event->iteration, *rows); /* each once, and in order */
    shown->row[j][(*rows)++] = row_kept(shown->method, event);
    bool asks = j == 1 && event->iteration == shown->asks_at;
    shown->asked = shown->asked || asks;
    return asks ? STATUS_INTERRUPTED : STATUS_OK;
}

static void clear(struct shown *shown)
{
    memset(shown->rows, 0, sizeof shown->rows);
    shown->method = given.options.method;
    shown->asks_at = -1;
    shown->asked = false;
}

/* --- what is solved --------------------------------------------------------------------------- */

/* Column 2 is 0, 3 equals column 0, and 4 is a multiple of column 1. Column 5 has one entry. */
static void fill_columns(uint64_t *seed)
{
    for (int64_t j = 0; j < COLUMNS; j++) {
        random_vector(*seed + (uint64_t)j, N, given.B[j]);
        random_vector(*seed + 100 + (uint64_t)j, N, given.X0[j]);
    }
    *seed += 1000;
    memset(given.B[2], 0, sizeof given.B[2]);
    memcpy(given.B[3], given.B[0], sizeof given.B[3]);
    memcpy(given.X0[3], given.X0[0], sizeof given.X0[3]);
    memset(given.B[5], 0, sizeof given.B[5]);
    given.B[5][N / 3] = 1;
    for (int64_t i = 0; i < N; i++)
        given.B[4][i] = -8 * given.B[1][i];
    if (given.start) /* no solve begins elsewhere than at 0 with b = 0 */
        given.B[2][0] = 1e-3;
}

static void precondition(const char *name, const char *option)
{
    struct error error;
    struct options wanted = test_options(COMPONENT_PRECONDITIONER, name, option, NULL);
    expect_ok(preconditioner_create(&wanted, &given.A, NULL, &given.spmv, &given.M, &error),
              &error);
    given.options.preconditioner = &given.M;
    options_free(&wanted);
}

static int ahead;

static int times_ahead(const struct space *space, int64_t n)
{
    (void)space, (void)n;
    return ahead;
}

static const struct operator_table *given_table;

static enum status never_sweep(void *state, const struct operands *operands, struct error *error)
{
    ck_assert_msg(operands->columns <= 1, "a sweep for %d columns", operands->columns);
    return given_table->apply(state, operands, error);
}

/* A kernel that has a sweep for several columns, of which no bits are promised. */
static void take_sweep(void)
{
    static struct operator_table table;
    given_table = given.spmv.table;
    table = *given_table;
    table.apply = never_sweep;
    given.spmv.table = &table;
    given.spmv.can = (given.spmv.can & ~(unsigned)OPERATOR_COLUMNS) | OPERATOR_APART;
}

static void begin(const struct columns_way *way, uint64_t *seed)
{
    struct error error;
    const struct kernel *kernel = kernel_find(way->kernel);
    struct space_options space = {.reductions = way->reductions,
                                  .threads = 1 + (int)test_random_below(seed, 3)};
    struct kernel_options defaults = kernel_defaults(kernel);
    memset(&given, 0, sizeof given);
    grid(SIDE, way->restarts ? 1 : 100, &given.A);
    if (way->restarts)
        cut_off(&given.A, N / 3);
    if (way->indefinite)
        given.A.values[given.A.offsets[N / 2]] *= -1;
    if (way->method == &method_skew)
        given.A.kind = CSR_SKEW;
    for (int64_t i = 0; i < N && way->method == &method_skew; i++)
        given.A.values[given.A.offsets[i]] = 0;
    given.start = way->started ? given.X0[0] : NULL;
    given.on_device = test_random_below(seed, 2);
    fill_columns(seed);
    expect_ok(space_create(kernel->space, &space, &given.space, &error), &error);
    given.operations = *given.space->operations;
    ahead = way->ahead;
    if (ahead > 0)
        given.operations.replay_times = times_ahead;
    given.space->operations = &given.operations;
    expect_ok(operator_create(kernel, &given.A, &defaults, given.space, &given.spmv, &error),
              &error);
    given.told = given.A;
    if (way->other_sums)
        take_sweep();
    if (way->by_products)
        given.told = (struct csr){.kind = given.A.kind, .n = N, .width = N};
    given.options = (struct solver_options){.method = way->method,
                                            .tolerance = 1e-8,
                                            .max_iterations = way->most ? way->most : ROWS - 1,
                                            .shift = way->shift,
                                            .relaxation = way->relaxation,
                                            .columns = way->apart ? SOLVER_COLUMNS_APART
                                                                  : SOLVER_COLUMNS_TOGETHER};
    if (way->preconditioner)
        precondition(way->preconditioner, way->its_option);
}

static void end(void)
{
    operator_destroy(&given.M);
    operator_destroy(&given.spmv);
    given.space->operations->destroy(given.space);
    csr_free(&given.A);
    ck_assert_int_eq(memory_live(), 0);
}

/* With B, X0 and X in the memory of the space. */
static enum status solve_on_device(int64_t columns, const struct observer *observer,
                                   struct error *error)
{
    struct solver_options options = given.options;
    struct space *space = options.memory = given.space;
    int64_t count = columns * N;
    double *vectors[3] = {NULL, NULL, NULL};
    const double *from[3] = {given.B[0], given.X[0], given.start};
    enum status status = STATUS_OK;
    for (int k = 0; k < 3 && !status && from[k]; k++) {
        status = space_vector(space, count, "columns", &vectors[k], error);
        if (!status)
            status = space_upload(space, count, from[k], vectors[k], error);
    }
    if (!status)
        status = solver_solve_columns(&given.spmv, &given.told, columns, vectors[0], vectors[2],
                                      &options, observer, vectors[1], given.results, error);
    if (!status)
        status = space_download(space, count, vectors[1], given.X[0], error);
    for (int k = 0; k < 3; k++)
        space_release(space, vectors[k]);
    return status;
}

static enum status solve_columns(int64_t columns, struct shown *shown, struct error *error)
{
    struct observer observer = {.wants = 1u << EVENT_ROW, .see = see, .context = shown};
    clear(shown);
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < N; i++)
            given.X[j][i] = NAN;
    given.columns = columns;
    if (given.on_device)
        return solve_on_device(columns, &observer, error);
    return solver_solve_columns(&given.spmv, &given.told, columns, given.B[0], given.start,
                                &given.options, &observer, given.X[0], given.results, error);
}

static void solve_alone(int64_t j)
{
    struct error error;
    struct observer observer = {.wants = 1u << EVENT_ROW, .see = see, .context = &alone};
    clear(&alone);
    expect_ok(solver_solve(&given.spmv, &given.told, given.B[j], given.start ? given.X0[j] : NULL,
                           &given.options, &observer, given.x, &given.result, &error),
              &error);
}

/* --- one beside the other --------------------------------------------------------------------- */

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static void expect_same_results(const struct solver_result *a, const struct solver_result *b)
{
    ck_assert_int_eq(a->reason, b->reason);
    ck_assert_int_eq(a->iterations, b->iterations);
    ck_assert_int_eq(a->products, b->products);
    ck_assert(same_bits(a->residual, b->residual));
    ck_assert(same_bits(a->true_residual, b->true_residual));
    ck_assert(same_bits(a->rhs_norm, b->rhs_norm));
    ck_assert(same_bits(a->curvature, b->curvature));
    ck_assert(same_bits(a->ritz_low, b->ritz_low));
    ck_assert(same_bits(a->ritz_high, b->ritz_high));
}

/* Column j as far as it was shown, and where it has come to its end all of it. */
static void expect_column(int64_t columns, int64_t j)
{
    ck_assert_msg(together.rows[j] == alone.rows[0], "column %d of %d: %d rows, alone %d", (int)j,
                  (int)columns, (int)together.rows[j], (int)alone.rows[0]);
    for (int64_t k = 0; k < alone.rows[0]; k++)
        for (int s = 0; s < SERIES_MOST; s++)
            ck_assert_msg(same_bits(together.row[j][k].values[s], alone.row[0][k].values[s]),
                          "column %d of %d, row %d, series %d: %a, alone %a", (int)j, (int)columns,
                          (int)k, s, together.row[j][k].values[s], alone.row[0][k].values[s]);
    expect_same_results(&given.results[j], &given.result);
    for (int64_t i = 0; i < N; i++)
        ck_assert_msg(same_bits(given.X[j][i], given.x[i]), "column %d of %d, x[%d]", (int)j,
                      (int)columns, (int)i);
}

void trial_columns_of(const struct columns_way *way)
{
    static const int64_t counts[] = {1, 2, 3, 5, 8, COLUMNS};
    uint64_t seed = test_seed();
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        struct error error;
        begin(way, &seed);
        expect_ok(solve_columns(counts[k], &together, &error), &error);
        for (int64_t j = 0; j < counts[k]; j++) {
            solve_alone(j);
            expect_column(counts[k], j);
            ck_assert(j != 0 || way->restarts == (given.result.restarts > 0));
            solver_result_free(&given.result);
            solver_result_free(&given.results[j]);
        }
        end();
        if (test_is_slow() && k > 3)
            break;
    }
}

void trial_interrupted_columns(const struct columns_way *way)
{
    uint64_t seed = test_seed();
    struct error error;
    begin(way, &seed);
    struct observer observer = {.wants = 1u << EVENT_ROW, .see = see, .context = &together};
    clear(&together);
    together.asks_at = 5;
    expect_ok(solver_solve_columns(&given.spmv, &given.told, 7, given.B[0], given.start,
                                   &given.options, &observer, given.X[0], given.results, &error),
              &error);
    ck_assert(together.asked);
    for (int64_t j = 0; j < 7; j++) {
        int64_t last = given.results[j].iterations;
        ck_assert_int_eq(together.rows[j], last + 1);
        if (given.results[j].reason != REASON_INTERRUPTED)
            continue; /* it had ended by itself */
        ck_assert(last >= 5 && last <= 5 + 2 * 16);
        given.options.max_iterations = last;
        solve_alone(j);
        given.result.reason = REASON_INTERRUPTED; /* the iteration limit */
        given.result.curvature = NAN;
        given.options.max_iterations = ROWS - 1;
        expect_column(7, j);
        solver_result_free(&given.results[j]);
        solver_result_free(&given.result);
    }
    end();
}

/* --- together, or apart ----------------------------------------------------------------------- */

static enum status note_order(void *context, const struct event *event, struct error *error)
{
    int64_t *last = context; /* the column of the row before; and 1 where one came back */
    (void)error;
    last[1] = last[1] || event->column < last[0];
    last[0] = event->column;
    return STATUS_OK;
}

bool columns_are_together(const struct csr *A, const char *name, const struct method *method,
                          const char *preconditioner)
{
    enum { FOUR = 4 };
    const struct kernel *kernel = kernel_find(name);
    struct kernel_options defaults = kernel_defaults(kernel);
    struct space_options one = {.threads = 1};
    struct solver_options options = {.method = method, .tolerance = 1e-8, .max_iterations = 9};
    struct solver_result results[FOUR];
    struct space *space;
    struct linear_operator spmv, M = {0};
    struct error error;
    int64_t last[2] = {0, 0};
    struct observer observer = {.wants = 1u << EVENT_ROW, .see = note_order, .context = last};
    double *B = memory_array(2 * FOUR * A->n, sizeof *B, "a test", &error);
    random_vector(1, FOUR * A->n, B);
    expect_ok(space_create(kernel->space, &one, &space, &error), &error);
    expect_ok(operator_create(kernel, A, &defaults, space, &spmv, &error), &error);
    if (preconditioner) {
        struct options wanted = test_options(COMPONENT_PRECONDITIONER, preconditioner, NULL);
        expect_ok(preconditioner_create(&wanted, A, NULL, &spmv, &M, &error), &error);
        options.preconditioner = &M;
        options_free(&wanted);
    }
    expect_ok(solver_solve_columns(&spmv, A, FOUR, B, NULL, &options, &observer, B + FOUR * A->n,
                                   results, &error),
              &error);
    for (int j = 0; j < FOUR; j++)
        solver_result_free(&results[j]);
    operator_destroy(&M);
    operator_destroy(&spmv);
    space->operations->destroy(space);
    memory_free(B);
    return last[1];
}

/* --- memory ----------------------------------------------------------------------------------- */

static enum status attempt(void *context, struct error *error)
{
    (void)context;
    enum status status = solve_columns(3, &together, error);
    for (int64_t j = 0; j < 3 && !status; j++)
        solver_result_free(&given.results[j]);
    return status;
}

void trial_failing_columns(const struct columns_way *way)
{
    uint64_t seed = test_seed();
    begin(way, &seed);
    given.options.max_iterations = 3;
    struct error error;
    expect_ok(attempt(NULL, &error), &error); /* the space keeps what it needs for its sums */
    walk_allocation_failures(attempt, NULL);
    end();
}
