/* Passes in the space of the CPU: what is made, the sums, and what follows, in every kind of
 * reduction and number of threads. */
#include "support.h"

#include "base/threads.h"
#include "space/column_passes.h"
#include "space/trial_pass.h"
#include "space/trials.h"
#include "spaces.h"

#include <math.h>
#include <string.h>

/* Up to the longest vector and back. */
static int64_t up_and_down(int k)
{
    return lengths[k < LENGTHS ? k : 2 * LENGTHS - 1 - k];
}

static struct trial_work work_create(int64_t n, double denominator, uint64_t *state)
{
    struct trial_work work = {vector(n), vector(n), vector(TRIAL_SCALARS), false};
    randomise(work.x, n, state);
    randomise(work.y, n, state);
    work.scalars[TRIAL_NUMERATOR] = 1 + test_random(state);
    work.scalars[TRIAL_DENOMINATOR] = denominator;
    work.scalars[TRIAL_RUNS] = 0; /* all others are NaN */
    return work;
}

static struct trial_work work_copy(int64_t n, const struct trial_work *of)
{
    struct trial_work work = {vector(n), vector(n), vector(TRIAL_SCALARS), false};
    memcpy(work.x, of->x, (size_t)n * sizeof *work.x);
    memcpy(work.y, of->y, (size_t)n * sizeof *work.y);
    memcpy(work.scalars, of->scalars, TRIAL_SCALARS * sizeof *work.scalars);
    return work;
}

static void work_free(struct trial_work *work)
{
    memory_free(work->x);
    memory_free(work->y);
    memory_free(work->scalars);
}

static void expect_same_work(int64_t n, const struct trial_work *got,
                             const struct trial_work *wanted)
{
    expect_same_vectors(got->x, wanted->x, n, "x");
    expect_same_vectors(got->y, wanted->y, n, "y");
    expect_same_vectors(got->scalars, wanted->scalars, TRIAL_SCALARS, "the scalars");
}

/* Vectors by a plain loop; sums of these; the ratio of these sums, so it came behind them; once. */
static void one_pass(struct space *space, int64_t n, double denominator, uint64_t *state)
{
    struct trial_work made = work_create(n, denominator, state), wanted = work_copy(n, &made);
    double *s = made.scalars, a = s[TRIAL_NUMERATOR] / denominator;
    for (int64_t i = 0; i < n && denominator > 0; i++) {
        wanted.x[i] = fma(a, wanted.y[i], wanted.x[i]);
        wanted.y[i] = fma(-a, wanted.x[i], wanted.y[i]);
    }
    run_pass(space, &trial, n, &made);
    expect_same_vectors(made.x, wanted.x, n, "x");
    expect_same_vectors(made.y, wanted.y, n, "y");
    expect_sum(space, n, made.x, made.x, s[TRIAL_SQUARE]);
    expect_sum(space, n, made.x, made.y, s[TRIAL_PRODUCT]);
    expect_bits(s[TRIAL_RATIO], s[TRIAL_PRODUCT] / s[TRIAL_SQUARE], "ratio", n,
                threads_count(space->threads));
    ck_assert(s[TRIAL_RUNS] == 1);
    work_free(&made);
    work_free(&wanted);
}

START_TEST(elements_then_sums_then_what_follows)
{
    uint64_t state = test_seed();
    for (int r = 0; r < KINDS; r++)
        for (int t = 0; t < THREAD_COUNTS; t++) {
            struct space *space = test_space(SPACE_CPU, all_reductions[r], thread_counts[t]);
            for (int k = 0; k < 2 * LENGTHS; k++)
                one_pass(space, up_and_down(k), t == k % 5 ? 0 : 3, &state);
            space->operations->destroy(space);
        }
}
END_TEST

/* Nothing is touched while the flag is set, but by a pass for always. */
START_TEST(what_has_ended_stays)
{
    enum { N = 5000 };
    uint64_t state = test_seed();
    struct error error;
    for (int r = 0; r < KINDS; r++) {
        struct space *space = test_space(SPACE_CPU, all_reductions[r], 1 + r % 3);
        struct trial_work made = work_create(N, 3, &state), kept = work_copy(N, &made);
        int64_t ended = 1;
        double sum = 42;
        space->ended = &ended;
        run_pass(space, &trial, N, &made);
        expect_ok(space_dot(space, N, made.x, made.y, &sum, &error), &error);
        ck_assert(sum == 42);
        expect_same_work(N, &made, &kept);
        ended = 0;
        run_pass(space, &trial, N, &made);
        ck_assert(made.scalars[TRIAL_RUNS] == 1 && made.x[0] != kept.x[0]);
        ended = 1;
        run_pass(space, &trial_always, N, &made);
        run_pass(space, &trial, N, &made);
        ck_assert(made.scalars[TRIAL_RUNS] == 2);
        space->ended = NULL;
        run_pass(space, &trial, N, &kept);
        run_pass(space, &trial, N, &kept);
        expect_same_vectors(made.x, kept.x, N, "x");
        expect_same_vectors(made.y, kept.y, N, "y");
        work_free(&made);
        work_free(&kept);
        space->operations->destroy(space);
    }
}
END_TEST

