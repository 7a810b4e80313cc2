/* A study of one kernel by ranks that are threads: the events and results of one rank, and one end
 * for all of them. They have no device here, which is a matter of their spaces alone. */
#include "program/command/run_kernel.h"

#include "base/hash.h"
#include "support.h"

#include <stdio.h>
#include <string.h>

enum { RANKS = 3, COLUMNS_MOST = 3 };
static const int64_t devices[RANKS] = {0, 1, 2};

static struct settings settings;
static struct linear_system system_read;

static void prepare(const char *more)
{
    struct error error;
    char text[1024];
    snprintf(text, sizeof text,
             "problem = { type = \"poisson3d\"; n = 13; jump = 50.0; };\n"
             "kernels = ( \"cpu_sym_bitwise\", \"cpu_merge\" ); repeats = 3; threads = 4;\n%s",
             more);
    expect_ok(settings_read(temporary_file("k.cfg", text, -1), NULL, 0, &settings, &error), &error);
    expect_ok(
        system_load(&settings.problem, &settings.solver, &settings.study, &system_read, &error),
        &error);
}

static void finish(void)
{
    system_free(&system_read);
    settings_free(&settings);
    ck_assert_int_eq(memory_live(), 0);
}

/* What an observer sees, and what it does to it. */
struct seen {
    int64_t events, rows;
    uint64_t hash;
    int64_t last_row;    /* of all runs: there it wishes to end; 0: never */
    int64_t refused_row; /* likewise: there it fails */
};

static enum status see(void *context, const struct event *event, struct error *error)
{
    struct seen *seen = context;
    const uint64_t words[] = {event->kind, (uint64_t)event->run, (uint64_t)event->column,
                              (uint64_t)event->iteration, (uint64_t)event->place};
    int64_t n = system_read.A.n;
    int64_t values = event->kind == EVENT_ROW        ? 1
                     : event->kind == EVENT_SOLUTION ? system_read.columns * n
                     : event->kind == EVENT_VECTOR   ? n
                                                     : 0;
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        seen->hash = hash_word(seen->hash, words[w]);
    seen->hash = hash_doubles(seen->hash, event->values, values);
    ck_assert_str_eq(event->label, settings.study.kernels[0].label);
    seen->events++;
    seen->rows += event->kind == EVENT_ROW;
    if (seen->refused_row > 0 && seen->rows >= seen->refused_row)
        return error_set(error, STATUS_OUTPUT, "the disk is full");
    bool asks = event->kind == EVENT_ROW || event->kind == EVENT_RUN_ENDED;
    return asks && seen->last_row > 0 && seen->rows >= seen->last_row ? STATUS_INTERRUPTED
                                                                      : STATUS_OK;
}

/* results[COLUMNS_MOST] */
static enum status run(int ranks, int kernel, struct seen *seen, struct study_kernel *results,
                       struct error *error)
{
    struct observer observer = {.wants = 1u << EVENT_ROW | 1u << EVENT_RUN_ENDED |
                                         1u << EVENT_SOLUTION |
                                         (unsigned)(settings.study.trace.every > 0) << EVENT_VECTOR,
                                .trace = {settings.study.trace.every, settings.study.trace.vectors},
                                .see = see,
                                .context = seen};
    const struct kernel_settings *of = &settings.study.kernels[kernel];
    seen->hash = HASH_START;
    memset(results, 0, COLUMNS_MOST * sizeof *results);
    return ranks > 1 ? run_kernel_by_ranks(&settings.solver, &settings.study, of, &system_read,
                                           ranks, devices, &observer, results, error)
                     : run_kernel(&settings.solver, &settings.study, of, &system_read, &observer,
                                  results, error);
}

static void free_results(struct study_kernel *results)
{
    for (int j = 0; j < COLUMNS_MOST; j++)
        study_kernel_free(&results[j]);
}

