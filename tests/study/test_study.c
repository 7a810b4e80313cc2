/* What a study says of runs that are known beforehand: a kernel made here disturbs chosen products
 * of chosen runs. */
#include "support.h"

#include "base/hash.h"
#include "base/threads.h"
#include "matrices.h"
#include "problem/poisson3d.h"
#include "problem/rhs.h"
#include "study/study.h"

#include <math.h>
#include <string.h>

enum { SIDE = 6, N = SIDE * SIDE * SIDE };

static struct {
    struct csr A;
    double b[N];
    const int32_t *number;
} given; /* the system of the test */

/* Product `at` of a run, counted from 0, is multiplied by the factor; at = -1: none is. LITTLE goes
 * to its first element alone: a factor of all of them is taken back by alpha. */
#define LITTLE (1 + 0x1p-30)

struct disturbance {
    int64_t at;
    double factor;
};

static struct {
    const struct disturbance *runs; /* one for each */
    int64_t run, product;           /* the ones that go on */
    int64_t setups, destroys;
} fake;

static enum status fake_setup(const struct csr *A, const struct kernel_options *options,
                              struct space *space, void **state, struct error *error)
{
    (void)space, (void)error;
    ck_assert_int_eq(options->values[0], 5);
    fake.run = fake.product = -1;
    fake.setups++;
    *state = (void *)A;
    return STATUS_OK;
}

static enum status fake_apply(void *state, const double *x, double *y, struct error *error)
{
    (void)error;
    const struct csr *A = state;
    csr_multiply(A, x, y);
    fake.product++;
    /* the first product of every run is that of p = b */
    if (memcmp(x, given.b, (size_t)A->n * sizeof *x) == 0) {
        fake.run++;
        fake.product = 0;
    }
    if (fake.runs[fake.run].at == fake.product)
        for (int64_t i = 0; i < (fake.runs[fake.run].factor == LITTLE ? 1 : A->n); i++)
            y[i] *= fake.runs[fake.run].factor;
    return STATUS_OK;
}

static int64_t fake_bytes(const void *state)
{
    return ((const struct csr *)state)->n;
}

static void fake_destroy(void *state)
{
    (void)state;
    fake.destroys++;
}

static const struct kernel_parameter fake_parameters[] = {
    {.name = "five", .meaning = "must be 5", .minimum = 1, .maximum = 9, .standard = 3}, {0}};

static const struct kernel fake_kernel = {
    .name = "fake",
    .summary = "disturbs chosen products",
    .space = SPACE_CPU,
    .kinds = CSR_SYMMETRIC | CSR_SKEW,
    .parameters = fake_parameters,
    .setup = fake_setup,
    .apply = fake_apply,
    .bytes_per_apply = fake_bytes,
    .memory_bytes = fake_bytes,
    .destroy = fake_destroy,
};

static void grid(void)
{
    struct error error;
    struct poisson3d poisson = {{SIDE, SIDE, SIDE}, {1, 1, 1}, 10};
    expect_ok(poisson3d_create(&poisson, &given.A, &error), &error);
    random_vector(1, N, given.b);
}

static enum status try_study(const struct kernel *kernel, int64_t repeats,
                             const struct study_observer *observer, struct study_kernel *result,
                             struct error *error)
{
    struct space *space;
    struct study_entry entry = {kernel, {{5}}, "a label"};
    struct study_system system = {&given.A, given.b, given.number};
    struct cg_options options = {1e-10, 200};
    enum status status = space_cpu_create(REDUCTIONS_REPRODUCIBLE, &space, error);
    if (status)
        return status;
    if (kernel != &fake_kernel)
        entry.options = kernel_defaults(kernel);
    status = study_kernel_run(&entry, &system, space, &options, repeats, observer, result, error);
    space->operations->destroy(space);
    return status;
}

/* As many runs as there are disturbances. The caller frees it. */
static struct study_kernel disturbed(int64_t repeats, const struct disturbance *runs)
{
    struct error error;
    struct study_kernel result;
    fake.runs = runs;
    expect_ok(try_study(&fake_kernel, repeats, NULL, &result, &error), &error);
    ck_assert_str_eq(result.label, "a label");
    ck_assert_ptr_eq(result.kernel, &fake_kernel);
    ck_assert_int_eq(result.runs_count, repeats);
    ck_assert_int_eq(result.bytes_per_apply, given.A.n);
    ck_assert_int_eq(result.memory_bytes, given.A.n);
    ck_assert(result.setup_seconds >= 0);
    for (int64_t k = 0; k < repeats; k++)
        ck_assert_int_eq(result.runs[k].run, k + 1);
    return result;
}

