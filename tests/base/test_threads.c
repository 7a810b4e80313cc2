/* Every index of a loop is done once, whoever shares it, also from several threads of a program at
 * once, by one team or by several, inside another loop, and after a fork; no loop waits for a
 * thread that has no processor; and the threads of a loop are not on one processor. */
#include "support.h"

#include "base/processors.h"
#include "base/threads.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 5000 };

struct counted {
    _Atomic int times[MOST]; /* that each index was done */
    _Atomic int calls;
    _Atomic int64_t longest; /* part */
};

static void count(void *context, int64_t begin, int64_t end)
{
    struct counted *counted = context;
    int64_t longest = atomic_load(&counted->longest);
    while (longest < end - begin &&
           !atomic_compare_exchange_weak(&counted->longest, &longest, end - begin))
        continue;
    atomic_fetch_add(&counted->calls, 1);
    for (int64_t i = begin; i < end; i++)
        atomic_fetch_add(&counted->times[i], 1);
}

static void expect_each_once(const struct counted *counted, int64_t n)
{
    for (int64_t i = 0; i < MOST; i++)
        ck_assert_int_eq(counted->times[i], i < n);
}

static struct threads *team_of(int threads)
{
    struct error error;
    struct threads *team;
    expect_ok(threads_create(threads, &team, &error), &error);
    return team;
}

static const int some_threads[] = {1, 2, 3, 7, 16};

START_TEST(each_index_is_done_once)
{
    uint64_t seed = test_seed();
    for (size_t t = 0; t < sizeof some_threads / sizeof *some_threads; t++) {
        int threads = some_threads[t];
        struct threads *team = team_of(threads);
        ck_assert_int_eq(threads_count(team), threads);
        for (int turn = 0; turn < 40; turn++) {
            int64_t n = turn < 20 ? turn : test_random_below(&seed, MOST);
            int64_t piece = 1 + test_random_below(&seed, 40);
            struct counted shares = {.calls = 0}, pieces = {.calls = 0};
            threads_each(team, n, count, &shares);
            threads_take(team, n, piece, count, &pieces);
            expect_each_once(&shares, n);
            expect_each_once(&pieces, n);
            ck_assert_int_le(shares.calls, 4 * threads); /* pieces, of a team that rests */
            if (threads > 1)
                ck_assert_int_eq(pieces.calls, (n + piece - 1) / piece);
        }
        threads_destroy(team);
    }
}
END_TEST

struct asked {
    struct threads *team;
    struct counted counted;
};

static void outer(void *context, int64_t begin, int64_t end)
{
    struct asked *inner = context;
    for (int64_t i = begin; i < end; i++)
        threads_each(inner[i].team, 100, count, &inner[i].counted);
}

/* Of its own team whole, and of another one, which one of them gets at a time, in shares or
 * whole. */
START_TEST(a_loop_inside_another_is_done_whole)
{
    static struct asked inner[20];
    struct threads *team = team_of(3), *other = team_of(2);
    for (int k = 0; k < 20; k++)
        inner[k].team = k % 2 ? other : team;
    threads_each(team, 20, outer, inner);
    for (int k = 0; k < 20; k++) {
        expect_each_once(&inner[k].counted, 100);
        ck_assert_int_le(inner[k].counted.calls, 1 + k % 2);
    }
    threads_destroy(team);
    threads_destroy(other);
}
END_TEST

enum { LOOPS = 300, CALLERS = 4 };

static void *many_loops(void *context)
{
    struct asked *asked = context;
    for (int k = 0; k < LOOPS; k++)
        threads_take(asked->team, MOST, 100, count, &asked->counted);
    return NULL;
}

static void expect_loops(struct asked *asked)
{
    pthread_t callers[CALLERS];
    for (int k = 0; k < CALLERS; k++)
        ck_assert_int_eq(pthread_create(&callers[k], NULL, many_loops, &asked[k]), 0);
    for (int k = 0; k < CALLERS; k++) {
        pthread_join(callers[k], NULL);
        for (int i = 0; i < MOST; i++)
            ck_assert_int_eq(asked[k].counted.times[i], LOOPS);
    }
}

START_TEST(several_threads_of_a_program_may_ask)
{
    static struct asked asked[CALLERS];
    struct threads *team = team_of(3);
    for (int k = 0; k < CALLERS; k++)
        asked[k].team = team;
    expect_loops(asked);
    threads_destroy(team);
}
END_TEST

