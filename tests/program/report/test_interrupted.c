/* What is read of a study that was interrupted, and what is said of a directory whose run did not
 * come to its end. */
#include "program/report/results_made.h"
#include "program/report/study_files.h"
#include "support.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { RUNS = 4 };

/* Four runs, two histories in turns, the last run interrupted; the one before it took longest. */
static const char *interrupted_results(int64_t runs)
{
    static char directory[512];
    char last[64], reason[64];
    snprintf(directory, sizeof directory, "%s",
             results_made("cut", "a", runs, runs > 1 ? 2 : 1, 5));
    snprintf(last, sizeof last, "{\"run\": %d, \"reason\": \"converged\"", (int)runs);
    snprintf(reason, sizeof reason, "{\"run\": %d, \"reason\": \"interrupted\"", (int)runs);
    results_edit(directory, "summary.json", last, reason);
    results_edit(directory, "summary.json", "{\"schema\": 1",
                 "{\"interrupted\": true, \"schema\": 1");
    return directory;
}

START_TEST(an_interrupted_run_is_told_apart)
{
    struct recorded recorded;
    struct error error;
    expect_ok(recorded_read(interrupted_results(RUNS), 200, &recorded, &error), &error);
    ck_assert(recorded.summary.interrupted);
    const struct summary_kernel *kernel = &recorded.summary.kernels[0];
    ck_assert_int_eq(kernel->runs_count, RUNS - 1);
    ck_assert_ptr_nonnull(kernel->interrupted);
    ck_assert_int_eq(kernel->interrupted->run, RUNS);
    ck_assert_int_eq(summary_failures(kernel), 0);
    ck_assert_int_eq(recorded.selection.count, 2); /* of runs 1 and 3, and of run 2 */
    ck_assert_int_eq(recorded.selection.runs[0].same, 2);
    ck_assert_int_eq(recorded.selection.runs[1].same, 1);
    recorded_free(&recorded);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(the_only_run_counts)
{
    struct recorded recorded;
    struct error error;
    expect_ok(recorded_read(interrupted_results(1), 200, &recorded, &error), &error);
    const struct summary_kernel *kernel = &recorded.summary.kernels[0];
    ck_assert_int_eq(kernel->runs_count, 1);
    ck_assert_ptr_null(kernel->interrupted);
    ck_assert_int_eq(summary_failures(kernel), 1);
    ck_assert_int_eq(recorded.selection.count, 1);
    recorded_free(&recorded);
}
END_TEST

static enum status attempt(void *directory, struct error *error)
{
    struct recorded recorded;
    enum status status = recorded_read(directory, 200, &recorded, error);
    recorded_free(&recorded);
    return status;
}

START_TEST(every_allocation_may_fail)
{
    walk_allocation_failures(attempt, (void *)interrupted_results(RUNS));
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(what_a_run_has_left_is_said)
{
    static const struct {
        const char *files[4]; /* that are there */
        const char *said;     /* NULL: nothing */
    } cases[] = {
        {{NULL}, NULL},
        {{"history.csv"}, NULL},
        {{"summary.json", "history.csv"}, NULL},
        {{"summary.json", "unfinished/history.csv.partial"}, NULL},
        {{"history.csv.partial"}, ": summary.json is missing: the study goes on or was killed"},
        {{"unfinished/history.csv.partial"}, "/unfinished goes on or was killed"},
        {{"unfinished/summary.json", "unfinished/history.csv"},
         "what one has left that was interrupted is in "},
        {{"history.csv", "unfinished/summary.json", "unfinished/moving"},
         "came here: move the rest of them up from "},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char directory[300], inside[320], name[32];
        struct error error;
        snprintf(name, sizeof name, "remains-%zu", k);
        snprintf(directory, sizeof directory, "%s", temporary_path(name));
        snprintf(inside, sizeof inside, "%s/unfinished", directory);
        ck_assert_int_eq(mkdir(directory, 0777), 0);
        for (int f = 0; f < 4 && cases[k].files[f]; f++) {
            if (strchr(cases[k].files[f], '/'))
                mkdir(inside, 0777);
            results_write(directory, cases[k].files[f], "");
        }
        enum status status = unfinished_check(directory, &error);
        if (cases[k].said)
            expect_error(status, STATUS_INPUT, &error, directory, cases[k].said, NULL);
        else
            expect_ok(status, &error);
    }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {an_interrupted_run_is_told_apart, the_only_run_counts,
                            every_allocation_may_fail, what_a_run_has_left_is_said, NULL};
    return suite_of("program/report/interrupted", tests);
}