START_TEST(disturbed_runs_are_counted)
{
    static const struct {
        int64_t repeats;
        struct disturbance runs[6];
        int64_t distinct, divergence;
    } cases[] = {
        {1, {{-1, 1}}, 1, -1},
        {4, {{-1, 1}, {-1, 1}, {-1, 1}, {-1, 1}}, 1, -1},
        {4, {{9, LITTLE}, {9, LITTLE}, {9, LITTLE}, {9, LITTLE}}, 1, -1},
        {2, {{-1, 1}, {0, LITTLE}}, 2, 1},
        {2, {{12, LITTLE}, {-1, 1}}, 2, 13},
        {5, {{-1, 1}, {5, LITTLE}, {-1, 1}, {3, LITTLE}, {5, LITTLE}}, 3, 4},
        {6, {{2, LITTLE}, {5, LITTLE}, {-1, 1}, {8, LITTLE}, {5, LITTLE}, {2, LITTLE}}, 4, 3},
        {3, {{-1, 1}, {-1, 1}, {7, LITTLE}}, 2, 8},
    };
    grid();
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct study_kernel result = disturbed(cases[k].repeats, cases[k].runs);
        ck_assert_int_eq(result.distinct_histories, cases[k].distinct);
        ck_assert_int_eq(result.first_divergence, cases[k].divergence);
        ck_assert((result.solution_spread > 0) == (cases[k].distinct > 1));
        for (int64_t a = 0; a < cases[k].repeats; a++) {
            for (int64_t b = 0; b < a; b++) {
                bool same = cases[k].runs[a].at == cases[k].runs[b].at;
                ck_assert((result.runs[a].history_hash == result.runs[b].history_hash) == same);
                ck_assert((result.runs[a].solution_hash == result.runs[b].solution_hash) == same);
            }
        }
        study_kernel_free(&result);
        ck_assert_ptr_null(result.runs);
    }
    csr_free(&given.A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* A product with its sign turned ends the run there: p'Ap < 0, with the rows before it untouched.
 */
START_TEST(runs_of_different_lengths)
{
    static const struct {
        int64_t repeats, lengths[5], min, max;
        double median;
        int64_t distinct, divergence;
    } cases[] = {
        {1, {4}, 4, 4, 4, 1, -1},
        {3, {4, 4, 4}, 4, 4, 4, 1, -1},
        {2, {2, 5}, 2, 5, 3.5, 2, 3},
        {2, {5, 2}, 2, 5, 3.5, 2, 3},
        {3, {9, 1, 4}, 1, 9, 4, 3, 2},
        {4, {3, 7, 5, 2}, 2, 7, 4, 4, 3},
        {5, {6, 8, 8, 7, 6}, 6, 8, 7, 3, 7},
        {2, {0, 3}, 0, 3, 1.5, 2, 1},
    };
    grid();
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct disturbance runs[5];
        for (int r = 0; r < 5; r++)
            runs[r] = (struct disturbance){cases[k].lengths[r], -1};
        struct study_kernel result = disturbed(cases[k].repeats, runs);
        ck_assert_int_eq(result.iterations_min, cases[k].min);
        ck_assert_int_eq(result.iterations_max, cases[k].max);
        ck_assert(result.iterations_median == cases[k].median);
        ck_assert_int_eq(result.distinct_histories, cases[k].distinct);
        ck_assert_int_eq(result.first_divergence, cases[k].divergence);
        for (int64_t r = 0; r < cases[k].repeats; r++) {
            ck_assert_int_eq(result.runs[r].result.iterations, cases[k].lengths[r]);
            ck_assert_int_eq(result.runs[r].result.reason, REASON_NOT_POSITIVE);
        }
        study_kernel_free(&result);
    }
    csr_free(&given.A);
}
END_TEST