/* --- passes that lack a part ------------------------------------------------------------------ */

struct given {
    struct space *space;
    const struct pass *pass;
    int64_t n;
    int calls;
    enum status status;
};

static enum status take(struct space *space, const struct pass *pass, int64_t n, const void *work,
                        struct error *error)
{
    struct given *given = *(struct given *const *)work;
    *given = (struct given){space, pass, n, given->calls + 1, given->status};
    return given->status ? error_set(error, given->status, "no step today") : STATUS_OK;
}

static void never_made(const void *work, int64_t begin, int64_t end)
{
    ck_abort_msg("made %d ... %d of %p", (int)begin, (int)end, work);
}

static bool never_summed(const void *work, int64_t k, struct pass_sum *sum)
{
    ck_abort_msg("sum %d of %p to %p", (int)k, work, (void *)sum);
    return false;
}

static void never_follows(const void *work)
{
    ck_abort_msg("what follows of %p", work);
}

/* The launcher has it all to do. */
START_TEST(a_launcher_of_its_own_gets_the_whole_pass)
{
    static const struct pass whole = {.name = "a whole pass",
                                      .make = never_made,
                                      .sum = never_summed,
                                      .after = never_follows,
                                      .cpu = take};
    struct error error;
    struct given given = {.status = STATUS_OK}, *work = &given;
    for (int r = 0; r < KINDS; r++) {
        struct space *space = test_space(SPACE_CPU, all_reductions[r], 1);
        int64_t ended = 1;
        given.calls = 0;
        given.status = STATUS_OK;
        expect_ok(space_run(space, &whole, 1234, &work, &error), &error);
        ck_assert(given.space == space && given.pass == &whole && given.n == 1234);
        ck_assert_int_eq(given.calls, 1);
        given.status = STATUS_CONFIG;
        expect_error(space_run(space, &whole, 7, &work, &error), STATUS_CONFIG, &error,
                     "no step today", NULL);
        ck_assert_int_eq(given.calls, 2);
        space->ended = &ended;
        expect_ok(space_run(space, &whole, 7, &work, &error), &error);
        ck_assert_int_eq(given.calls, 2);
        space->operations->destroy(space);
    }
}
END_TEST

/* Without sums, also where there might be some; without elements; with what follows alone. */
START_TEST(every_part_may_be_missing)
{
    enum { N = 5000 };
    uint64_t state = test_seed();
    const struct pass made_alone = {.name = "elements", .make = trial.make};
    const struct pass summed_alone = {.name = "sums", .sum = trial.sum};
    const struct pass follows_alone = {.name = "what follows", .after = trial.after};
    for (int r = 0; r < KINDS; r++) {
        struct space *space = test_space(SPACE_CPU, all_reductions[r], 1 + r % 3);
        struct trial_work parts = work_create(N, 3, &state), whole = work_copy(N, &parts);
        double *s = parts.scalars;
        run_pass(space, &made_alone, N, &parts);
        ck_assert(isnan(s[TRIAL_SQUARE]) && s[TRIAL_RUNS] == 0);
        run_pass(space, &summed_alone, N, &parts);
        expect_sum(space, N, parts.x, parts.x, s[TRIAL_SQUARE]);
        expect_sum(space, N, parts.x, parts.y, s[TRIAL_PRODUCT]);
        ck_assert(isnan(s[TRIAL_RATIO]) && s[TRIAL_RUNS] == 0);
        run_pass(space, &follows_alone, N, &parts);
        ck_assert(s[TRIAL_RATIO] == s[TRIAL_PRODUCT] / s[TRIAL_SQUARE] && s[TRIAL_RUNS] == 1);
        run_pass(space, &trial, N, &whole);
        expect_same_vectors(parts.x, whole.x, N, "x");
        expect_same_vectors(parts.y, whole.y, N, "y");
        poison(s + TRIAL_SQUARE, 2);
        parts.unsummed = true;
        run_pass(space, &trial, N, &parts);
        run_pass(space, &trial, N, &whole);
        expect_same_vectors(parts.x, whole.x, N, "x");
        ck_assert(isnan(s[TRIAL_SQUARE]) && s[TRIAL_RUNS] == 2);
        work_free(&parts);
        work_free(&whole);
        space->operations->destroy(space);
    }
}
END_TEST

/* --- many sums -------------------------------------------------------------------------------- */

enum { SUMS = 37 };

struct many_work {
    int64_t n;
    const double *V; /* [SUMS][n] */
    double *w, *results;
    int *follows;
};

static void many_make(const void *given, int64_t begin, int64_t end)
{
    const struct many_work *work = given;
    for (int64_t i = begin; i < end; i++)
        work->w[i] *= 0.75;
}

