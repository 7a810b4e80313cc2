/* Every index of a loop is done once, whoever shares it, also from several threads of a program at
 * once, inside another loop, and after a fork; and the threads of a loop are not on one
 * processor. */
#include "support.h"

#include "base/threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
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

static const int some_threads[] = {1, 2, 3, 7, 16};

START_TEST(each_index_is_done_once)
{
    uint64_t seed = test_seed();
    for (size_t t = 0; t < sizeof some_threads / sizeof *some_threads; t++)
        for (int turn = 0; turn < 40; turn++) {
            int threads = some_threads[t];
            int64_t n = turn < 20 ? turn : test_random_below(&seed, MOST);
            int64_t piece = 1 + test_random_below(&seed, 40);
            threads_use(threads);
            struct counted shares = {.calls = 0}, pieces = {.calls = 0};
            threads_each(n, count, &shares);
            threads_take(n, piece, count, &pieces);
            expect_each_once(&shares, n);
            expect_each_once(&pieces, n);
            ck_assert_int_eq(shares.calls, n < threads ? n : threads);
            ck_assert_int_eq(shares.longest, (n + threads - 1) / threads);
            if (threads > 1)
                ck_assert_int_eq(pieces.calls, (n + piece - 1) / piece);
        }
}
END_TEST

static void outer(void *context, int64_t begin, int64_t end)
{
    struct counted *inner = context;
    for (int64_t i = begin; i < end; i++)
        threads_each(100, count, &inner[i]);
}

START_TEST(a_loop_inside_another_is_done_whole)
{
    static struct counted inner[20];
    threads_use(3);
    threads_each(20, outer, inner);
    for (int k = 0; k < 20; k++) {
        expect_each_once(&inner[k], 100);
        ck_assert_int_eq(inner[k].calls, 1);
    }
}
END_TEST

static void *many_loops(void *context)
{
    struct counted *counted = context;
    for (int k = 0; k < 300; k++)
        threads_take(MOST, 100, count, counted);
    return NULL;
}

START_TEST(several_threads_of_a_program_may_ask)
{
    enum { CALLERS = 4 };
    static struct counted counted[CALLERS];
    pthread_t callers[CALLERS];
    threads_use(3);
    for (int k = 0; k < CALLERS; k++)
        ck_assert_int_eq(pthread_create(&callers[k], NULL, many_loops, &counted[k]), 0);
    for (int k = 0; k < CALLERS; k++) {
        pthread_join(callers[k], NULL);
        for (int i = 0; i < MOST; i++)
            ck_assert_int_eq(counted[k].times[i], 300);
    }
}
END_TEST

START_TEST(a_forked_process_has_a_team_of_its_own)
{
    threads_use(3);
    struct counted before = {.calls = 0};
    threads_each(MOST, count, &before);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        struct counted counted = {.calls = 0};
        threads_use(3); /* a run time library of OpenMP may begin anew */
        threads_each(MOST, count, &counted);
        for (int i = 0; i < MOST; i++)
            if (counted.times[i] != 1)
                _exit(1);
        _exit(counted.calls == 3 ? 0 : 2);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    threads_each(MOST, count, &before);
    ck_assert_int_eq(before.calls, 6);
}
END_TEST

#ifdef __linux__
struct places {
    pthread_t caller;
    int processor;    /* the caller's */
    int others_there; /* others that were there when their part began */
};

/* The others look where they are, and go to the caller's processor. */
static void look_and_move(void *context, int64_t begin, int64_t end)
{
    (void)begin;
    (void)end;
    struct places *places = context;
    if (pthread_equal(pthread_self(), places->caller))
        return;
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
    if (CPU_COUNT(&before) < 2) /* OMP_PROC_BIND too */
        return;
    threads_use(2);
    threads_each(0, look_and_move, &places); /* makes the team while all processors are allowed */
    places.processor = sched_getcpu();
    CPU_ZERO(&one);
    CPU_SET(places.processor, &one);
    ck_assert_int_eq(pthread_setaffinity_np(pthread_self(), sizeof one, &one), 0);
    for (int turn = 0; turn < 20; turn++)
        threads_each(2, look_and_move, &places);
    pthread_setaffinity_np(pthread_self(), sizeof before, &before);
    ck_assert_int_eq(places.others_there, 0);
}
END_TEST
#endif

Suite *suite(void)
{
    const TTest *const tests[] = {each_index_is_done_once,
                                  a_loop_inside_another_is_done_whole,
                                  several_threads_of_a_program_may_ask,
                                  a_forked_process_has_a_team_of_its_own,
#ifdef __linux__
                                  a_thread_leaves_the_processor_of_the_one_that_began,
#endif
                                  NULL};
    return suite_of("threads", tests);
}