/* A = identity, and a product times 2^k gives x = b / 2^k in one exact iteration. */
START_TEST(the_spread_is_exact)
{
    static const struct disturbance runs[][3] = {
        {{0, 1}, {0, 2}, {0, 4}}, {{0, 4}, {0, 0.5}, {0, 1}}, {{0, 2}, {0, 2}, {0, 2}}};
    static const double spreads[] = {0.75, 0.875, 0};
    static const double b[] = {1, -2, 3, -4};
    memcpy(given.b, b, sizeof b);
    static const double identity[] = {1, 0, 0, 0, 1, 0, 0, 1, 0, 1};
    test_matrix_from_dense(4, identity, CSR_SYMMETRIC, &given.A);
    for (int k = 0; k < 3; k++) {
        struct study_kernel result = disturbed(3, runs[k]);
        ck_assert(result.solution_spread == spreads[k]);
        ck_assert_int_eq(result.distinct_histories, 1); /* ||b||, then 0 */
        ck_assert_int_eq(result.first_divergence, -1);
        for (int r = 0; r < 3; r++) {
            double x[4];
            for (int i = 0; i < 4; i++)
                x[i] = given.b[i] / runs[k][r].factor;
            ck_assert_uint_eq(result.runs[r].solution_hash, hash_vector(x, 4));
        }
        study_kernel_free(&result);
    }
    memset(given.b, 0, sizeof given.b);
    struct study_kernel result = disturbed(3, runs[0]); /* x = 0, and nothing to divide */
    ck_assert(result.solution_spread == 0 && result.seconds_per_iteration == 0);
    ck_assert(result.iterations_max == 0 && result.first_divergence == -1);
    study_kernel_free(&result);
    csr_free(&given.A);
}
END_TEST

static enum status attempt(void *context, struct error *error)
{
    struct study_kernel result = {0};
    enum status status = try_study(context, 2, NULL, &result, error);
    study_kernel_free(&result);
    return status;
}

/* The hash is that of x as the problem numbers it: with the identity, of b / 2. */
START_TEST(solutions_are_numbered_back)
{
    static const struct disturbance runs[] = {{0, 2}, {0, 2}};
    static const int32_t number[] = {2, 0, 3, 1};
    static const double identity[] = {1, 0, 0, 0, 1, 0, 0, 1, 0, 1}, x[] = {1, -2, 3, -4};
    test_matrix_from_dense(4, identity, CSR_SYMMETRIC, &given.A);
    for (int i = 0; i < 4; i++)
        given.b[number[i]] = 2 * x[i];
    given.number = number;
    struct study_kernel result = disturbed(2, runs);
    for (int r = 0; r < 2; r++)
        ck_assert_uint_eq(result.runs[r].solution_hash, hash_vector(x, 4));
    ck_assert(result.solution_spread == 0);
    study_kernel_free(&result);
    walk_allocation_failures(attempt, (void *)kernel_find("cpu_sym_bitwise"));
    given.number = NULL;
    csr_free(&given.A);
}
END_TEST

START_TEST(seconds_are_a_median)
{
    static const struct disturbance runs[3] = {{40, -1}, {3, -1}, {15, -1}};
    grid();
    struct study_kernel result = disturbed(3, runs);
    double a = study_run_seconds_per_iteration(&result.runs[0]);
    double b = study_run_seconds_per_iteration(&result.runs[1]);
    double c = study_run_seconds_per_iteration(&result.runs[2]);
    ck_assert(b == result.runs[1].result.seconds / 3);
    ck_assert(result.seconds_per_iteration == fmax(fmin(a, b), fmin(fmax(a, b), c)));
    struct study_run idle = {.result = {.iterations = 0, .seconds = 3}};
    ck_assert(study_run_seconds_per_iteration(&idle) == 0);
    study_kernel_free(&result);
    csr_free(&given.A);
}
END_TEST

/* What the observer has seen, and what it is to do about it. */
struct seen {
    int64_t run, rows;
    uint64_t hash;
    bool finished;
    int64_t stop_run, stop_row; /* stop_row = -1: when the run is finished */
    int threads;                /* > 0: to use from the next run on */
};

static enum status see_row(void *context, const char *label, int64_t run,
                           const struct history_row *row, struct error *error)
{
    struct seen *seen = context;
    ck_assert_str_eq(label, "a label");
    if (row->iteration == 0) {
        ck_assert_int_eq(run, seen->run + 1);
        ck_assert(run == 1 || seen->finished);
        *seen =
            (struct seen){run, 0, HASH_START, false, seen->stop_run, seen->stop_row, seen->threads};
    }
    ck_assert(run == seen->run && !seen->finished);
    ck_assert_int_eq(row->iteration, seen->rows++);
    seen->hash = hash_doubles(seen->hash, &row->residual, 1);
    if (run == seen->stop_run && row->iteration == seen->stop_row)
        return error_set(error, STATUS_OUTPUT, "stopped in a row");
    return STATUS_OK;
}

