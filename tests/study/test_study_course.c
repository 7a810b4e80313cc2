/* The course of a study: what an observer sees and when it ends the study, one history by a bitwise
 * kernel, and what a failure leaves behind. */
#include "support.h"

#include "base/hash.h"
#include "solver/cg/cg.h"
#include "study/disturbed.h"

/* What the observer has seen, and what it is to do about it. */
struct seen {
    const struct study_kernel *result;
    int64_t run, rows;
    uint64_t hash, solution;
    bool finished;
    int64_t stop_run, stop_row; /* stop_row = -1: when the run is finished; -2: at its solution */
};

static enum status see_row(struct seen *seen, const struct event *row, struct error *error)
{
    if (row->iteration == 0) {
        ck_assert_int_eq(row->run, seen->run + 1);
        ck_assert(row->run == 1 || seen->finished);
        *seen = (struct seen){.result = seen->result,
                              .run = row->run,
                              .hash = HASH_START,
                              .stop_run = seen->stop_run,
                              .stop_row = seen->stop_row};
    }
    ck_assert_int_eq(row->iteration, seen->rows++);
    seen->hash = hash_doubles(seen->hash, &row->values[CG_RESIDUAL], 1);
    if (row->run == seen->stop_run && row->iteration == seen->stop_row)
        return error_set(error, STATUS_OUTPUT, "stopped in a row");
    return STATUS_OK;
}

static enum status see_solution(struct seen *seen, const struct event *x, struct error *error)
{
    ck_assert(seen->solution == 0);
    seen->solution = test_hash_vector(x->values, N);
    if (x->run == seen->stop_run && seen->stop_row == -2)
        return error_set(error, STATUS_OUTPUT, "stopped at a solution");
    return STATUS_OK;
}

static enum status see_end(struct seen *seen, const struct event *end, struct error *error)
{
    const struct study_run *run = &seen->result->runs[end->run - 1];
    ck_assert_int_eq(run->run, end->run);
    ck_assert_int_eq(run->result.iterations + 1, seen->rows);
    ck_assert_uint_eq(run->history_hash, seen->hash);
    ck_assert_uint_eq(run->solution_hash, seen->solution);
    seen->finished = true;
    if (run->run == seen->stop_run)
        return error_set(error, STATUS_OUTPUT, "stopped at the end of a run");
    return STATUS_OK;
}

static enum status see(void *context, const struct event *event, struct error *error)
{
    struct seen *seen = context;
    bool begins = event->kind == EVENT_ROW && event->iteration == 0;
    ck_assert_str_eq(event->label, "a label");
    ck_assert(begins || (event->run == seen->run && !seen->finished));
    return event->kind == EVENT_ROW        ? see_row(seen, event, error)
           : event->kind == EVENT_SOLUTION ? see_solution(seen, event, error)
                                           : see_end(seen, event, error);
}

enum { WANTED = 1u << EVENT_ROW | 1u << EVENT_SOLUTION | 1u << EVENT_RUN_ENDED };

/* In all runs of all studies, whatever their threads. */
START_TEST(a_bitwise_kernel_has_one_history)
{
    static const int threads[] = {1, 2, 3, 7};
    uint64_t first = 0;
    given_grid();
    for (int t = 0; t < 4; t++) {
        struct error error;
        struct study_kernel result;
        struct seen seen = {.result = &result};
        struct observer observer = {.wants = WANTED, .see = see, .context = &seen};
        const struct kernel *kernel = kernel_find("cpu_sym_bitwise");
        given.threads = threads[t];
        expect_ok(try_study(kernel, 9, &observer, &result, &error), &error);
        ck_assert_int_eq(seen.run, 9);
        ck_assert(seen.finished);
        ck_assert_int_eq(result.threads, threads[t]);
        ck_assert_int_eq(result.distinct_histories, 1);
        ck_assert_int_eq(result.first_divergence, -1);
        ck_assert(result.solution_spread == 0);
        ck_assert(result.iterations_min == result.iterations_max && result.iterations_min > 10);
        ck_assert(result.iterations_median == (double)result.iterations_min);
        ck_assert_int_gt(result.memory_bytes, 0);
        first = t == 0 ? seen.hash : first;
        for (int64_t k = 0; k < 9; k++) {
            ck_assert_uint_eq(result.runs[k].history_hash, first);
            ck_assert_uint_eq(result.runs[k].solution_hash, result.runs[0].solution_hash);
        }
        study_kernel_free(&result);
    }
    given.threads = 0;
    csr_free(&given.A);
}
END_TEST

START_TEST(an_observer_ends_the_study)
{
    static const struct disturbance none[3] = {{-1, 1}, {-1, 1}, {-1, 1}};
    static const int64_t stops[][2] = {{1, 0}, {1, 4}, {2, 0}, {3, 7}, {1, -1}, {3, -1}, {2, -2}};
    given_grid();
    fake.runs = none;
    for (int k = 0; k < 7; k++) {
        struct error error;
        struct study_kernel result;
        struct seen seen = {.result = &result, .stop_run = stops[k][0], .stop_row = stops[k][1]};
        struct observer observer = {.wants = WANTED, .see = see, .context = &seen};
        int64_t live = memory_live();
        fake.setups = fake.destroys = 0;
        expect_error(try_study(&fake_kernel, 3, &observer, &result, &error), STATUS_OUTPUT, &error,
                     stops[k][1] == -2   ? "stopped at a solution"
                     : stops[k][1] == -1 ? "stopped at the end of a run"
                                         : "stopped in a row",
                     NULL);
        ck_assert_int_eq(seen.run, stops[k][0]);
        ck_assert(seen.finished == (stops[k][1] == -1));
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
    given_grid();
    fake.runs = runs;
    walk_allocation_failures(attempt_study, (void *)&fake_kernel);
    walk_allocation_failures(attempt_study, (void *)kernel_find("cpu_sym_bitwise"));
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
    const TTest *tests[] = {a_bitwise_kernel_has_one_history, an_observer_ends_the_study,
                            failures_leave_nothing_behind, NULL};
    return suite_of("study/study_course", tests);
}
