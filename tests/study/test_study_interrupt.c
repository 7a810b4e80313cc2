/* A study whose observer interrupts it: which runs there are, and what counts. */
#include "support.h"

#include "study/disturbed.h"
#include "study/study.h"

#include <string.h>

/* Where the observer wishes the end: in a row, or behind a run. */
struct wish {
    int64_t run, row; /* row -1: behind the run */
    int64_t solutions, finished;
};

static enum status see(void *context, const struct event *event, struct error *error)
{
    struct wish *wish = context;
    bool here = event->run == wish->run;
    (void)error;
    if (event->kind == EVENT_ROW)
        return here && event->iteration == wish->row ? STATUS_INTERRUPTED : STATUS_OK;
    if (event->kind == EVENT_SOLUTION) {
        ck_assert_int_eq(event->run, ++wish->solutions);
        return STATUS_OK;
    }
    ck_assert_int_eq(event->run, ++wish->finished);
    return here && wish->row < 0 ? STATUS_INTERRUPTED : STATUS_OK;
}

enum { REPEATS = 5 };

/* Five runs, or fewer; the fourth goes another way from its tenth product on. */
static struct study_kernel study_of(struct wish *wish)
{
    static const struct disturbance runs[REPEATS] = {
        {-1, 1}, {-1, 1}, {-1, 1}, {9, LITTLE}, {-1, 1}};
    struct error error;
    struct study_kernel result;
    struct observer observer = {.wants =
                                    1u << EVENT_ROW | 1u << EVENT_SOLUTION | 1u << EVENT_RUN_ENDED,
                                .see = see,
                                .context = wish};
    fake.runs = runs;
    expect_ok(try_study(&fake_kernel, REPEATS, &observer, &result, &error), &error);
    return result;
}

/* The statistics are those of so many runs that were let be. */
static void expect_statistics(const struct study_kernel *found, const struct study_kernel *whole)
{
    ck_assert_int_eq(found->iterations_min, whole->runs[0].result.iterations);
    ck_assert_int_eq(found->iterations_max, whole->runs[0].result.iterations);
    ck_assert(found->iterations_median == (double)whole->runs[0].result.iterations);
    ck_assert(found->counts_count == 1 && found->counts[0].runs == found->runs_count);
    ck_assert(found->distinct_histories == 1 && found->distinct_solutions == 1);
    ck_assert_int_eq(found->first_divergence, -1);
    ck_assert_int_eq(found->first_apart, -1);
    ck_assert(found->solution_spread == 0);
    ck_assert_int_eq(found->envelope.count, whole->runs[0].result.iterations + 1);
    for (int64_t k = 0; k < found->envelope.count; k++)
        ck_assert_int_eq(found->envelope.rows[k].runs, found->runs_count);
    ck_assert_int_eq(study_kernel_converged(found), found->runs_count);
    for (int64_t r = 0; r < found->runs_count; r++) {
        ck_assert_int_eq(found->runs[r].history, 1);
        ck_assert_uint_eq(found->runs[r].history_hash, whole->runs[0].history_hash);
    }
}