static enum status see_run(void *context, const char *label, const struct study_run *run,
                           struct error *error)
{
    struct seen *seen = context;
    ck_assert_str_eq(label, "a label");
    ck_assert(run->run == seen->run && !seen->finished);
    ck_assert_int_eq(run->result.iterations + 1, seen->rows);
    ck_assert_uint_eq(run->history_hash, seen->hash);
    seen->finished = true;
    if (seen->threads)
        threads_use(1 + (int)run->run % seen->threads);
    if (run->run == seen->stop_run)
        return error_set(error, STATUS_OUTPUT, "stopped at the end of a run");
    return STATUS_OK;
}

START_TEST(a_bitwise_kernel_has_one_history)
{
    struct error error;
    struct study_kernel result;
    grid();
    struct seen seen = {.threads = 7};
    struct study_observer observer = {see_row, see_run, &seen};
    const struct kernel *kernel = kernel_find("cpu_sym_bitwise");
    expect_ok(try_study(kernel, 9, &observer, &result, &error), &error);
    ck_assert_int_eq(seen.run, 9);
    ck_assert(seen.finished);
    ck_assert_int_eq(result.distinct_histories, 1);
    ck_assert_int_eq(result.first_divergence, -1);
    ck_assert(result.solution_spread == 0);
    ck_assert(result.iterations_min == result.iterations_max && result.iterations_min > 10);
    ck_assert(result.iterations_median == (double)result.iterations_min);
    ck_assert_int_gt(result.memory_bytes, 0);
    for (int64_t k = 0; k < 9; k++) {
        ck_assert_uint_eq(result.runs[k].history_hash, seen.hash);
        ck_assert_uint_eq(result.runs[k].solution_hash, result.runs[0].solution_hash);
    }
    study_kernel_free(&result);
    csr_free(&given.A);
}
END_TEST

START_TEST(an_observer_ends_the_study)
{
    static const struct disturbance none[3] = {{-1, 1}, {-1, 1}, {-1, 1}};
    static const int64_t stops[][2] = {{1, 0}, {1, 4}, {2, 0}, {3, 7}, {1, -1}, {3, -1}};
    grid();
    fake.runs = none;
    for (int k = 0; k < 6; k++) {
        struct error error;
        struct study_kernel result;
        struct seen seen = {.stop_run = stops[k][0], .stop_row = stops[k][1]};
        struct study_observer observer = {see_row, see_run, &seen};
        int64_t live = memory_live();
        fake.setups = fake.destroys = 0;
        expect_error(try_study(&fake_kernel, 3, &observer, &result, &error), STATUS_OUTPUT, &error,
                     stops[k][1] < 0 ? "stopped at the end of a run" : "stopped in a row", NULL);
        ck_assert_int_eq(seen.run, stops[k][0]);
        ck_assert(seen.finished == (stops[k][1] < 0));
        ck_assert(fake.setups == 1 && fake.destroys == 1);
        study_kernel_free(&result);
        ck_assert_int_eq(memory_live(), live);
    }
    csr_free(&given.A);
}
END_TEST

START_TEST(failures_leave_nothing_behind)
{
    static const struct disturbance runs[2] = {{-1, 1}, {4, LITTLE}};
    struct error error;
    struct study_kernel result;
    grid();
    fake.runs = runs;
    walk_allocation_failures(attempt, (void *)&fake_kernel);
    walk_allocation_failures(attempt, (void *)kernel_find("cpu_sym_bitwise"));
    given.A.kind = CSR_SKEW; /* refused by the solver; a general one, by the kernel */
    expect_error(try_study(&fake_kernel, 2, NULL, &result, &error), STATUS_CONFIG, &error,
                 "skew-symmetric", NULL);
    given.A.kind = CSR_GENERAL;
    expect_error(try_study(&fake_kernel, 2, NULL, &result, &error), STATUS_CONFIG, &error, "fake",
                 "general", NULL);
    study_kernel_free(&result);
    csr_free(&given.A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {disturbed_runs_are_counted,
                            runs_of_different_lengths,
                            the_spread_is_exact,
                            solutions_are_numbered_back,
                            seconds_are_a_median,
                            a_bitwise_kernel_has_one_history,
                            an_observer_ends_the_study,
                            failures_leave_nothing_behind,
                            NULL};
    return suite_of("study/study", tests);
}
