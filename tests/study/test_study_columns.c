/* A study of several right-hand sides: each column is the study of that column alone, bit for bit,
 * whatever the others are. */
#include "support.h"

#include "base/random.h"
#include "solver/cg/cg.h"
#include "solver/minres/minres.h"
#include "study/disturbed.h"
#include "study/study.h"

#include <math.h>
#include <string.h>

enum { COLUMNS = 5, REPEATS = 2 };

/* Random, 0, equal to the first, twice the first, and all 1. */
static double B[COLUMNS][N], X0[COLUMNS][N];

static void given_columns(void)
{
    given_grid();
    random_vector(1, N, B[0]);
    memset(B[1], 0, sizeof B[1]);
    memcpy(B[2], B[0], sizeof B[0]);
    for (int64_t i = 0; i < N; i++) {
        B[3][i] = 2 * B[0][i];
        B[4][i] = 1;
    }
    for (int64_t j = 0; j < COLUMNS; j++)
        random_vector(j + 7, N, X0[j]);
}

/* What is studied. */
struct given_study {
    const char *kernel, *preconditioner;
    const struct method *method;
    bool started;
    const int32_t *number;
    int64_t max_iterations;
};

/* Columns first ... first + count - 1. */
static enum status run(const struct given_study *of, int64_t first, int64_t count,
                       const struct observer *observer, struct study_kernel *results,
                       struct error *error)
{
    struct space *space;
    struct space_options wanted = {.reductions = REDUCTIONS_REPRODUCIBLE, .threads = 2};
    const struct kernel *kernel = kernel_find(of->kernel);
    struct study_entry entry = {
        .kernel = kernel, .options = kernel_defaults(kernel), .label = "a label"};
    struct study_system system = {&given.A, B[first], of->number, of->started ? X0[first] : NULL,
                                  count};
    struct solver_options options = {
        .method = of->method, .tolerance = 1e-9, .max_iterations = of->max_iterations};
    enum status status = STATUS_OK;
    if (of->preconditioner)
        status = options_create(component_find(COMPONENT_PRECONDITIONER, of->preconditioner),
                                &entry.preconditioner, error);
    if (!status)
        status = space_cpu_create(&wanted, &space, error);
    if (!status) {
        status =
            study_kernel_run(&entry, &system, space, &options, REPEATS, observer, results, error);
        space->operations->destroy(space);
    }
    options_free(&entry.preconditioner);
    return status;
}

static void free_all(struct study_kernel *results, int64_t count)
{
    for (int64_t j = 0; j < count; j++)
        study_kernel_free(&results[j]);
}

/* All but the times and the column. */
static void expect_equal(const struct study_kernel *column, const struct study_kernel *alone)
{
    ck_assert_int_eq(column->runs_count, alone->runs_count);
    ck_assert_int_eq(column->iterations_min, alone->iterations_min);
    ck_assert_int_eq(column->iterations_max, alone->iterations_max);
    ck_assert(column->distinct_histories == 1 && column->distinct_solutions == 1);
    ck_assert(column->solution_spread == 0 && column->first_divergence == -1);
    ck_assert(column->started == alone->started);
    ck_assert_int_eq(column->envelope.count, alone->envelope.count);
    ck_assert_mem_eq(column->envelope.rows, alone->envelope.rows,
                     (size_t)alone->envelope.count * sizeof *alone->envelope.rows);
    for (int64_t r = 0; r < alone->runs_count; r++) {
        const struct study_run *its = &column->runs[r], *other = &alone->runs[r];
        ck_assert_int_eq(its->run, r + 1);
        ck_assert_int_eq(its->column, column->column);
        ck_assert_uint_eq(its->history_hash, other->history_hash);
        ck_assert_uint_eq(its->solution_hash, other->solution_hash);
        ck_assert_int_eq(its->result.iterations, other->result.iterations);
        ck_assert_int_eq(its->result.reason, other->result.reason);
        ck_assert_mem_eq(&its->result.true_residual, &other->result.true_residual, sizeof(double));
    }
}