START_TEST(a_run_that_is_interrupted_does_not_count)
{
    given_grid();
    struct wish never = {0};
    struct study_kernel whole = study_of(&never);
    ck_assert(whole.runs_count == REPEATS && !whole.has_interrupted);
    ck_assert_ptr_null(study_kernel_interrupted(&whole));
    ck_assert_int_eq(whole.distinct_histories, 2);
    int64_t last = whole.runs[0].result.iterations;
    for (int64_t run = 2; run <= 4; run++)
        for (int64_t k = 0; k < last; k += 3) {
            struct wish wish = {.run = run, .row = k};
            struct study_kernel result = study_of(&wish);
            ck_assert_int_eq(result.runs_count, run - 1);
            ck_assert(result.has_interrupted);
            expect_statistics(&result, &whole);
            const struct study_run *cut = study_kernel_interrupted(&result);
            ck_assert_ptr_eq(cut, &result.runs[run - 1]);
            ck_assert_int_eq(cut->run, run);
            ck_assert_int_eq(cut->history, 0);
            ck_assert_int_eq(cut->result.iterations, k);
            ck_assert(wish.solutions == run && wish.finished == run); /* it has these, too */
            ck_assert(result.time_split.product == 0);
            study_kernel_free(&result);
        }
    study_kernel_free(&whole);
    csr_free(&given.A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(runs_that_were_finished_count)
{
    given_grid();
    struct wish never = {0};
    struct study_kernel whole = study_of(&never);
    for (int64_t run = 1; run <= REPEATS; run++)
        for (int at_row = 0; at_row < 2; at_row++) {
            /* in the row that a run converges with, the wish ends the study and not the run */
            struct wish wish = {.run = run,
                                .row = at_row ? whole.runs[run - 1].result.iterations : -1};
            struct study_kernel result = study_of(&wish);
            ck_assert_int_eq(result.runs_count, run);
            ck_assert_ptr_null(study_kernel_interrupted(&result));
            ck_assert(!result.has_interrupted);
            if (run < 4)
                expect_statistics(&result, &whole);
            else
                ck_assert_int_eq(result.distinct_histories, 2);
            study_kernel_free(&result);
        }
    study_kernel_free(&whole);
    csr_free(&given.A);
}
END_TEST

START_TEST(the_only_run_is_told_of)
{
    given_grid();
    struct wish wish = {.run = 1, .row = 7};
    struct study_kernel result = study_of(&wish);
    ck_assert(result.runs_count == 1 && !result.has_interrupted);
    ck_assert_ptr_eq(study_kernel_interrupted(&result), result.runs);
    ck_assert(result.iterations_min == 7 && result.iterations_max == 7);
    ck_assert(result.distinct_histories == 1 && result.first_divergence == -1);
    ck_assert_int_eq(result.envelope.count, 8);
    ck_assert_int_eq(study_kernel_converged(&result), 0);
    study_kernel_free(&result);
    csr_free(&given.A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

/* It has fewer rows than the one of another number of threads, and that is no other history. */
START_TEST(a_promise_is_not_broken_by_it)
{
    const struct kernel *kernel = kernel_find("cpu_sym_bitwise");
    const struct study_kernel *other;
    struct study_run runs[2] = {{.run = 1, .history_hash = 1}, {.run = 1, .history_hash = 2}};
    struct study_kernel kernels[2];
    for (int k = 0; k < 2; k++)
        kernels[k] = (struct study_kernel){.kernel = kernel,
                                           .options = kernel_defaults(kernel),
                                           .threads = k + 1,
                                           .runs_count = 1,
                                           .runs = &runs[k],
                                           .distinct_histories = 1};
    ck_assert(promise_is_broken(kernels, 1, &other));
    runs[1].result.reason = REASON_INTERRUPTED;
    ck_assert(!promise_is_broken(kernels, 1, &other));
}
END_TEST

static enum status attempt(void *context, struct error *error)
{
    struct wish wish = {.run = 2, .row = 5};
    struct observer observer = {.wants = 1u << EVENT_ROW, .see = see, .context = &wish};
    struct study_kernel result = {0};
    enum status status = try_study(context, 3, &observer, &result, error);
    ck_assert(status || (result.runs_count == 1 && result.has_interrupted));
    study_kernel_free(&result);
    return status;
}

START_TEST(every_allocation_may_fail)
{
    given_grid();
    walk_allocation_failures(attempt, (void *)kernel_find("cpu_csr"));
    csr_free(&given.A);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {a_run_that_is_interrupted_does_not_count,
                            runs_that_were_finished_count,
                            the_only_run_is_told_of,
                            a_promise_is_not_broken_by_it,
                            every_allocation_may_fail,
                            NULL};
    return suite_of("study/study_interrupt", tests);
}
