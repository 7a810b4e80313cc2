/* Ranks that are threads: all end, and the sentence is of the one that failed first. */
#include "program/command/rank_threads.h"

#include "program/command/ranks.h"
#include "support.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RANKS = 4, TURNS = 50 };
static const int64_t devices[RANKS] = {3, 1, 7, 0};

/* What the ranks do: they gather their numbers so often, but for those that fail or stop. */
struct plan {
    int fails_in[RANKS]; /* a turn, from 1; 0: never */
    bool for_all;        /* with one sentence */
    bool stops[RANKS];   /* like one that waits for a device, when it fails */
    int64_t sum[RANKS];
};

static enum status gather(void *context, struct rank_thread *thread, struct error *error)
{
    struct plan *plan = context;
    struct exchange *exchange = thread->exchange;
    int64_t rank = exchange->rank, all[RANKS];
    enum status status = STATUS_OK;
    for (int turn = 1; turn <= TURNS && !status; turn++) {
        if (turn == plan->fails_in[rank])
            status = plan->for_all ? error_set(error, STATUS_CONFIG, "no such thing")
                                   : error_set(error, STATUS_MEMORY, "no rope in turn %d", turn);
        else
            status = exchange_gather_each(exchange, &rank, sizeof rank, all, error);
        for (int r = 0; r < exchange->count && !status; r++)
            plan->sum[rank] += all[r];
    }
    if (status && plan->stops[rank]) {
        rank_thread_fails(thread, status, error);
        for (;;)
            pause();
    }
    return status;
}

static enum status run_plan(struct plan *plan, const int64_t *names, struct error *error)
{
    return rank_threads_run(RANKS, names, gather, plan, error);
}

START_TEST(all_of_them_work)
{
    struct plan plan = {0};
    struct error error;
    expect_ok(run_plan(&plan, devices, &error), &error);
    for (int r = 0; r < RANKS; r++)
        ck_assert_int_eq(plan.sum[r], TURNS * RANKS * (RANKS - 1) / 2);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(the_first_cause_is_told)
{
    struct error error;
    for (int r = 0; r < RANKS; r++)
        for (int turn = 1; turn <= TURNS; turn += TURNS - 1) {
            char wanted[128], device[32];
            struct plan plan = {.fails_in = {[0] = 0}};
            plan.fails_in[r] = turn;
            snprintf(device, sizeof device, " (device %d)", (int)devices[r]);
            for (int named = 0; named < 2; named++) {
                expect_error(run_plan(&plan, named ? devices : NULL, &error), STATUS_MEMORY, &error,
                             NULL);
                snprintf(wanted, sizeof wanted, "rank %d of 4%s: no rope in turn %d", r,
                         named ? device : "", turn);
                ck_assert_str_eq(error.text, wanted);
            }
        }
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

START_TEST(what_all_say_is_said_once)
{
    struct plan plan = {.fails_in = {5, 5, 5, 5}, .for_all = true};
    struct error error;
    expect_error(run_plan(&plan, devices, &error), STATUS_CONFIG, &error, NULL);
    ck_assert_str_eq(error.text, "no such thing");
}
END_TEST

static enum status attempt(void *context, struct error *error)
{
    (void)context;
    struct plan plan = {0};
    return run_plan(&plan, NULL, error);
}

START_TEST(memory_may_be_short)
{
    walk_allocation_failures(attempt, NULL);
}
END_TEST

static int exit_status(enum status status)
{
    return status == STATUS_MEMORY ? 17 : 1;
}

/* Some never end, as one does whose device waits for another: the program ends without them. */
START_TEST(nobody_waits_for_ever)
{
    struct plan plan = {.fails_in = {[3] = 7}, .stops = {true, false, true, _i == 1}};
    struct error error;
    int ends[2], status;
    char text[4096] = "";
    ck_assert_int_eq(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        if (dup2(ends[1], STDERR_FILENO) >= 0 && !program_ranks_begin(exit_status, &error))
            run_plan(&plan, devices, &error);
        _exit(0);
    }
    close(ends[1]);
    ssize_t length = 0, more;
    while ((more = read(ends[0], text + length, sizeof text - 1 - (size_t)length)) > 0)
        length += more;
    close(ends[0]);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 17, "%x: %s", (unsigned)status, text);
    ck_assert_str_eq(text, "cgsolve: rank 3 of 4 (device 0): no rope in turn 7\n");
}
END_TEST

Suite *suite(void)
{
    const TTest *tests[] = {all_of_them_work, the_first_cause_is_told, what_all_say_is_said_once,
                            memory_may_be_short, NULL};
    Suite *made = suite_of("program/command/rank_threads", tests);
    TCase *twice = tcase_of("nobody_waits_for_ever");
    tcase_add_loop_test(twice, nobody_waits_for_ever, 0, 2);
    suite_add_tcase(made, twice);
    return made;
}