/* By one rank and by several; where an observer is to end it, there. */
static void compare(int64_t last_row)
{
    struct error error;
    struct seen alone = {.last_row = last_row}, seen = {.last_row = last_row};
    struct study_kernel one[COLUMNS_MOST], several[COLUMNS_MOST];
    expect_ok(run(1, 0, &alone, one, &error), &error);
    expect_ok(run(RANKS, 0, &seen, several, &error), &error);
    ck_assert_int_gt(seen.rows, 20);
    ck_assert_int_eq(seen.events, alone.events);
    ck_assert_int_eq(seen.rows, alone.rows);
    ck_assert_uint_eq(seen.hash, alone.hash);
    ck_assert_int_eq(several[0].threads, 1);
    for (int64_t j = 0; j < system_read.columns; j++) {
        int64_t runs = one[j].runs_count + one[j].has_interrupted;
        ck_assert_int_eq(several[j].runs_count, one[j].runs_count);
        ck_assert_int_eq(several[j].has_interrupted, one[j].has_interrupted);
        for (int64_t r = 0; r < runs; r++) {
            const struct study_run *a = &one[j].runs[r], *b = &several[j].runs[r];
            ck_assert_int_eq(b->result.reason, a->result.reason);
            ck_assert_int_eq(b->result.iterations, a->result.iterations);
            ck_assert_uint_eq(b->history_hash, a->history_hash);
            ck_assert_uint_eq(b->solution_hash, a->solution_hash);
        }
    }
    free_results(one);
    free_results(several);
}

START_TEST(events_and_results_are_those_of_one_rank)
{
    static const char *const ways[] = {
        "",
        "trace = { every = 4; vectors = [\"x\", \"r\"]; };",
        "rhs = { type = \"random\"; columns = 3; };",
        "solver = { method = \"minres\"; preconditioner = { type = \"multigrid\"; }; };",
    };
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        prepare(ways[w]);
        compare(0);
        finish();
    }
}
END_TEST

/* In the first run, in the last row of a run, and anywhere in the next one. */
START_TEST(a_wish_to_end_is_for_all)
{
    prepare("");
    struct error error;
    struct seen whole = {0};
    struct study_kernel results[COLUMNS_MOST];
    expect_ok(run(1, 0, &whole, results, &error), &error);
    free_results(results);
    int64_t of_run = whole.rows / 3;
    for (int64_t row = 21; row <= 2 * of_run; row += of_run - 21)
        compare(row);
    finish();
}
END_TEST

START_TEST(one_that_fails_ends_all)
{
    struct error error;
    struct study_kernel results[COLUMNS_MOST];
    prepare("");
    for (int64_t row = 1; row < 60; row += 29) {
        struct seen seen = {.refused_row = row};
        expect_error(run(RANKS, 0, &seen, results, &error), STATUS_OUTPUT, &error, NULL);
        ck_assert_str_eq(error.text, "rank 0 of 3: the disk is full");
        ck_assert_int_eq(seen.rows, row);
        free_results(results);
    }
    /* this one all refuse */
    expect_error(run(RANKS, 1, &(struct seen){0}, results, &error), STATUS_CONFIG, &error, NULL);
    ck_assert_msg(strstr(error.text, "kernel cpu_merge sums a row") == error.text, "%s",
                  error.text);
    finish();
}
END_TEST

static enum status attempt(void *context, struct error *error)
{
    (void)context;
    struct seen seen = {0};
    struct study_kernel results[COLUMNS_MOST];
    enum status status = run(RANKS, 0, &seen, results, error);
    free_results(results);
    return status;
}

/* Whichever rank it is that has no memory: the cause is that, and nobody waits. */
START_TEST(memory_may_be_short)
{
    prepare("");
    settings.study.repeats = 1;
    settings.solver.options.max_iterations = 4;
    walk_allocation_failures(attempt, NULL);
    finish();
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {events_and_results_are_those_of_one_rank, a_wish_to_end_is_for_all,
                            one_that_fails_ends_all, memory_may_be_short, NULL};
    return suite_of("program/command/run_kernel", tests);
}