/* Numberings are tested with one that the columns would notice. */
static const int32_t *random_numbering(void)
{
    uint64_t state = test_seed();
    return test_random_numbering(N, &state);
}

START_TEST(each_column_is_its_own_study)
{
    static const struct given_study cases[] = {
        {"cpu_sym_bitwise", NULL, &method_cg, false, NULL, 200},
        {"cpu_csr", NULL, &method_cg, true, NULL, 200},
        {"cpu_csr", "jacobi", &method_minres, false, NULL, 200},
        {"cpu_sym_bitwise", "jacobi", &method_cg, true, NULL, 200},
        {"cpu_sym_bitwise", NULL, &method_minres, true, NULL, 7}, /* some do not converge */
    };
    struct error error;
    given_columns();
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int numbered = 0; numbered < 2; numbered++) {
            struct given_study of = cases[k];
            if (of.started) /* a solve from elsewhere is not asked for b = 0 */
                random_vector(99, N, B[1]);
            else
                memset(B[1], 0, sizeof B[1]);
            const int32_t *number = of.number = numbered ? random_numbering() : NULL;
            struct study_kernel columns[COLUMNS], alone;
            expect_ok(run(&of, 0, COLUMNS, NULL, columns, &error), &error);
            for (int64_t j = 0; j < COLUMNS; j++) {
                ck_assert_int_eq(columns[j].column, j);
                ck_assert_str_eq(columns[j].label, "a label");
                expect_ok(run(&of, j, 1, NULL, &alone, &error), &error);
                ck_assert_int_eq(alone.column, 0);
                expect_equal(&columns[j], &alone);
                study_kernel_free(&alone);
            }
            bool same = columns[0].runs[0].history_hash == columns[2].runs[0].history_hash;
            ck_assert(same || of.started);
            free_all(columns, COLUMNS);
            memory_free((void *)(uintptr_t)number);
        }
    csr_free(&given.A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* What an observer has seen. */
struct seen {
    int64_t rows[COLUMNS]; /* of the run that goes on */
    int64_t solutions, ended;
    int64_t stop_run, stop_row; /* where it wishes the end; 0: nowhere */
    uint64_t hashes[COLUMNS];   /* of the solutions of the last run */
};

static enum status see(void *context, const struct event *event, struct error *error)
{
    struct seen *seen = context;
    (void)error;
    ck_assert_str_eq(event->label, "a label");
    if (event->kind == EVENT_ROW) {
        ck_assert(event->column >= 0 && event->column < COLUMNS);
        ck_assert_int_eq(event->iteration, seen->rows[event->column]++);
        ck_assert_int_eq(event->run, seen->ended + 1);
        return event->run == seen->stop_run && event->iteration == seen->stop_row
                   ? STATUS_INTERRUPTED
                   : STATUS_OK;
    }
    if (event->kind == EVENT_SOLUTION) {
        seen->solutions++;
        for (int64_t j = 0; j < COLUMNS; j++)
            seen->hashes[j] = test_hash_vector(event->values + j * N, N);
        return STATUS_OK;
    }
    ck_assert_int_eq(event->kind, EVENT_RUN_ENDED);
    ck_assert_int_eq(++seen->ended, event->run);
    ck_assert_int_eq(seen->ended, seen->solutions);
    for (int64_t j = 0; j < COLUMNS; j++)
        ck_assert_int_gt(seen->rows[j], 0);
    memset(seen->rows, 0, sizeof seen->rows);
    return STATUS_OK;
}

static const struct given_study standard = {"cpu_sym_bitwise", NULL, &method_cg, false, NULL, 200};

static struct observer observer_of(struct seen *seen)
{
    return (struct observer){.wants =
                                 1u << EVENT_ROW | 1u << EVENT_SOLUTION | 1u << EVENT_RUN_ENDED,
                             .see = see,
                             .context = seen};
}

START_TEST(all_columns_are_seen)
{
    struct error error;
    struct seen seen = {.ended = 0};
    struct observer observer = observer_of(&seen);
    struct study_kernel columns[COLUMNS];
    given_columns();
    expect_ok(run(&standard, 0, COLUMNS, &observer, columns, &error), &error);
    ck_assert_int_eq(seen.ended, REPEATS);
    for (int64_t j = 0; j < COLUMNS; j++)
        ck_assert_uint_eq(seen.hashes[j], columns[j].runs[REPEATS - 1].solution_hash);
    free_all(columns, COLUMNS);
    csr_free(&given.A);
}
END_TEST

/* A wish in one column ends all of them, and the study. */
START_TEST(a_run_of_columns_is_interrupted)
{
    struct error error;
    struct study_kernel columns[COLUMNS], whole[COLUMNS];
    given_columns();
    expect_ok(run(&standard, 0, COLUMNS, NULL, whole, &error), &error);
    for (int64_t stop = 1; stop <= REPEATS; stop++) {
        struct seen seen = {.stop_run = stop, .stop_row = 3};
        struct observer observer = observer_of(&seen);
        expect_ok(run(&standard, 0, COLUMNS, &observer, columns, &error), &error);
        ck_assert_int_eq(seen.ended, stop);
        const struct study_run *cut = study_kernel_interrupted(&columns[0]);
        ck_assert_ptr_nonnull(cut);
        ck_assert_int_eq(cut->run, stop);
        for (int64_t j = 0; j < COLUMNS; j++) {
            const struct study_run *first = &columns[j].runs[0];
            ck_assert_int_ge(columns[j].runs_count, 1);
            if (stop > 1)
                ck_assert_uint_eq(first->history_hash, whole[j].runs[0].history_hash);
        }
        /* b = 0 is done before anybody wishes anything, or not at all */
        ck_assert_int_eq(columns[1].runs[0].result.iterations, 0);
        free_all(columns, COLUMNS);
    }
    free_all(whole, COLUMNS);
    csr_free(&given.A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

static enum status attempt(void *context, struct error *error)
{
    struct study_kernel columns[COLUMNS], all = {0};
    enum status status = run(context, 0, COLUMNS, NULL, columns, error);
    if (status)
        return status;
    status = study_join(columns, COLUMNS, &all, error);
    study_joined_free(&all);
    free_all(columns, COLUMNS);
    return status;
}

START_TEST(any_allocation_may_fail)
{
    struct given_study of = standard;
    given_columns();
    of.number = random_numbering();
    walk_allocation_failures(attempt, &of);
    memory_free((void *)(uintptr_t)of.number);
    csr_free(&given.A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(eigenvalues_have_no_columns)
{
    struct error error;
    struct given_study of = standard;
    struct study_kernel columns[COLUMNS];
    given_columns();
    of.method = method_find("lanczos");
    expect_error(run(&of, 0, COLUMNS, NULL, columns, &error), STATUS_CONFIG, &error, "lanczos",
                 "not several", NULL);
    csr_free(&given.A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* --- joined, and promises --------------------------------------------------------------------- */

START_TEST(columns_are_joined)
{
    struct study_run first[] = {
        {.run = 1, .column = 0, .result = {.iterations = 10, .seconds = 40}},
        {.run = 2, .column = 0, .result = {.iterations = 12, .seconds = 80}}};
    struct study_run second[] = {
        {.run = 1, .column = 1, .result = {.iterations = 20, .seconds = 40}},
        {.run = 2, .column = 1, .result = {.iterations = 16, .seconds = 80}}};
    struct study_kernel columns[] = {{.label = "k",
                                      .runs = first,
                                      .runs_count = 2,
                                      .iterations_min = 10,
                                      .iterations_max = 12,
                                      .distinct_histories = 2,
                                      .distinct_solutions = 1,
                                      .first_divergence = -1,
                                      .first_apart = 9,
                                      .solution_spread = 0.25},
                                     {.label = "k",
                                      .column = 1,
                                      .runs = second,
                                      .runs_count = 2,
                                      .iterations_min = 16,
                                      .iterations_max = 20,
                                      .distinct_histories = 1,
                                      .distinct_solutions = 2,
                                      .first_divergence = 4,
                                      .first_apart = 3,
                                      .solution_spread = NAN}};
    struct study_kernel all;
    struct error error;
    expect_ok(study_join(columns, 2, &all, &error), &error);
    ck_assert_int_eq(study_joined_columns(&all), 2);
    ck_assert_int_eq(all.runs_count, 4);
    ck_assert(all.iterations_min == 10 && all.iterations_max == 20 && all.iterations_median == 14);
    ck_assert(all.distinct_histories == 2 && all.distinct_solutions == 2);
    ck_assert(all.first_divergence == 4 && all.first_apart == 3 && isnan(all.solution_spread));
    ck_assert(all.seconds_per_iteration == 3.5); /* 40 / 20 and 80 / 16 */
    ck_assert(all.runs[3].column == 1 && all.runs[3].run == 2);
    study_joined_free(&all);
    expect_ok(study_join(&columns[1], 1, &all, &error), &error);
    ck_assert_int_eq(study_joined_columns(&all), 1);
    study_joined_free(&all);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* One kernel with two numbers of threads: the columns of one are held against the same columns of
 * the other, and never against each other. */
START_TEST(promises_are_kept_column_by_column)
{
    struct study_run runs[4] = {
        {.history_hash = 1}, {.history_hash = 2}, {.history_hash = 1}, {.history_hash = 2}};
    struct study_kernel kernels[4];
    const struct study_kernel *other;
    for (int k = 0; k < 4; k++)
        kernels[k] = (struct study_kernel){.label = "k",
                                           .column = k % 2,
                                           .kernel = kernel_find("cpu_csr"),
                                           .reductions = REDUCTIONS_REPRODUCIBLE,
                                           .threads = 1 + k / 2,
                                           .runs = &runs[k],
                                           .runs_count = 1,
                                           .distinct_histories = 1};
    for (int k = 0; k < 4; k++)
        ck_assert(!promise_is_broken(kernels, k, &other));
    runs[3].history_hash = 1;
    ck_assert(!promise_is_broken(kernels, 2, &other));
    ck_assert(promise_is_broken(kernels, 3, &other));
    ck_assert_ptr_eq(other, &kernels[1]);
}
END_TEST

START_TEST(an_eigenvector_is_one_in_all_columns)
{
    struct solver_options options = {.method = &method_cg};
    struct study_run runs[4] = {{.run = 1}};
    struct study_kernel kernels[4];
    for (int k = 0; k < 4; k++)
        kernels[k] = (struct study_kernel){.column = k % 2,
                                           .runs = &runs[k],
                                           .runs_count = 1,
                                           .iterations_min = 1,
                                           .iterations_max = 1};
    ck_assert_ptr_eq(study_of_eigenvector(&options, kernels, 4), &kernels[0]);
    kernels[1].iterations_max = 2;
    ck_assert_ptr_eq(study_of_eigenvector(&options, kernels, 4), &kernels[2]);
    kernels[2].iterations_min = 0;
    ck_assert_ptr_null(study_of_eigenvector(&options, kernels, 4));
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {each_column_is_its_own_study,
                            all_columns_are_seen,
                            a_run_of_columns_is_interrupted,
                            any_allocation_may_fail,
                            eigenvalues_have_no_columns,
                            columns_are_joined,
                            promises_are_kept_column_by_column,
                            an_eigenvector_is_one_in_all_columns,
                            NULL};
    return suite_of("study/study_columns", tests);
}