static bool many_sum(const void *given, int64_t k, struct pass_sum *sum)
{
    const struct many_work *work = given;
    if (k < SUMS)
        *sum = (struct pass_sum){work->V + k * work->n, work->w, &work->results[k]};
    return k < SUMS;
}

static void many_after(const void *given)
{
    const struct many_work *work = given;
    for (int k = 0; k < SUMS; k++)
        ck_assert(isfinite(work->results[k]));
    ++*work->follows;
}

static const struct pass many = {
    .name = "many sums", .make = many_make, .sum = many_sum, .after = many_after};

START_TEST(many_sums_at_once)
{
    static const int64_t sizes[] = {1, 33, 480, 481, 20001, 5000, 7};
    uint64_t state = test_seed();
    for (int r = 0; r < KINDS * THREAD_COUNTS; r++) {
        struct space *space =
            test_space(SPACE_CPU, all_reductions[r % KINDS], thread_counts[r / KINDS]);
        for (int k = 0; k < 7; k++) {
            int64_t n = sizes[k];
            double *V = vector(SUMS * n), *w = vector(n), *wanted = vector(n), results[SUMS];
            int follows = 0;
            randomise(V, SUMS * n, &state);
            randomise(w, n, &state);
            poison(results, SUMS);
            for (int64_t i = 0; i < n; i++)
                wanted[i] = 0.75 * w[i];
            run_pass(space, &many, n, &(struct many_work){n, V, w, results, &follows});
            expect_same_vectors(w, wanted, n, "w");
            for (int64_t c = 0; c < SUMS; c++)
                expect_sum(space, n, V + c * n, w, results[c]);
            ck_assert_int_eq(follows, 1);
            memory_free(V);
            memory_free(w);
            memory_free(wanted);
        }
        space->operations->destroy(space);
    }
}
END_TEST

/* --- what is needed --------------------------------------------------------------------------- */

/* What follows does not where the sums are missing. */
static enum status attempt(void *context, struct error *error)
{
    enum { N = 3 * 480 * 480 };
    static double V[SUMS * 1000], w[1000], vectors[2][N], scalars[TRIAL_SCALARS], results[SUMS];
    struct space *space;
    int follows = 0, done = 0;
    enum status status = space_cpu_create(context, &space, error);
    if (status)
        return status;
    scalars[TRIAL_RUNS] = 0;
    struct trial_work work = {vectors[0], vectors[1], scalars, false};
    struct many_work many_work = {1000, V, w, results, &follows};
    for (int64_t n = 480; n <= N && !status; n *= 480) { /* each has more tiles */
        status = space_run(space, &trial, n, &work, error);
        done += status == STATUS_OK;
    }
    if (!status)
        status = space_run(space, &many, 1000, &many_work, error);
    ck_assert(scalars[TRIAL_RUNS] == done && follows == (status == STATUS_OK));
    space->operations->destroy(space);
    return status;
}

START_TEST(every_failed_allocation_is_survived)
{
    for (int r = 0; r < KINDS; r++)
        for (int t = 0; t < THREAD_COUNTS; t++) {
            struct space_options options = {.reductions = all_reductions[r],
                                            .threads = thread_counts[t]};
            walk_allocation_failures(attempt, &options);
        }
}
END_TEST

/* With BLAS what a pass makes is read again for its sums; a dot product alone makes nothing. */
START_TEST(bytes_are_what_moves)
{
    for (int r = 0; r < KINDS; r++) {
        struct space *space = test_space(SPACE_CPU, all_reductions[r], 1);
        bool again = all_reductions[r] == REDUCTIONS_BLAS;
        ck_assert_int_eq(space_bytes(space, &trial, 1000), again ? 56000 : 32000);
        ck_assert_int_eq(space_bytes(space, &pass_dot, 1000), 16000);
        ck_assert_int_eq(space_bytes(space, &pass_fill, 1000), 8000);
        space->operations->destroy(space);
    }
}
END_TEST

START_TEST(columns_have_the_bits_of_vectors)
{
    trial_column_passes(SPACE_CPU);
}
END_TEST

START_TEST(not_every_pass_runs_over_columns)
{
    struct space *space = test_space(SPACE_CPU, REDUCTIONS_REPRODUCIBLE, 1);
    struct pass without = trial;
    struct error error;
    struct trial_work work = {NULL, NULL, NULL, true};
    struct pass_columns columns = {.stride = 2, .count = 1, .work = {&work}};
    without.work_bytes = 0;
    expect_error(space_run_columns(space, &without, 7, &columns, &error), STATUS_UNAVAILABLE,
                 &error, "a pass of a test does not run over columns", NULL);
    space->operations->destroy(space);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {elements_then_sums_then_what_follows,
                            what_has_ended_stays,
                            a_launcher_of_its_own_gets_the_whole_pass,
                            every_part_may_be_missing,
                            many_sums_at_once,
                            every_failed_allocation_is_survived,
                            bytes_are_what_moves,
                            columns_have_the_bits_of_vectors,
                            not_every_pass_runs_over_columns,
                            NULL};
    return suite_of("space/pass", tests);
}