/* None waits for another, and none is refused: every loop is in pieces. */
START_TEST(several_teams_work_at_once)
{
    static struct asked asked[CALLERS];
    for (int k = 0; k < CALLERS; k++)
        asked[k].team = team_of(2 + k % 2);
    expect_loops(asked);
    for (int k = 0; k < CALLERS; k++) {
        ck_assert_int_eq(asked[k].counted.calls, LOOPS * MOST / 100);
        threads_destroy(asked[k].team);
    }
}
END_TEST

static void add(void *context, int64_t begin, int64_t end)
{
    _Atomic int64_t *sum = context;
    int64_t its = 0;
    for (int64_t i = begin; i < end; i++)
        its += i;
    atomic_fetch_add(sum, its);
}

/* A thread of a program with a team of its own, made and dismissed there. */
static void *sums(void *context)
{
    int threads = *(int *)context;
    for (int k = 0; k < LOOPS / 10; k++) {
        struct threads *team = team_of(threads);
        for (int64_t n = 0; n < 10; n++) {
            _Atomic int64_t sum = 0;
            threads_each(team, 1000 * n, add, &sum);
            ck_assert_int_eq(sum, 1000 * n * (1000 * n - 1) / 2);
        }
        threads_destroy(team);
    }
    return NULL;
}

START_TEST(teams_come_and_go)
{
    int threads[] = {2, 5};
    pthread_t other;
    ck_assert_int_eq(pthread_create(&other, NULL, sums, &threads[0]), 0);
    sums(&threads[1]);
    pthread_join(other, NULL);
    ck_assert_int_eq(memory_live(), 0);
}
END_TEST

static enum status attempt(void *context, struct error *error)
{
    struct threads *team, *before, *first = threads_lent();
    enum status status = threads_create(*(int *)context, &team, error);
    ck_assert((team == NULL) == (status != STATUS_OK));
    threads_destroy(team);
    if (status)
        return status;
    status = threads_begin(*(int *)context, &before, error);
    ck_assert((threads_lent() == NULL) == (status != STATUS_OK));
    threads_end(before);
    ck_assert_ptr_eq(threads_lent(), first);
    return status;
}

START_TEST(without_memory_there_is_no_team)
{
    int threads = 3;
    walk_allocation_failures(attempt, &threads);
}
END_TEST

static void expect_nothing_lent(void *context, int64_t begin, int64_t end)
{
    _Atomic int64_t *done = context;
    ck_assert_ptr_null(threads_lent());
    atomic_fetch_add(done, end - begin);
}

static void *loop_in_another_thread(void *context)
{
    expect_nothing_lent(context, 0, 1);
    return NULL;
}

/* To one thread of the program, and not within a loop; 0 is all processors. */
START_TEST(a_team_is_lent_to_a_thread)
{
    struct error error;
    struct threads *first = threads_lent(), *before;
    struct threads *team = team_of(0);
    pthread_t other;
    _Atomic int64_t done = 0;
    ck_assert_int_eq(threads_count(team), processors_wanted());
    ck_assert_ptr_eq(threads_lend(team), first);
    expect_ok(threads_begin(3, &before, &error), &error);
    ck_assert_ptr_eq(before, team);
    ck_assert_int_eq(threads_count(threads_lent()), 3);
    threads_each(threads_lent(), 100, expect_nothing_lent, &done);
    ck_assert_int_eq(done, 100);
    ck_assert_int_eq(pthread_create(&other, NULL, loop_in_another_thread, &done), 0);
    pthread_join(other, NULL);
    ck_assert_int_eq(done, 101);
    ck_assert_int_eq(threads_count(threads_lent()), 3);
    threads_end(before);
    ck_assert_ptr_eq(threads_lend(first), team);
    threads_destroy(team);
}
END_TEST

struct meeting {
    int threads;
    _Atomic int come;
};

static void wait_for_all(void *context, int64_t begin, int64_t end)
{
    struct meeting *meeting = context;
    atomic_fetch_add(&meeting->come, (int)(end - begin));
    while (meeting->come < meeting->threads)
        sched_yield();
}

/* Ends when that many threads are in one loop. */
static void expect_threads(struct threads *team, int threads)
{
    struct meeting meeting = {.threads = threads};
    threads_take(team, threads, 1, wait_for_all, &meeting);
    ck_assert_int_eq(meeting.come, threads);
}

START_TEST(a_team_has_fewer_threads_where_the_system_refuses_them)
{
    struct counted shares = {.calls = 0}, pieces = {.calls = 0};
    if (!test_refuse_threads(true))
        return;
    struct threads *alone = team_of(3);
    test_refuse_threads(false);
    struct threads *team = team_of(3);
    ck_assert_int_eq(threads_count(alone), 3);
    threads_each(alone, MOST, count, &shares);
    threads_take(alone, MOST, 7, count, &pieces);
    expect_each_once(&shares, MOST);
    expect_each_once(&pieces, MOST);
    expect_threads(team, 3);
    threads_destroy(alone);
    threads_destroy(team);
}
END_TEST

/* A process that is a fork of this one does a loop with three threads. */
static void expect_fork_shares(struct threads *team)
{
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        struct counted counted = {.calls = 0};
        threads_each(team, MOST, count, &counted);
        expect_threads(team, 3);
        threads_destroy(team);
        for (int i = 0; i < MOST; i++)
            if (counted.times[i] != 1)
                _exit(1);
        _exit(0);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}

/* A team whose workers have all begun: one that is being made may hold a lock of the address
 * sanitizer's, which no fork frees. */
static struct threads *begun_team_of(int threads)
{
    struct threads *team = team_of(threads);
    expect_threads(team, threads);
    return team;
}

START_TEST(a_forked_process_has_a_team_of_its_own)
{
    struct threads *team = begun_team_of(3);
    expect_fork_shares(team);
    expect_threads(team, 3);
    expect_fork_shares(team);
    expect_threads(team, 3);
    threads_destroy(team);
}
END_TEST

static void note_self(void *context, int64_t begin, int64_t end)
{
    (void)begin;
    (void)end;
    *(pthread_t *)context = pthread_self();
}

/* To wake others takes longer than most single pieces. */
START_TEST(a_single_piece_stays_with_the_caller)
{
    struct threads *team = begun_team_of(3);
    for (int k = 0; k < 1000; k++) {
        pthread_t self;
        if (k % 2)
            threads_take(team, 7, 7, note_self, &self);
        else
            threads_each(team, 1, note_self, &self);
        ck_assert(pthread_equal(self, pthread_self()));
    }
    threads_destroy(team);
}
END_TEST

struct held {
    struct threads *team;
    _Atomic int begun, free;
};

static void wait_to_be_free(void *context, int64_t begin, int64_t end)
{
    struct held *held = context;
    held->begun += begin < end;
    while (!held->free)
        sched_yield();
}

static void *hold(void *context)
{
    struct held *held = context;
    threads_each(held->team, 3, wait_to_be_free, held);
    return NULL;
}

/* The loop of the other thread goes on here, and not in the fork, which has no such thread. */
START_TEST(a_fork_in_the_midst_of_a_loop_has_a_team)
{
    struct held held = {.team = begun_team_of(3)};
    struct counted counted = {.calls = 0};
    pthread_t other;
    ck_assert_int_eq(pthread_create(&other, NULL, hold, &held), 0);
    while (!held.begun)
        sched_yield();
    expect_fork_shares(held.team);
    threads_each(held.team, MOST, count, &counted);
    ck_assert_int_eq(counted.calls, 1);
    held.free = 1;
    pthread_join(other, NULL);
    expect_threads(held.team, 3);
    threads_destroy(held.team);
}
END_TEST

/* The caller's part is done long before the other one. */
static void dawdle(void *context, int64_t begin, int64_t end)
{
    const pthread_t *caller = context;
    (void)begin;
    (void)end;
    if (!pthread_equal(pthread_self(), *caller))
        usleep(4000);
}

/* A thread that waits in vain sleeps, and then does loops alone; pieces are shared all the same. */
START_TEST(a_team_that_waits_in_vain_rests)
{
    enum { TURNS = 2000, SLOW = 20 };
    if (processors_available() < 2)
        return;
    pthread_t caller = pthread_self();
    struct threads *team = team_of(2);
    int alone = 0;
    for (int turn = 0; turn < SLOW; turn++)
        threads_each(team, 2, dawdle, &caller);
    for (int turn = 0; turn < TURNS; turn++) {
        struct counted shares = {.calls = 0}, pieces = {.calls = 0};
        threads_each(team, 10, count, &shares);
        threads_take(team, 10, 3, count, &pieces);
        expect_each_once(&shares, 10);
        expect_each_once(&pieces, 10);
        ck_assert_int_eq(pieces.calls, 4);
        alone += shares.calls == 1;
    }
    ck_assert_int_gt(alone, 0);
    threads_destroy(team);
}
END_TEST

#ifdef __linux__
struct stopped {
    pthread_t caller, worker;
    _Atomic pid_t number; /* of the worker, to the system */
};

static _Atomic int stops, goes_on;

static void stop(int signal)
{
    (void)signal;
    stops = 1;
    while (!goes_on)
        usleep(1000);
}

static void allow_stop(void *context, int64_t begin, int64_t end)
{
    struct stopped *stopped = context;
    (void)begin;
    (void)end;
    if (pthread_equal(pthread_self(), stopped->caller)) {
        while (!stopped->number)
            sched_yield();
        return;
    }
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    stopped->worker = pthread_self();
    stopped->number = gettid();
}

static bool sleeps(pid_t thread)
{
    char name[64], state = 0;
    snprintf(name, sizeof name, "/proc/self/task/%d/stat", (int)thread);
    FILE *file = fopen(name, "r");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fscanf(file, "%*d (%*[^)]) %c", &state), 1);
    fclose(file);
    return state == 'S';
}

/* Another program may hold the worker's processor; here a signal's handler holds the worker. */
START_TEST(a_loop_does_not_wait_for_a_worker_that_has_no_processor)
{
    struct stopped stopped = {.caller = pthread_self()};
    struct counted shares = {.calls = 0}, pieces = {.calls = 0};
    struct sigaction action = {.sa_handler = stop}, before;
    cpu_set_t all, one;
    ck_assert_int_eq(sched_getaffinity(0, sizeof all, &all), 0);
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
    struct threads *team = team_of(2); /* more threads than processors: it rests */
    sigaction(SIGUSR1, &action, &before);
    threads_take(team, 2, 1, allow_stop, &stopped);
    while (!sleeps(stopped.number))
        sched_yield();
    pthread_kill(stopped.worker, SIGUSR1);
    while (!stops)
        sched_yield();
    threads_each(team, MOST, count, &shares);
    threads_take(team, MOST, 7, count, &pieces);
    expect_each_once(&shares, MOST);
    expect_each_once(&pieces, MOST);
    goes_on = 1;
    expect_threads(team, 2);
    threads_destroy(team);
    sigaction(SIGUSR1, &before, NULL);
    sched_setaffinity(0, sizeof all, &all);
}
END_TEST

struct places {
    pthread_t caller;
    int processor;    /* the caller's */
    int others_there; /* others that were there when their part began */
    bool moved;       /* the other thread, in this loop */
};

/* The others look where they are, and go to the caller's processor. */
static void look_and_move(void *context, int64_t begin, int64_t end)
{
    (void)begin;
    (void)end;
    struct places *places = context;
    if (pthread_equal(pthread_self(), places->caller) || places->moved)
        return;
    places->moved = true; /* it may take both pieces */
    places->others_there += sched_getcpu() == places->processor;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(places->processor, &one);
    ck_assert_int_eq(pthread_setaffinity_np(pthread_self(), sizeof one, &one), 0);
}

/* The system may put both on one processor; here the test does. */
START_TEST(a_thread_leaves_the_processor_of_the_one_that_began)
{
    struct places places = {.caller = pthread_self()};
    cpu_set_t before, one;
    ck_assert_int_eq(pthread_getaffinity_np(pthread_self(), sizeof before, &before), 0);
    if (CPU_COUNT(&before) < 2)
        return;
    struct threads *team = team_of(2);
    places.processor = sched_getcpu();
    CPU_ZERO(&one);
    CPU_SET(places.processor, &one);
    ck_assert_int_eq(pthread_setaffinity_np(pthread_self(), sizeof one, &one), 0);
    for (int turn = 0; turn < 20; turn++) {
        places.moved = false;
        threads_take(team, 2, 1, look_and_move, &places);
    }
    pthread_setaffinity_np(pthread_self(), sizeof before, &before);
    ck_assert_int_eq(places.others_there, 0);
    threads_destroy(team);
}
END_TEST
#endif

Suite *suite(void)
{
    const TTest *const tests[] = {each_index_is_done_once,
                                  a_loop_inside_another_is_done_whole,
                                  several_threads_of_a_program_may_ask,
                                  several_teams_work_at_once,
                                  teams_come_and_go,
                                  without_memory_there_is_no_team,
                                  a_team_is_lent_to_a_thread,
                                  a_team_has_fewer_threads_where_the_system_refuses_them,
                                  a_single_piece_stays_with_the_caller,
                                  a_forked_process_has_a_team_of_its_own,
                                  a_fork_in_the_midst_of_a_loop_has_a_team,
                                  a_team_that_waits_in_vain_rests,
#ifdef __linux__
                                  a_loop_does_not_wait_for_a_worker_that_has_no_processor,
                                  a_thread_leaves_the_processor_of_the_one_that_began,
#endif
                                  NULL};
    return suite_of("base/threads", tests);
}
